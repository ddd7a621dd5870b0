"""An export with vectors -> a store, embedded or on a server, without embedding anything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from mindnet_chunker.counted import notes_and_boards
from mindnet_chunker.errors import UsageError
from mindnet_chunker.graph import TYPED_KINDS
from mindnet_chunker.index.generations import finish, open_target
from mindnet_chunker.index.locks import run_lock
from mindnet_chunker.index.plan import Built, plan_note
from mindnet_chunker.index.points import SCHEMA
from mindnet_chunker.index.shape import misshapen
from mindnet_chunker.index.store import Model, Sparse, Store, Vectors
from mindnet_chunker.index.write import GROUP_NOTES, write_notes
from mindnet_chunker.records import NoteRecords, Record
from mindnet_chunker.runs.held import held
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import FIRST_RUN, lock_folder, opened_home, place_name, refuse_foreign
from mindnet_chunker.terminal import Talk

COMMAND = "mindnet-chunk import"
STORED = frozenset(("references", *TYPED_KINDS))
EXPORT = "make it with `mindnet-chunk export --vectors`"


def import_lines(lines: Iterable[bytes], name: str, where: StoreOptions, talk: Talk) -> int:
    """Fill an empty place with an export. Raises MindnetError, before anything is written, where it is none.

    `name`: of what the lines come from.
    """
    records = _records(lines, name)
    head = next(records, None)
    if head is None or head["record"] != "store":
        raise UsageError("the first line is no `store` record", where=name, line=1, hint=EXPORT)
    vault, model = head["vault"], Model(**head["model"])
    folder = lock_folder(where, vault)
    refuse_foreign(where, folder)
    with run_lock(folder, COMMAND), opened_home(where, folder, COMMAND, vault) as home:
        meta = home.meta()
        if meta is not None and vault in meta.vaults and home.open().count("notes", vault):
            raise UsageError(
                f"there is an index of `{vault}` already",
                where=place_name(where, folder, vault),
                hint="name an empty place with `--store DIR`, or remove it with `mindnet-chunk forget`",
            )
        target = open_target(home, vault, head["about"] | FIRST_RUN, model, rebuild=False)
        _store(target.store, vault, _notes(records, name))
        inside = held(target.store, vault)
        finish(home, target, vault, head["about"])
    talk.say(f"imported {notes_and_boards(inside.notes, inside.boards)} into {place_name(where, folder, vault)}")
    return 0


def _records(lines: Iterable[bytes], name: str) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"is no JSON: {error}", where=name, line=number, hint=EXPORT) from None
        version = record.get("schema", SCHEMA) if isinstance(record, dict) else SCHEMA
        if isinstance(version, int) and version > SCHEMA:
            raise UsageError(f"was made by a later version (schema {version}, not {SCHEMA})", where=name, line=number)
        if wrong := next(misshapen(record), None):
            raise UsageError(wrong, where=name, line=number, hint=EXPORT)
        yield record


def _store(store: Store, vault: str, notes: Iterable[tuple[Built, dict[str, Vectors]]]) -> None:
    """Group by group in the order of the write protocol, so that a kill is healed by the next index run."""
    group: list[tuple[Built, dict[str, Vectors]]] = []
    for built in notes:
        group.append(built)
        if len(group) == GROUP_NOTES:
            _write(store, vault, group)
            group = []
    _write(store, vault, group)
    store.flush()


def _write(store: Store, vault: str, group: list[tuple[Built, dict[str, Vectors]]]) -> None:
    vectors = {key: value for _, own in group for key, value in own.items()}
    if group:
        write_notes(store, vault, [plan_note(built, {}, {}) for built, _ in group], vectors, {})


def _notes(records: Iterable[Record], name: str) -> Iterator[tuple[Built, dict[str, Vectors]]]:
    chunks: list[Record] = []
    edges: list[Record] = []
    vectors: dict[str, Vectors] = {}
    for record in records:
        if record["record"] == "chunk":
            vectors[record["text_hash"]] = _vectors(record.pop("vector", None), record, name)
            chunks.append(record)
        elif record["record"] == "edge":
            edges.append(record)
        else:
            commit = record.pop("commit", None)
            stored = tuple(e for e in edges if e["source_kind"] != "chunk" and e["kind"] in STORED)
            found = NoteRecords(
                path=record["path"],
                note_id=record["note_id"],
                note=record,
                chunks=tuple(chunks),
                edges=tuple(edges),
                stored_edges=stored,
            )
            yield Built(records=found, commit=commit or ""), vectors
            chunks, edges, vectors = [], [], {}


def _vectors(vector: Record | None, chunk: Record, name: str) -> Vectors:
    if vector is None:
        raise UsageError(f"the chunk `{chunk['chunk_id']}` has no vector", where=name, hint=EXPORT)
    sparse = vector.get("bm25")
    return Vectors(
        dense=np.asarray(vector["dense"], dtype=np.float32),
        sparse=Sparse(sparse["indices"], sparse["values"]) if sparse else None,
    )


def open_lines(source: Path | None) -> tuple[Iterable[bytes], str]:
    """The lines of a file, or of standard input, and the name of what they come from."""
    import sys

    if source is None or str(source) == "-":
        return sys.stdin.buffer, "stdin"
    try:
        return source.open("rb"), str(source)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror or error}", where=str(source), hint=EXPORT) from None
