"""What a person asks for -> the conditions of a store, each checked against what is stored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.store import Filter, Kind, Match, Store
from mindnet_chunker.records import nfc

SHOWN = 8  # stored values in a hint
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """As they were typed. Of several values of one, any; of several tags, all."""

    type: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()  # with or without `#`, any case; finds the tags nested in it
    path: tuple[str, ...] = ()  # a folder, with all below it, or one note
    area: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    lang: tuple[str, ...] = ()
    since: str | None = None  # a date, a month, a year, or a time; the note was created then or later
    until: str | None = None  # then or before


def conditions(asked: Conditions, store: Store, vault: str) -> Filter:
    """Raise UsageError for a value that nothing stored has, with the nearest that is there."""
    since = period("since", asked.since)[0] if asked.since else None
    until = period("until", asked.until)[1] if asked.until else None
    if since and until and since >= until:
        raise UsageError(f"`since` {asked.since} is after `until` {asked.until}", hint="exchange the two")
    stored = _Stored(store, vault)
    must = []
    for name in ("type", "area", "project", "status", "lang"):
        values = tuple(nfc(value) for value in getattr(asked, name))
        for value in values:
            stored.check(name, name, value)
        must += [Match(name, values)] if values else []
    for tag in asked.tag:
        key = "/".join(part for part in nfc(tag.strip().lstrip("#").lower()).split("/") if part)
        stored.check("tag", "tag_keys", key)
        must.append(Match("tag_keys", (key,)))
    if asked.path:
        must.append(stored.places(asked.path))
    return Filter(must=tuple(must), since=since, until=until)


def period(option: str, text: str) -> tuple[str, str | None]:
    """When a year, a month, a day or a second begins and ends, in UTC; None: never.

    A time without a zone is taken as it stands, as those of notes are.
    """
    match = _DATE.fullmatch(text.strip())
    try:
        if match:
            year, month, day = (int(part) if part else None for part in match.groups())
            start = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
            if day:
                step = timedelta(days=1)
            elif month:
                step = (start.replace(day=28) + timedelta(days=4)).replace(day=1) - start
            else:
                step = start.replace(month=12, day=31) - start + timedelta(days=1)
        else:
            given = datetime.fromisoformat(text.strip())
            start = given.astimezone(UTC) if given.tzinfo else given.replace(tzinfo=UTC)
            start, step = start.replace(microsecond=0), timedelta(seconds=1)
    except OverflowError:  # the end of the calendar
        return _stamp(start), None
    except ValueError:
        raise UsageError(
            f"`{option}` is no date: `{text}`", hint="allowed are 2025, 2025-03, 2025-03-31, 2025-03-31T18:30"
        ) from None
    try:
        return _stamp(start), _stamp(start + step)
    except OverflowError:
        return _stamp(start), None


def _stamp(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


class _Stored:
    """What the chunks of a vault hold."""

    def __init__(self, store: Store, vault: str) -> None:
        self._store = store
        self._vault = vault

    def check(self, option: str, field: str, value: str) -> None:
        if not self._has(field, value):
            raise _unknown(option, value, self.values(field))

    def places(self, typed: Iterable[str]) -> Match:
        """Folders by `folders`, notes by `path`; both together by the paths of all their notes."""
        folders: list[str] = []
        notes: list[str] = []
        for text in typed:
            path = nfc(text.strip().replace("\\", "/").removeprefix("./").strip("/"))
            note = next((name for name in (path, f"{path}.md") if self._has("path", name, "notes")), None)
            if self._has("folders", path):
                folders.append(path)
            elif note:
                notes.append(note)
            else:
                raise _unknown("path", text, [*self.values("folders"), *self.values("path")])
        if not notes:
            return Match("folders", tuple(folders))
        if folders:
            notes += self.values("path", Filter(must=(Match("folders", tuple(folders)),)))
        return Match("path", tuple(notes))

    def values(self, field: str, where: Filter | None = None) -> list[str]:
        """All that are stored, the most frequent first."""
        counts: dict[str, int] = {}
        for point in self._store.scroll("chunks", self._vault, where, keys=(field,)):
            held = point.payload.get(field)
            for value in held if isinstance(held, list) else [held]:
                if isinstance(value, str):
                    counts[value] = counts.get(value, 0) + 1
        return sorted(counts, key=lambda value: (-counts[value], value))

    def _has(self, field: str, value: str, kind: Kind = "chunks") -> bool:
        return bool(value) and self._store.count(kind, self._vault, Filter(must=(Match(field, (value,)),))) > 0


def _unknown(option: str, value: str, stored: list[str]) -> UsageError:
    """One clear line, and the nearest values, or the most frequent ones."""
    by_form: dict[str, str] = {}
    for known in stored:
        for form in (known, known.rpartition("/")[2], known.rpartition("/")[2].removesuffix(".md")):
            by_form.setdefault(form.casefold(), known)
    near = get_close_matches(value.casefold(), by_form, n=3, cutoff=0.6)
    if near:
        hint = (
            "did you mean " + " or ".join(f"`{name}`" for name in dict.fromkeys(by_form[form] for form in near)) + "?"
        )
    elif stored:
        more = f", and {len(stored) - SHOWN} more" if len(stored) > SHOWN else ""
        hint = f"stored are {', '.join(f'`{known}`' for known in stored[:SHOWN])}{more}"
    else:
        hint = f"no note in the index has a value for `{option}`"
    return UsageError(f"nothing in the index has the {option} `{value}`", hint=hint)
