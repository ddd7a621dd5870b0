"""Runs of the command with made-up vectors: in this process, which is quick, or in one of their own."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from fake_command import made_up
from typer.main import get_command

from mindnet_chunker import cli
from mindnet_chunker.__main__ import route
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.records import Record
from mindnet_chunker.runs.embedder import ChunkEmbedder

COMMAND = (sys.executable, str(Path(__file__).parent / "fake_command.py"))
MEMORY_DISK = Path("/dev/shm")
ROOM = 4_000_000_000  # bytes that must be free on it: the engine writes its logs in large empty blocks
# For a process of root: files without permissions are then closed to it too.
LIKE_OTHERS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command that has ended."""

    words: tuple[str, ...]
    exit_code: int
    stdout: bytes = b""
    stderr: str = ""
    seconds: float = 0.0
    memory_mb: float = 0.0  # at most, if it had a process of its own

    @property
    def records(self) -> list[Record]:
        return [json.loads(line) for line in self.lines]

    @property
    def lines(self) -> list[bytes]:
        return self.stdout.removesuffix(b"\n").split(b"\n") if self.stdout else []


def make_runs_quick(patch: pytest.MonkeyPatch) -> None:
    """For runs in this process: made-up vectors, and what no run changes is made once for all of them."""
    patch.setattr(ChunkEmbedder, "_loaded", made_up)
    patch.setattr(TokenCounter, "from_file", _counter)
    patch.setattr(cli, "app", _app())


_counter = cache(TokenCounter.from_file)
_app = cache(lambda: get_command(cli.app))


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A new folder for a store: in memory if there is room, since an embedded store waits for the disk at every write."""
    there = MEMORY_DISK.is_dir() and os.access(MEMORY_DISK, os.W_OK) and shutil.disk_usage(MEMORY_DISK).free > ROOM
    folder = Path(tempfile.mkdtemp(prefix="mindnet-test-", dir=MEMORY_DISK if there else None))
    try:
        yield folder
    finally:
        for place, names, _ in os.walk(folder):
            for path in (Path(place, name) for name in names):
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(folder)


def run(*words: str | Path, heard: Callable[[str], None] = lambda text: None) -> Ran:
    """Run in this process. `heard` is told all that is said on standard error, while it is said.

    An exception that would be a stack trace for a person is raised.
    """
    out, err = _Stream(lambda text: None), _Stream(heard)
    shown = tuple(map(str, words))
    begun = time.perf_counter()
    with redirect_stdout(out), redirect_stderr(err):
        code = cli.run(route(shown, piped=False))
    seconds = time.perf_counter() - begun
    return Ran(words=shown, exit_code=code, stdout=out.content(), stderr=err.content().decode(), seconds=seconds)


class _Stream(io.TextIOWrapper):
    def __init__(self, heard: Callable[[str], None]) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8")
        self._heard = heard

    def write(self, text: str) -> int:
        written = super().write(text)
        self._heard(text)
        return written

    def content(self) -> bytes:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue()


def run_processes(
    *commands: Sequence[str | Path],
    folder: Path,
    env: Mapping[str, str] | None = None,
    like_others: bool = False,
) -> list[Ran]:
    """Run commands in processes of their own, all at once. `like_others`: without the privileges of root."""
    prefix = LIKE_OTHERS if like_others and os.geteuid() == 0 else ()
    started = [
        _start((*prefix, *COMMAND, *map(str, words)), folder, {**os.environ, **(env or {})}) for words in commands
    ]
    return [_ended(*each) for each in started]


def _start(args: tuple[str, ...], folder: Path, env: Mapping[str, str]) -> tuple[subprocess.Popen[bytes], Path, float]:
    place = Path(tempfile.mkdtemp(dir=folder))
    with (place / "out").open("wb") as out, (place / "err").open("wb") as err:
        process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=folder)
    return process, place, time.perf_counter()


def _ended(process: subprocess.Popen[bytes], place: Path, begun: float) -> Ran:
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Ran(
        words=tuple(map(str, process.args)),  # type: ignore[arg-type]
        exit_code=process.returncode,
        stdout=(place / "out").read_bytes(),
        stderr=(place / "err").read_text(encoding="utf-8", errors="replace"),
        seconds=time.perf_counter() - begun,
        memory_mb=usage.ru_maxrss / 1024,
    )
