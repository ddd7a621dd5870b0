"""YAML 1.2 core -> JSON-safe values, with the line of every key at the top.

PyYAML parses (its events only); what a scalar means is decided here, since PyYAML resolves by YAML 1.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from mindnet_chunker.records import Json

MAX_DEPTH = 64  # levels of nesting; Qdrant's JSON reader stops at 128 with the payload around it
MAX_EXPANSION = 10_000  # what aliases may repeat: nodes, a long scalar counting as one for each 100 characters

TAG = "tag:yaml.org,2002:"
CONSTANTS: Mapping[str, Json] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
NUMBER = re.compile(
    r"(?P<int>[-+]?[0-9]+)|0o(?P<oct>[0-7]+)|0x(?P<hex>[0-9a-fA-F]+)"
    r"|(?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)"
)
MAX_NUMBER = 100  # characters; a longer one is text

# Line ends for PyYAML, ordinary signs in YAML 1.2: hidden from it behind noncharacters, which no text may hold.
HIDDEN = {0x85: 0x10FFFE, 0x2028: 0x10FFFF, 0x2029: 0xFFFFE}
SHOWN = {new: old for old, new in HIDDEN.items()}
TO_HIDE = re.compile("[\x85\u2028\u2029]")
ODD = re.compile("[\r\0\U0010fffe\U0010ffff\U000ffffe]")  # what a scalar's text may not keep
UNPRINTABLE = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\U0010fffe\U0010ffff\U000ffffe]"
)
LINE_END = re.compile(r"\r\n|\r|\n")
# JSON writes signs beyond U+FFFF as two escapes, which PyYAML refuses.
JSON_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


class YamlError(ValueError):
    """Why a text is no valid YAML; `line` is 1-based within it."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.what = what
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A document: its value, and for a mapping where and how its keys were written."""

    value: Json
    lines: Mapping[str, int]  # top-level key -> 1-based line
    written: Mapping[str, str]  # top-level key -> text of a number or boolean as written


@dataclass(frozen=True, slots=True)
class _Node:
    """A finished value."""

    value: Json
    text: str | None = None  # of a scalar
    cost: int = 1  # nodes, itself included
    height: int = 0  # levels of collections


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been seen."""

    value: Any  # list or dict
    anchor: str | None
    cost: int = 1
    height: int = 1
    key: str | None = None  # of a mapping whose value comes next


@dataclass(slots=True)
class _Builder:
    root: Json = None
    open: list[_Open] = field(default_factory=list)
    anchors: dict[str, _Node | None] = field(default_factory=dict)  # None: still open
    spent: int = 0
    lines: dict[str, int] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)

    def start(self, value: Json, kind: str, event: Any) -> None:
        line = _line(event)
        if event.tag not in (None, "!", TAG + kind):
            raise YamlError(f"unknown tag `{event.tag}`", line)
        if self.open and isinstance(self.open[-1].value, dict) and self.open[-1].key is None:
            raise YamlError("a key must be text", line)
        self._check_depth(1, line)
        if event.anchor:
            self.anchors[event.anchor] = None
        self.open.append(_Open(value, event.anchor))

    def end(self, event: Any) -> None:
        closed = self.open.pop()
        node = _Node(closed.value, None, closed.cost, closed.height)
        if closed.anchor:
            self.anchors[closed.anchor] = node
        self._add(node, _line(event))

    def scalar(self, event: Any) -> None:
        text = _shown(event.value)
        line = _line(event)
        value = _scalar(text, event.tag, plain=event.implicit[0], line=line)
        node = _Node(value, text, 1 + len(text) // 100)
        if event.anchor:
            self.anchors[event.anchor] = node
        self._add(node, line)

    def alias(self, event: Any) -> None:
        line = _line(event)
        if event.anchor not in self.anchors:
            raise YamlError(f"unknown alias `*{event.anchor}`", line)
        node = self.anchors[event.anchor]
        if node is None:
            raise YamlError(f"alias `*{event.anchor}` stands inside what it names", line)
        self.spent += node.cost
        if self.spent > MAX_EXPANSION:
            raise YamlError(f"aliases repeat more than {MAX_EXPANSION} values", line)
        self._check_depth(node.height, line)
        self._add(node, line)

    def _check_depth(self, further: int, line: int) -> None:
        if len(self.open) + further > MAX_DEPTH:
            raise YamlError(f"nested more than {MAX_DEPTH} levels deep", line)

    def _add(self, node: _Node, line: int) -> None:
        if not self.open:
            self.root = node.value
            return
        parent = self.open[-1]
        parent.cost += node.cost
        parent.height = max(parent.height, node.height + 1)
        if isinstance(parent.value, list):
            parent.value.append(node.value)
        elif parent.key is not None:
            parent.value[parent.key] = node.value
            if len(self.open) == 1 and node.text is not None and isinstance(node.value, (bool, int, float)):
                self.written[parent.key] = node.text
            parent.key = None
        elif node.text is None:
            raise YamlError("a key must be text", line)
        elif node.text in parent.value:
            raise YamlError(f"duplicate key `{node.text[:40]}`", line)
        else:
            parent.key = node.text
            if len(self.open) == 1:
                self.lines[node.text] = line


def load(text: str) -> Loaded:
    """Read one document. Raises only `YamlError`.

    Keys are the scalar's text. Dates, `.nan`, `.inf` and integers beyond 64 bits stay text; duplicate keys, unknown tags
    and aliases that explode are errors. Values hold no carriage return, no NUL and no lone surrogate.
    """
    if bad := UNPRINTABLE.search(text):
        line = len(LINE_END.findall(text, 0, bad.start())) + 1
        raise YamlError(f"character U+{ord(bad[0]):04X} is not allowed", line)
    if text.lstrip().startswith("{"):
        text = JSON_PAIR.sub(_joined, text)
    build = _Builder()
    for event in _events(text.translate(HIDDEN) if TO_HIDE.search(text) else text):
        kind = type(event)
        if kind is yaml.ScalarEvent:
            build.scalar(event)
        elif kind is yaml.SequenceStartEvent:
            build.start([], "seq", event)
        elif kind is yaml.MappingStartEvent:
            build.start({}, "map", event)
        elif kind is yaml.SequenceEndEvent or kind is yaml.MappingEndEvent:
            build.end(event)
        elif kind is yaml.AliasEvent:
            build.alias(event)
    return Loaded(value=build.root, lines=build.lines, written=build.written)


def _events(text: str) -> Iterator[Any]:
    """The events of one document, PyYAML's errors as our own."""
    documents = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise YamlError("more than one document", _line(event))
            yield event
    except yaml.MarkedYAMLError as error:
        lines = [mark.line + 1 for mark in (error.problem_mark, error.context_mark) if mark is not None]
        at_end = bool(lines) and lines[0] > len(LINE_END.findall(text))
        what = ": ".join(part for part in (error.context, error.problem) if part)
        line = (lines[-1] if at_end else lines[0]) if lines else 1  # what was never closed began at the context
        raise YamlError(" ".join(_shown(what).split()), line) from error
    except yaml.YAMLError as error:
        raise YamlError(" ".join(str(error).split()), 1) from error


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _shown(text: str) -> str:
    """A scalar's text with the hidden signs back; no carriage return or NUL of an escape survives."""
    if ODD.search(text) is None:
        return text
    return LINE_END.sub("\n", text).replace("\0", "\ufffd").translate(SHOWN)


def _joined(pair: re.Match[str]) -> str:
    high, low = int(pair[2], 16), int(pair[3], 16)
    return f"{pair[1]}\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08X}"


def _scalar(text: str, tag: str | None, *, plain: bool, line: int) -> Json:
    if tag in (None, "!"):
        return _resolve(text) if plain else text
    kind = str(tag).removeprefix(TAG)
    if kind == "str":
        return text
    value = _resolve(text)
    match (kind, value):
        case ("bool", bool()) | ("null", None):
            return value
        case ("int", int()) | ("float", int() | float()) if not isinstance(value, bool):
            return float(value) if kind == "float" else value
        case ("bool" | "null" | "int" | "float", _):
            raise YamlError(f"`{text[:40]}` is no {kind}", line)
    raise YamlError(f"unknown tag `{tag}`", line)


def _resolve(text: str) -> Json:
    """What a plain scalar means by the core schema."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    if text[0] not in "+-.0123456789" or len(text) > MAX_NUMBER:
        return text
    number = NUMBER.fullmatch(text)
    if number is None:
        return text
    if number["float"]:
        value = float(text)
        return value if abs(value) != float("inf") else text
    base = {"int": 10, "oct": 8, "hex": 16}[str(number.lastgroup)]
    whole = int(number[str(number.lastgroup)], base)
    return whole if -(2**63) <= whole < 2**63 else text
