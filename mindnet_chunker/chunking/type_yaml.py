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
_DEEPEST = 4  # a table is rows of keys of lists
_MOST_NODES = 100_000

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
    table = _Values(where).of(node)
    if not isinstance(table, dict):
        hint = "write a row for each note type: `thought:` and its keys below it"
        raise TypeTableError("the table is no mapping", where=where, line=_line(node), hint=hint)
    return table


class _Values:
    """Nodes -> values, within bounds: aliases may stand for far more than the file holds."""

    def __init__(self, where: str) -> None:
        self._where = where
        self._left = _MOST_NODES

    def of(self, node: Any, depth: int = 0) -> Any:
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            raise self._fault("nested too deeply", node, "a key holds a value or a plain list")
        if isinstance(node, yaml.ScalarNode):
            return node.value if node.style else _scalar(node.value)
        if isinstance(node, yaml.SequenceNode):
            return [self.of(item, depth + 1) for item in node.value]
        found: dict[str, Given] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._fault("a key is no text", key, "write `key: value`")
            if key.value in found:
                what = f"`{key.value[:60]}` is there twice, first in line {found[key.value].line}"
                raise self._fault(what, key, "keep one of the two")
            found[key.value] = Given(self.of(value, depth + 1), _line(key))
        return found

    def _fault(self, what: str, node: Any, hint: str) -> TypeTableError:
        return TypeTableError(what, where=self._where, line=_line(node), hint=hint)


def _scalar(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _FLOAT.match(text) else text


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1
