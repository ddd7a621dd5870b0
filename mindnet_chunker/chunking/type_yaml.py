"""The text of a types.yaml -> plain values, each with its line.

Scalars are those of YAML 1.2: `no` and `on` are text, only `true` and `false` are booleans.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import yaml

from mindnet_chunker.errors import TypeTableError

_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # resolves nothing: 1.1 would read `no` as false
_DEPTH = 4  # a table is rows of keys of lists; deeper is a mistake, and aliases cannot multiply

_CONSTANTS: Mapping[str, Any] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_DIGITS = 18  # longer numbers stay text, so that the message can show them
_INTEGER = re.compile(rf"[-+]?[0-9]{{1,{_DIGITS}}}\Z")
_FLOAT = re.compile(
    rf"[-+]?(?:\.[0-9]{{1,{_DIGITS}}}|[0-9]{{1,{_DIGITS}}}(?:\.[0-9]{{0,{_DIGITS}}})?)(?:[eE][-+]?[0-9]{{1,2}})?\Z"
)


class Given(NamedTuple):
    """A value as it was written: a scalar, a list of plain values, or a mapping of `Given`."""

    value: Any
    line: int


def read_table(where: str, text: str) -> dict[str, Given]:
    """The top level of a types.yaml; empty where the text holds nothing."""
    try:
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        what = f"no valid YAML: {error.problem or error.context}"
        raise TypeTableError(what, where=where, line=line, hint="mend the line, or leave the file out") from None
    except (yaml.YAMLError, ValueError) as error:
        what = f"no valid YAML: {str(error).splitlines()[0]}"
        raise TypeTableError(what, where=where, hint="save the file as UTF-8 text") from None
    if node is None or (node.tag, node.value) == ("tag:yaml.org,2002:str", ""):
        return {}
    table = _value(node, where, 0)
    if not isinstance(table, dict):
        hint = "write a row for each note type: `thought:` and its keys below it"
        raise TypeTableError("the table is no mapping", where=where, line=_line(node), hint=hint)
    return table


def _value(node: Any, where: str, depth: int) -> Any:
    if depth > _DEPTH:
        raise TypeTableError("nested too deeply", where=where, line=_line(node), hint="a row is a list of keys")
    if isinstance(node, yaml.ScalarNode):
        return node.value if node.style else _scalar(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, where, depth + 1) for item in node.value]
    found: dict[str, Given] = {}
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise TypeTableError("a key is no text", where=where, line=_line(key), hint="write `key: value`")
        if key.value in found:
            what = f"`{key.value}` is there twice, first in line {found[key.value].line}"
            raise TypeTableError(what, where=where, line=_line(key), hint="keep one of the two")
        found[key.value] = Given(_value(value, where, depth + 1), _line(key))
    return found


def _scalar(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
