"""The text as the parsers see it: same length, with what is hidden or is no text put out of their sight.

Line ends become `\\n`, so that every rule knows one kind; what is hidden becomes `FILLER`, so that offsets stay true.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from mindnet_chunker.records import Json, Region

FILLER = "\ufffc"  # neither blank nor letter nor a mark of Markdown: ends a tag, starts nothing, keeps a line non-blank

_NOT_LINE_END = re.compile(r"[^\n]+")
_NOT_LINE_PREFIX = re.compile(r"(?<=\n)(?P<prefix>[ \t]*>[ \t>]*)|[^\n]+")
_HIDDEN_LINE = re.compile(rf"^[ \t>]*+{FILLER}[{FILLER} \t]*+$", re.MULTILINE)
_HIDDEN = re.compile(rf"(?<![ \t])[ \t]*+{FILLER}++[ \t]*+")
_QUOTE_PREFIX = re.compile(r"[ \t]*>")
_DATA_URL = re.compile(
    r"data:(?:[a-z]+/[a-z0-9.+-]++(?:;[a-z0-9-]+=[^;,\s\"'()<>]*+)*+(?P<base64>;base64)?|;base64),"
    r"(?P<payload>(?(base64)(?:[a-z0-9+/=_-]++|%[0-9a-f]{2})*+|(?:[^\s\"'()<>\[\]`|%]++|%(?!%))*+))",
    re.IGNORECASE,
)
_DRAWING = re.compile(r"^(?:%%[ \t]*\n\s*+)?#{1,6}[ \t]+Drawing[ \t]*$", re.MULTILINE)
_DRAWING_FENCE = re.compile(r"^(?P<marks>`{3,}|~{3,})[ \t]*(?:compressed-)?json\b", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6}[ \t]", re.MULTILINE)
_CLOSING_SIGNS = re.compile(r"\s*+%%[ \t]*$", re.MULTILINE)
_BANNER = re.compile(r"^==⚠.*$", re.MULTILINE)


def plain_lines(text: str) -> str:
    """The same text with `\\n` as its only line end; CRLF becomes a blank and `\\n`, so no offset moves."""
    return text.replace("\r\n", " \n").replace("\r", "\n") if "\r" in text else text


def masked(text: str, regions: Iterable[Region], kinds: Collection[str], filler: str = FILLER) -> str:
    """The text with the regions of these kinds replaced by filler, their line ends kept."""
    pieces: list[str] = []
    done = 0
    for region in regions:
        if region.kind in kinds:
            pieces += (text[done : region.start], _filled(text[region.start : region.end], filler))
            done = region.end
    return "".join([*pieces, text[done:]]) if done else text


def without_comments(source: str, comments: Iterable[Region]) -> str:
    """The source for the block parse.

    A comment beside other text is text too, for blanks there would make indented code; lines that it fills are blank.
    In a quote the marks of its lines stay, or the quote would end there.
    """
    pieces: list[str] = []
    done = 0
    for comment in comments:
        hidden = source[comment.start : comment.end]
        in_quote = "\n" in hidden and _QUOTE_PREFIX.match(source, source.rfind("\n", 0, comment.start) + 1)
        pieces += (source[done : comment.start], _filled_quote(hidden) if in_quote else _filled(hidden, FILLER))
        done = comment.end
    if not done:
        return source
    return _HIDDEN_LINE.sub(lambda line: line[0].replace(FILLER, " "), "".join([*pieces, source[done:]]))


def visible(text: str) -> str:
    """A slice of masked text, without what is hidden in it."""
    if FILLER not in text:
        return text
    return _HIDDEN.sub(_gap, text)


def data_urls(source: str, start: int) -> list[Region]:
    """What stands after the comma of each `data:` address."""
    if "data:" not in source.lower():
        return []
    found = (match.span("payload") for match in _DATA_URL.finditer(source, start))
    return [Region(first, end, "data_url") for first, end in found if first < end]


def drawings(source: str, start: int, properties: Mapping[str, Json]) -> list[Region]:
    """The drawing data of an Excalidraw note, and the banner that its plugin writes.

    The data lies under a heading `Drawing`, in most versions between two lines `%%`.
    """
    if not any(key.lower() == "excalidraw-plugin" for key in properties):
        return []
    found = [Region(*match.span(), "drawing") for match in _BANNER.finditer(source, start)]
    place = start
    while heading := _DRAWING.search(source, place):
        place = _drawing_end(source, heading.end())
        found.append(Region(heading.start(), place, "drawing"))
    return sorted(found)


def _drawing_end(source: str, heading_end: int) -> int:
    following = _HEADING.search(source, heading_end)
    section_end = following.start() if following else len(source)
    end = section_end
    if fence := _DRAWING_FENCE.search(source, heading_end, section_end):
        closer = source.find(f"\n{fence['marks']}", fence.end())
        end = len(source) if closer < 0 else closer + 1 + len(fence["marks"])
    signs = _CLOSING_SIGNS.match(source, end)
    return signs.end() if signs else end


def _filled(text: str, filler: str) -> str:
    return _NOT_LINE_END.sub(lambda part: filler * len(part[0]), text) if "\n" in text else filler * len(text)


def _filled_quote(text: str) -> str:
    return _NOT_LINE_PREFIX.sub(lambda part: part["prefix"] or FILLER * len(part[0]), text)


def _gap(hidden: re.Match[str]) -> str:
    """One blank where the hidden text stood between two, none where it was glued or at an edge."""
    inner = hidden.start() > 0 and hidden.end() < len(hidden.string)
    return " " if inner and (hidden[0][0] in " \t" or hidden[0][-1] in " \t") else ""
