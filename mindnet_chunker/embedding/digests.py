"""The SHA-256 of a large file, remembered while its size, times and inode stay (edge: reads files)."""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import suppress
from pathlib import Path

import platformdirs

_HEX = re.compile(r"[0-9a-f]{64}")


def cache_folder() -> Path:
    """Where we keep what can be had again; losing it costs time only."""
    return platformdirs.user_cache_path("mindnet-chunk", appauthor=False)


def sha256_of(path: Path, cache: Path) -> str:
    """In hex. Hashing a model's weights takes up to a second, so the answer is kept in `cache`. Raises OSError."""
    found = path.stat()
    state = (os.path.realpath(path), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)
    note = cache / "digests" / hashlib.sha256(repr(state).encode("utf-8", "surrogatepass")).hexdigest()
    with suppress(OSError, UnicodeDecodeError):
        known = note.read_text(encoding="ascii")
        if _HEX.fullmatch(known):
            return known
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    with suppress(OSError):  # a cache that cannot be written only means hashing again
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(digest, encoding="ascii")
    return digest
