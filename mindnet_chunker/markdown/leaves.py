"""The blocks that hold text or code of their own, in reading order: where inline syntax may stand, and where not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mindnet_chunker.records import Block

OPAQUE = frozenset(("code", "html", "definition"))  # nothing in them is inline syntax

_BLANK_LINES = re.compile(r"(?:[ \t>]*\n)*")
_BLANK = " \t\n>"


class Leaf(NamedTuple):
    start: int
    end: int
    kind: str  # of its block; `gap`: blank lines beside an opaque block, where a comment may stand
    quoted: bool = False  # within a quote or callout


def leaves(blocks: Sequence[Block], shown: str, start: int, *, gaps: bool) -> list[Leaf]:
    """The leaves of a body that begins at `start`. In `shown` comments are hidden; without any no gap need be read."""
    found: list[Leaf] = []
    _collect(blocks, shown, gaps, False, found)
    return found if blocks or not gaps else [Leaf(start, len(shown), "gap")]


def _collect(blocks: Sequence[Block], shown: str, gaps: bool, quoted: bool, found: list[Leaf]) -> None:
    for block in blocks:
        start, end = block.span
        if block.parts:
            _collect(block.parts, shown, gaps, quoted or block.kind in ("quote", "callout"), found)
        elif block.kind not in OPAQUE:
            found.append(Leaf(start, end, block.kind, quoted))
        else:
            first, last = _text_of(shown, start, end)
            if gaps and start < first:
                found.append(Leaf(start, first, "gap"))
            found.append(Leaf(first, last, block.kind, quoted))
            if gaps and last < end:
                found.append(Leaf(last, end, "gap"))


def _text_of(shown: str, start: int, end: int) -> tuple[int, int]:
    """From the first line that is not blank to the end of the last one, marks of quotes taken as blanks."""
    blank = _BLANK_LINES.match(shown, start, end)
    first = blank.end() if blank else start
    last = first + len(shown[first:end].rstrip(_BLANK))
    line_end = shown.find("\n", last, end)
    return first, end if line_end < 0 else line_end
