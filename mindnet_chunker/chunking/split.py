"""Sections -> units, with the price of a cut between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from mindnet_chunker.chunking.body import Body, all_blocks
from mindnet_chunker.chunking.context import Context, Contexts
from mindnet_chunker.chunking.cut import Room, cut_text
from mindnet_chunker.chunking.cut_lines import cut_lines
from mindnet_chunker.chunking.cut_table import cut_table
from mindnet_chunker.chunking.heading_paths import begins_with
from mindnet_chunker.chunking.limits import CHARACTERS_PER_TOKEN, Limits
from mindnet_chunker.chunking.seams import is_summary, price
from mindnet_chunker.chunking.sentences import sentence_spans
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.units import BLOCK, ITEM, LEAD_IN, SENTENCE, SOFT_ITEM, STICK, WHOLE, Seam, Unit
from mindnet_chunker.records import Block, Section, Span


class Splitter:
    """Turns sections into units for one row of sizes."""

    def __init__(self, body: Body, row: NoteType, limits: Limits, contexts: Contexts) -> None:
        self._body = body
        self._row = row
        self._limits = limits
        self._contexts = contexts

    def units(self, sections: Iterable[int]) -> list[Unit]:
        """The units of sections that are cut together. The first one's seam means nothing."""
        return self.units_of((at, block) for at in sections for block in all_blocks(self._body.sections[at]))

    def units_of(self, blocks: Iterable[tuple[int, Block]], context: Context | None = None) -> list[Unit]:
        """The units of blocks, given with the numbers of their sections, under one context or that of their headings."""
        series = _Series(isolates=self._row.isolate)
        rooms: dict[int, Room] = {}
        for number, block in blocks:
            section = self._body.sections[number]
            if number not in rooms:
                rooms[number] = self._room(context or self._contexts.of(section.headings, frozenset()))
            room = first = rooms[number]
            if context is None and block.kind != "heading" and (headings := series.headings()):
                first = self._room_below(headings, section, room)
            self._append(series, block, [u._replace(section=number) for u in self._block(block, room, first)])
        return series.units

    def _append(self, series: _Series, block: Block, made: list[Unit]) -> None:
        """Put the units of a block to those before it, with the seam between the two."""
        if not made:
            return
        seen, isolated = self._body.seen, block.kind in series.isolates
        seam = Seam(BLOCK)
        if series.block is not None:
            cost = price(seen, series.block, series.last(), block, made, after_summary=series.sums_up)
            forced = (series.isolated and cost < STICK) or (isolated and cost < LEAD_IN)
            seam = Seam(cost, forced=forced)
        made[0] = made[0]._replace(seam=seam)
        series.isolated = isolated or (series.isolated and not seam.forced)
        series.add(block, made, sums_up=is_summary(seen, made[0]))

    def _room(self, context: Context) -> Room:
        """What a unit may come to in a chunk of its own."""
        tokens = self._limits.max - self._limits.specials - context.tokens
        return Room(max(1, tokens), max(1, self._limits.max * CHARACTERS_PER_TOKEN - context.characters))

    def _room_below(self, opening: list[Unit], section: Section, room: Room) -> Room:
        """What the first unit of a section may come to, so that its chunk can begin with headings."""
        paths = (self._body.sections[unit.section].headings for unit in opening)
        shown = frozenset(len(path) - 1 for path in paths if begins_with(section.headings, path))
        tokens, characters = sum(unit.tokens for unit in opening), opening[-1].end - opening[0].start + 2
        below = self._room(self._contexts.of(section.headings, shown)).less(tokens, characters)
        return below if below.tokens * 2 >= room.tokens and below.characters * 2 >= room.characters else room

    # --- blocks ---

    def _block(self, block: Block, room: Room, first: Room) -> Iterator[Unit]:
        """The units of one block; nothing where all of it is left out. The first seam is set by what comes before.

        `first` is the room of the first one, unless it is a sentence: those are cut for their own length alone.
        """
        span = self._body.visible(*block.span)
        if span is None:
            return
        tokens, characters = self._body.tokens(*span), self._body.characters(*span)
        fits = first.holds(tokens, characters)
        if block.kind in ("paragraph", "heading"):
            yield from self._sentences(span, room, is_heading=block.kind == "heading")
        elif block.kind == "list":
            yield from self._list(block, room, first, fits=room.holds(tokens, characters))
        elif block.parts and block.kind in ("quote", "callout", "footnote", "item"):
            yield from self._container(block, room, first)
        elif block.kind in ("code", "table"):
            yield from self._kept(block, span, room, fits=fits)
        elif fits:
            yield Unit(*span, tokens, characters, Seam(BLOCK), "rule" if block.kind == "rule" else "other")
        else:
            yield from cut_lines(self._body, span, room, self._wanted(room))

    def _wanted(self, room: Room) -> Room:
        """Small enough that several of them come near the target."""
        return room.part(self._limits.high // 4)

    def _sentences(self, span: Span, room: Room, *, is_heading: bool) -> Iterator[Unit]:
        body = self._body
        kind = "heading" if is_heading else "sentence"
        seam = Seam(SENTENCE)
        for start, end in pairwise((*self._sentence_starts(span, is_heading=is_heading), span.end)):
            visible = body.visible(start, end)
            if visible is None:
                continue
            tokens, characters = body.measured(*visible), body.characters(*visible)
            if room.holds(tokens, characters):
                yield Unit(*visible, tokens, characters, seam, kind)
                continue
            for piece in cut_text(body, *visible, room, self._wanted(room)):
                inside = piece.start > visible.start
                flagged = piece.seam.flagged("cut_sentence") if inside else seam
                yield piece._replace(seam=flagged, kind="heading" if is_heading else "other")

    def _sentence_starts(self, span: Span, *, is_heading: bool) -> Iterator[int]:
        """Where the sentences of a paragraph begin; one at the start of a line in a quote begins with its mark."""
        yield span.start
        spans = () if is_heading else sentence_spans(self._body.text, *span, self._body.document.regions)
        for start, _ in spans[1:]:
            line = start
            while self._body.text[line - 1] in " \t>":
                line -= 1
            yield line if self._body.text[line - 1] in "\r\n" else start

    def _kept(self, block: Block, span: Span, room: Room, *, fits: bool) -> Iterator[Unit]:
        """A code block or a table: whole where it fits or may be too large."""
        body = self._body
        if fits or self._row.oversize == "keep":
            yield Unit(*span, body.tokens(*span), body.characters(*span), Seam(BLOCK), block.kind)
            return
        wanted = self._wanted(room)
        if block.kind == "table" and block.parts:
            units = cut_table(body, block, room, wanted)
        else:
            units = cut_lines(body, span, room, wanted, block.fence)
        for unit in units:
            yield unit._replace(kind=block.kind)

    def _list(self, block: Block, room: Room, first: Room, *, fits: bool) -> Iterator[Unit]:
        """A list that fits stays whole, or is cut at a high price; one that does not is cut between its items."""
        whole = WHOLE if self._row.keep_lists else SOFT_ITEM
        seam = Seam(whole if fits else ITEM, flags=("list_cut",))
        items = [item for item in block.parts if self._body.visible(*item.span)]
        for at, item in enumerate(items):
            made = self._container(item, room, room if at else first, seam)
            yield from made if fits else (unit._replace(item=at, items=len(items)) for unit in made)

    def _container(self, block: Block, room: Room, first: Room, seam: Seam | None = None) -> Iterator[Unit]:
        """A quote, a callout, a footnote or a list item: whole where it fits, else the blocks in it."""
        body = self._body
        span = body.visible(*block.span)
        if span is None:
            return
        is_item = block.kind == "item"
        tokens, characters = body.tokens(*span), body.characters(*span)
        if not first.holds(tokens, characters):
            series = _Series()
            for at, part in enumerate(block.parts):
                self._append(series, part, list(self._block(part, room, room if at else first)))
            flags = ("cut_item",) if is_item else ()
            opening, *rest = series.units or self._sentences(span, room, is_heading=False)
            yield opening._replace(seam=seam or opening.seam)
            yield from (unit._replace(seam=unit.seam.flagged(*flags)) for unit in rest)
        elif is_item:
            yield Unit(*span, tokens, characters, seam or Seam(BLOCK), "item")
        else:
            for start, end in filter(None, (body.visible(*part.span) for part in block.parts)):
                yield Unit(start, end, body.measured(start, end), body.characters(start, end), Seam(WHOLE))


class _Series:
    """Units of blocks that follow each other; blocks of the kinds `isolates` are chunks of their own."""

    def __init__(self, isolates: Sequence[str] = ()) -> None:
        self.isolates = isolates
        self.units: list[Unit] = []
        self.block: Block | None = None  # the last one
        self.sums_up = False  # it is a summary, or stands under a heading that says so
        self._summary_below = False
        self.isolated = False  # it is a chunk of its own, or belongs to one
        self._opened_at = 0

    def add(self, block: Block, made: list[Unit], *, sums_up: bool) -> None:
        if block.kind == "heading":
            self._summary_below = sums_up
        self.sums_up = sums_up or self._summary_below
        self._opened_at = len(self.units)
        self.units += made
        self.block = block

    def last(self) -> list[Unit]:
        """The units of the last block."""
        return self.units[self._opened_at :]

    def headings(self) -> list[Unit]:
        """The headings that the units end with."""
        start = len(self.units)
        while start and self.units[start - 1].kind == "heading":
            start -= 1
        return self.units[start:]
