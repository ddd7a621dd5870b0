"""The strategy `structure`: groups of sections -> parts, each within `max`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.build import Builder, Built, Part
from mindnet_chunker.chunking.choose import Chooser
from mindnet_chunker.chunking.context import Contexts
from mindnet_chunker.chunking.groups import Group, find_groups
from mindnet_chunker.chunking.limits import Limits
from mindnet_chunker.chunking.overlap import find_overlap
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.split import Splitter
from mindnet_chunker.chunking.tiny import join_tiny
from mindnet_chunker.chunking.units import LEAD_IN, WHOLE, Unit
from mindnet_chunker.records import Span

_ATTEMPTS = 8  # to cut a group whose chunks came out longer than the sum of their words


class _Run(NamedTuple):
    """Units between two cuts that must be."""

    first: int
    after: int
    may_exceed: bool  # one code block or table that is kept whole


class Structure:
    """Packs one note."""

    def __init__(self, body: Body, row: NoteType, limits: Limits, contexts: Contexts, builder: Builder) -> None:
        self._body = body
        self._row = row
        self._limits = limits
        self._contexts = contexts
        self._builder = builder
        self._made: dict[Limits, tuple[Splitter, Chooser]] = {}

    def pack(self) -> list[Built]:
        groups, headings = find_groups(self._body, self._row, self._limits, self._builder.size)
        built: list[Built] = []
        for group in groups:
            self._cut(group, built)
        if headings is not None:
            self._add_headings(headings, built, groups[-1] if groups else None)
        return built

    def _add_headings(self, headings: Group, built: list[Built], last: Group | None) -> None:
        """Put headings that nothing follows to the chunk before, where they fit and belong."""
        visible = self._body.visible(*headings.span(self._body))
        if visible and built and last is not None and not self._stands_alone(built[-1], last):
            longer = self._builder.build(replace(built[-1].part, end=visible.end), built[:-1])
            if longer.size <= self._limits.max:
                built[-1] = longer
                return
        self._cut(headings, built)

    def _stands_alone(self, built: Built, group: Group) -> bool:
        """Whether nothing is put to a chunk, the last one of its group."""
        blocks = (block for block, _ in self._body.blocks_in(*built.chunk.span))
        isolated = group.isolated or any(block.kind in self._row.isolate for block in blocks)
        return isolated or group.links or "oversize" in built.chunk.flags

    def _cut(self, group: Group, built: list[Built]) -> None:
        """Append the chunks of a group. Where one is longer than its words added up to, all are cut again, for less."""
        limits = self._limits
        first = len(built)
        for _ in range(_ATTEMPTS):
            del built[first:]
            for part in self._parts(group, limits):
                made = self._builder.build(part, built)
                if made.size > self._limits.max and part.repeat_from is not None:
                    made = self._builder.build(replace(part, repeat_from=None), built)
                built.append(made)
            excess = max((one.size for one in built[first:] if not one.part.may_exceed), default=0) - self._limits.max
            if excess <= 0:
                return
            limits = limits.lowered(excess)

    def _parts(self, group: Group, limits: Limits) -> Iterator[Part]:
        """The stretches that become chunks: the group whole where it fits, else cut."""
        whole = self._body.visible(*group.span(self._body))
        if whole is None:
            return
        kind = "links" if group.links else None
        if self._builder.size(whole) <= limits.max and not self._isolates(group):
            yield Part(start=whole.start, end=whole.end, kind=kind, merged=group.merged)
            return
        splitter, chooser = self._tools(limits)
        units = join_tiny(splitter.units(group.sections), limits)
        for run in self._runs(units, limits):
            inside = units[run.first : run.after]
            if run.may_exceed or self._builder.size(Span(inside[0].start, inside[-1].end)) <= limits.max:
                ranges = [(0, len(inside))]
            else:
                ranges = chooser.choose(inside)
            for first, after in ranges:
                first, after = run.first + first, run.first + after
                repeats = first > 0 and not (group.links or run.may_exceed or units[first].seam.forced)
                yield Part.of(
                    units,
                    first,
                    after,
                    kind=kind,
                    merged=group.merged,
                    may_exceed=run.may_exceed,
                    repeat_from=self._repeat_from(units, first, after, limits) if repeats else None,
                )

    def _tools(self, limits: Limits) -> tuple[Splitter, Chooser]:
        """What splits and chooses within some limits: the same for all groups."""
        if limits not in self._made:
            splitter = Splitter(self._body, self._row, limits, self._contexts)
            self._made[limits] = splitter, Chooser(self._body, limits, self._contexts, self._row.list_items)
        return self._made[limits]

    def _isolates(self, group: Group) -> bool:
        kinds = self._row.isolate
        return bool(kinds) and any(b.kind in kinds for at in group.sections for b in self._body.sections[at].blocks)

    def _repeat_from(self, units: Sequence[Unit], first: int, after: int, limits: Limits) -> int | None:
        """Where the text begins that a chunk repeats."""
        if find_overlap(units, first, limits, limits.max) is None:
            return None
        room = limits.max - self._builder.size(Span(units[first].start, units[after - 1].end))
        overlap = find_overlap(units, first, limits, room)
        return overlap.start if overlap else None

    def _runs(self, units: Sequence[Unit], limits: Limits) -> Iterator[_Run]:
        """The units between cuts that must be: around isolated blocks, and around what is kept past `max`."""
        first = at = 0
        while at < len(units):
            if at > first and units[at].seam.forced:
                yield _Run(first, at, False)
                first = at
            opening = self._too_large(units, at, first, limits)
            if opening is not None:
                if opening > first:
                    yield _Run(first, opening, False)
                first = at + 1
                while first < len(units) and units[first].seam.cost == WHOLE:
                    first += 1  # the block id that names it
                yield _Run(opening, first, True)
                at = first
            else:
                at += 1
        if first < len(units):
            yield _Run(first, len(units), False)

    def _too_large(self, units: Sequence[Unit], at: int, floor: int, limits: Limits) -> int | None:
        """Where the chunk of a block that is kept past `max` begins: with its heading and its lead-in."""
        unit = units[at]
        if unit.kind not in ("code", "table") or self._row.oversize != "keep":
            return None
        opening = at
        while opening > floor and units[opening - 1].kind == "heading":
            opening -= 1
        if self._builder.size(Span(units[opening].start, unit.end)) <= limits.max:
            return None
        if opening == at and at > floor and unit.seam.cost == LEAD_IN:
            opening -= 1
            while opening > floor and units[opening - 1].kind == "heading":
                opening -= 1
        return opening
