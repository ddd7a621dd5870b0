"""Who may open: locks between processes that die with their holder, and the folder where a vault's store lies.

Two locks guard an embedded store. `run.lock` is held by an index run from start to end. `store.lock` is held while
the store is open, by readers too. Who waits for it leaves a file `store.wanted`, which asks the holder to let go at its
next safe point. The run on a server takes the `run.lock` in the folder that its vault would have on this machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

import platformdirs
import portalocker

from mindnet_chunker.errors import StoreBusyError, StoreError
from mindnet_chunker.index.files import private_folder, unwritable

POLL = 0.02  # seconds between two tries
GRACE = 0.2  # seconds that a process that waits is given to take what was let go
PATIENCE = 60.0  # seconds that a run waits at least for a reader to finish, once it has begun to write


def data_folder() -> Path:
    """Where the stores of all vaults lie unless the user names a place."""
    return platformdirs.user_data_path("mindnet-chunk", appauthor=False)


def default_store(vault: str) -> Path:
    """One folder per vault id: a vault that was moved finds its store again."""
    name = re.sub(r"[^a-z0-9]+", "-", vault.lower()).strip("-")[:40]
    return data_folder() / f"{name or 'vault'}-{hashlib.sha256(vault.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def default_stores() -> list[Path]:
    """All folders that `default_store` may have named, in order."""
    with suppress(OSError):
        return sorted(path for path in data_folder().iterdir() if path.is_dir())
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The process that has a lock, as it described itself."""

    pid: int
    since: str  # local time with its zone
    command: str

    def __str__(self) -> str:
        return f"process {self.pid} (`{self.command}`, since {self.since})"


class ProcessLock:
    """An exclusive lock on a file. The system releases it when its process ends, however it ends."""

    def __init__(self, path: Path, *, command: str, hint: str) -> None:
        self.path = path
        self._command = command
        self._hint = hint
        self._wanted = path.with_suffix(".wanted")
        self._holder = path.with_suffix(".holder")  # beside it: a locked file cannot be read on every system
        self._file: IO[str] | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._file is not None

    @property
    def wanted(self) -> bool:
        """Whether another process waits for it."""
        return self._wanted.exists()

    def holder(self) -> Holder | None:
        """Who took the lock last; None if that cannot be told."""
        try:
            fields = json.loads(self._holder.read_text(encoding="utf-8"))
            return Holder(pid=int(fields["pid"]), since=str(fields["since"]), command=str(fields["command"]))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def acquire(self, wait: float) -> None:
        """Raises StoreBusyError with the holder's name after `wait` seconds."""
        assert not self.held
        until = time.monotonic() + wait
        while not self._try():
            if time.monotonic() >= until:
                self._wanted.unlink(missing_ok=True)
                who = self.holder() or "another process"
                raise StoreBusyError(f"in use by {who}", where=str(self.path.parent), hint=self._hint)
            with suppress(OSError):
                self._wanted.touch()
            time.sleep(POLL)
        self._wanted.unlink(missing_ok=True)  # others that wait leave it again

    def release(self) -> None:
        """Does nothing if this object does not hold it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def give_way(self, wait: float) -> None:
        """Let go for those who wait, then take the lock again."""
        self.release()
        until = time.monotonic() + GRACE
        while self.wanted and time.monotonic() < until:
            time.sleep(POLL)
        self._wanted.unlink(missing_ok=True)  # left by a process that died waiting
        self.acquire(wait)

    def _try(self) -> bool:
        try:
            private_folder(self.path.parent)
            file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise unwritable(self.path.parent, error) from error
        try:
            portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
        except portalocker.exceptions.AlreadyLocked:
            file.close()
            return False
        except (portalocker.exceptions.LockException, OSError) as error:
            file.close()
            raise StoreError(
                f"cannot lock `{self.path.name}`: {error}",
                where=str(self.path.parent),
                hint="name a folder on a local disk with `--store DIR`",
            ) from error
        self._file = file
        now = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
        with suppress(OSError):
            self._holder.write_text(
                json.dumps({"pid": os.getpid(), "since": now, "command": self._command}), encoding="utf-8"
            )
        return True


def store_lock(folder: Path, command: str) -> ProcessLock:
    """For whoever opens the embedded store in `folder`."""
    hint = "wait until it has ended, or give it more time with `--wait SECONDS`"
    return ProcessLock(folder / "store.lock", command=command, hint=hint)


@contextmanager
def run_lock(folder: Path, command: str) -> Iterator[None]:
    """One index run at a time: a second one ends at once with StoreBusyError."""
    hint = "only one run at a time can write an index: repeat this one when the other has ended"
    lock = ProcessLock(folder / "run.lock", command=command, hint=hint)
    lock.acquire(0)
    try:
        yield
    finally:
        lock.release()
