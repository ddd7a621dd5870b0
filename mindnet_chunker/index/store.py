"""What a store of points can do: the `Store` protocol, its records, and the fields that can be filtered by.

A store holds three collections. Every read names the vault, so that vaults in one store never touch each other; the
ids of points are made from the vault's id, so that writes cannot either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from mindnet_chunker.errors import StoreError
from mindnet_chunker.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32] | Sequence[float]
else:
    Vector = Any

Kind = Literal["chunks", "notes", "edges"]
KINDS: tuple[Kind, ...] = ("chunks", "notes", "edges")
DENSE = "dense"  # name of the chunks' dense vector, cosine
SPARSE = "bm25"  # name of their sparse vector, with IDF


class Field(NamedTuple):
    """A payload field that a filter may name."""

    schema: Literal["tenant", "keyword", "datetime"]
    of: tuple[Kind, ...]  # the collections where the code filters by it


# The payload indexes, made before the first upload. Each costs 5 ms whenever an embedded collection is opened.
FIELDS: Mapping[str, Field] = {
    "vault": Field("tenant", KINDS),
    "note_id": Field("keyword", KINDS),
    "path": Field("keyword", ("chunks", "notes")),
    "folders": Field("keyword", ("chunks",)),
    "type": Field("keyword", ("chunks",)),
    "status": Field("keyword", ("chunks",)),
    "area": Field("keyword", ("chunks",)),
    "project": Field("keyword", ("chunks",)),
    "tag_keys": Field("keyword", ("chunks",)),
    "lang": Field("keyword", ("chunks",)),
    "kind": Field("keyword", ("chunks", "edges")),
    "text_hash": Field("keyword", ("chunks",)),
    "source_id": Field("keyword", ("edges",)),
    "target_id": Field("keyword", ("edges",)),
    "created_at": Field("datetime", ("chunks",)),
}


def indexes_of(kind: Kind) -> dict[str, str]:
    """field -> schema of the payload indexes that a collection has."""
    return {name: field.schema for name, field in FIELDS.items() if kind in field.of}


class DamagedStoreError(StoreError):
    """What is stored cannot be read any more: only filling it again helps."""


class RejectedPointsError(StoreError):
    """The engine refused an update that had passed our check: write its notes one by one to find the bad one."""


class Sparse(NamedTuple):
    """A sparse vector: indices in rising order, each with its weight."""

    indices: Sequence[int]
    values: Sequence[float]


class Vectors(NamedTuple):
    """The vectors of a chunk."""

    dense: Vector | None = None  # (dim,) float32
    sparse: Sparse | None = None


NO_VECTORS = Vectors()


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What the store holds. Only chunks have vectors."""

    id: str  # a UUID in lower case
    payload: Record
    vectors: Vectors = NO_VECTORS


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A point that a search found; a higher score is a better one."""

    id: str
    score: float
    payload: Record


class Match(NamedTuple):
    """A field has one of the values; none given, nothing matches. A list field: one of its members."""

    field: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """All conditions hold at once, beside that of the vault."""

    must: tuple[Match, ...] = ()
    must_not: tuple[Match, ...] = ()
    since: str | None = None  # UTC; created at this time or later
    until: str | None = None  # UTC; created before this time

    def check(self, kind: Kind) -> None:
        """A server may refuse a filter on a field without index."""
        fields = {match.field for match in (*self.must, *self.must_not)}
        fields |= {"created_at"} if self.since or self.until else set()
        assert fields <= indexes_of(kind).keys(), f"no index on {fields} of {kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """What all vectors of a generation have in common. Another model is another generation."""

    name: str
    dim: int
    identity: str  # a hash over everything that decides a vector: weights, pooling, prefixes, sparse settings
    about: Record = field(default_factory=dict)  # more, for `status` and `search`; JSON


class Store(Protocol):
    """Three collections of one generation. Ids that are not there are no error in a read or a delete."""

    @property
    def generation(self) -> str: ...

    @property
    def model(self) -> Model: ...

    def upsert(self, kind: Kind, points: Sequence[Point]) -> None:
        """Calls `check_points` first. A point of the same id is replaced, vectors too."""

    def overwrite_payload(self, kind: Kind, payloads: Mapping[str, Record]) -> None:
        """Replace the payload of points that exist, by id; their vectors stay."""

    def delete(self, kind: Kind, ids: Sequence[str]) -> None: ...

    def flush(self) -> None:
        """A barrier: what was written before is durable before anything that is written later."""

    def scroll(
        self,
        kind: Kind,
        vault: str,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
        with_vectors: bool = False,
    ) -> Iterator[Point]:
        """Every point, in the order of ids. `keys`: the top-level payload keys that are wanted (None: all).

        Read to the end before the next write.
        """

    def retrieve(
        self,
        kind: Kind,
        vault: str,
        ids: Sequence[str],
        *,
        keys: Sequence[str] | None = None,
        with_vectors: bool = False,
    ) -> list[Point]:
        """Those of the ids that the vault has, in no particular order."""

    def count(self, kind: Kind, vault: str, where: Filter | None = None) -> int: ...

    def counts_by_note(self, kind: Kind, vault: str) -> dict[str, int]:
        """note_id -> number of its points."""

    def search(
        self,
        vault: str,
        query: Vector | Sparse,
        limit: int,
        where: Filter | None = None,
        *,
        keys: Sequence[str] | None = None,
    ) -> list[Hit]:
        """The nearest chunks, best first, ties in the order of ids. A `Sparse` query searches the sparse vectors."""

    def released(self) -> AbstractContextManager[None]:
        """While texts are embedded: let other processes have the store; it is open again afterwards."""

    def give_way(self) -> None:
        """Between two groups of writes: let a process in that waits for the store."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteState:
    """What the store knows of a note or canvas: the truth that a run compares with."""

    point_id: str
    note_id: str
    path: str
    commit: str | None  # None: its points may be incomplete
    content_hash: str
    excluded: bool
    n_chunks: int
    n_edges: int  # as printed
    n_edge_points: int  # as stored
    schema: int


STATE_KEYS = (
    "note_id", "path", "commit", "content_hash", "excluded", "n_chunks", "n_edges", "n_edge_points", "schema"
)  # fmt: skip


def state_of(point: Point) -> NoteState:
    """Tolerant: a payload that is not as we write it counts as pending, so that it is written again."""
    payload = point.payload
    counts = [payload.get(key) for key in ("n_chunks", "n_edges", "n_edge_points", "schema")]
    whole = all(type(count) is int for count in counts)
    n_chunks, n_edges, n_edge_points, schema = (count if type(count) is int else 0 for count in counts)
    commit = payload.get("commit")
    return NoteState(
        point_id=point.id,
        note_id=str(payload.get("note_id", "")),
        path=str(payload.get("path", "")),
        commit=commit if whole and isinstance(commit, str) else None,
        content_hash=str(payload.get("content_hash", "")),
        excluded=payload.get("excluded") is not None,
        n_chunks=n_chunks,
        n_edges=n_edges,
        n_edge_points=n_edge_points,
        schema=schema,
    )


def note_states(store: Store, vault: str) -> Iterator[NoteState]:
    """All notes and canvases of a vault."""
    return map(state_of, store.scroll("notes", vault, keys=STATE_KEYS))


def of_notes(note_ids: Iterable[str]) -> Filter:
    """Points of these notes."""
    return Filter(must=(Match("note_id", tuple(note_ids)),))
