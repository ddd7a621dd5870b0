"""The four simpler strategies: whole sentences up to the target's upper end, repeated by their number.

They differ in what is packed together, and in the label that is its context.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from mindnet_chunker.chunking.body import Body, all_blocks
from mindnet_chunker.chunking.build import Builder, Built, Part
from mindnet_chunker.chunking.context import Context, Contexts
from mindnet_chunker.chunking.limits import Limits
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.split import Splitter
from mindnet_chunker.chunking.units import Unit
from mindnet_chunker.records import Block, Exclusion, Section, Span

_ATTEMPTS = 8  # to pack a text whose chunks came out longer than the sum of their words
_HEADINGS_LEFT_OUT = ("h2_paragraph_split", "paragraph")
_LINE_END = re.compile(r"[\r\n]+")


class _Text(NamedTuple):
    """What is packed together: blocks, each with the number of its section."""

    blocks: list[tuple[int, Block]]
    label: str

    def span(self) -> Span:
        return Span(self.blocks[0][1].span.start, self.blocks[-1][1].span.end)


class _Window(NamedTuple):
    """A chunk as numbers of units: those repeated, from `start`, and its own, from `first`."""

    start: int
    first: int
    after: int


def headings_left_out(sections: Iterable[Section], row: NoteType) -> list[Exclusion]:
    """The headings, where a strategy tells them by its labels alone."""
    if row.strategy not in _HEADINGS_LEFT_OUT:
        return []
    headings = (section.heading for section in sections)
    return [Exclusion(span=heading.span, reason="heading") for heading in headings if heading is not None]


class Simple:
    """Packs one note by one of the simpler strategies."""

    def __init__(self, body: Body, row: NoteType, limits: Limits, contexts: Contexts, builder: Builder) -> None:
        self._body = body
        self._row = row
        self._limits = limits
        self._contexts = contexts
        self._builder = builder

    def pack(self) -> list[Built]:
        built: list[Built] = []
        for text in self._texts():
            self._cut(text, built)
        return built

    # --- what is packed together ---

    def _texts(self) -> Iterator[_Text]:
        sections = self._body.sections
        title = sections[0].headings[0].text if sections else ""
        every = range(len(sections))
        if self._row.strategy == "sliding_window":
            yield from [_Text(self._blocks(every), title)] if sections else ()
        elif self._row.strategy == "paragraph":
            yield from self._merged(self._paragraphs(every), title)
        else:
            for numbers in self._opened_by(every, 2):
                opening = sections[numbers[0]]
                is_named = opening.heading is not None and opening.heading.level <= 2 and len(opening.headings) > 1
                name = opening.headings[-1].text if is_named else title
                parts = (
                    self._paragraphs(numbers) if self._row.strategy == "h2_paragraph_split" else self._by_h3(numbers)
                )
                yield from self._merged(parts, name)

    def _blocks(self, numbers: Iterable[int]) -> list[tuple[int, Block]]:
        return [(at, block) for at in numbers for block in all_blocks(self._body.sections[at])]

    def _paragraphs(self, numbers: Iterable[int]) -> Iterator[_Text]:
        return (_Text([placed], "") for placed in self._blocks(numbers) if placed[1].kind != "heading")

    def _by_h3(self, numbers: Sequence[int]) -> Iterator[_Text]:
        """The sections of one H2, those below an H3 together, labelled with its title."""
        for inner in self._opened_by(numbers, 3):
            heading = self._body.sections[inner[0]].heading
            yield _Text(self._blocks(inner), heading.title if heading is not None and heading.level == 3 else "")

    def _opened_by(self, numbers: Sequence[int], level: int) -> Iterator[list[int]]:
        """Runs of sections, each begun by a heading of the level or above."""
        run: list[int] = []
        for at in numbers:
            heading = self._body.sections[at].heading
            if run and heading is not None and heading.level <= level:
                yield run
                run = []
            run.append(at)
        if run:
            yield run

    def _merged(self, parts: Iterable[_Text], name: str) -> Iterator[_Text]:
        """Neighbours put together while what is pending is under the lower end of the target."""
        pending, labels = _Text([], name), list[str]()
        for part in parts:
            if pending.blocks and self._size(pending.span(), self._context(pending.label)) >= self._limits.low:
                yield pending
                pending, labels = _Text([], name), []
            labels += [part.label] if part.label else []
            pending.blocks.extend(part.blocks)
            pending = pending._replace(label=f"{name} > {' / '.join(labels)}" if labels else name)
        if pending.blocks:
            yield pending

    def _context(self, label: str) -> Context:
        return self._contexts.labelled(f"[{label}]")

    def _size(self, span: Span, context: Context) -> int:
        tokens, characters = self._body.tokens(*span), self._body.characters(*span)
        return self._limits.size(context.tokens + tokens, context.characters + characters)

    # --- packing ---

    def _cut(self, text: _Text, built: list[Built]) -> None:
        """Append the chunks of a text. Where one is longer than its words added up to, all are cut again, for less."""
        visible = self._body.visible(*text.span())
        if visible is None:
            return
        context = self._context(text.label)
        if _is_table(self._body.cutout(*visible)):
            part = Part(start=visible.start, end=visible.end, context=context, may_exceed=True)
            built.append(self._builder.build(part, built))
            return
        limits = self._limits
        first = len(built)
        for _ in range(_ATTEMPTS):
            del built[first:]
            for part in self._parts(text, context, limits):
                built.append(self._builder.build(part, built))
            excess = max((one.size for one in built[first:] if not one.part.may_exceed), default=0) - self._limits.max
            if excess <= 0:
                return
            limits = limits.lowered(excess)

    def _parts(self, text: _Text, context: Context, limits: Limits) -> Iterator[Part]:
        units = Splitter(self._body, self._row, limits, self._contexts).units_of(text.blocks, context)
        for window in self._windows(units, context, min(self._limits.high, limits.max)):
            alone = window.after - window.first == 1 and units[window.first].kind in ("code", "table")
            yield Part.of(
                units,
                window.first,
                window.after,
                context=context,
                repeat_from=units[window.start].start if window.start < window.first else None,
                may_exceed=alone and self._row.oversize == "keep",
            )

    def _windows(self, units: Sequence[Unit], context: Context, upper: int) -> Iterator[_Window]:
        totals = [0, *accumulate(unit.tokens for unit in units)]
        count = self._body.counter.count

        def fits(start: int, first: int, after: int) -> bool:
            added = units[first].seam.open if first else ""
            added += units[after].seam.close if after < len(units) else ""
            tokens = context.tokens + totals[after] - totals[start] + (count(added) if added else 0)
            characters = context.characters + units[after - 1].end - units[start].start + len(added)
            return self._limits.size(tokens, characters) <= upper

        start = first = 0
        while first < len(units):
            while start < first and not fits(start, first, first + 1):
                start += 1
            after = first + 1
            while after < len(units) and fits(start, first, after + 1):
                after += 1
            yield _Window(start, first, after)
            start, first = self._next_start(units, start, after), after

    def _next_start(self, units: Sequence[Unit], start: int, after: int) -> int:
        """Where the sentences begin that the next chunk repeats."""
        wanted = after - self._row.overlap_sentences
        if self._row.strategy == "sliding_window":
            wanted = max(wanted, start + 1)
        elif wanted <= start:
            return after
        kept = after
        while kept > wanted and _is_whole(units, kept - 1):
            kept -= 1
        return kept


def _is_whole(units: Sequence[Unit], at: int) -> bool:
    """Whether a unit is a whole sentence, item or heading, so that it can be repeated."""
    seams = [unit.seam for unit in units[at : at + 2]]
    return units[at].kind in ("sentence", "item", "heading") and not any("cut_sentence" in seam.flags for seam in seams)


def _is_table(text: str) -> bool:
    lines = [line for line in map(str.strip, _LINE_END.split(text)) if line]
    return sum(line.startswith("|") for line in lines) * 2 >= len(lines)
