"""Dataview fields: a line `key:: value`, and `[key:: value]` or `(key:: value)` within a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mindnet_chunker.markdown.mask import FILLER, visible
from mindnet_chunker.records import InlineField, Note, Span

_EMOJI = "\u200d\ufe0f\u2190-\u2bff\U0001f000-\U0001faff"
# What stands before the text of a line: marks of quotes, list items and tasks, then formatting and other signs.
_LINE_KEY = re.compile(
    rf"[ \t>]*+(?:(?:[-*+]|\d{{1,9}}[.)])[ \t]++)?(?:\[[^\n]\][ \t]++)?[^\w\n|{FILLER}]*+"
    rf"(?P<key>[\w \t/{_EMOJI}-]++)[_*~`]*+::(?=[\s{FILLER}]|$)"
)
_BRACKET_KEY = re.compile(rf"[\[(][^\w\[\]()\n:{FILLER}]*+(?P<key>[^\[\]()\n:{FILLER}]++)::")
_BRACKETS = re.compile(r"[\[\]()]")
_MARKS = " \t_*~`"


class Field(NamedTuple):
    key: Span
    value: Span
    whole: Span


def find_fields(masked: str, shown: str, note: Note) -> Iterator[InlineField]:
    """In reading order. `masked` has nothing of code, links and comments, `shown` all but the comments."""
    for found in _fields(masked, note.body_start):
        value = visible(shown[slice(*found.value)]).strip()
        key = visible(shown[slice(*found.key)]).strip(_MARKS)
        yield InlineField(key=key, value=value, line=note.line_at(found.key.start), span=found.whole)


def canonical_key(key: str) -> str:
    """Lower case, dashes for blanks: `Due Date` and `due-date` are one key."""
    return "-".join(key.lower().split())


def _fields(masked: str, start: int) -> Iterator[Field]:
    """A line with bracketed fields is no field as a whole: so Dataview reads it."""
    at = masked.find("::", start)
    while at >= 0:
        line = max(start, masked.rfind("\n", start, at) + 1)
        end = masked.find("\n", at)
        end = len(masked) if end < 0 else end
        bracketed = list(_bracketed(masked, line, end))
        yield from bracketed
        if not bracketed and (found := _LINE_KEY.match(masked, line, end)):
            yield Field(Span(*found.span("key")), Span(found.end(), end), Span(found.start("key"), end))
        at = masked.find("::", end)


def _bracketed(masked: str, start: int, end: int) -> Iterator[Field]:
    keys = list(_BRACKET_KEY.finditer(masked, start, end))
    closers = _partners(masked, start, end) if keys else {}
    done = start
    for key in keys:
        opener, closer = key.start(), closers.get(key.start())
        if closer is None or opener < done:
            continue
        # `(std::vector)` is no field, and `[a:: b](c)` is a link.
        spaced = masked[key.end()] in f" \t{FILLER})]"
        if (spaced or masked[opener] == "[") and not masked.startswith("](", closer):
            done = closer + 1
            yield Field(Span(*key.span("key")), Span(key.end(), closer), Span(opener, done))


def _partners(masked: str, start: int, end: int) -> dict[int, int]:
    """Each opening bracket's closing one; the two kinds do not mind each other."""
    partners: dict[int, int] = {}
    waiting: dict[str, list[int]] = {"[": [], "(": []}
    for bracket in _BRACKETS.finditer(masked, start, end):
        if bracket[0] in waiting:
            waiting[bracket[0]].append(bracket.start())
        elif openers := waiting["[" if bracket[0] == "]" else "("]:
            partners[openers.pop()] = bracket.start()
    return partners
