"""What a group is made of: units that are never cut, and the seams between them, which have their price."""

from __future__ import annotations

from typing import NamedTuple

# What a cut costs, beside what the sizes of the chunks on both sides cost (see `choose`).
SECTION = 0  # before a deeper heading
RULE = 5  # behind a horizontal rule
FUNCTION = 30  # in code that has to be cut
BLOCK = 40
ITEM = 60  # in a list that has to be cut
ROW = 60  # in a table that has to be cut
BLANK_LINE = 60  # in code that has to be cut
SENTENCE = 120
LINE = 150  # in code, math or HTML that has to be cut
CLAUSE = 200
CELL = 250
SOFT_ITEM = 260  # in a list that fits a chunk
WORD = 350
CHARACTER = 500
STICK = 3_000  # between what belongs together: a summary and its example
LEAD_IN = 10_000  # between a lead-in and what it leads to
WHOLE = 100_000  # inside what stays whole where it fits
HEADING = 10_000_000  # between a heading and what follows it


class Seam(NamedTuple):
    """The border before a unit: what a cut there costs, and what it brings with it."""

    cost: int
    flags: tuple[str, ...] = ()  # of the chunks on both sides
    close: str = ""  # a line put at the end of the chunk before
    open: str = ""  # lines put at the start of the chunk after
    why_open: str = ""  # fence_open | table_header
    forced: bool = False  # a cut must be here

    def flagged(self, *flags: str) -> Seam:
        return self._replace(flags=(*self.flags, *flags)) if flags else self


class Unit(NamedTuple):
    """From the first to the last visible character of what no cut goes through."""

    start: int
    end: int
    tokens: int
    characters: int
    seam: Seam
    kind: str = "other"  # heading | rule | sentence | item | code | table | other
    section: int = -1  # its number in the body
    item: int = -1  # its place among the items of a list that does not fit a chunk
    items: int = 0  # how many these are
