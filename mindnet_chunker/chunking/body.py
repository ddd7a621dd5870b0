"""One note's body as it is cut: what of it is visible, what it measures, and under which headings it stands."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from mindnet_chunker.chunking.heading_paths import begins_with, common_path
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.records import Block, Document, HeadingRef, Section, Span

RAW_KINDS = frozenset(("code", "math", "url", "data_url"))  # embedded as they are, not in NFKC
LONG_WORD = re.compile(r"(?<!\S)\S{1001}")  # counted in slices, but where the whole text is encoded
_LONGEST_ENCODED = 200_000  # characters: a code block that is kept past `max` may be far longer
_LONGEST_SOLID = 300  # characters of a link or a code span that is not cut at its blanks
VISIBLE = re.compile(r"[^\s\u200b-\u200f\u2060\ufeff]")  # neither white space nor a sign of no width
_NOT_SPACE = re.compile(r"\S")
_SPACES = re.compile(r"\s")
_ODD_SPACE = re.compile("[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")  # white space, but no tokenizer parts words there
_WIDE = re.compile("[\u2e80-\U0003ffff]")  # scripts in which counts may not add up even where a sentence ends
_PARTING = frozenset(
    " \t\n\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
)


class Place(NamedTuple):
    """Where a stretch of the body stands."""

    headings: tuple[HeadingRef, ...]  # common heading path of what has text of its own in the stretch
    shown: frozenset[int]  # steps of it whose heading, or the rest of it, the stretch begins with
    only_headings: bool


class Body:
    """The body of a note, measured once. Positions are those of the note's text.

    `holes` are the exclusions, in order, not overlapping; in `seen`, which is as long as the text, they are blank.
    """

    def __init__(
        self, document: Document, sections: Sequence[Section], holes: Sequence[Span], counter: TokenCounter
    ) -> None:
        self.document = document
        self.text = document.note.text
        self.counter = counter
        self.sections = tuple(section for section in sections if section.heading or section.blocks)
        self.holes = tuple(holes)
        self.seen = _with(self.text, self.holes, _blank)
        self._hole_ends = [hole.end for hole in self.holes]
        self._raw = [Span(region.start, region.end) for region in document.regions if region.kind in RAW_KINDS]
        self.tokens = counter.measure(self.seen, self._raw).between  # (start, end), of what is cut at white space
        self._section_starts = [start_of(section) for section in self.sections]
        self._blocks = tuple(block for section in self.sections for block in all_blocks(section))
        self._block_starts = [block.span.start for block in self._blocks]
        self._places: dict[tuple[int, int], Place] = {}
        self._solid: str | None = None
        self._is_ascii = self.text.isascii()
        self._is_odd = LONG_WORD.search(self.text) is not None or _ODD_SPACE.search(self.text) is not None

    def count(self, start: int, end: int) -> int:
        """Tokens of a stretch by a real encode: where it is cut inside a word."""
        text = self.seen[start:end]
        if not unicodedata.is_normalized("NFKC", text) and not _meets(self._raw, start, end):
            text = unicodedata.normalize("NFKC", text)
        return self.encoded(text)

    def encoded(self, text: str) -> int:
        """Tokens of a text as it is embedded; one with words that are counted in slices is encoded whole."""
        if len(text) <= _LONGEST_ENCODED and LONG_WORD.search(text):
            return self.counter.encode_count(text)
        return self.counter.count(text)

    def measured(self, start: int, end: int) -> int:
        """Tokens of any stretch: counted up where it is cut at white space, else encoded."""
        cuts = self._cuts_word(start) or self._cuts_word(end)
        return self.count(start, end) if cuts else self.tokens(start, end)

    def is_plain(self, start: int, end: int) -> bool:
        """Whether the stretch is embedded word by word as it stands: then the counts of its words add up to its own."""
        if self._is_odd or self._cuts_word(start) or self._cuts_word(end) or any(self.holes_in(start, end)):
            return False
        if self._is_ascii:
            return True
        if not self.counter.exact_inside_words and _WIDE.search(self.text, start, end):
            return False
        return unicodedata.is_normalized("NFKC", self.text[start:end])

    def _cuts_word(self, at: int) -> bool:
        return 0 < at < len(self.seen) and self.seen[at - 1] not in _PARTING and self.seen[at] not in _PARTING

    def characters(self, start: int, end: int) -> int:
        if not self.holes:
            return end - start
        return end - start - sum(hole.end - hole.start for hole in self.holes_in(start, end))

    def visible(self, start: int, end: int) -> Span | None:
        """From the first to the last character of the stretch that is not blank; None if nothing can be seen."""
        first = _NOT_SPACE.search(self.seen, start, end)
        if first is None or (not VISIBLE.match(first[0]) and not VISIBLE.search(self.seen, start, end)):
            return None
        return Span(first.start(), start + len(self.seen[start:end].rstrip()))

    def line_start(self, position: int, floor: int) -> int:
        """The start of the position's line, not below `floor`, where only blanks come between; else the position."""
        at = position
        while at > floor and self.text[at - 1].isspace() and self.text[at - 1] not in "\r\n":
            at -= 1
        return at if not at or self.text[at - 1] in "\r\n" else position

    def holes_in(self, start: int, end: int) -> Iterator[Span]:
        """The parts of the exclusions that lie in the stretch."""
        at = bisect_right(self._hole_ends, start)
        while at < len(self.holes) and self.holes[at].start < end:
            yield Span(max(start, self.holes[at].start), min(end, self.holes[at].end))
            at += 1

    def cutout(self, start: int, end: int) -> str:
        """The stretch of the text without its exclusions."""
        if not self.holes:
            return self.text[start:end]
        pieces: list[str] = []
        for hole in self.holes_in(start, end):
            pieces.append(self.text[start : hole.start])
            start = hole.end
        return "".join((*pieces, self.text[start:end]))

    def solid(self) -> str:
        """`seen`, with letters for the blanks in links, code, math and addresses, where no cut between words belongs."""
        if self._solid is None:
            inline = self.document.inline
            inside = (link.span for link in inline.links)
            outside = (link.span for link in inline.external_links)
            solid = [*filter(None, inside), *filter(None, outside), *self._raw]
            spans = sorted(span for span in solid if span.end - span.start <= _LONGEST_SOLID)
            self._solid = _with(_with(self.text, spans, _letters), self.holes, _blank)
        return self._solid

    def blocks_in(self, start: int, end: int) -> Iterator[tuple[Block, Span]]:
        """The top-level blocks of a stretch, each with its part of it."""
        at = max(0, bisect_right(self._block_starts, start) - 1)
        while at < len(self._blocks) and self._blocks[at].span.start < end:
            block = self._blocks[at]
            if block.span.end > start:
                yield block, Span(max(start, block.span.start), min(end, block.span.end))
            at += 1

    def place(self, start: int, end: int) -> Place:
        """Where a stretch stands; headings without text of their own in it do not count for its path."""
        if (start, end) not in self._places:
            self._places[start, end] = self._place(start, end)
        return self._places[start, end]

    def _place(self, start: int, end: int) -> Place:
        first = max(0, bisect_right(self._section_starts, start) - 1)
        inside = range(first, max(first + 1, bisect_left(self._section_starts, end)))
        holding = [at for at in inside if self.has_text(at, start, end)]
        headings = common_path(self.sections[at].headings for at in holding or inside)
        opening = [at for at in inside if not holding or at <= holding[0]]
        shown = (self.sections[at].headings for at in opening if self._shows_heading(at, start))
        return Place(
            headings,
            frozenset(len(path) - 1 for path in shown if begins_with(headings, path)),
            not holding and any(self.sections[at].heading for at in inside),
        )

    def has_text(self, at: int, start: int = 0, end: int | None = None) -> bool:
        """Whether a section has more than its heading and rules, in the whole or in a stretch of the body."""
        first, last = max(start, self.section_start(at)), self.section_end(at)
        return any(
            block.kind not in ("heading", "rule") and self.visible(*part) is not None
            for block, part in self.blocks_in(first, last if end is None else min(end, last))
        )

    def section_start(self, at: int) -> int:
        return self._section_starts[at]

    def section_end(self, at: int) -> int:
        return all_blocks(self.sections[at])[-1].span.end

    def _shows_heading(self, at: int, start: int) -> bool:
        heading = self.sections[at].heading
        return heading is not None and heading.span.end > start


def all_blocks(section: Section) -> tuple[Block, ...]:
    return section.blocks if section.heading is None else (section.heading, *section.blocks)


def start_of(section: Section) -> int:
    return all_blocks(section)[0].span.start


def _meets(spans: Sequence[Span], start: int, end: int) -> bool:
    at = bisect_right(spans, start, key=lambda span: span.end)
    return at < len(spans) and spans[at].start < end


def _with(text: str, spans: Iterable[Span], filler: Callable[[str], str]) -> str:
    """The text with every span replaced by a filler of its length."""
    pieces: list[str] = []
    done = 0
    for start, end in spans:
        start = max(start, done)
        if end > start:
            pieces += (text[done:start], filler(text[start:end]))
            done = end
    return "".join((*pieces, text[done:])) if pieces else text


def _blank(text: str) -> str:
    return " " * len(text)


def _letters(text: str) -> str:
    return _SPACES.sub("x", text)
