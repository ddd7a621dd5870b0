"""Where a text is code, math or an address, read from this text alone.

Only a Markdown parser knows for sure; here the answer must come from a stored chunk, without its note.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from mindnet_chunker.records import Span

# A fence may stand in quotes and list items. Possessive: a line of thousands of `>` is read once.
_FENCE = re.compile(r"^[ \t>*+\-.)0-9]*+(`{3,}+(?=[^`\n]*+$)|~{3,}+)", re.MULTILINE)
_CLOSER = re.compile(r"^[ \t>]*+(`{3,}+|~{3,}+)[ \t]*+$", re.MULTILINE)
_SIGNS = re.compile(
    r"(?P<ticks>\\?`++)|(?P<escape>\\.)|(?P<display>\$\$)|(?P<dollar>\$)|(?P<blank>\n[ \t>]*+(?=\n))"
    r"|(?P<url>(?<![A-Za-z0-9])(?:[A-Za-z][A-Za-z0-9+.\-]{1,30}+://|mailto:)[^\s<>]*+|\]\([^\s()]*+)"
)
_TRIGGERS = ("`", "$", "~~~", "://", "](", "mailto:")


class _Sign(NamedTuple):
    kind: str
    span: Span


def verbatim_spans(text: str) -> list[Span]:
    """Fenced code, inline code, math and addresses, in order, not overlapping. Linear in the text's length."""
    spans: list[Span] = []
    if not any(sign in text for sign in _TRIGGERS):
        return spans
    done = 0
    for fence in _fences(text):
        spans += _inline(text, done, fence.start)
        spans.append(fence)
        done = fence.end
    spans += _inline(text, done, len(text))
    return spans


def _fences(text: str) -> Iterator[Span]:
    at = 0
    while (opener := _FENCE.search(text, at)) is not None:
        mark = opener[1]
        at = opener.end()
        end = len(text)  # an unclosed one runs to the end
        for closer in _CLOSER.finditer(text, at):
            if closer[1].startswith(mark):
                end = closer.end()
                break
        yield Span(opener.start(1), end)
        at = end


def _inline(text: str, start: int, end: int) -> list[Span]:
    signs = [_Sign(match.lastgroup or "", Span(*match.span())) for match in _SIGNS.finditer(text, start, end)]
    closers: defaultdict[str, list[int]] = defaultdict(list)  # what closes -> places in `signs`
    for place, sign in enumerate(signs):
        closers[_closes(text, sign)].append(place)
    spans = []
    place = 0
    while place < len(signs):
        sign = signs[place]
        close = _closing(text, sign, place, signs, closers)
        if sign.kind == "url":
            spans.append(sign.span)
        if close is None:
            place += 1
        else:
            spans.append(Span(sign.span.start, signs[close].span.end))
            place = close + 1
    return spans


def _closes(text: str, sign: _Sign) -> str:
    """What the sign may close: a run of backticks its like, a `$` only where no blank precedes and no digit follows."""
    if sign.kind == "ticks":
        return text[sign.span.start : sign.span.end].lstrip("\\")
    if sign.kind == "dollar":
        before, after = text[max(0, sign.span.start - 1) : sign.span.start], text[sign.span.end : sign.span.end + 1]
        return "$" if before.strip() and not after.isdigit() else ""
    return {"display": "$$", "blank": "blank"}.get(sign.kind, "")


def _closing(
    text: str, sign: _Sign, place: int, signs: list[_Sign], closers: defaultdict[str, list[int]]
) -> int | None:
    if sign.kind == "ticks":
        mark = text[sign.span.start : sign.span.end]
        mark = mark[2:] if mark.startswith("\\") else mark  # the first of an escaped run is text
    elif sign.kind in ("dollar", "display"):
        mark = "$" if sign.kind == "dollar" else "$$"
        if mark == "$" and not text[sign.span.end : sign.span.end + 1].strip():
            return None
    else:
        return None
    close = _next(closers[mark], place) if mark else None
    if close is None or mark == "$$":
        return close
    paragraph_end = _next(closers["blank"], place)
    return close if paragraph_end is None or close < paragraph_end else None


def _next(places: list[int], place: int) -> int | None:
    at = bisect_left(places, place + 1)
    return places[at] if at < len(places) else None
