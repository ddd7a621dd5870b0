"""`Block`s -> `Section`s by the heading stack, and the outline of a note."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mindnet_chunker.markdown.tags import only_tags
from mindnet_chunker.records import Block, Heading, HeadingRef, Note, Section, Span, nfc

_BLANK_LINES = re.compile(r"(?:[ \t]*\n)*")


def sections(blocks: Sequence[Block], *, title: str, first_heading: str | None) -> tuple[Section, ...]:
    """One section for each heading of the note, and one before them for the text that has none.

    The title is the first step of every path, as level 0, or as level 1 below an H1 of its text that opens the note
    (`first_heading`); any other H1 stands below the title as level 1.
    """
    opens = first_heading is not None and _same(first_heading, title)
    top = HeadingRef(1 if opens else 0, title)
    found: list[Section] = []
    path: list[HeadingRef] = []
    heading: Block | None = None
    held: list[Block] = []
    for block in blocks:
        if block.kind != "heading":
            held.append(block)
            continue
        if heading or held:
            found.append(Section(headings=(top, *path), heading=heading, blocks=tuple(held)))
        heading, held = block, []
        while path and path[-1].level >= block.level:
            path.pop()
        if opens and block.level == 1 and not any(section.heading for section in found):
            continue  # the H1 that is the title itself
        if block.level == 1:
            top = HeadingRef(0, title)
        path.append(HeadingRef(block.level, block.title))
    if heading or held:
        found.append(Section(headings=(top, *path), heading=heading, blocks=tuple(held)))
    return tuple(found)


def first_heading(blocks: Sequence[Block], shown: str) -> str | None:
    """The text of an H1 that opens the note; lines of nothing but tags may stand before it."""
    for block in blocks:
        if block.kind == "heading":
            return block.title or None if block.level == 1 else None
        if block.kind != "paragraph" or not only_tags(shown[slice(*block.span)]):
            return None
    return None


def outline_of(blocks: Sequence[Block], note: Note, shown: str) -> tuple[Heading, ...]:
    """The headings of the note with the extent of their sections. In `shown` comments are hidden."""
    headings = [block for block in blocks if block.kind == "heading"]
    ends = [len(note.text)] * len(headings)
    waiting: list[int] = []
    starts = [_line_start(block, shown) for block in headings]
    for at, block in enumerate(headings):
        while waiting and headings[waiting[-1]].level >= block.level:
            ends[waiting.pop()] = starts[at]
        waiting.append(at)
    return tuple(
        Heading(level=block.level, text=block.title, line=note.line_at(start), span=Span(start, end))
        for block, start, end in zip(headings, starts, ends, strict=True)
    )


def _line_start(block: Block, shown: str) -> int:
    """The start of a heading's own line: the first block of a note begins with the blank lines above it."""
    blank = _BLANK_LINES.match(shown, block.span.start, block.span.end)
    return blank.end() if blank else block.span.start


def _same(one: str, two: str) -> bool:
    return nfc(one).split() == nfc(two).split()
