"""What an index holds, and when it was last brought up to date."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mindnet_chunker.errors import UsageError
from mindnet_chunker.records import Json, Record
from mindnet_chunker.runs.held import held
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import OpenIndex, opened_index
from mindnet_chunker.terminal import Talk, write_line

UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def print_status(vault: Path | None, where: StoreOptions, *, as_json: bool, max_age: str | None) -> int:
    """1 when the last good run is older than `max_age`."""
    limit = age_of(max_age) if max_age else None
    with opened_index(vault, where, "mindnet-chunk status", Talk().say) as index:
        found = status_of(index)
    if as_json:
        write_line(json.dumps(found, ensure_ascii=False))
    else:
        for name, value in found.items():
            write_line(f"{name.replace('_', ' '):<12} {shown(name, value)}")
    if limit is None:
        return 0
    last = found["last_run"]
    return int(last is None or datetime.now(UTC) - datetime.fromisoformat(last) > limit)


def age_of(text: str) -> timedelta:
    """`90m`, `12h`, `7d`, `2w`."""
    match = re.fullmatch(r"(\d{1,6})([mhdw])", text.strip())
    if not match:
        raise UsageError(f"`--max-age {text}` is no age", hint="allowed are 90m, 12h, 7d, 2w")
    return timedelta(**{UNITS[match[2]]: int(match[1])})


def status_of(index: OpenIndex) -> Record:
    """JSON; `size` is the bytes that an embedded store takes on disk."""
    about = index.meta.vaults.get(index.vault, {})
    inside = held(index.store, index.vault)
    return {
        "vault": index.vault,
        "root": about.get("root"),
        "notes": inside.notes,
        "boards": inside.boards,
        "excluded": inside.left_out,
        "pending": inside.pending,
        "chunks": index.store.count("chunks", index.vault),
        "edges": inside.edges,
        "model": index.meta.model.name,
        "size": size_of(Path(index.place)),
        "last_run": about.get("last_run"),
        "store": index.place,
    }


def shown(name: str, value: Json) -> str:
    """For people: a size with its unit, a time by the clock on the wall."""
    if value is None or (name, value) == ("size", 0):  # what lies on a server takes nothing here
        return "-"
    if name == "size":
        return readable_size(value)
    return readable_time(value) if name == "last_run" else str(value)


def readable_size(size: int) -> str:
    """`812 B`, `3.4 MB`: in powers of a thousand."""
    if size < 1000:
        return f"{size} B"
    exponent = min(len(str(size)) - 1, 12) // 3
    return f"{size / 1000**exponent:.1f} {('kB', 'MB', 'GB', 'TB')[exponent - 1]}"


def readable_time(stamp: str) -> str:
    """Local time with its zone: `2025-03-31 18:30:00+02:00`."""
    return datetime.fromisoformat(stamp).astimezone().isoformat(sep=" ", timespec="seconds")


def size_of(folder: Path) -> int:
    """Bytes on disk: the engine's files are longer than what they take, where the system tells that."""
    states = (path.stat() for path in folder.rglob("*") if path.is_file())
    return sum(state.st_blocks * 512 if hasattr(state, "st_blocks") else state.st_size for state in states)
