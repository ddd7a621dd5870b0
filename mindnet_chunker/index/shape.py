"""A record from elsewhere -> where it is not of the published shape."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mindnet_chunker.index.schema import RECORDS, Shape
from mindnet_chunker.records import Json

TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


def misshapen(record: Json) -> Iterator[str]:
    """One line for each member of a record that is not as published; nothing if all is right."""
    kind = record.get("record") if isinstance(record, dict) else None
    if not isinstance(kind, str) or kind not in RECORDS:
        yield f"`record` is {kind!r}, not one of {', '.join(RECORDS)}"
        return
    yield from _check(record, RECORDS[kind], "")


def _check(value: Json, shape: Shape, name: str) -> Iterator[str]:
    if "const" in shape and value != shape["const"]:
        yield f"`{name}` is {_shown(value)}, not {shape['const']!r}"
    if "enum" in shape and value not in shape["enum"]:
        yield f"`{name}` is {_shown(value)}, not one of {', '.join(map(repr, shape['enum']))}"
    wanted = shape.get("type")
    if wanted is None:
        return
    names = wanted if isinstance(wanted, list) else [wanted]
    if not any(_is(value, one) for one in names):
        yield f"`{name}` is {_shown(value)}, not {' or '.join(names)}"
        return
    if isinstance(value, str) and "pattern" in shape and not re.search(shape["pattern"], value):
        yield f"`{name}` is {_shown(value)}, which is not of the form {shape['pattern']}"
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole and not shape.get("minimum", value) <= value <= shape.get("maximum", value):
        yield f"`{name}` is {_shown(value)}, out of bounds"
    if isinstance(value, list) and "items" in shape and not _all_plain(value, shape["items"]):
        for place, member in enumerate(value):
            yield from _check(member, shape["items"], f"{name}[{place}]")
    if isinstance(value, dict) and "properties" in shape:
        for key, member in shape["properties"].items():
            inner = f"{name}.{key}" if name else key
            if key in value:
                yield from _check(value[key], member, inner)
            elif key in shape["required"]:
                yield f"`{inner}` is missing"
        for key in value.keys() - shape["properties"].keys():
            yield f"`{f'{name}.{key}' if name else key}` is not a field of this record"


def _is(value: Json, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def _all_plain(values: list[Json], shape: Shape) -> bool:
    """Whether all are of the only type that is asked for: told without a look at each, for vectors are long."""
    wanted = shape.get("type")
    return shape.keys() == {"type"} and isinstance(wanted, str) and set(map(type, values)) <= set(TYPES[wanted])


def _shown(value: Json) -> str:
    return repr(value)[:60]
