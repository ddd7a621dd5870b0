"""What a chunk repeats from before its cut: whole sentences of the same section, or one item of a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mindnet_chunker.chunking.limits import Limits
from mindnet_chunker.chunking.units import SENTENCE, Unit

_ITEM_TOKENS = 50  # of an item that is repeated, fewer than


class Overlap(NamedTuple):
    start: int  # where the repeated text begins
    tokens: int
    characters: int


def find_overlap(units: Sequence[Unit], at: int, limits: Limits, room: int) -> Overlap | None:
    """What a chunk that begins with unit `at` repeats, of at most `room` tokens; None where there is nothing to repeat.

    As much as fits the range, from the start of a paragraph where one lies in the range.
    """
    most = min(limits.overlap_high, room)
    if not at or most < 1 or units[at].kind in ("heading", "code", "table"):
        return None
    last = units[at - 1]
    if last.section != units[at].section:
        return None
    if last.kind == "item":
        fits = last.tokens <= most and last.tokens < _ITEM_TOKENS
        return Overlap(last.start, last.tokens, units[at].start - last.start) if fits else None
    best = aligned = None
    tokens = 0
    for place in range(at - 1, -1, -1):
        unit = units[place]
        tokens += unit.tokens
        if unit.kind != "sentence" or unit.section != last.section or tokens > most:
            break
        best = Overlap(unit.start, tokens, units[at].start - unit.start)
        if tokens >= limits.overlap_low and unit.seam.cost != SENTENCE:
            aligned = best
    return aligned or best
