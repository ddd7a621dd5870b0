"""The write protocol: in which order a note's points are written, so that a kill at any moment is healed by the next run.

Intent (the note's point without its commit), barrier, chunks, edges, what is stale by id, barrier, commit. A note
whose commit is missing is taken as changed by the next run; so the commit must be the last thing that is written, and
taken away before anything else is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mindnet_chunker.index.check import check_payload, check_points
from mindnet_chunker.index.plan import NotePlan, payload_of
from mindnet_chunker.index.points import point_id
from mindnet_chunker.index.store import KINDS, NoteState, Point, Store, of_notes
from mindnet_chunker.index.vectors import Known

GROUP_NOTES = 64
GROUP_CHUNKS = 500
KEPT_VECTORS = 20_000


def check_note(plan: NotePlan, vectors: Known, dim: int) -> None:
    """Raise StoreError if any of the note's points cannot be stored."""
    check_points("notes", [plan.note_point(committed=True)], dim)
    check_points("chunks", _chunk_points(plan, vectors), dim)
    check_points("edges", plan.new_edges, dim)
    for payloads in (plan.chunk_payloads, plan.edge_payloads):
        for stored_id, payload in payloads.items():
            check_payload(stored_id, payload)


def write_notes(store: Store, vault: str, plans: Sequence[NotePlan], vectors: Known, kept: Known) -> None:
    """Write a group of notes. `kept`: takes the vectors that fade, for a text that turns up in a later note."""
    touched = [plan for plan in plans if plan.touches_points]
    if touched:  # of the others, one write changes all there is to change
        store.upsert("notes", [plan.note_point(committed=False) for plan in touched])
        store.flush()
        _keep(store, vault, [stored_id for plan in touched for stored_id in plan.fading], kept)
        store.upsert("chunks", [point for plan in touched for point in _chunk_points(plan, vectors)])
        store.overwrite_payload("chunks", {k: v for plan in touched for k, v in plan.chunk_payloads.items()})
        store.upsert("edges", [point for plan in touched for point in plan.new_edges])
        store.overwrite_payload("edges", {k: v for plan in touched for k, v in plan.edge_payloads.items()})
        store.delete("chunks", [stored_id for plan in touched for stored_id in plan.stale_chunks])
        store.delete("edges", [stored_id for plan in touched for stored_id in plan.stale_edges])
        store.flush()
    store.upsert("notes", [plan.note_point(committed=True) for plan in plans])


def remove_notes(store: Store, vault: str, states: Sequence[NoteState]) -> int:
    """Remove a group of notes with all their points; how many chunks and edges that were."""
    null_commits(store, vault, [state.point_id for state in states])
    count = remove_points(store, vault, [state.note_id for state in states])
    store.delete("notes", [state.point_id for state in states])
    return count


def remove_points(store: Store, vault: str, note_ids: Iterable[str]) -> int:
    """Remove the chunks and edges of notes, by id: a delete by filter could come back from the log."""
    count = 0
    where = of_notes(note_ids)
    for kind in ("chunks", "edges"):
        ids = [point.id for point in store.scroll(kind, vault, where, keys=("note_id",))]
        store.delete(kind, ids)
        count += len(ids)
    store.flush()
    return count


def null_commits(store: Store, vault: str, point_ids: Sequence[str]) -> None:
    """Mark notes as incomplete."""
    found = store.retrieve("notes", vault, point_ids)
    store.overwrite_payload("notes", {point.id: {**point.payload, "commit": None} for point in found})
    store.flush()


def clear(store: Store, vault: str) -> None:
    """Remove all that a vault has in the store."""
    for kind in reversed(KINDS):  # edges, notes, chunks
        ids = [point.id for point in store.scroll(kind, vault, keys=("note_id",))]
        store.delete(kind, ids)
    store.flush()


def in_groups(states: Sequence[NoteState]) -> Iterator[Sequence[NoteState]]:
    for start in range(0, len(states), GROUP_NOTES):
        yield states[start : start + GROUP_NOTES]


def _chunk_points(plan: NotePlan, vectors: Known) -> list[Point]:
    return [
        Point(id=point_id(record), payload=payload_of(record), vectors=vectors[record["text_hash"]])
        for record in plan.new_chunks
    ]


def _keep(store: Store, vault: str, ids: Sequence[str], kept: Known) -> None:
    room = KEPT_VECTORS - len(kept)
    if ids and room > 0:
        for point in store.retrieve("chunks", vault, ids[:room], keys=("text_hash",), with_vectors=True):
            if point.vectors.dense is not None:
                kept[point.payload["text_hash"]] = point.vectors
