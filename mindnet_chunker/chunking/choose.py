"""Which seams to cut at: all cuts of a group are chosen together, so that sizes come near the target.

Dynamic programming in whole numbers over the units: the cheapest way to each seam, the earlier cut where two cost the
same. A chunk has a bounded number of units, so the work grows with their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, takewhile

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.context import NO_CONTEXT, Context, Contexts
from mindnet_chunker.chunking.heading_paths import begins_with, common_path
from mindnet_chunker.chunking.limits import CHARACTERS_PER_TOKEN, Limits
from mindnet_chunker.chunking.overlap import find_overlap
from mindnet_chunker.chunking.units import HEADING, Unit
from mindnet_chunker.records import HeadingRef

_UNDER, _OVER = 1_000, 150  # what a chunk costs that is empty, and one of `max` tokens
_DWARF = 500  # on top for one under `min`
_ITEM = 1_000  # for each item that a part of a cut list has too few or too many
_LAST_ITEM = 300  # the same for one that the last part has too few
_TOO_LARGE = 10**12
_WIDEST = 96  # units of a chunk, at most
_WITHOUT_PATH = ("heading", "rule")  # units that do not decide under which headings a chunk stands


class Chooser:
    """Chooses the cuts of runs of units, for one row of sizes."""

    def __init__(self, body: Body, limits: Limits, contexts: Contexts, list_items: tuple[int, int]) -> None:
        self._body = body
        self._limits = limits
        self._contexts = contexts
        self._list_items = list_items
        self._sizes: dict[str, tuple[int, int]] = {"": (0, 0)}
        self._costs = _size_costs(limits)

    def choose(self, units: Sequence[Unit]) -> list[tuple[int, int]]:
        """The chunks of a run as ranges of its units. Only a unit that is too large alone passes `max`."""
        count = len(units)
        limits, costs, most = self._limits, self._costs, self._limits.max
        tokens = [0, *accumulate(unit.tokens for unit in units)]
        characters = self._characters(units)
        closing = [self._added(unit.seam.close) for unit in units] + [(0, 0)]
        prices = [unit.seam.cost for unit in units] + [0]
        sections = [-1 if unit.kind in _WITHOUT_PATH else unit.section for unit in units]
        lists = _list_starts(units)
        best: list[int] = [0] + [-1] * count
        cut_before = [0] * (count + 1)
        for first in range(count):
            opening = self._added(units[first].seam.open) if first else (0, 0)
            overlap = find_overlap(units, first, limits, most)
            repeated = overlap.tokens if overlap else 0
            start = tokens[first] - opening[0] - limits.specials
            start_at = characters[first] - opening[1]
            path = _Path(self._body, self._contexts, units, first)
            section, context = -1, path.context
            for after in range(first + 1, min(count, first + _WIDEST) + 1):
                if sections[after - 1] != section and sections[after - 1] >= 0:
                    section = sections[after - 1]
                    context = path.enter(section)
                size = tokens[after] - start + context.tokens + closing[after][0]
                length = characters[after] - start_at + context.characters + closing[after][1]
                if length > size * CHARACTERS_PER_TOKEN:
                    size = -(-length // CHARACTERS_PER_TOKEN)
                if size <= most:
                    cost = costs[size + repeated if size + repeated < most else most]
                elif after == first + 1:
                    cost = _TOO_LARGE
                elif tokens[after] - start > most:
                    break
                else:
                    continue
                cost += best[first] + prices[after]
                if prices[after] == HEADING and section >= 0:
                    cost += HEADING  # a heading that fits no chunk with its text stands alone, not below other text
                if lists[first] >= 0 or (after < count and lists[after] >= 0):
                    cost += self._item_cost(units, lists, first, after)
                    if self._has_too_many(units, lists, first, after - 1):
                        break
                if cost < best[after] or best[after] < 0:
                    best[after] = cost
                    cut_before[after] = first
        ranges = []
        end = count
        while end:
            ranges.append((cut_before[end], end))
            end = cut_before[end]
        return ranges[::-1]

    def _has_too_many(self, units: Sequence[Unit], lists: Sequence[int], first: int, last: int) -> bool:
        """Whether fewer items of a list that has to be cut are cheaper, whatever follows."""
        return lists[first] == lists[last] and units[last].item - units[first].item > 2 * self._list_items[1]

    def _item_cost(self, units: Sequence[Unit], lists: Sequence[int], first: int, after: int) -> int:
        """What the chunk costs if it holds a part of a cut list with too few or too many items."""
        fewest, most = self._list_items
        here, there = lists[first], lists[after] if after < len(units) else -1
        cost = 0
        if there >= 0 and units[after].item:
            part = units[after].item - (units[first].item if here == there else 0)
            cost += _ITEM * max(fewest - part, part - most, 0)
        if here >= 0 and here != there and units[first].item:
            part = units[first].items - units[first].item  # the last one, which may be what is left over
            cost += max(_LAST_ITEM * (fewest - part), _ITEM * (part - most), 0)
        return cost

    def _characters(self, units: Sequence[Unit]) -> list[int]:
        """Characters up to each seam, as they are left in the text of a chunk."""
        total, totals = 0, [0]
        for unit, after in zip(units, [*units[1:], None], strict=True):
            total += unit.characters
            if after is not None:
                total += _gap(self._body.cutout(unit.end, after.start))
            totals.append(total)
        return totals

    def _added(self, line: str) -> tuple[int, int]:
        if line not in self._sizes:
            self._sizes[line] = (self._body.counter.count(line), len(line))
        return self._sizes[line]


class _SizeCosts(dict[int, int]):
    """What a chunk of each size costs."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def __missing__(self, size: int) -> int:
        limits = self._limits
        cost = 0
        if size < limits.low:
            missing = (limits.low - size) * 1_000 // limits.low
            cost = missing * missing * _UNDER // 1_000_000 + (_DWARF if size < limits.min else 0)
        elif size > limits.high:
            excess = (size - limits.high) * 1_000 // (limits.max - limits.high)
            cost = excess * excess * _OVER // 1_000_000
        self[size] = cost
        return cost


@lru_cache(maxsize=32)
def _size_costs(limits: Limits) -> _SizeCosts:
    """One table for all notes of a row."""
    return _SizeCosts(limits)


class _Path:
    """The context of a chunk while it grows from its first unit."""

    def __init__(self, body: Body, contexts: Contexts, units: Sequence[Unit], first: int) -> None:
        self._body = body
        self._contexts = contexts
        self._path: tuple[HeadingRef, ...] | None = None
        self._opening: dict[int, tuple[HeadingRef, ...]] = {}
        self.context = NO_CONTEXT  # as long as there are only headings
        if units[first].kind in _WITHOUT_PATH:
            run = takewhile(lambda unit: unit.kind in _WITHOUT_PATH, units[first : first + _WIDEST])
            paths = [body.sections[unit.section].headings for unit in run if unit.kind == "heading"]
            # Of the headings that the chunk begins with, only the last of each depth can have text below it.
            self._opening = {len(path): path for path in paths}
            self.context = self._of(common_path(paths))

    def enter(self, section: int) -> Context:
        """The context with text of one more section."""
        headings = self._body.sections[section].headings
        self._path = headings if self._path is None else common_path((self._path, headings))
        return self._of(self._path)

    def _of(self, path: tuple[HeadingRef, ...]) -> Context:
        shown = frozenset(length - 1 for length, own in self._opening.items() if begins_with(path, own))
        return self._contexts.of(path, shown)


def _list_starts(units: Sequence[Unit]) -> list[int]:
    """For each unit of a list that has to be cut, where the list begins; -1 for the others."""
    starts: list[int] = []
    for at, unit in enumerate(units):
        inside = unit.item >= 0
        follows = inside and at > 0 and 0 <= units[at - 1].item <= unit.item and units[at - 1].items == unit.items
        starts.append((starts[at - 1] if follows else at) if inside else -1)
    return starts


def _gap(between: str) -> int:
    """How many characters are left of the blanks between two units."""
    line_ends = between.count("\n") or between.count("\r")
    if not line_ends:
        return len(between)
    return min(2, line_ends) + len(between) - max(between.rfind("\n"), between.rfind("\r")) - 1
