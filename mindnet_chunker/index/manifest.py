"""Which files need no reading: a cache of their content hashes, and of what was found in them.

Only a cache: it is read as empty when anything is wrong with it, and what it says never becomes what is stored.

The file: a line with name, version and SHA-256 of the rest; a JSON line with all files; a JSON line of facts for each.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from mindnet_chunker.index.files import private_folder, sealed, unsealed, write_whole
from mindnet_chunker.records import Json

NAME = "mindnet-manifest 1"  # and the version of its form
RACY_NS = 2_000_000_000  # the coarsest clock of a file system: a file changed since then may change again unseen


class Stat(NamedTuple):
    """What a file shows from outside; any difference means reading it."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Entry(NamedTuple):
    """What is known of a file's content."""

    content_hash: str
    facts: Json


def manifest_path(folder: Path, vault: str) -> Path:
    """One for each vault that lies in a store's folder."""
    return folder / f"manifest-{hashlib.sha256(vault.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


class Manifest:
    """The cache of one vault: loaded at the start of a run, before files are looked at; saved at its end."""

    def __init__(self, path: Path) -> None:
        """`path` need not exist."""
        self._path = path
        self._trusted_until = time.time_ns() - RACY_NS
        self._files: dict[str, tuple[Stat, str, bytes]] = {}  # the last: facts as JSON, parsed when asked for
        self._changed = False
        with suppress(OSError, ValueError, TypeError, RecursionError):
            self._files = _read(path)

    def __len__(self) -> int:
        return len(self._files)

    def get(self, path: str, stat: Stat) -> Entry | None:
        """None: the file must be read."""
        known = self._files.get(path)
        if known is None or known[0] != stat:
            return None
        try:
            return Entry(known[1], json.loads(known[2]))
        except (ValueError, RecursionError):
            return None

    def put(self, path: str, stat: Stat, content_hash: str, facts: Json) -> None:
        """`stat`: as it was before the file was read."""
        line = json.dumps(facts, separators=(",", ":")).encode("ascii")
        self._files[path] = (stat, content_hash, line)
        self._changed = True

    def keep_only(self, paths: Collection[str]) -> None:
        """Forget all other files."""
        gone = self._files.keys() - paths
        for path in gone:
            del self._files[path]
        self._changed = self._changed or bool(gone)

    def save(self) -> None:
        """Files that changed so lately that another change might not show are left out. Never fails."""
        if not self._changed:
            return
        lasting = {
            path: known
            for path, known in self._files.items()
            if max(known[0].mtime_ns, known[0].ctime_ns) < self._trusted_until
        }
        rows = [[path, *stat, content_hash] for path, (stat, content_hash, _) in lasting.items()]
        lines = [json.dumps(rows, separators=(",", ":")).encode("ascii"), *(facts for _, _, facts in lasting.values())]
        body = b"\n".join(lines)
        with suppress(OSError):
            private_folder(self._path.parent)
            write_whole(self._path, sealed(NAME, body), durable=False)
        self._changed = False


def _read(path: Path) -> dict[str, tuple[Stat, str, bytes]]:
    first, *facts = unsealed(NAME, path.read_bytes()).split(b"\n")
    rows = json.loads(first)
    return {row[0]: (Stat(*row[1:5]), row[5], line) for row, line in zip(rows, facts, strict=True)}
