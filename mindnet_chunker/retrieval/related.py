"""A note -> the notes near it, by stored vectors alone.

A note's place is the mean of its chunks' vectors, link sections left out. Measured on the sample vault's own links: the
mean finds what a note links to as well as the best pair of chunks, or pairing every chunk, and needs one vector a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.store import Filter, Match, Point, Store, of_notes
from mindnet_chunker.records import Record
from mindnet_chunker.retrieval.expand import linked_with
from mindnet_chunker.retrieval.rank import DIGITS, nearest

NEAR = 400  # chunks around a note's mean: the notes that most of them lead to are compared
SHORTLIST = 40  # notes that are compared at least, ...
PER_WANTED = 4  # ... and for each that is wanted
NO_TEXT = Match("kind", ("links", "canvas"))  # kinds of chunks that say nothing about a note
PLACE = ("note_id", "chunk_index")
SHOWN = ("note_id", "path", "note_title", "type", "tags", "chunk_id", "section_path", "text", "own_start")


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A note near another one, with the two chunks that are nearest to each other."""

    rank: int  # from 1
    score: float  # cosine of the two means
    linked: bool  # either links to the other
    chunk: Record  # of this note
    near: Record  # of the note that was asked for

    def record(self) -> Record:
        """As it is printed."""
        return {
            "rank": self.rank,
            "score": self.score,
            **{key: self.chunk[key] for key in ("note_id", "path")},
            "title": self.chunk["note_title"],
            **{key: self.chunk[key] for key in ("type", "tags")},
            "linked": self.linked,
            **{key: self.chunk[key] for key in ("chunk_id", "section_path", "text")},
            "near": {key: self.near[key] for key in ("chunk_id", "section_path")},
        }


def related(store: Store, vault: str, note_id: str, *, top: int = 10, unlinked: bool = False) -> list[Neighbour]:
    """The nearest notes, best first, ties in the order of ids. `unlinked`: without those that a link joins already.

    Raises UsageError where the note has no text to compare.
    """
    own = _chunks_of(store, vault, [note_id]).get(note_id)
    if not own:
        raise UsageError(f"the note `{note_id}` has no text that could be compared", hint="name a note with text")
    linked = linked_with(store, vault, note_id)
    apart = (note_id, *sorted(linked)) if unlinked else (note_id,)
    mean = _mean(own)
    hits = nearest(store, vault, mean, NEAR, Filter(must_not=(NO_TEXT, Match("note_id", apart))))
    around = list(dict.fromkeys(hit.payload["note_id"] for hit in hits))[: max(SHORTLIST, PER_WANTED * top)]
    others = _chunks_of(store, vault, around)
    scored = [(round(float(mean @ _mean(chunks)), DIGITS), other) for other, chunks in others.items()]
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1]))[:top]
    pairs = {other: _nearest_pair(own, others[other]) for _, other in best}
    ids = [point for pair in pairs.values() for point in pair]
    shown = {point.id: point.payload for point in store.retrieve("chunks", vault, ids, keys=SHOWN)}
    there = [(score, other) for score, other in best if shown.keys() >= set(pairs[other])]  # a server changes meanwhile
    return [
        Neighbour(
            rank=place, score=score, linked=other in linked, near=shown[pairs[other][0]], chunk=shown[pairs[other][1]]
        )
        for place, (score, other) in enumerate(there, 1)
    ]


def _chunks_of(store: Store, vault: str, note_ids: Sequence[str]) -> dict[str, list[Point]]:
    """note_id -> its chunks with vectors, in reading order."""
    where = Filter(must=of_notes(note_ids).must, must_not=(NO_TEXT,))
    found: dict[str, list[Point]] = {}
    for point in store.scroll("chunks", vault, where, keys=PLACE, with_vectors=True) if note_ids else ():
        if point.vectors.dense is not None:
            found.setdefault(point.payload["note_id"], []).append(point)
    return {note_id: sorted(chunks, key=_place) for note_id, chunks in found.items()}


def _place(point: Point) -> int:
    return int(point.payload["chunk_index"])


def _vectors(chunks: Sequence[Point]) -> Any:
    return np.array([point.vectors.dense for point in chunks], np.float64)


def _mean(chunks: Sequence[Point]) -> Any:
    """`(dim,)`, unit length; zeros where the vectors cancel out."""
    total = _vectors(chunks).sum(axis=0)
    return total / (np.linalg.norm(total) or 1.0)


def _nearest_pair(own: Sequence[Point], other: Sequence[Point]) -> tuple[str, str]:
    """The ids of the two chunks."""
    pairs = np.round(_vectors(own) @ _vectors(other).T, DIGITS)
    mine, theirs = divmod(int(pairs.argmax()), len(other))
    return own[mine].id, other[theirs].id
