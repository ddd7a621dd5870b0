"""The records of a vault by several processes, in the order of the notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from mindnet_chunker.records import NoteRecords
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.reader import Trouble, VaultReader, open_vault
from mindnet_chunker.vault.read import VaultFile

AHEAD = 64  # notes for each process that may be done before their turn to be printed

_reader: VaultReader | None = None  # of a worker process


def records_by_workers(
    path: Path, options: VaultOptions, files: Sequence[VaultFile], trouble: Trouble, workers: int
) -> Iterator[NoteRecords]:
    """The same as `VaultReader.records`, for the notes `files`."""
    step = AHEAD * workers
    with ProcessPoolExecutor(workers, get_context("spawn"), _open, (path, options)) as pool:
        for start in range(0, len(files), step):
            for records, found in pool.map(_build, files[start : start + step], chunksize=8):
                trouble.warnings += found.warnings
                trouble.errors += found.errors
                if records is not None:
                    yield records


def _open(path: Path, options: VaultOptions) -> None:
    global _reader
    vault, _, rules, _ = open_vault(path, options, weights=False)
    _reader = VaultReader(vault, rules, Trouble())


def _build(file: VaultFile) -> tuple[NoteRecords | None, Trouble]:
    assert _reader is not None
    _reader.trouble = Trouble()
    records = _reader.records_of(file)
    return records, _reader.trouble
