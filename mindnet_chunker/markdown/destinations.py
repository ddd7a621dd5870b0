"""Markdown links: what stands in the round brackets, what a reference label is defined as, and where both lead."""

from __future__ import annotations

import re
from html import unescape
from typing import NamedTuple

from mindnet_chunker.markdown.leaves import Leaf

MAX_LABEL = 999  # characters of a reference label, by CommonMark
_MAX_DEPTH = 5  # round brackets within round brackets


def _balanced(depth: int) -> str:
    r"""Neither blanks nor round brackets, but for pairs of these: nested by hand, for `re` cannot."""
    inner = rf"|\({_balanced(depth - 1)}\)" if depth else ""
    return rf"(?:[^\s()\\]++|\\.{inner})*+"


_POINTED = r"<(?P<pointed>(?:[^<>\n\\]++|\\.)*+)>"
_ADDRESS = rf"(?:{_POINTED}|(?!<)(?P<plain>{_balanced(_MAX_DEPTH)}))"
_TITLE = r"(?:\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+'|\((?:[^()\\]++|\\.)*+\))"
_INLINE = re.compile(rf"\(\s*+{_ADDRESS}(?:\s++{_TITLE})?+\s*+\)", re.DOTALL)
_LABEL = re.compile(rf"\[((?:[^\[\]\\]|\\.){{0,{MAX_LABEL}}}+)\]", re.DOTALL)
_DEFINITION = re.compile(
    rf"[ \t>]*+\[(?P<label>(?:[^\[\]\\]|\\.){{1,{MAX_LABEL}}}+)\]:\s*+(?:>[ \t>]*+)?{_ADDRESS}", re.DOTALL
)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_NO_TEXT = re.compile("[\udc80-\udcff]")  # a byte that is no UTF-8, as Python marks it
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")


class Destination(NamedTuple):
    """Where an address stands in the source, without its pointed brackets, and where all that belongs to it ends."""

    start: int
    end: int
    after: int


def inline_destination(source: str, start: int, end: int) -> Destination | None:
    """What follows the text of a link, from its `(` at `start`; None where that makes no link."""
    found = _INLINE.match(source, start, end)
    return _destination(found) if found else None


def reference_label(source: str, start: int, end: int) -> re.Match[str] | None:
    """`[label]` or `[]` behind the text of a link."""
    return _LABEL.match(source, start, end)


def folded_label(label: str) -> str:
    return " ".join(label.split()).casefold()


def definition(source: str, leaf: Leaf) -> tuple[str, Destination] | None:
    """The folded label and the address of `[label]: address`."""
    found = _DEFINITION.match(source, leaf.start, leaf.end)
    return (folded_label(found["label"]), _destination(found)) if found else None


def is_external(address: str) -> bool:
    """A scheme of two letters or more: `C:` is a drive."""
    return _SCHEME.match(address) is not None


def decoded(address: str) -> str:
    """The path that an address names: escapes of Markdown, of HTML and of URLs undone, malformed ones left."""
    text = _ESCAPED.sub(r"\1", address)
    return _PERCENT.sub(_decoded, unescape(text) if "&" in text else text)


def _decoded(escapes: re.Match[str]) -> str:
    text = bytes.fromhex(escapes[0].replace("%", "")).decode("utf-8", "surrogateescape")
    return _NO_TEXT.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


def _destination(found: re.Match[str]) -> Destination:
    start, end = found.span("plain" if found["pointed"] is None else "pointed")
    return Destination(start, end, found.end())
