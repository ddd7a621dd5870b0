"""What is in a stretch of a note: its kind, the flags of its contents, the summary of its table."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.wording import tidy
from mindnet_chunker.records import Block, Span

KINDS = frozenset(("list", "table", "code", "quote", "callout", "math", "html"))  # every other block is text
_ROWS = 2  # of a table in its summary
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_LINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]|!?\[([^\[\]]*)\]\([^()\s]*\)")
_MARKS = re.compile(r"\*\*|__|==|~~|`+|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


class Traits:
    """Answers for one note."""

    def __init__(self, body: Body) -> None:
        self._body = body
        document = body.document
        nested = list(walk(document.blocks))
        line_starts = document.note.line_starts
        self._spans = {
            "has_code": [block.span for block in nested if block.kind == "code"],
            "has_table": [block.span for block in nested if block.kind == "table"],
            "has_math": [Span(region.start, region.end) for region in document.regions if region.kind == "math"],
            "has_tasks": [Span(line_starts[t.line - 1], line_starts[t.line - 1] + 1) for t in document.inline.tasks],
        }
        self._starts = {flag: [span.start for span in spans] for flag, spans in self._spans.items()}

    def flags(self, span: Span) -> Iterator[str]:
        """Which of `has_code`, `has_table`, `has_math`, `has_tasks` hold."""
        for flag, spans in self._spans.items():
            last = bisect_left(self._starts[flag], span.end) - 1
            if last >= 0 and spans[last].end > span.start:
                yield flag

    def kind(self, span: Span) -> str:
        """The kind of the block that owns most tokens of the stretch, the first of equals."""
        largest = self._largest(span)
        return largest.kind if largest is not None and largest.kind in KINDS else "text"

    def summary(self, span: Span) -> str | None:
        """Header and first two rows, as plain text, of the table that owns most of the stretch."""
        table = self._largest(span)
        if table is None or not table.parts:
            return None
        header, *rows = table.parts
        here = [row for row in rows if row.span.end > span.start and row.span.start < span.end]
        lines = [self._line(header)] + [self._line(row) for row in here[:_ROWS]]
        return "\n".join(filter(None, lines))

    def _largest(self, span: Span) -> Block | None:
        blocks = [(self._body.tokens(*part), block) for block, part in self._body.blocks_in(*span)]
        return max(blocks, key=lambda pair: pair[0])[1] if blocks else None

    def _line(self, row: Block) -> str:
        first_line = tidy(self._body.cutout(*row.span)).split("\n")[0].lstrip("> \t")
        cells = (plain_text(cell.replace("\\|", "|")) for cell in _CELL_BORDER.split(first_line))
        return " | ".join(filter(None, cells))


def plain_text(text: str) -> str:
    """Markdown without its marks: of links their visible text."""
    return _MARKS.sub("", _LINK.sub(lambda link: link[1] or link[2] or "", text)).strip()


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """All blocks at any depth, in reading order."""
    waiting = [*blocks][::-1]
    while waiting:
        block = waiting.pop()
        yield block
        waiting += block.parts[::-1]
