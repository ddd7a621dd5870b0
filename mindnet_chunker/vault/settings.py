"""The files of `.obsidian` -> what the app's settings mean for reading."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from mindnet_chunker.records import Json, Problem, nfc
from mindnet_chunker.vault.daily import DEFAULT_FORMAT, DailyNotes

APP, TEMPLATES, DAILY_NOTES = "app.json", "templates.json", "daily-notes.json"
FILES = (APP, TEMPLATES, DAILY_NOTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultSettings:
    ignore_filters: tuple[str, ...] = ()  # `userIgnoreFilters`
    templates_folder: str | None = None  # vault-relative, without outer slashes
    daily: DailyNotes = field(default_factory=DailyNotes)

    def is_template(self, path: str) -> bool:
        return self.templates_folder is not None and path.lower().startswith(self.templates_folder.lower() + "/")


def parse_settings(texts: Mapping[str, str]) -> tuple[VaultSettings, list[Problem]]:
    """Read what is there of `FILES` (name -> text). Every file and key may be missing or broken: then its default holds."""
    problems: list[Problem] = []
    app, templates, daily = (_keys(name, texts.get(name), problems) for name in FILES)
    settings = VaultSettings(
        ignore_filters=_filters(app.get("userIgnoreFilters"), problems),
        templates_folder=_text(templates, "folder", TEMPLATES, problems).strip("/. ") or None,
        daily=DailyNotes(
            _text(daily, "folder", DAILY_NOTES, problems).strip("/ "),
            _text(daily, "format", DAILY_NOTES, problems).strip() or DEFAULT_FORMAT,
        ),
    )
    return settings, problems


def _keys(name: str, text: str | None, problems: list[Problem]) -> Mapping[str, Json]:
    if text is None or not text.strip():
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        problems.append(_invalid(name, f"is no JSON: {error}"))
        return {}
    if isinstance(value, dict):
        return value
    problems.append(_invalid(name, "holds no settings"))
    return {}


def _text(keys: Mapping[str, Json], key: str, name: str, problems: list[Problem]) -> str:
    value = keys.get(key)
    if value is None or isinstance(value, str):
        return nfc(value or "")
    problems.append(_invalid(name, f"`{key}` is no text"))
    return ""


def _filters(value: Json, problems: list[Problem]) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        problems.append(_invalid(APP, "`userIgnoreFilters` is no list of texts"))
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


def _invalid(name: str, what: str) -> Problem:
    return Problem(
        code="settings-invalid",
        message=f"{what}; the default is used",
        path=f".obsidian/{name}",
        hint="open the vault in Obsidian and save its settings again",
    )
