"""Tasks: list items that begin with `[ ]`, and the dates in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from mindnet_chunker.markdown.mask import visible
from mindnet_chunker.records import Block, Note, Task

_TASK = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)++\[(?P<status>[^\n])\][ \t](?P<text>.*)")
_SIGNS = {
    "📅": "due",
    "📆": "due",
    "🗓": "due",
    "⏳": "scheduled",
    "⌛": "scheduled",
    "🛫": "start",
    "✅": "done",
    "➕": "created",
    "❌": "cancelled",
}
_KEYS = {
    "due": "due",
    "scheduled": "scheduled",
    "start": "start",
    "completion": "done",
    "created": "created",
    "cancelled": "cancelled",
}
_DATE = re.compile(
    rf"(?:(?P<sign>[{''.join(_SIGNS)}])\ufe0f?|[\[(](?P<key>{'|'.join(_KEYS)})::)[ \t]*+(?P<day>\d{{4}}-\d\d-\d\d)(?!\d)"
)


def find_tasks(blocks: Sequence[Block], shown: str, note: Note) -> Iterator[Task]:
    """In reading order, those within quotes, callouts and other items too."""
    last_line = 0
    for item in _items(blocks):
        if found := _TASK.match(shown, item.span.start, item.span.end):
            line = note.line_at(found.start("status"))
            if line > last_line:  # `- - [ ] x` begins two items
                last_line = line
                text = visible(found["text"]).strip()
                yield Task(status=found["status"], text=text, dates=_dates(text), line=line)


def _items(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.kind == "item":
            yield block
        yield from _items(block.parts)


def _dates(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _DATE.finditer(text):
        name = _SIGNS[match["sign"]] if match["sign"] else _KEYS[match["key"]]
        if _is_date(match["day"]):
            found.setdefault(name, match["day"])
    return found


def _is_date(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True
