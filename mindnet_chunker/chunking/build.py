"""A stretch of the body -> the chunk that owns it: text, context, counts, kind and flags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.context import Context, Contexts
from mindnet_chunker.chunking.limits import Limits
from mindnet_chunker.chunking.traits import Traits
from mindnet_chunker.chunking.units import Seam, Unit
from mindnet_chunker.chunking.wording import embedding_form, embedding_text, tidy
from mindnet_chunker.records import Added, Chunk, Span

_FLAGS = (
    "has_code", "has_table", "has_math", "has_tasks", "oversize", "windowed", "sparse", "headings_only",
    "cut_sentence", "cut_row", "cut_line", "cut_item", "list_cut",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stretch that is to be a chunk, from its first to its last visible character."""

    start: int
    end: int
    repeat_from: int | None = None  # where the overlap begins
    open: str = ""  # lines put before the stretch, with their line ends
    why_open: str = ""
    close: str = ""  # a line put behind it, with the line end before
    flags: frozenset[str] = frozenset()
    context: Context | None = None  # in place of that of the heading path
    kind: str | None = None  # in place of that of the largest block
    may_exceed: bool = False  # one code block or table that is kept whole
    merged: bool = False  # of several sections: never `sparse`

    @classmethod
    def of(cls, units: Sequence[Unit], first: int, after: int, **more: Any) -> Part:
        """Some of the units that are cut together, with what the cuts at both ends bring, and more fields."""
        before = units[first].seam if first else Seam(0)
        behind = units[after].seam if after < len(units) else Seam(0)
        return cls(
            start=units[first].start,
            end=units[after - 1].end,
            open=before.open,
            why_open=before.why_open,
            close=behind.close,
            flags=frozenset((*before.flags, *behind.flags)),
            **more,
        )


class Built(NamedTuple):
    part: Part
    chunk: Chunk
    size: int  # what counts against `max`


class _Counts(NamedTuple):
    own: int
    overlap: int
    embedded: int  # special tokens included
    characters: int  # of what is embedded


class Builder:
    """Builds the chunks of one note."""

    def __init__(self, body: Body, limits: Limits, contexts: Contexts, window: int) -> None:
        self._body = body
        self._limits = limits
        self._contexts = contexts
        self._window = window
        self._traits = Traits(body)

    def size(self, span: Span) -> int:
        """What a stretch comes to as one chunk, by the counts of its words."""
        context = self.context(span)
        characters = context.characters + self._body.characters(*span)
        return self._limits.size(context.tokens + self._body.tokens(*span), characters)

    def context(self, span: Span) -> Context:
        place = self._body.place(*span)
        return self._contexts.of(place.headings, place.shown)

    def build(self, part: Part, before: Sequence[Built]) -> Built:
        """The chunk of a part, given those before it; with the indent of its first line, unless that is too much."""
        line = self._body.line_start(part.start, before[-1].chunk.span.end if before else 0)
        built = self._built(part, Span(line, part.end), len(before))
        if line < part.start and "oversize" in built.chunk.flags and not part.may_exceed:
            return self._built(part, Span(part.start, part.end), len(before))
        return built

    def _built(self, part: Part, span: Span, index: int) -> Built:
        body = self._body
        place = body.place(*span)
        context = part.context or self._contexts.of(place.headings, place.shown)
        own = part.open + tidy(body.cutout(*span)) + part.close
        text, repeated = own, Span(span.start, span.start)
        if part.repeat_from is not None:
            start = body.line_start(part.repeat_from, 0)
            whole = tidy(body.cutout(start, span.end))
            if whole.endswith(own):  # not so where a letter joins the one before it
                text, repeated = whole, Span(start, span.start)
        counts = self._counts(part, repeated, span, text, own, context)
        size = self._limits.size(counts.embedded - self._limits.specials, counts.characters)
        kind = part.kind or self._traits.kind(span)
        flags = {*part.flags, *self._traits.flags(span)}
        flags |= {"headings_only"} if place.only_headings else set()
        flags |= {"oversize"} if size > self._limits.max else set()
        flags |= {"windowed"} if counts.embedded > self._window else set()
        flags |= {"sparse"} if counts.embedded < self._limits.min and not part.merged else set()
        chunk = Chunk(
            index=index,
            kind=kind,
            text=text,
            own_start=len(text) - len(own),
            context=context.text,
            added=_added(part, len(text) - len(own), len(text)),
            span=span,
            overlap_start=repeated.start,
            headings=place.headings,
            token_count=counts.own,
            overlap_tokens=counts.overlap,
            embedding_tokens=counts.embedded,
            flags=tuple(flag for flag in _FLAGS if flag in flags),
            summary=self._traits.summary(span) if kind == "table" else None,
        )
        return Built(part, chunk, size)

    def _counts(self, part: Part, repeated: Span, span: Span, text: str, own: str, context: Context) -> _Counts:
        """The counts of exactly what is embedded: added up from the words of the note where nothing is special."""
        body, counter = self._body, self._body.counter
        before = context.tokens + self._limits.specials
        plain = body.is_plain(*span) and (repeated.start == repeated.end or body.is_plain(*repeated))
        if counter.additive and plain and not (part.open or part.close):
            overlap, owned = body.tokens(*repeated), body.tokens(*span)
            return _Counts(owned, overlap, before + overlap + owned, context.characters + len(text))
        form = embedding_form(text)
        total = body.encoded(form)
        owned = total if len(own) == len(text) else body.encoded(embedding_form(own))
        if counter.additive or not context.text:
            embedded = before + total
        else:
            embedded = self._limits.specials + body.encoded(embedding_text(context.text, text))
        return _Counts(owned, max(0, total - owned), embedded, context.characters + len(form))


def _added(part: Part, own_start: int, end: int) -> tuple[Added, ...]:
    found = []
    if part.open:
        found.append(Added(at=own_start, text=part.open, why=part.why_open))
    if part.close:
        found.append(Added(at=end - len(part.close), text=part.close, why="fence_close"))
    return tuple(found)
