"""What an index holds, as the lines of `--ndjson`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from mindnet_chunker.index.edges import all_edges
from mindnet_chunker.index.points import SCHEMA, line_of
from mindnet_chunker.index.store import Filter, Match, Point, Store
from mindnet_chunker.records import Home, Json, Record
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import OpenIndex, opened_index
from mindnet_chunker.terminal import Talk, write_lines

BESIDE = ("commit", "n_edge_points")  # what a note's point has beside its record
NOTES_AT_ONCE = 256


def print_export(vault: Path | None, where: StoreOptions, *, vectors: bool) -> int:
    """Print every note's chunks, edges and record, notes in the order of their paths."""
    with opened_index(vault, where, "mindnet-chunk export", Talk().say) as index:
        if vectors:
            write_lines([line_of(head_of(index))])
        for group in exported(index.store, index.vault, with_vectors=vectors):
            write_lines([line_of(record) for record in group])
    return 0


def head_of(index: OpenIndex) -> Record:
    """What makes an export with vectors a store again."""
    about = dict(index.meta.vaults.get(index.vault, {}))
    return {
        "record": "store",
        "vault": index.vault,
        "model": asdict(index.meta.model),
        "about": about,
        "schema": SCHEMA,
    }


def exported(store: Store, vault: str, *, with_vectors: bool = False) -> Iterator[list[Record]]:
    """The records of each note in the order of `--ndjson`; with vectors, chunks have `vector`, notes `commit`."""
    heads = sorted(store.scroll("notes", vault, keys=("note_id", "path")), key=lambda point: point.payload["path"])
    for start in range(0, len(heads), NOTES_AT_ONCE):
        ids = [point.payload["note_id"] for point in heads[start : start + NOTES_AT_ONCE]]
        where = Filter(must=(Match("note_id", tuple(ids)),))
        notes = {point.payload["note_id"]: point for point in store.scroll("notes", vault, where)}
        chunks = _by_note(store.scroll("chunks", vault, where, with_vectors=with_vectors))
        edges = _by_note(store.scroll("edges", vault, where))
        for note_id in ids:
            yield _records_of(notes[note_id], chunks.get(note_id, []), edges.get(note_id, []), with_commit=with_vectors)


def _by_note(points: Iterator[Point]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for point in points:
        found.setdefault(point.payload["note_id"], []).append(point)
    return found


def _records_of(note: Point, chunks: list[Point], edges: list[Point], *, with_commit: bool) -> list[Record]:
    payload = {key: value for key, value in note.payload.items() if key not in BESIDE}
    kind = "canvas" if "canvas_edges" in payload else "note"
    home = Home(vault=payload["vault"], note_id=payload["note_id"], path=payload["path"], kind=kind)
    ordered = sorted(chunks, key=lambda point: point.payload["chunk_index"])
    chunk_records = [{"record": "chunk", **point.payload} for point in ordered]
    stored = [{"record": "edge", **point.payload} for point in edges]
    shown = [{**record, **_vector(point)} for record, point in zip(chunk_records, ordered, strict=True)]
    last = {"record": kind, **payload, **({"commit": note.payload.get("commit")} if with_commit else {})}
    return [*shown, *all_edges(home, chunk_records, stored), last]


def _vector(point: Point) -> dict[str, Json]:
    dense, sparse = point.vectors
    if dense is None:
        return {}
    found: dict[str, Json] = {"dense": [float(value) for value in dense]}
    if sparse is not None:
        found["bm25"] = {"indices": list(sparse.indices), "values": list(sparse.values)}
    return {"vector": found}
