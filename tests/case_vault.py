"""The files of a case: written from its recipe, changed as it says, read back."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = Any
Case = dict[str, Json]


def write_vault(case: Case, vault: Path) -> None:
    """The vault gets an empty `.obsidian`, so that no folder above is taken for the vault."""
    (vault / ".obsidian").mkdir(parents=True)
    for name, entry in case["vault"].items():
        _write(vault / name, entry)
    for recipe in case.get("vault_generate", ()):
        for number in range(recipe["times"]):
            _write(vault / _numbered(recipe["path"], number), _numbered(recipe["text"], number))
    for extra in case.get("extra_files", ()):
        _write(vault / os.fsdecode(base64.b64decode(extra["path_bytes_b64"])), extra["text"])
    for name, entry in case.get("outside", {}).items():
        _write(vault.parent / name, entry)
    for name, entry in case["vault"].items():
        if isinstance(entry, dict) and "mode" in entry:
            (vault / name).chmod(int(entry["mode"], 8))


def change_vault(change: Json, vault: Path) -> None:
    for name, entry in change.get("write", {}).items():
        _write(vault / name, entry)
    for old, new in change.get("rename", {}).items():
        (vault / new).parent.mkdir(parents=True, exist_ok=True)
        (vault / old).rename(vault / new)
    for name in change.get("delete", ()):
        (vault / name).unlink()
    for name in change.get("touch", ()):
        later = time.time() + 60
        os.utime(vault / name, (later, later))
    for name, entry in change.get("write_same_size_same_mtime", {}).items():
        before = (vault / name).stat()
        _write(vault / name, entry)
        os.utime(vault / name, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert (vault / name).stat().st_size == before.st_size


def read_vault(vault: Path) -> dict[str, bytes]:
    """All files by path. One that cannot be read is shown by its size, a link by its target."""
    return {path.relative_to(vault).as_posix(): _shown(path) for path in _files(vault)}


def _files(folder: Path) -> Iterator[Path]:
    for place, _, names in os.walk(folder):
        yield from (Path(place, name) for name in names)


def _shown(path: Path) -> bytes:
    try:
        return os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
    except PermissionError:
        return str(path.lstat().st_size).encode()


def _write(path: Path, entry: Json) -> None:
    """`entry`: the text, or an object with `text`, `bytes_b64`, `generate`, `symlink`, or the `mode` of a folder alone."""
    if isinstance(entry, dict) and entry.keys() == {"mode"}:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(entry, str):
        path.write_bytes(entry.encode())
    elif "symlink" in entry:
        path.symlink_to(entry["symlink"])
    elif "bytes_b64" in entry:
        path.write_bytes(base64.b64decode(entry["bytes_b64"]))
    elif "generate" in entry:
        path.write_bytes(_generated(entry["generate"]).encode())
    else:
        path.write_bytes(entry["text"].encode())


def _generated(recipe: Json) -> str:
    if recipe["kind"] == "repeat":
        middle = "".join(_numbered(recipe["unit"], number) for number in range(recipe["times"]))
    else:  # base64 of noise that is the same every time
        seeds = (f"{recipe['seed']}:{number}".encode() for number in range(-(-recipe["bytes"] // 32)))
        noise = b"".join(hashlib.sha256(seed).digest() for seed in seeds)
        middle = base64.b64encode(noise[: recipe["bytes"]]).decode()
    return str(recipe["prefix"] + middle + recipe["suffix"])


def _numbered(text: str, number: int) -> str:
    return text.replace("{i}", str(number))
