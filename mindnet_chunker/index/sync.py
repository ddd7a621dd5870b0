"""Bring a store in line with a vault: what changed is planned in groups, embedded in batches, written in groups.

Texts are embedded in large batches, because sorting many by length saves most of the padding; so several groups are
planned ahead. The first batches are small: what is stored early is not lost when the run is stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mindnet_chunker.errors import MindnetError, SkippedFileError, StoreError
from mindnet_chunker.index.plan import Built, NotePlan, Wanted, compare, in_scope, plan_notes, too_many_lost
from mindnet_chunker.index.repair import disagreeing
from mindnet_chunker.index.store import NoteState, RejectedPointsError, Store, note_states, of_notes
from mindnet_chunker.index.vectors import Batch, Embedder, Known
from mindnet_chunker.index.write import (
    GROUP_CHUNKS,
    GROUP_NOTES,
    check_note,
    in_groups,
    null_commits,
    remove_notes,
    remove_points,
    write_notes,
)
from mindnet_chunker.records import Problem, Record

FIRST_BATCH, LAST_BATCH = 64, 1024  # texts that are embedded together; doubled from batch to batch
BATCH_CHUNKS = 4000  # that wait in memory, embedded or not
REJECTED_IN_A_ROW = 3  # notes, each written alone; then it is not the notes


@dataclass(slots=True, kw_only=True)
class SyncReport:
    """What a run did. Points are chunks and edges; the notes' own points come beside them."""

    unchanged: int = 0  # notes
    upserted: int = 0  # points
    payload_only: int = 0  # points
    deleted: int = 0  # points
    embedded_texts: int = 0
    embedded_tokens: int = 0
    windowed: int = 0  # of the texts embedded: longer than the model's window
    context_changed: int = 0  # of the texts embedded: the same text under another title or heading path
    notes_written: list[str] = field(default_factory=list)  # paths
    renamed: list[tuple[str, str]] = field(default_factory=list)  # old and new path
    notes_deleted: list[str] = field(default_factory=list)  # paths
    held_back: list[str] = field(default_factory=list)  # paths of notes that look lost by accident: nothing was deleted
    known: Mapping[str, NoteState] = field(default_factory=dict)  # note_id -> its state at the end
    left_over: int = 0  # notes that were not come to, because the run was stopped
    skipped: list[Problem] = field(default_factory=list)  # notes that are not here just now
    failed: list[Problem] = field(default_factory=list)


def sync(
    store: Store,
    vault: str,
    wanted: Sequence[Wanted],
    embedder: Embedder,
    *,
    scope: str = "",
    away: Callable[[str], bool] = lambda path: False,
    allow_mass_delete: bool = False,
    afresh: bool = False,
    dry_run: bool = False,
    known: Mapping[str, NoteState] | None = None,
    progress: Callable[[int, int], None] = lambda stored, total: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> SyncReport:
    """Store what is wanted, remove the rest, and see that the counts agree.

    `scope`: only notes below this folder can be removed. `away`: paths that are not here but not gone either.
    `afresh`: nothing stored counts, vectors neither. `dry_run`: count what would be done. `known`: note_id -> state, as
    the store has it, if it was read already.
    """
    known = {state.note_id: state for state in note_states(store, vault)} if known is None else known
    run = _Run(store, vault, embedder, should_stop, progress, known, afresh=afresh, dry_run=dry_run)
    known_notes = sum(not state.excluded and in_scope(state.path, scope) for state in run.known.values())
    changes = compare(run.known, wanted, scope, away)
    run.report.unchanged = changes.unchanged
    run.total = len(changes.changed)
    run.expect_renames(changes.gone)
    run.store_notes(changes.changed)
    if run.stopped():
        return run.end()
    lost = run.lost(changes.gone, wanted)
    if too_many_lost(len(lost) + len(run.emptied), known_notes) and not allow_mass_delete:
        run.report.held_back = [*(state.path for state in lost), *(built.records.path for built in run.emptied)]
        run.done += len(run.emptied)
    else:
        run.store_emptied()
        run.remove(changes.gone, {note.path for note in wanted})
    run.repair({note.note_id: note for note in wanted})
    return run.end()


class _Run:
    """The state of one run."""

    def __init__(
        self,
        store: Store,
        vault: str,
        embedder: Embedder,
        should_stop: Callable[[], bool],
        progress: Callable[[int, int], None],
        known: Mapping[str, NoteState],
        *,
        afresh: bool,
        dry_run: bool,
    ) -> None:
        self.store, self.vault, self.embedder = store, vault, embedder
        self.stopped, self.progress = should_stop, progress
        self.afresh, self.dry_run = afresh, dry_run
        self.known = dict(known)
        if afresh:
            self.known = {note_id: replace(state, commit=None) for note_id, state in self.known.items()}
        self.report = SyncReport()
        self.total = self.done = 0
        self.emptied: list[Built] = []  # notes that have lost all their text
        self._gone: dict[str, list[NoteState]] = {}  # content hash -> notes that may have been renamed
        self._renamed: set[str] = set()  # point ids of those that were
        self._kept: Known = {}  # vectors of chunks that this run deleted
        self._limit = FIRST_BATCH
        self._rejected = 0

    def end(self) -> SyncReport:
        self.report.left_over = max(0, self.total - self.done)
        self.report.known = self.known
        if not self.dry_run:
            self.store.flush()
        return self.report

    def expect_renames(self, gone: Sequence[NoteState]) -> None:
        for state in gone:
            self._gone.setdefault(state.content_hash, []).append(state)

    def lost(self, gone: Sequence[NoteState], wanted: Sequence[Wanted]) -> list[NoteState]:
        """Those whose file is gone, and whose text no other note has: neither moved nor only given another id."""
        paths = {note.path for note in wanted}
        present = {self.known[note.note_id].content_hash for note in wanted if note.note_id in self.known}
        gone = [state for state in gone if not state.excluded]
        return [state for state in gone if state.path not in paths and state.content_hash not in present]

    def store_notes(self, notes: Sequence[Wanted]) -> None:
        self._store(self._build(notes))

    def store_emptied(self) -> None:
        self._store(iter(self.emptied))

    def remove(self, gone: Sequence[NoteState], here: Collection[str]) -> None:
        """Last of all: until now their vectors could be taken over by the notes that have their text.

        `here`: paths of notes that are there; what had another id before is not reported as deleted.
        """
        for group in in_groups(gone):
            if self.stopped():
                return
            if self.dry_run:
                where = of_notes(state.note_id for state in group)
                self.report.deleted += sum(self.store.count(kind, self.vault, where) for kind in ("chunks", "edges"))
            else:
                self.report.deleted += remove_notes(self.store, self.vault, group)
                self.store.give_way()
            for state in group:
                del self.known[state.note_id]
                if state.path not in here and state.point_id not in self._renamed:
                    self.report.notes_deleted.append(state.path)

    def repair(self, wanted: dict[str, Wanted]) -> None:
        """Write again what the counts show to be incomplete, remove what belongs to no note."""
        if self.dry_run or self.stopped():
            return
        bad = disagreeing(self.store, self.vault, self.known)
        if not bad:
            return
        remove_points(self.store, self.vault, bad - self.known.keys())
        states = [self.known[note_id] for note_id in sorted(bad & self.known.keys())]
        null_commits(self.store, self.vault, [state.point_id for state in states])
        self.known |= {state.note_id: replace(state, commit=None) for state in states}
        again = [wanted[state.note_id] for state in states if state.note_id in wanted]
        self.total += len(again)
        self.report.unchanged -= len({note.path for note in again}.difference(self.report.notes_written))
        self.store_notes(again)
        if not self.stopped() and disagreeing(self.store, self.vault, self.known):
            raise StoreError(
                "the number of points stored is not what their notes say, and writing them again did not help",
                hint="fill the store again with `--rebuild`",
            )

    def _build(self, notes: Sequence[Wanted]) -> Iterator[Built]:
        """The notes that really differ; those that have lost all their text are put aside."""
        for note in notes:
            if self.stopped():
                return
            built = self._built(note)
            state = self.known.get(note.note_id)
            if built is None:
                self.done += 1
            elif state and state.commit == built.commit:
                self.done += 1
                self.report.unchanged += 1
            elif state and state.n_chunks and not built.records.chunks and not built.records.note.get("excluded"):
                self.emptied.append(built)
            else:
                yield built

    def _built(self, note: Wanted) -> Built | None:
        """None: what is stored of the note stays as it is."""
        try:
            return note.build()
        except SkippedFileError as error:
            self.report.skipped.append(_problem("note-skipped", note.path, error))
        except MindnetError as error:
            self.report.failed.append(_problem("note-unreadable", note.path, error))
        except Exception as error:  # a fault of ours in one note must not stop the others
            self.report.failed.append(_problem("note-failed", note.path, error))
        return None

    def _store(self, built: Iterator[Built]) -> None:
        batch = Batch()
        for group in _groups(built):
            if self.stopped():
                return
            self._plan(group, batch)
            if not batch.missing or len(batch.missing) >= self._limit or batch.chunks >= BATCH_CHUNKS:
                self._apply(batch)
                batch = Batch()
            self.store.give_way()
        if not self.stopped():
            self._apply(batch)

    def _plan(self, group: Sequence[Built], batch: Batch) -> None:
        plans = plan_notes(self.store, self.vault, group, afresh=self.afresh)
        missing = batch.add(plans, self.store, self.vault, None if self.afresh else self._kept)
        if missing and not self.dry_run:
            self.embedder.start()
        if missing:
            self.report.context_changed += self._same_texts(plans, missing)

    def _same_texts(self, plans: Sequence[NotePlan], missing: dict[str, Record]) -> int:
        """How many of the missing texts stood in their note before, under another context."""
        before: dict[str, str] = {}  # note id, now or before it was renamed -> note id now
        for plan in plans:
            if any(record["text_hash"] in missing for record in plan.new_chunks):
                before[plan.note_id] = plan.note_id
                if was := self._was(plan):
                    before[was.note_id] = plan.note_id
        points = self.store.scroll("chunks", self.vault, of_notes(before), keys=("note_id", "text"))
        seen = {(before[point.payload["note_id"]], hash(point.payload["text"])) for point in points}
        return sum((record["note_id"], hash(record["text"])) in seen for record in missing.values())

    def _was(self, plan: NotePlan) -> NoteState | None:
        """What a new note was called before, if it was renamed."""
        same = self._gone.get(plan.built.records.note.get("content_hash", ""), ())
        return same[0] if same and plan.note_id not in self.known else None

    def _apply(self, batch: Batch) -> None:
        if self.dry_run:
            self._count_embedded(list(batch.missing.values()))
        elif batch.missing:
            with self.store.released():
                for part in batch.embed(self.embedder, self.stopped):
                    self._count_embedded(part)
            self._limit = min(2 * self._limit, LAST_BATCH)
        for plans in batch.groups:
            if not self.dry_run:
                plans = self._write(self._storable(batch.complete(plans), batch.vectors), batch.vectors)
                self.store.give_way()
            for plan in plans:
                self._count(plan)
            self.progress(self.done, self.total)

    def _storable(self, plans: Sequence[NotePlan], vectors: Known) -> list[NotePlan]:
        """Those whose points all pass the check; of the others, what is stored stays."""
        storable = []
        for plan in plans:
            try:
                check_note(plan, vectors, self.store.model.dim)
                storable.append(plan)
            except StoreError as error:
                self._fail(plan, error)
        return storable

    def _write(self, plans: list[NotePlan], vectors: Known) -> list[NotePlan]:
        """Those that were written. If the engine refuses the group, its notes are written one by one."""
        if not plans:
            return []
        try:
            write_notes(self.store, self.vault, plans, vectors, self._kept)
        except RejectedPointsError as error:
            if len(plans) > 1:
                return [plan for single in plans for plan in self._write([single], vectors)]
            self._rejected += 1
            if self._rejected == REJECTED_IN_A_ROW:
                raise
            self._fail(plans[0], error)
            self.known[plans[0].note_id] = replace(plans[0].state(), commit=None)  # its intent is written
            return []
        self._rejected = 0
        return plans

    def _fail(self, plan: NotePlan, error: StoreError) -> None:
        self.done += 1
        self.report.failed.append(_problem("note-not-stored", plan.path, error))

    def _count(self, plan: NotePlan) -> None:
        before = self.known.get(plan.note_id)
        if before and before.path != plan.path:
            self.report.renamed.append((before.path, plan.path))
        elif was := self._was(plan):
            self._gone[was.content_hash].remove(was)
            self._renamed.add(was.point_id)
            if was.path != plan.path:
                self.report.renamed.append((was.path, plan.path))
        self.known[plan.note_id] = plan.state()
        self.report.notes_written.append(plan.path)
        self.report.upserted += len(plan.new_chunks) + len(plan.new_edges)
        self.report.payload_only += len(plan.chunk_payloads) + len(plan.edge_payloads)
        self.report.deleted += len(plan.stale_chunks) + len(plan.stale_edges)
        self.done += 1

    def _count_embedded(self, records: Sequence[Record]) -> None:
        self.report.embedded_texts += len(records)
        self.report.embedded_tokens += sum(record["embedding_tokens"] for record in records)
        self.report.windowed += sum("windowed" in record["flags"] for record in records)


def _groups(built: Iterator[Built]) -> Iterator[list[Built]]:
    group: list[Built] = []
    chunks = 0
    for note in built:
        group.append(note)
        chunks += len(note.records.chunks)
        if len(group) >= GROUP_NOTES or chunks >= GROUP_CHUNKS:
            yield group
            group, chunks = [], 0
    if group:
        yield group


def _problem(code: str, path: str, error: Exception) -> Problem:
    if isinstance(error, MindnetError):
        return Problem(code=code, message=error.what, path=path, line=error.line, hint=error.hint)
    return Problem(code=code, message=f"{type(error).__name__}: {error}", path=path, hint="please report this")
