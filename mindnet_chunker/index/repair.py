"""The engine keeps no checksums: the notes' own figures are compared with what is really stored."""

from __future__ import annotations

from collections.abc import Mapping

from mindnet_chunker.index.store import NoteState, Store


def disagreeing(store: Store, vault: str, known: Mapping[str, NoteState]) -> set[str]:
    """Ids of notes that have more or fewer chunks or edges than their point says, and of notes that are not known.

    Notes without a commit do not count: they are incomplete and known to be. Counting one by one is only needed where
    the sums differ.
    """
    settled = {note_id: state for note_id, state in known.items() if state.commit is not None}
    chunks = {note_id: state.n_chunks for note_id, state in settled.items()}
    edges = {note_id: state.n_edge_points for note_id, state in settled.items()}
    if (
        len(settled) == len(known)
        and sum(chunks.values()) == store.count("chunks", vault)
        and sum(edges.values()) == store.count("edges", vault)
    ):
        return set()
    bad: set[str] = set()
    for expected, stored in (
        (chunks, store.counts_by_note("chunks", vault)),
        (edges, store.counts_by_note("edges", vault)),
    ):
        for note_id in expected.keys() | (stored.keys() - (known.keys() - settled.keys())):
            if expected.get(note_id, 0) != stored.get(note_id, 0):
                bad.add(note_id)
    return bad
