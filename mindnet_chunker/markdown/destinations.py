"""Markdown links: what stands in the round brackets, what a reference label is defined as, and where both lead."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

from mindnet_chunker.markdown.leaves import Leaf

MAX_LABEL = 999  # characters of a reference label, by CommonMark
_MAX_DEPTH = 32  # round brackets within round brackets

_SPACE = re.compile(r"\s*+")
_POINTED = re.compile(r"<(?:[^<>\n\\]++|\\.)*+>")
_PLAIN = re.compile(r"(?:[^\s()\\<]|\\.|(?<!^)<)*+", re.DOTALL)
_TITLE = re.compile(r"\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+'|\((?:[^()\\]++|\\.)*+\)", re.DOTALL)
_LABEL = re.compile(rf"\[((?:[^\[\]\\]|\\.){{0,{MAX_LABEL}}})\]", re.DOTALL)
_DEFINITION = re.compile(rf"[ \t>]*\[((?:[^\[\]\\]|\\.){{1,{MAX_LABEL}}}?)\]:", re.DOTALL)
_LINE_PREFIX = re.compile(r"\s*(?:\n[ \t>]*)?")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


class Destination(NamedTuple):
    """Where an address stands in the source, without its pointed brackets, and where all that belongs to it ends."""

    start: int
    end: int
    after: int


def inline_destination(source: str, start: int, end: int) -> Destination | None:
    """What follows the text of a link, from its `(` at `start`; None where that makes no link."""
    at = _skip(source, start + 1, end)
    found = _address(source, at, end)
    if found is None:
        return None
    at = _skip(source, found.after, end)
    if at > found.after and (title := _TITLE.match(source, at, end)):
        at = _skip(source, title.end(), end)
    return found._replace(after=at + 1) if at < end and source[at] == ")" else None


def reference_label(source: str, start: int, end: int) -> re.Match[str] | None:
    """`[label]` or `[]` behind the text of a link."""
    return _LABEL.match(source, start, end)


def folded_label(label: str) -> str:
    return " ".join(label.split()).casefold()


def definition(source: str, leaf: Leaf) -> tuple[str, Destination] | None:
    """The folded label and the address of `[label]: address`."""
    label = _DEFINITION.match(source, leaf.start, leaf.end)
    before = _LINE_PREFIX.match(source, label.end(), leaf.end) if label else None
    address = _address(source, before.end(), leaf.end) if before else None
    return (folded_label(label[1]), address) if label and address else None


def is_external(address: str) -> bool:
    """A scheme of two letters or more: `C:` is a drive."""
    return _SCHEME.match(address) is not None


def decoded(address: str) -> str:
    """The path that an address names: escapes of Markdown, of HTML and of URLs undone, malformed ones left."""
    text = _ESCAPED.sub(r"\1", address)
    return _PERCENT.sub(_decoded, unescape(text) if "&" in text else text)


def _decoded(escapes: re.Match[str]) -> str:
    try:
        return bytes.fromhex(escapes[0].replace("%", "")).decode("utf-8")
    except UnicodeDecodeError:
        return escapes[0]


def _skip(source: str, start: int, end: int) -> int:
    space = _SPACE.match(source, start, end)
    return space.end() if space else start


def _address(source: str, start: int, end: int) -> Destination | None:
    if source.startswith("<", start, end):
        pointed = _POINTED.match(source, start, end)
        return Destination(start + 1, pointed.end() - 1, pointed.end()) if pointed else None
    at, depth = start, 0
    while (part := _PLAIN.match(source, at, end)) and (at := part.end()) < end:
        if source[at] == "(" and depth < _MAX_DEPTH:
            depth += 1
        elif source[at] == ")" and depth:
            depth -= 1
        else:
            break
        at += 1
    return None if depth else Destination(start, at, at)
