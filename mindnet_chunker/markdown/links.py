"""Links as written: in the body, and in the values of properties."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mindnet_chunker.markdown.destinations import decoded, inline_destination, is_external
from mindnet_chunker.markdown.fields import canonical_key
from mindnet_chunker.markdown.mask import visible
from mindnet_chunker.markdown.scan import WIKILINK, Marks
from mindnet_chunker.markdown.wikilinks import Target, target_of, wikilink
from mindnet_chunker.records import ExternalLink, Frontmatter, InlineField, Json, Link, Note, Span

_SOFT_BREAK = re.compile(r"(?<![ \t])[ \t]*+\n[ \t>]*+")
_IN_PROPERTY = re.compile(rf"!?{WIKILINK}")
_MARKDOWN_LINK = re.compile(r"!?\[(?P<text>(?:[^\[\]\\]++|\\.)*+)\](?=\()", re.DOTALL)


def body_links(
    note: Note, source: str, marks: Marks, fields: Sequence[InlineField]
) -> tuple[tuple[Link, ...], tuple[ExternalLink, ...]]:
    """Internal and external links in reading order; those in a field have its key."""
    external: list[tuple[Span, str, str | None]] = [(span, source[slice(*span)], None) for span in marks.addresses]
    internal: list[tuple[Span, str, str, Target, str | None]] = []
    for span in marks.wikilinks:
        raw = source[slice(*span)]
        if found := wikilink(raw):
            internal.append((span, "wikilink", raw, *found))
    for link in marks.links:
        address = source[slice(*link.address)]
        text = _SOFT_BREAK.sub(" ", source[slice(*link.text)]).strip() or None
        if is_external(address):
            external.append((link.span, address, text))
        elif target := target_of(decoded(address)):
            internal.append((link.span, "markdown", source[slice(*link.span)], target, text))
    if marks.links:
        internal.sort(key=lambda one: one[0])
        external.sort(key=lambda one: one[0])
    keys = _Keys(fields)
    return (
        tuple(_link(kind, raw, target, text, note, span, keys) for span, kind, raw, target, text in internal),
        tuple(
            ExternalLink(url=visible(url), text=text, line=note.line_at(span.start), span=span)
            for span, url, text in external
        ),
    )


class _Keys:
    """The key of the field that holds a place, asked in reading order."""

    def __init__(self, fields: Sequence[InlineField]) -> None:
        self.fields = fields
        self.at = 0

    def at_place(self, place: int) -> str | None:
        while self.at < len(self.fields) and self.fields[self.at].span.end <= place:
            self.at += 1
        inside = self.at < len(self.fields) and self.fields[self.at].span.start <= place
        return canonical_key(self.fields[self.at].key) if inside else None


def _link(kind: str, raw: str, target: Target, text: str | None, note: Note, span: Span, keys: _Keys) -> Link:
    key = keys.at_place(span.start)
    return Link(
        kind=kind,
        raw=raw,
        target=target.path,
        heading=target.heading,
        block=target.block,
        alias=text,
        embed=raw.startswith("!"),
        line=note.line_at(span.start),
        span=span,
        key=key or "",
        origin="body" if key is None else "field",
    )


def property_links(frontmatter: Frontmatter) -> tuple[Link, ...]:
    """Links in the values of properties, in their order; what is nested belongs to the top-level key."""
    return tuple(
        Link(
            kind="property",
            raw=raw,
            target=target.path,
            heading=target.heading,
            block=target.block,
            alias=alias,
            embed=raw.startswith("!"),
            line=frontmatter.lines.get(key, 1),
            span=None,
            key=key.strip().lower(),
            origin="property",
        )
        for key, value in frontmatter.fields.items()
        for text in _texts(value)
        for raw, target, alias in _links_in(text)
    )


def _texts(value: Json) -> Iterator[str]:
    """All strings in a value, in order, however deep."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += reversed(one.values())
        elif isinstance(one, list | tuple):
            waiting += reversed(one)


def _links_in(text: str) -> Iterator[tuple[str, Target, str | None]]:
    """Wikilinks anywhere in a value, or the one Markdown link that the value is."""
    whole = text.strip()
    opening = _MARKDOWN_LINK.match(whole)
    found = inline_destination(whole, opening.end(), len(whole)) if opening else None
    if opening and found and found.after == len(whole):
        address = whole[found.start : found.end]
        target = None if is_external(address) else target_of(decoded(address))
        if target:
            yield whole, target, opening["text"].strip() or None
        return
    for match in _IN_PROPERTY.finditer(text):
        if link := wikilink(match[0]):
            yield match[0], *link
