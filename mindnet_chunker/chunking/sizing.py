"""types.yaml -> `NoteType` rows: how the notes of each type are cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

from mindnet_chunker.chunking.row_keys import READERS, read_settings, shown, suggest
from mindnet_chunker.chunking.type_yaml import Given, read_table
from mindnet_chunker.errors import TypeTableError

DEFAULT = "default"
SETTINGS = "settings"
ABOVE_ROWS = ("types", "type", "note_types", "rows")  # what people put above rows
SHOWN_ROWS = 3  # in a message


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteType:
    """One row of types.yaml; the values here are the keys' defaults.

    Sizes are tokens of the text that is embedded. For every strategy but `structure`, `target` is (lower, upper).
    """

    name: str = DEFAULT
    target: tuple[int, int] = (250, 350)
    max: int = 450
    overlap: tuple[int, int] = (40, 60)
    min: int = 60
    strategy: str = "structure"
    split_levels: tuple[int, ...] = (2, 3)
    merge_sections: str = "never"  # never | small | target
    bundle_dates: bool = False
    keep_lists: bool = False
    isolate: tuple[str, ...] = ()  # block kinds
    isolate_intro: bool = False
    isolate_sections: tuple[str, ...] = ()  # titles, as are the next two
    link_sections: tuple[str, ...] = ("Mögliche Verbindungen", "Possible connections", "Related", "Siehe auch")
    skip_sections: tuple[str, ...] = ()
    skip_before_heading: bool = False
    oversize: str = "keep"  # keep | split
    context: str = "path"  # path | title | none
    context_depth: int = 4  # levels of the heading path
    context_aliases: bool = False
    list_items: tuple[int, int] = (5, 8)
    overlap_sentences: int = 1
    fail_on_broken_fence: bool = False
    fail_on_content_loss: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds for all rows."""

    weights: Mapping[str, float]  # chunk kind -> what a hit counts; 0 is never a hit; kinds left out count 1
    languages: tuple[str, ...]  # ISO 639-1, the main one first


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeTable:
    """The rows of all note types, checked."""

    rows: Mapping[str, NoteType]  # by name in lower case
    settings: Settings

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.rows)

    def row(self, name: str) -> NoteType:
        """The row of a type, letter case ignored; the row `default` where there is none."""
        return self.rows.get(name.strip().lower()) or self.rows[DEFAULT]

    def override(self, row: NoteType, chunking: Mapping[str, Any]) -> NoteType:
        """The row with keys of its own that a note gives in its property `chunking`.

        What the note leaves out gives way to what it says. Raises `TypeTableError` without a place.
        """
        values = {key: _read_key(key, value) for key, value in chunking.items()}
        return _fit(row, values)


def load_types(texts: Sequence[tuple[str, str]]) -> TypeTable:
    """The table of several types.yaml, given as (where, text) in rising priority: rows are replaced whole.

    Raises `TypeTableError` with the line at the first row that is impossible.
    """
    rows: dict[str, tuple[str, Given]] = {}
    weights: dict[str, float] = {}
    languages: tuple[str, ...] = ()
    for where, text in texts:
        for name, given in _named_rows(where, text).items():
            if name == SETTINGS:
                found = _placed(where, given.line, read_settings, given.value)
                weights |= found.get("weights", {})
                languages = found.get("languages", languages)
            else:
                rows[name] = (where, given)
    default = _row(DEFAULT, *rows.get(DEFAULT, ("", Given(None, 0))), NoteType())
    base = NoteType(target=default.target, max=default.max, overlap=default.overlap)
    checked = {name: default if name == DEFAULT else _row(name, *row, base) for name, row in rows.items()}
    checked.setdefault(DEFAULT, default)
    settings = Settings(weights=weights, languages=languages or ("en",))
    return TypeTable(rows=checked, settings=settings)


def builtin_types_text() -> str:
    """The types.yaml of the wheel, or of the checkout's top level when run from source."""
    package = files("mindnet_chunker")
    shipped = package / "types.yaml"
    if not shipped.is_file():
        shipped = package.joinpath("..", "types.yaml")
    return shipped.read_text(encoding="utf-8")


def _named_rows(where: str, text: str) -> dict[str, Given]:
    found: dict[str, Given] = {}
    for written, given in read_table(where, text).items():
        name = written.strip().lower()
        if not name or name in found:
            what = f"the row `{written}` is there twice, letter case ignored" if name else "a row has no name"
            raise TypeTableError(what, where=where, line=given.line, hint="give each note type one row")
        found[name] = given
        _refuse_rows_below(where, written, given)
    return found


def _refuse_rows_below(where: str, written: str, given: Given) -> None:
    """Many put a line `types:` above their rows."""
    if written.strip().lower() not in ABOVE_ROWS or not isinstance(given.value, dict):
        return
    rows = [key for key in given.value if key not in READERS]
    if rows:
        names = ", ".join(f"`{name}`" for name in rows[:SHOWN_ROWS])
        more = f" and {len(rows) - SHOWN_ROWS} more" if len(rows) > SHOWN_ROWS else ""
        raise TypeTableError(
            f"rows stand at the top level, not below `{written}`: {names}{more}",
            where=where,
            line=given.line,
            hint=f"take the line `{written}:` out and begin each row at the start of a line: "
            f"`{rows[0]}:`, and its keys indented below it, as in `target: [250, 350]`",
        )


def _row(name: str, where: str, given: Given, base: NoteType) -> NoteType:
    keys = {} if given.value is None else given.value
    if not isinstance(keys, dict):
        hint = "a key at the top level names a note type: write its keys below it, as in `target: [250, 350]`"
        raise TypeTableError(f"the row `{name}` is {shown(_plain(keys))}", where=where, line=given.line, hint=hint)
    values = {key: _placed(where, at.line, _read_key, key, _plain(at.value)) for key, at in keys.items()}
    try:
        return _fit(replace(base, name=name), values)
    except _MisfitError as error:
        raise TypeTableError(error.what, where=where, line=keys[error.key].line, hint=error.hint) from None


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return {key: _plain(given.value) for key, given in value.items()} if isinstance(value, dict) else value


def _placed(where: str, line: int, read: Any, *arguments: Any) -> Any:
    """What `read` returns; its errors get their place."""
    try:
        return read(*arguments)
    except TypeTableError as error:
        raise TypeTableError(error.what, where=where, line=error.line or line, hint=error.hint) from None


def _read_key(key: str, value: Any) -> Any:
    read = READERS.get(key)
    if read is None:
        raise TypeTableError(f"unknown key {shown(key)}", hint=suggest(key, READERS))
    return read(key, value)


class _MisfitError(TypeTableError):
    """Two keys of a row contradict each other; `key` is the one to name."""

    def __init__(self, key: str, what: str, hint: str) -> None:
        super().__init__(what, hint=hint)
        self.key = key


def _fit(base: NoteType, given: Mapping[str, Any]) -> NoteType:
    """The row that `given` makes of `base`: sizes that were given must agree, the others are bent to fit them."""
    row = replace(base, **given)
    if "max" not in given:
        row = replace(row, max=max(row.max, row.target[1]))
    if "target" not in given:
        low, high = _at_most(row.target, row.max)
        row = replace(row, target=(max(low, 1), high) if row.strategy == "structure" else (low, high))
    low, high = row.target
    if high > row.max:
        what = f"`target` {_pair(row.target)} must not pass `max` {row.max}"
        raise _MisfitError(_named(given, "target", "max"), what, "lower `target` or raise `max`")
    if "overlap" not in given:
        row = replace(row, overlap=_at_most(row.overlap, max(0, low - 1)))
    if row.overlap[1] >= low and (row.strategy == "structure" or row.overlap[1]):
        what = f"`overlap` {_pair(row.overlap)} must be less than `target` {_pair(row.target)}"
        raise _MisfitError(_named(given, "overlap", "target", "max"), what, "lower `overlap` or raise `target`")
    if "min" not in given:
        row = replace(row, min=min(row.min, low))
    if row.min > low:
        what = f"`min` {row.min} must not pass `target` {_pair(row.target)}"
        raise _MisfitError(_named(given, "min", "target", "max"), what, "lower `min` or raise `target`")
    return row


def _at_most(pair: tuple[int, int], bound: int) -> tuple[int, int]:
    return (min(pair[0], bound), min(pair[1], bound))


def _named(given: Iterable[str], *keys: str) -> str:
    return next(key for key in keys if key in given)


def _pair(pair: tuple[int, int]) -> str:
    return str(pair[0]) if pair[0] == pair[1] else f"[{pair[0]}, {pair[1]}]"
