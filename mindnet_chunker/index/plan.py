"""Stored state + new records -> what is to be written: the plan of a run, and that of a note."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mindnet_chunker.index.points import point_id
from mindnet_chunker.index.store import NoteState, Point, Store, of_notes, state_of
from mindnet_chunker.records import NoteRecords, Record

CHUNK_KEYS = ("note_id", "text_hash", "payload_hash", "schema")
FEWEST_KNOWN = 20  # notes; a smaller vault may lose any share of them in one run


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The records of a note as it was read just now."""

    records: NoteRecords
    commit: str  # of what was read; another one than expected if a cache had told a lie


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A note or canvas that should be in the index."""

    path: str
    note_id: str  # unique among those wanted
    commit: str  # as far as is known without reading it
    build: Callable[[], Built]  # called only where the store holds another commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The difference between the store and the vault, by notes."""

    changed: tuple[Wanted, ...]  # new ones too
    unchanged: int
    gone: tuple[NoteState, ...]  # of those in scope


def compare(
    known: Mapping[str, NoteState], wanted: Sequence[Wanted], scope: str, away: Callable[[str], bool]
) -> Changes:
    """`known`: note_id -> state; `scope`: the folder that was read, "" for the whole vault."""
    here = {note.note_id for note in wanted}
    assert len(here) == len(wanted), "two notes have one id"
    changed = []
    for note in wanted:
        state = known.get(note.note_id)
        if state is None or state.commit != note.commit:
            changed.append(note)
    gone = (state for state in known.values() if state.note_id not in here and in_scope(state.path, scope))
    return Changes(
        changed=tuple(changed),
        unchanged=len(wanted) - len(changed),
        gone=tuple(sorted((state for state in gone if not away(state.path)), key=lambda state: state.path)),
    )


def in_scope(path: str, scope: str) -> bool:
    return not scope or path.startswith(scope + "/")


def too_many_lost(lost: int, known: int) -> bool:
    """Whether so many notes are gone, or have lost all their text, that it looks like an accident."""
    return known >= FEWEST_KNOWN and lost * 2 > known


@dataclass(frozen=True, slots=True, kw_only=True)
class NotePlan:
    """What is to be written for one note."""

    built: Built
    new_chunks: tuple[Record, ...] = ()  # their embedded text is new, or their id is
    chunk_payloads: Mapping[str, Record] = field(default_factory=dict)  # by id; the embedded text is the same
    new_edges: tuple[Point, ...] = ()
    edge_payloads: Mapping[str, Record] = field(default_factory=dict)
    stale_chunks: tuple[str, ...] = ()
    stale_edges: tuple[str, ...] = ()
    fading: tuple[str, ...] = ()  # ids of chunks whose vectors this note needs no more; some are in `stale_chunks`

    @property
    def path(self) -> str:
        return self.built.records.path

    @property
    def note_id(self) -> str:
        return self.built.records.note_id

    @property
    def touches_points(self) -> bool:
        """Whether more than the note's own point changes."""
        return any(
            (self.new_chunks, self.chunk_payloads, self.new_edges, self.edge_payloads,
             self.stale_chunks, self.stale_edges)
        )  # fmt: skip

    def note_point(self, *, committed: bool) -> Point:
        """The note's own point: the intent, then the mark that all is done."""
        records = self.built.records
        beside = {"commit": self.built.commit if committed else None, "n_edge_points": len(records.stored_edges)}
        return Point(id=point_id(records.note), payload={**payload_of(records.note), **beside})

    def state(self) -> NoteState:
        """The note as it is known once all is written."""
        return state_of(self.note_point(committed=True))


def payload_of(record: Record) -> Record:
    return {key: value for key, value in record.items() if key != "record"}


def plan_note(
    built: Built, chunks: Mapping[str, Record], edges: Mapping[str, Record], *, afresh: bool = False
) -> NotePlan:
    """`chunks`, `edges`: what is stored for the note, id -> payload (of chunks only `CHUNK_KEYS`).

    `afresh`: whatever is stored under an id is written again, vectors too.
    """
    new_chunks: list[Record] = []
    chunk_payloads: dict[str, Record] = {}
    fading = []
    for record in built.records.chunks:
        chunk_id = point_id(record)
        stored = chunks.get(chunk_id)
        if stored is None or afresh or stored.get("text_hash") != record["text_hash"]:
            new_chunks.append(record)
            if stored is not None:
                fading.append(chunk_id)
        elif any(stored.get(key) != record[key] for key in ("payload_hash", "schema")):
            chunk_payloads[chunk_id] = payload_of(record)
    new_edges: list[Point] = []
    edge_payloads: dict[str, Record] = {}
    for record in built.records.stored_edges:
        edge_id, payload = point_id(record), payload_of(record)
        if edge_id not in edges:
            new_edges.append(Point(id=edge_id, payload=payload))
        elif edges[edge_id] != payload:
            edge_payloads[edge_id] = payload
    stale_chunks = _missing(chunks, built.records.chunks)
    return NotePlan(
        built=built,
        new_chunks=tuple(new_chunks),
        chunk_payloads=chunk_payloads,
        new_edges=tuple(new_edges),
        edge_payloads=edge_payloads,
        stale_chunks=stale_chunks,
        stale_edges=_missing(edges, built.records.stored_edges),
        fading=(*fading, *stale_chunks),
    )


def _missing(stored: Iterable[str], records: Iterable[Record]) -> tuple[str, ...]:
    here = {point_id(record) for record in records}
    return tuple(stored_id for stored_id in stored if stored_id not in here)


def plan_notes(store: Store, vault: str, group: Sequence[Built], *, afresh: bool = False) -> list[NotePlan]:
    """The plans of a group of notes: reads what the store has of them."""
    ids = [built.records.note_id for built in group]
    chunks = stored_by_note(store.scroll("chunks", vault, of_notes(ids), keys=CHUNK_KEYS), ids)
    edges = stored_by_note(store.scroll("edges", vault, of_notes(ids)), ids)
    return [
        plan_note(built, chunks[note_id], edges[note_id], afresh=afresh)
        for built, note_id in zip(group, ids, strict=True)
    ]


def stored_by_note(points: Iterable[Point], note_ids: Collection[str]) -> dict[str, dict[str, Record]]:
    """note_id -> point id -> payload."""
    found: dict[str, dict[str, Record]] = {note_id: {} for note_id in note_ids}
    for point in points:
        found[point.payload["note_id"]][point.id] = point.payload
    return found
