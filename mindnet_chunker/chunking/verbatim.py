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
# Every branch begins with a letter of its own: so `re` jumps from one to the next.
_SIGNS = re.compile(
    r"`(?P<ticks>`*+)|\\(?P<escaped>`++|.)|\$(?P<dollars>\$?)|\n(?P<blank>[ \t>]*+)(?=\n)|\](?P<target>\([^\s()]*+)"
)
_ADDRESS = re.compile(r"://[^\s<>]*+|mailto:[^\s<>]*+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]{0,29}\Z")
_TRIGGERS = ("`", "$", "~~~", "://", "](", "mailto:")


class _Sign(NamedTuple):
    start: int
    end: int
    opens: str  # the mark that closes what it opens; `span` where it is something whole
    closes: str  # the mark that it is as a closer


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
    if "```" not in text and "~~~" not in text:
        return
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


def _inline(text: str, start: int, end: int) -> Iterator[Span]:
    signs = [_sign(text, match) for match in _SIGNS.finditer(text, start, end)]
    if addresses := list(_addresses(text, start, end)):
        signs = sorted([*signs, *addresses])
    closers: defaultdict[str, list[int]] = defaultdict(list)  # mark -> places in `signs`
    for place, sign in enumerate(signs):
        if sign.closes:
            closers[sign.closes].append(place)
    done = start
    place = 0
    while place < len(signs):
        sign = signs[place]
        place += 1
        close = _closing(sign, place, closers) if sign.opens and sign.start >= done else None
        if close is not None:
            done = signs[close].end
            yield Span(sign.start, done)
            place = close + 1
        elif sign.opens == "span" and sign.end > done:
            yield Span(max(sign.start, done), sign.end)
            done = sign.end


def _sign(text: str, match: re.Match[str]) -> _Sign:
    start, end = match.span()
    kind = match.lastgroup
    if kind == "ticks":
        return _Sign(start, end, match[0], match[0])
    if kind == "escaped":  # the first of an escaped run is text; as a closer it counts whole
        run = match[0][1:]
        return _Sign(start, end, run[1:], run) if run[0] == "`" else _Sign(start, end, "", "")
    if kind == "blank":
        return _Sign(start, end, "", "\n")
    if kind == "target":
        return _Sign(start, end, "span", "")
    if match[0] == "$$":
        return _Sign(start, end, "$$", "$$")
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    return _Sign(start, end, "$" if after.strip() else "", "$" if before.strip() and not after.isdigit() else "")


def _addresses(text: str, start: int, end: int) -> Iterator[_Sign]:
    for match in _ADDRESS.finditer(text, start, end):
        from_ = match.start()
        if match[0][0] == ":":
            scheme = _SCHEME.search(text[max(start, from_ - 30) : from_])
            from_ -= len(scheme[0]) if scheme else 0
        yield _Sign(from_, match.end(), "span", "")


def _closing(sign: _Sign, place: int, closers: defaultdict[str, list[int]]) -> int | None:
    """The place of the next sign that closes; a blank line ends all but display math."""
    close = _next(closers.get(sign.opens, ()), place)
    if close is None or sign.opens == "$$":
        return close
    paragraph_end = _next(closers.get("\n", ()), place)
    return close if paragraph_end is None or close < paragraph_end else None


def _next(places: list[int] | tuple[()], place: int) -> int | None:
    at = bisect_left(places, place)
    return places[at] if at < len(places) else None
