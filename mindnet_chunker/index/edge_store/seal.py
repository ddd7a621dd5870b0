"""What the last good run left, as long as no file of the store has changed since: then it need not be looked into.

The seal is a file beside the generations. It holds a digest over the names, sizes and times of all their files, so that
whatever writes to them, restores or damages them, breaks it; and for each vault a note of the run that left it so.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from mindnet_chunker.index.files import sealed, unsealed, write_whole
from mindnet_chunker.records import Record

FILE = "store.seal"
NAME = "mindnet-seal 1"  # and the version of its form


class Seal:
    """The seal of one store. Only who holds `store.lock` may set or break it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._generations = folder / "generations"

    def read(self) -> dict[str, Record]:
        """Vault id -> its note; empty where the seal is broken."""
        try:
            digest, notes = json.loads(unsealed(NAME, self._path.read_bytes()))
            return dict(notes) if digest == self._digest() else {}
        except (OSError, ValueError):
            return {}

    def set(self, notes: Mapping[str, Record]) -> None:
        """Seal the files as they are now. Never fails: without a seal the next run looks into the store."""
        with suppress(OSError):
            body = json.dumps([self._digest(), notes]).encode("ascii")
            write_whole(self._path, sealed(NAME, body), durable=False)

    def remove(self) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def _digest(self) -> str:
        lines = sorted(_states(str(self._generations), ""))
        return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()


def _states(folder: str, name: str) -> Iterator[str]:
    """A line for each file below the folder, whose own name is `name`. Raises OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _states(entry.path, f"{name}/{entry.name}")
            else:
                status = entry.stat(follow_symlinks=False)
                yield f"{name}/{entry.name} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
