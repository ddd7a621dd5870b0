"""What a cut between two blocks costs: what belongs together, and how a reader can tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mindnet_chunker.chunking.units import BLOCK, HEADING, LEAD_IN, RULE, SECTION, STICK, WHOLE, Unit
from mindnet_chunker.records import Block

_SHORT = 40  # tokens of a lead-in that is a paragraph of its own, or of a line that names a source
_LOOK = 80  # characters that are looked at for what a block begins or ends with
_INTRODUCED = frozenset(("code", "table", "list"))
_COLON = re.compile(r"[:：][\s*_~\"'”’»)\]]*\Z")
_BLOCK_ID = re.compile(r"\^[A-Za-z0-9-]+")
_SOURCE_LINE = re.compile(r"(?:[-–—]{1,3}|―)\s*\S")
_OPENING = r"[\s>*_#~\-+\[\]!\"'„“«»:]*+"
_SUMMARY = re.compile(
    rf"{_OPENING}(?:zusammen(?:fassung|gefasst)|kurz(?:fassung|:| gesagt| gefasst)|in kürze|fazit|merke|kernaussage"
    r"|definition|begriff|summary|abstract|tl;?dr|in short|in brief|key point|takeaway)",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    rf"{_OPENING}(?:(?:zum |ein |als )?beispiele?\b|bsp\b|z\. ?b\.|beispielsweise"
    r"|(?:for |an )?examples?\b|for instance|e\. ?g\.)",
    re.IGNORECASE,
)


def is_summary(seen: str, unit: Unit) -> bool:
    """Whether a block that begins with the unit sums something up."""
    return _SUMMARY.match(_opening(seen, unit)) is not None


def price(
    seen: str, before: Block, units: Sequence[Unit], block: Block, made: Sequence[Unit], *, after_summary: bool
) -> int:
    """What a cut between two blocks costs, given by the units of both in the text `seen`."""
    if before.kind == "heading":
        return HEADING
    opening = _opening(seen, made[0])
    if after_summary and _EXAMPLE.match(opening):
        return STICK
    if block.kind == "heading":
        return SECTION
    if block.kind == "rule":
        return RULE if before.kind == "rule" else STICK
    is_short = len(made) == 1 and made[0].tokens <= _SHORT
    if block.kind == "paragraph" and is_short and _BLOCK_ID.fullmatch(opening):
        return WHOLE
    if before.kind == "paragraph":
        leads = _COLON.search(seen[max(units[-1].start, units[-1].end - _LOOK) : units[-1].end]) is not None
        if block.kind in _INTRODUCED and (leads or (len(units) == 1 and units[0].tokens <= _SHORT)):
            return LEAD_IN
        if leads and block.kind != "paragraph":
            return STICK
    if before.kind == "quote" and is_short and _SOURCE_LINE.match(opening):
        return STICK
    return RULE if before.kind == "rule" else BLOCK


def _opening(seen: str, unit: Unit) -> str:
    return seen[unit.start : min(unit.start + _LOOK, unit.end)]
