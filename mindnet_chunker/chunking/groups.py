"""Sections -> groups: what is cut together, since no chunk reaches across the border of a group.

A group is a section at a level of `split_levels` with the deeper ones below it. A heading without text of its own goes
with what follows it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mindnet_chunker.chunking.body import Body, all_blocks, start_of
from mindnet_chunker.chunking.heading_paths import begins_with, common_path
from mindnet_chunker.chunking.limits import Limits
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.titles import is_date, is_time, plain_title, plain_titles
from mindnet_chunker.records import Exclusion, HeadingRef, Section, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    sections: tuple[int, ...]  # their numbers in the body, rising
    links: bool = False  # a section of links
    isolated: bool = False  # nothing is put to it
    merged: bool = False  # made of several groups

    def span(self, body: Body) -> Span:
        return Span(body.section_start(self.sections[0]), body.section_end(self.sections[-1]))


Size = Callable[[Span], int]  # tokens that a stretch comes to as one chunk


def left_out(sections: Sequence[Section], row: NoteType) -> tuple[list[Section], list[Exclusion]]:
    """The sections that are cut, and what the row leaves out on purpose."""
    titles = plain_titles(row.skip_sections)
    kept: list[Section] = []
    excluded: list[Exclusion] = []
    skipped = 7  # the level of the section that is being left out; 7: none
    has_heading = any(section.heading for section in sections)
    for section in sections:
        if not (section.heading or section.blocks):
            continue
        level = section.heading.level if section.heading else 0
        if level <= skipped:
            skipped = level if _is_named(section, titles) else 7
        if skipped < 7:
            excluded.append(_exclusion(section, "skipped_section"))
        elif not section.heading and has_heading and row.skip_before_heading:
            excluded.append(_exclusion(section, "before_heading"))
        else:
            kept.append(section)
    return kept, excluded


def _exclusion(section: Section, reason: str) -> Exclusion:
    return Exclusion(span=Span(start_of(section), all_blocks(section)[-1].span.end), reason=reason)


def _is_named(section: Section, titles: frozenset[str]) -> bool:
    """Whether a section other than the note itself has one of the titles."""
    return bool(titles) and section.heading is not None and len(section.headings) > 1 and (
        plain_title(section.heading.title) in titles
    )  # fmt: skip


def find_groups(body: Body, row: NoteType, limits: Limits, size: Size) -> tuple[list[Group], Group | None]:
    """The groups in order, and the headings at the end of the note that nothing follows."""
    opened, rest = _open_groups(body, row)
    groups = [
        Group(sections=tuple(one.sections), links=one.links, isolated=one.isolated) for one in opened if one.sections
    ]
    groups = _isolate_intro(groups, body, row)

    def fits(first: Group, second: Group, most: int) -> bool:
        return size(Span(first.span(body).start, second.span(body).end)) <= most

    def is_small(group: Group) -> bool:
        return size(group.span(body)) < limits.min

    if row.bundle_dates:
        groups = _joined(groups, lambda a, b: _same_day(a, b, body) and fits(a, b, limits.high))
    if row.merge_sections == "target":
        groups = _joined(groups, lambda a, b: _siblings(a, b, body) and fits(a, b, limits.high))
    elif row.merge_sections == "small":
        groups = _joined(groups, lambda a, b: _siblings(a, b, body) and is_small(a) and fits(a, b, limits.max))
        # What is small now is the last of its parent: it goes to the group before it.
        groups = _joined(groups, lambda a, b: _siblings(a, b, body) and is_small(b) and fits(a, b, limits.max))
    return groups, Group(sections=tuple(rest)) if rest else None


@dataclass(slots=True)
class _Open:
    """A group that still grows."""

    sections: list[int]
    links: bool
    isolated: bool
    held: int = 0  # sections up to the last one that has text

    def take(self, section: int, has_text: bool) -> None:
        self.sections.append(section)
        if has_text:
            self.held = len(self.sections)

    def give_headings(self) -> list[int]:
        """Give away the sections without text at the end."""
        given = self.sections[self.held :] if self.held else self.sections
        self.sections = self.sections[: self.held]
        return given


def _open_groups(body: Body, row: NoteType) -> tuple[list[_Open], list[int]]:
    """The groups, and the sections at the end that have no text."""
    links, isolated = plain_titles(row.link_sections), plain_titles(row.isolate_sections)
    groups: list[_Open] = []
    root = enclosing = 0  # levels: of the heading that opened the last group, and the last one that was not named
    for at, section in enumerate(body.sections):
        level = section.heading.level if section.heading else 0
        is_links, is_isolated = _is_named(section, links), _is_named(section, isolated)
        starts = _starts_group(section, row)
        has_text = body.has_text(at)
        if groups and level > root and not is_isolated and (groups[-1].links or not (is_links or starts)):
            groups[-1].take(at, has_text)
            continue
        group = _Open(groups[-1].give_headings() if groups else [], is_links, is_isolated)
        if groups and not groups[-1].sections:
            groups.pop()
        group.take(at, has_text)
        groups.append(group)
        root = level
        if not (is_links or is_isolated):
            # What follows a named section deep inside a group is a group again, with the level of the old one.
            root = enclosing = level if starts else min(level, enclosing)
    return groups, groups[-1].give_headings() if groups else []


def _starts_group(section: Section, row: NoteType) -> bool:
    if section.heading is None or len(section.headings) == 1:
        return False  # the note itself
    return section.heading.level == 1 or section.heading.level in row.split_levels


def _isolate_intro(groups: list[Group], body: Body, row: NoteType) -> list[Group]:
    """Isolate the text before the first H2, unless a section of the row's is isolated instead."""
    headings = (section.heading for section in body.sections)
    first = next((at for at, heading in enumerate(headings) if heading and heading.level == 2), 0)
    if not row.isolate_intro or not first or any(group.isolated for group in groups):
        return groups
    return [replace(group, isolated=group.sections[-1] < first) for group in groups]


# --- merging ---------------------------------------------------------------------------------------------------------


def _joined(groups: Sequence[Group], may_join: Callable[[Group, Group], bool]) -> list[Group]:
    """The groups, each put to the one before it where that is allowed."""
    done: list[Group] = []
    for group in groups:
        last = done[-1] if done else None
        alone = last is None or last.links or last.isolated or group.links or group.isolated
        if last is None or alone or not may_join(last, group):
            done.append(group)
        else:
            done[-1] = replace(last, sections=(*last.sections, *group.sections), merged=True)
    return done


def _same_day(first: Group, second: Group, body: Body) -> bool:
    day = _day(first, body)
    return day is not None and day == _day(second, body)


def _day(group: Group, body: Body) -> tuple[HeadingRef, ...] | None:
    """The path of the date under which a group stands, by its own heading or by a time below it."""
    path = _path(group, body)
    while path and is_time(path[-1].text) and not is_date(path[-1].text):
        path = path[:-1]
    return path if path and is_date(path[-1].text) else None


def _siblings(first: Group, second: Group, body: Body) -> bool:
    """Whether the second lies under a parent that the first fills, from the parent's start or a child's."""
    one, other = _path(first, body), _path(second, body)
    parent = common_path((one, other))
    return len(other) > len(parent) and len(one) <= len(parent) + 1


def _path(group: Group, body: Body) -> tuple[HeadingRef, ...]:
    """The path of the outermost section that the group begins with."""
    first = next((at for at in group.sections if body.has_text(at)), group.sections[-1])
    holding = body.sections[first].headings
    opening = (body.sections[at].headings for at in group.sections if at <= first)
    return next(path for path in opening if begins_with(holding, path))
