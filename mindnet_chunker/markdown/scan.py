"""One pass over the text of the leaves, from left to right: whatever mark begins first decides what it is.

So a link within code is code, and a dollar within a link's address is no math. Marks are found here and read elsewhere
(`links`, `tags`, `fields`): here are only places.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mindnet_chunker.markdown.destinations import (
    MAX_LABEL,
    Destination,
    definition,
    folded_label,
    inline_destination,
    reference_label,
)
from mindnet_chunker.markdown.leaves import Leaf
from mindnet_chunker.markdown.tags import TAGS, split_tags
from mindnet_chunker.records import Region, Span

WIKILINK = r"\[\[(?!\[)(?:[^\[\]\n]++|\[(?!\[)|\](?!\]))*+\]\]"  # to the first `]]`; a later `[[` starts another

_MANY = 64  # of one bracket in a row are no links
_MARK = re.compile(
    r"\\[!-/:-@\[-`{-~]"
    rf"|`+|{WIKILINK}|\[{{{_MANY},}}|\]{{{_MANY},}}|\${{3,}}|[\[\]]|\$(?=\S)|<(?=[\w/!?])|{TAGS}"
    r"|%%(?<![%\d]%%)(?!%)"  # not in `50%%`, nor in `%%%%`
    r"|:(?=//)"
)
_BACKTICKS = re.compile(r"`+")
_COMMENT_ENDS = {"%%": re.compile(r"%%(?<!%%%)(?!%)"), "<!--": re.compile(r"-->")}
_LINE_MATH = re.compile(r"\$(?![\s$])(?:[^$\n\\]++|\\.)*+(?<!\s)\$(?!\d)")
_POINTED = re.compile(
    r"<(?:(?P<address>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+|[\w.!#$%&'*+/=?^`{|}~-]++@[A-Za-z0-9][A-Za-z0-9.-]*+)>"
    r"|/[A-Za-z][A-Za-z0-9-]*+\s*+>"
    r"|[A-Za-z][A-Za-z0-9-]*+"
    r"(?:\s++[A-Za-z_:][\w.:-]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+\s*+/?>"
    r"|![A-Za-z][^<>]*+>|\?(?:[^?<]++|\?(?!>))*+\?>)"
)
_URL = re.compile(r"https?://[^\s<>\"`{}|\\^\[\]“”„«»。，、；：！？）」』】》\ufffc]+", re.IGNORECASE)
_URL_END = ".,:;!?'*_~’…"
_QUOTE_MARKS = re.compile(r"[ \t>]*")
_MAX_OPEN = 1000  # square brackets that wait for their partner; older ones are text


class MarkdownLink(NamedTuple):
    span: Span  # with the `!` of an embed
    text: Span
    address: Span
    embed: bool


@dataclass(slots=True)
class Marks:
    """Where everything stands, each list in reading order but `links`, which are in the order of their ends."""

    regions: list[Region] = field(default_factory=list)
    wikilinks: list[Span] = field(default_factory=list)  # with the `!` of an embed
    links: list[MarkdownLink] = field(default_factory=list)
    addresses: list[Span] = field(default_factory=list)  # bare URLs, and those in pointed brackets without these
    tags: list[Span] = field(default_factory=list)
    comments: list[Region] = field(default_factory=list)  # those among `regions`


def scan(source: str, leaves: Sequence[Leaf]) -> Marks:
    """All marks of the leaves. A comment may run past the leaf that it begins in."""
    marks = Marks()
    definitions = _definitions(source, leaves)
    comments = {"%%", "<!--"}
    done = 0
    for leaf in leaves:
        start = max(leaf.start, done)
        if start >= leaf.end:
            continue
        if leaf.kind == "code":
            marks.regions.append(Region(start, leaf.end, "code"))
        elif leaf.kind == "html":
            done = _scan_html(source, start, leaf.end, comments, marks)
        elif leaf.kind == "definition":
            if found := definition(source, leaf):
                marks.regions.append(Region(found[1].start, found[1].end, "url"))
        elif _MARK.search(source, start, leaf.end):
            done = _LeafScan(source, leaf, start, definitions, comments, marks).run()
    return marks


def _definitions(source: str, leaves: Sequence[Leaf]) -> dict[str, Destination]:
    """The first definition of a label counts."""
    found = (definition(source, leaf) for leaf in leaves if leaf.kind == "definition")
    return {label: address for label, address in reversed([pair for pair in found if pair]) if label}


def _scan_html(source: str, start: int, end: int, comments: set[str], marks: Marks) -> int:
    """An HTML block has no marks but comments. One that ends within it is no matter for the parse of blocks."""
    at = start
    while at < end:
        opener = source.find("<!--", at, end)
        closer = _comment_end(source, opener, "<!--", comments) if opener >= 0 else 0
        if not closer:
            break
        if at < opener:
            marks.regions.append(Region(at, opener, "html"))
        marks.regions.append(Region(opener, closer, "comment"))
        if closer > end:
            marks.comments.append(marks.regions[-1])
        at = closer
    if at < end:
        marks.regions.append(Region(at, end, "html"))
    return at


def _comment_end(source: str, start: int, opener: str, comments: set[str]) -> int:
    """Where the comment that opens at `start` ends, 0 if it never does. `comments`: openers that may still be closed."""
    if opener not in comments:
        return 0
    closer = _COMMENT_ENDS[opener].search(source, start + 2)  # `<!-->` is a comment too
    if closer is None:
        comments.discard(opener)
    return closer.end() if closer else 0


class _LeafScan:
    """One leaf, read from `start`. `comments` are the openers that something further on may still close."""

    def __init__(
        self,
        source: str,
        leaf: Leaf,
        start: int,
        definitions: Mapping[str, Destination],
        comments: set[str],
        marks: Marks,
    ) -> None:
        self.source = source
        self.start, self.end = start, leaf.end
        self.in_table = leaf.kind in ("header", "row")
        self.definitions = definitions
        self.comments = comments
        self.marks = marks
        self.backticks: dict[int, list[int]] | None = None  # length -> starts of the runs of that length
        self.closing_math = True  # whether a `$$` may still come
        self.round_closer = start - 1  # the next `)`, or the end where none comes
        self.escaped = start  # end of the last escape
        # Openers of links: twice their place, and one more for an image, so that very many take little room.
        self.openers: deque[int] = deque(maxlen=_MAX_OPEN)
        self.spent = 0  # how many of them lie around a link and can make none: links hold no links

    def run(self) -> int:
        """Read it; return where to go on, which after a comment may lie behind the leaf."""
        at = self.start
        while at < self.end and (mark := _MARK.search(self.source, at, self.end)):
            at = self.mark(*mark.span())
        return at

    def mark(self, start: int, end: int) -> int:
        sign = self.source[start]
        if sign == "[":
            if end - start >= _MANY and self.source[end - 1] == "[":
                return end - 2  # the last two may open a wikilink
            embed = self.source.startswith("!", start - 1) and start > self.escaped
            if end - start > 1:
                self.marks.wikilinks.append(Span(start - embed, end))
            else:
                self.openers.append(2 * start + embed)
            return end
        if sign == "]":
            return self.close(start) if end - start == 1 else end
        if sign == "#":
            return self.tags(start, end)
        if sign == "\\":
            self.escaped = end
            return self.region(start, end, "escape")
        if sign == "`":
            return self.code(start, end)
        if sign == ":":
            return self.url(start)
        if sign == "$":
            return self.math(start) if end - start == 1 else end
        if sign == "%":
            return self.comment(start, "%%")
        return self.pointed(start)

    def region(self, start: int, end: int, kind: str) -> int:
        self.marks.regions.append(Region(start, end, kind))
        return end

    def code(self, start: int, end: int) -> int:
        if self.backticks is None:
            self.backticks = {}
            for run in _BACKTICKS.finditer(self.source, start, self.end):
                self.backticks.setdefault(run.end() - run.start(), []).append(run.start())
        closers = self.backticks.get(end - start, [])
        closer = bisect_left(closers, end)
        return self.region(start, closers[closer] + end - start, "code") if closer < len(closers) else end

    def math(self, start: int) -> int:
        if self.source.startswith("$$", start):
            closer = self.source.find("$$", start + 2, self.end) if self.closing_math else -1
            self.closing_math = closer >= 0
            return self.region(start, closer + 2, "math") if closer > start + 2 else start + 2
        line = _LINE_MATH.match(self.source, start, self.end)
        return self.region(start, line.end(), "math") if line else start + 1

    def comment(self, start: int, opener: str) -> int:
        end = _comment_end(self.source, start, opener, self.comments)
        if not end:
            return start + len(opener)
        self.region(start, end, "comment")
        self.marks.comments.append(self.marks.regions[-1])
        return end

    def pointed(self, start: int) -> int:
        if self.source.startswith("<!--", start):
            return self.comment(start, "<!--")
        match = _POINTED.match(self.source, start, self.end)
        if match is None:
            return start + 1
        if match["address"]:
            self.marks.addresses.append(Span(*match.span("address")))
        return self.region(start, match.end(), "url" if match["address"] else "html")

    def url(self, colon: int) -> int:
        start = colon - (5 if self.source[max(0, colon - 5) : colon].lower() == "https" else 4)
        url = _URL.match(self.source, start, self.end) if start >= self.start else None
        if url is None or (start > self.start and self.source[start - 1].isalnum()):
            return colon + 1
        end = start + _length_of_url(url[0])
        if end <= colon + len("://"):
            return colon + 1
        self.marks.addresses.append(Span(start, end))
        return self.region(start, end, "url")

    def tags(self, start: int, end: int) -> int:
        before = self.source[start - 1] if start > self.start else ""
        if (before == ">" and not self.is_quote_mark(start - 1)) or (before == "|" and not self.in_table):
            return start + 1
        for first, last in split_tags(self.source[start:end]):
            self.marks.tags.append(Span(start + first, start + last))
        return end

    def is_quote_mark(self, at: int) -> bool:
        line = self.source.rfind("\n", self.start, at) + 1 or self.start
        marks = _QUOTE_MARKS.match(self.source, line, at)
        return marks is not None and marks.end() == at

    def close(self, at: int) -> int:
        """A closing bracket: the end of a link's text, where an address or a known label follows."""
        if not self.openers:
            return at + 1
        opener, image = divmod(self.openers.pop(), 2)
        is_spent = len(self.openers) < self.spent
        self.spent = min(self.spent, len(self.openers))
        found = self.target(opener, at) if image or not is_spent else None
        if found is None:
            return at + 1
        span, address = Span(opener - image, found.after), Span(found.start, found.end)
        self.marks.links.append(MarkdownLink(span, Span(opener + 1, at), address, embed=image == 1))
        while self.marks.addresses and self.marks.addresses[-1].start > opener:
            self.marks.addresses.pop()  # what the text of a link looks like is no other link
        if not image:
            self.spent = len(self.openers)
        if at < address.start < address.end < found.after:
            self.region(*address, "url")
        return found.after

    def target(self, opener: int, at: int) -> Destination | None:
        if self.source.startswith("(", at + 1, self.end) and self.has_round_closer(at):
            found = inline_destination(self.source, at + 1, self.end)
            if found:
                return found
        if not self.definitions or self.source.startswith("^", opener + 1):
            return None
        label = reference_label(self.source, at + 1, self.end)
        if not (label and label[1]) and at - opener > MAX_LABEL:
            return None
        name = label[1] if label and label[1] else self.source[opener + 1 : at]
        known = self.definitions.get(folded_label(name))
        return known._replace(after=label.end() if label else at + 1) if known else None

    def has_round_closer(self, at: int) -> bool:
        if self.round_closer < at:
            place = self.source.find(")", at, self.end)
            self.round_closer = place if place >= 0 else self.end
        return self.round_closer < self.end


def _length_of_url(url: str) -> int:
    """The length of a bare URL without what belongs to the sentence around it."""
    opened, closed = url.count("("), url.count(")")
    end = len(url)
    while end:
        if url[end - 1] in _URL_END:
            end -= 1
        elif url[end - 1] == ")" and closed > opened:
            end, closed = end - 1, closed - 1
        else:
            break
    return end
