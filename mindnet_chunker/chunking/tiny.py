"""Very small units put together, so that a chunk has a bounded number of them."""

from __future__ import annotations

from collections.abc import Sequence

from mindnet_chunker.chunking.limits import CHARACTERS_PER_TOKEN, Limits
from mindnet_chunker.chunking.units import STICK, Unit

_TINY = 32  # units that come to less than this part of `max` are put together
_HEADINGS = 8  # so many at the end of a run of headings are not


def join_tiny(units: Sequence[Unit], limits: Limits) -> list[Unit]:
    """The units, with runs of very small ones of one section put together where no cut matters much."""
    most = limits.max // _TINY
    joined: list[Unit] = []
    for unit, after in zip(units, [*units[_HEADINGS:], *[None] * min(_HEADINGS, len(units))], strict=True):
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.tokens + unit.tokens <= most
            and unit.end - last.start <= most * CHARACTERS_PER_TOKEN
            and (last.kind, last.item) == (unit.kind, unit.item)
            and not unit.seam.forced
            and (_among_headings(unit, after) if unit.kind == "heading" else _is_loose(last, unit))
        ):
            characters = last.characters + unit.characters + 2
            joined[-1] = last._replace(end=unit.end, tokens=last.tokens + unit.tokens, characters=characters)
        else:
            joined.append(unit)
    return joined


def _is_loose(last: Unit, unit: Unit) -> bool:
    return last.section == unit.section and max(last.seam.cost, unit.seam.cost) < STICK


def _among_headings(unit: Unit, after: Unit | None) -> bool:
    """Whether so many headings follow that this one hardly opens a chunk with text."""
    return after is not None and after.kind == "heading" and not unit.seam.flags
