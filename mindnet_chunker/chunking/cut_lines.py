"""Code, math or HTML too large for a chunk -> units: cut at function starts, blank lines, lines, then inside a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.cut import Room, cut_words
from mindnet_chunker.chunking.units import BLANK_LINE, FUNCTION, LINE, WHOLE, Seam, Unit
from mindnet_chunker.records import Fence, Span

_LINE = re.compile(r"[^\r\n]+")
_PREFIX = re.compile(r"[ \t>]*")
_FUNCTION = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|unsafe|inline|extern|const"
    r"|pub(?:\([a-z]+\))?) )*+"
    r"(?:(?:def|class|function|fn|func|fun|sub|interface|impl|struct|enum|trait|module|namespace|record|object|type"
    r"|proc|procedure|template)\b|(?i:create|alter)\b)"
    r"|(?:export )?(?:const|let|var) [\w$]+ *= *(?:async *)?(?:function\b|\()"
    r"|[\w.$-]+ *\(\) *\{"
    r"|[A-Za-z_][\w:*&<>,\[\]]*+(?: +[\w:*&<>,~\[\]]++)+ *\([^;]*$"
)
_ABOVE_FUNCTION = re.compile(r"@|#|//|/\*|\*|--|;|\"\"\"|'''")  # decorators and comments
_LEAST = 3  # tokens that the lines of a fence leave for the code
_FUNCTION_WITHIN = 200  # characters of a line that are looked at


class _Line(NamedTuple):
    span: Span  # what is visible of it
    indent: int
    text: str  # its beginning, bare of indent and quote marks
    after_blank: bool


def cut_lines(body: Body, span: Span, room: Room, wanted: Room, fence: Fence | None = None) -> Iterator[Unit]:
    """All that is visible of a stretch. Where a fence is cut, it is closed before the cut and opened again after it."""
    lines = list(_lines(body, span))
    frame = _frame(body, fence, room) if fence else Seam(0)
    if frame.open:
        added = f"{frame.open}{frame.close}"
        room = room.less(body.counter.count(added), len(added))
    costs = _costs(lines)
    if fence and len(costs) > 1:  # the lines of the fence go with those of the code
        costs[1] = WHOLE
        if fence.closed:
            costs[-1] = WHOLE
    for line, cost in zip(lines, costs, strict=True):
        tokens, characters = body.measured(*line.span), body.characters(*line.span)
        if room.holds(tokens, characters):
            yield Unit(*line.span, tokens, characters, frame._replace(cost=cost))
            continue
        for unit in cut_words(body, body.seen, *line.span, room, wanted):
            inside = unit.start > line.span.start
            seam = frame._replace(cost=unit.seam.cost if inside else cost)
            yield unit._replace(seam=seam.flagged("cut_line") if inside else seam)


def _lines(body: Body, span: Span) -> Iterator[_Line]:
    after_blank = False
    end = span.start
    for match in _LINE.finditer(body.seen, *span):
        visible = body.visible(*match.span())
        if visible is None:
            after_blank = True
            continue
        between = body.text[end : match.start()]
        after_blank = after_blank or between.count("\n") > 1 or between.count("\r") > 1
        prefix = _PREFIX.match(body.seen, body.line_start(match.start(), 0), visible.end)
        start = prefix.end() if prefix else visible.start
        text = body.seen[start : min(visible.end, start + _FUNCTION_WITHIN)]
        yield _Line(visible, start - match.start(), text, after_blank)
        after_blank = not text  # a quote mark alone
        end = match.end()


def _costs(lines: Sequence[_Line]) -> list[int]:
    """What a cut before each line costs."""
    costs = [BLANK_LINE if line.after_blank else LINE for line in lines]
    outermost = min((line.indent for line in lines[1:]), default=0)
    for at, line in enumerate(lines):
        if line.indent <= outermost and _FUNCTION.match(line.text):
            first = at
            while first > 1 and not lines[first].after_blank and _ABOVE_FUNCTION.match(lines[first - 1].text):
                first -= 1
            if first < at:
                costs[at] = LINE
            costs[first] = FUNCTION
    return costs


def _frame(body: Body, fence: Fence, room: Room) -> Seam:
    """The lines that close and open a fence; without its language where that takes half of the room."""
    for info, most in ((fence.info, room.tokens // 2), ("", room.tokens - _LEAST)):
        opener = f"{fence.closer}{info}\n"
        added = f"{opener}\n{fence.closer}"
        if len(added) * 2 <= room.characters and body.counter.count(added) <= most:
            return Seam(0, close=f"\n{fence.closer}", open=opener, why_open="fence_open")
    return Seam(0)
