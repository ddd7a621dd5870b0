"""A table too large for a chunk -> units: cut between rows, where its header is repeated, and inside rows at cells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.cut import Room, cut_words
from mindnet_chunker.chunking.units import CELL, ROW, WHOLE, Seam, Unit
from mindnet_chunker.chunking.wording import tidy
from mindnet_chunker.records import Block, Span

_CELL_END = re.compile(r"(?<!\\)\|")


def cut_table(body: Body, table: Block, room: Room, wanted: Room) -> Iterator[Unit]:
    """The header is repeated where it leaves half of the room for rows."""
    header, *rows = table.parts
    opening = tidy(body.cutout(*header.span)) + "\n"
    tokens = body.counter.count(opening)
    repeated = tokens * 2 <= room.tokens and len(opening) * 2 <= room.characters
    below_header = room.less(tokens, len(opening)) if repeated else room
    yield from _cut_row(body, header.span, room, wanted, Seam(WHOLE))
    for at, row in enumerate(rows):
        seam = Seam(ROW, open=opening, why_open="table_header") if repeated else Seam(ROW)
        if repeated and not _holds(body, row.span, below_header):
            seam = Seam(ROW)
        yield from _cut_row(body, row.span, room, wanted, seam if at else seam._replace(cost=WHOLE))


def _holds(body: Body, span: Span, room: Room) -> bool:
    visible = body.visible(*span)
    return visible is None or room.holds(body.measured(*visible), body.characters(*visible))


def _cut_row(body: Body, span: Span, room: Room, wanted: Room, seam: Seam) -> Iterator[Unit]:
    visible = body.visible(*span)
    if visible is None:
        return
    tokens, characters = body.measured(*visible), body.characters(*visible)
    if room.holds(tokens, characters):
        yield Unit(*visible, tokens, characters, seam)
        return
    inside = Seam(CELL, flags=("cut_row",))
    for cell in _cells(body, visible):
        tokens, characters = body.measured(*cell), body.characters(*cell)
        if room.holds(tokens, characters):
            yield Unit(*cell, tokens, characters, seam)
        else:
            for unit in cut_words(body, body.solid(), *cell, room, wanted):
                yield unit._replace(seam=seam if unit.start == cell.start else unit.seam.flagged("cut_row"))
        seam = inside


def _cells(body: Body, row: Span) -> Iterator[Span]:
    """What is visible of each cell, with the bar that ends it; the bar that opens the row goes with the first."""
    start = row.start
    first = 1 if body.seen[start] == "|" else 0
    for match in _CELL_END.finditer(body.seen, row.start + first, row.end):
        if (cell := body.visible(start, match.end())) is not None:
            yield cell
        start = match.end()
    if (rest := body.visible(start, row.end)) is not None:
        yield rest
