"""A paragraph as the sentence rules read it: code, links and other marks hidden, every character in its place."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence

from mindnet_chunker.chunking.verbatim import verbatim_spans
from mindnet_chunker.records import Region

GONE = "\t"  # in place of what is not read at all: HTML tags and comments

_GONE_YET = "\ue000"  # the same while other tabs are still there
_GONE_KINDS = ("comment", "html")
_QUOTE_MARKS = re.compile(r"(?:\A|(?<=\n))[ \t]*+(?:>[ \t]?)++")
_LINKS = re.compile(
    r"!?\[\[[^\[\]\n]++\]\]"
    r"|!?\[(?!\^)[^\[\]\n]*+\]\((?:[^()\s]++|\([^()\s]*+\))*+(?:[ \t]\"[^\"\n]*+\")?\)"
    r"|(?<!\S)#[^\s#.,;:!?()\[\]\"']++"
    r"|<[A-Za-z][A-Za-z0-9+.\-]{1,30}+:[^<>\s]*+>"
)
_TAGS = re.compile(r"</?[A-Za-z][^<>\n]*+>")
_LINE_BREAK = re.compile(r"<br\b", re.IGNORECASE)
_STOP_IN_LINK = re.compile(r"([.!?…])[\"'”“)*_]{0,3}\]\(")
_AFTER_ADDRESS = re.compile(r"[.,;:!?)\]}\"'”“*_]*+\Z")
_BLANK_LINES = re.compile(r"\n[ \t]*+\n")
_OTHER_BLANK = re.compile(r"[^\S ]")


def masked(text: str, start: int, end: int, regions: Sequence[Region]) -> tuple[str, list[int]]:
    """`text[start:end]` in its length with every blank a space, other syntax a word like `Xoo`, HTML tags `GONE`.

    With it the offsets in it at which blank lines end.
    """
    prose = _hide_regions(text, start, end, regions)
    if "\r" in prose:
        prose = prose.replace("\r\n", " \n").replace("\r", "\n")
    if ">" in prose:
        prose = _QUOTE_MARKS.sub(_as(" "), prose)
    if "[" in prose or "#" in prose or "<" in prose:
        prose = _TAGS.sub(lambda match: _tag(match[0]), _LINKS.sub(lambda match: _word(match[0]), prose))
    if "`" in prose or "$" in prose or ":/" in prose:
        prose = _hide_verbatim(prose)
    breaks = [match.end() for match in _BLANK_LINES.finditer(prose)] if "\n" in prose else []
    return _OTHER_BLANK.sub(" ", prose).replace(_GONE_YET, GONE), breaks


def _hide_regions(text: str, start: int, end: int, regions: Sequence[Region]) -> str:
    parts: list[str] = []
    done = start
    at = bisect_right(regions, start, key=lambda region: region.end)
    while at < len(regions) and regions[at].start < end:
        region = regions[at]
        from_, to = max(region.start, start), min(region.end, end)
        parts += (text[done:from_], _tag(text[from_:to]) if region.kind in _GONE_KINDS else _filler(to - from_))
        done = to
        at += 1
    return "".join((*parts, text[done:end]))


def _hide_verbatim(prose: str) -> str:
    parts: list[str] = []
    done = 0
    for start, end in verbatim_spans(prose):
        parts += (prose[done:start], _word(prose[start:end]))
        done = end
    return "".join((*parts, prose[done:]))


def _word(syntax: str) -> str:
    """A word in place of a link or address; a full stop that ends its visible text ends the word."""
    stop = _STOP_IN_LINK.search(syntax) if syntax.endswith(")") else None
    if stop:
        return _filler(len(syntax) - 1) + stop[1]
    if "://" in syntax and not syntax.endswith(">"):
        after = _AFTER_ADDRESS.search(syntax)
        tail = after[0] if after else ""
        return _filler(len(syntax) - len(tail)) + tail
    return _filler(len(syntax))


def _filler(length: int) -> str:
    return "X" + "o" * (length - 1) if length else ""


def _tag(syntax: str) -> str:
    return (" " if _LINE_BREAK.match(syntax) else _GONE_YET) * len(syntax)


def _as(sign: str) -> Callable[[re.Match[str]], str]:
    return lambda match: sign * len(match[0])
