"""The run's figures: what was seen, written and left out, for people and as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mindnet_chunker.records import Json, NoteRecords, Problem, Record, is_canvas


@dataclass(slots=True)
class Tally:
    """Smallest, mean, largest and sum of a measure, one value at a time."""

    count: int = 0
    total: int = 0
    low: int | None = None
    high: int | None = None

    def add(self, value: int) -> None:
        self.count += 1
        self.total += value
        self.low = value if self.low is None else min(self.low, value)
        self.high = value if self.high is None else max(self.high, value)

    def record(self) -> Record:
        mean = round(self.total / self.count, 1) if self.count else None
        return {"min": self.low, "mean": mean, "max": self.high, "total": self.total}


@dataclass(slots=True)
class Metrics:
    """How the chunks came out, over all notes that were cut in this run."""

    tokens: Tally = field(default_factory=Tally)  # embedding tokens
    characters: Tally = field(default_factory=Tally)
    flags: Counter[str] = field(default_factory=Counter)
    within_target: int = 0
    atomic: int = 0  # one code block or table
    overlap: int = 0  # tokens repeated
    languages: Counter[str] = field(default_factory=Counter)  # chunks

    def add(self, chunks: Iterable[Record], target: tuple[int, int]) -> None:
        for chunk in chunks:
            self.tokens.add(chunk["embedding_tokens"])
            self.characters.add(len(chunk["text"]))
            self.flags.update(chunk["flags"])
            self.within_target += target[0] <= chunk["embedding_tokens"] <= target[1]
            self.atomic += chunk["kind"] in ("code", "table")
            self.overlap += chunk["overlap_tokens"]
            self.languages[chunk["lang"]] += 1

    def record(self) -> Record:
        count = self.tokens.count
        return {
            "chunks": count,
            "tokens": self.tokens.record(),
            "characters": self.characters.record(),
            "within_target": share(self.within_target, count),
            "oversize": self.flags["oversize"],
            "atomic": self.atomic,
            "sparse": self.flags["sparse"],
            "windowed": self.flags["windowed"],
            "overlap_share": share(self.overlap, self.tokens.total),
            "languages": dict(self.languages.most_common()),
        }


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


@dataclass(slots=True)
class Report:
    """What one run did. `record()` is the JSON of `--report`."""

    run_id: str
    version: str
    notes: Counter[str] = field(default_factory=Counter)  # seen indexed changed unchanged renamed deleted ...
    canvases: int = 0  # boards seen, beside the notes
    chunks: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)
    embedded: Counter[str] = field(default_factory=Counter)
    notes_written: list[str] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    errors: list[Problem] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)  # excluded notes by reason
    told: Counter[str] = field(default_factory=Counter)  # for people: those left out, boards too, are counted apart
    guessed_types: int = 0
    metrics: Metrics = field(default_factory=Metrics)
    timings: dict[str, float] = field(default_factory=dict)  # seconds by stage
    model: Record = field(default_factory=dict)
    types: str = "built-in"
    store: str = ""
    named_store: bool = False  # by `--store`
    held_back: int = 0  # deletions that were not carried out
    left_over: int = 0  # notes that were not come to: the run was stopped

    @property
    def exit_code(self) -> int:
        """0: all done, warnings too; 1: done, but some note failed or deletions were held back."""
        return 1 if self.errors or self.held_back else 0

    @property
    def stopped(self) -> bool:
        return self.left_over > 0

    def fail(self, problem: Problem) -> None:
        """A note or board that could not be read, or on which our code raised."""
        self.notes["failed"] += not is_canvas(problem.path)
        self.errors.append(problem)

    def saw(self, records: NoteRecords, target: tuple[int, int]) -> None:
        """Take in one note that was cut."""
        self.metrics.add(records.chunks, target)
        self.warnings += records.problems

    def record(self) -> Json:
        names = ("seen", "indexed", "changed", "unchanged", "renamed", "deleted", "excluded", "failed")
        return {
            "run_id": self.run_id,
            "notes": counts(self.notes, names),
            "canvases": self.canvases,
            "chunks": counts(self.chunks, ("stored",)),
            "edges": counts(self.edges, ("stored",)),
            "writes": counts(self.writes, ("upserted", "payload_only", "deleted")),
            "notes_written": self.notes_written,
            "embedded": counts(self.embedded, ("texts", "tokens", "context_changed", "windowed")),
            "left_out": dict(self.left_out),
            "types_guessed": self.guessed_types,
            "held_back": self.held_back,
            "left_over": self.left_over,
            "metrics": self.metrics.record(),
            "warnings": [problem.record() for problem in self.warnings],
            "errors": [problem.record() for problem in self.errors],
            "timings": {name: round(seconds, 3) for name, seconds in self.timings.items()},
            "model": self.model,
            "types": self.types,
            "store": self.store,
            "version": self.version,
        }


def counts(found: Counter[str], names: Sequence[str]) -> Record:
    """The named counts first, zeros too, then any others."""
    return {**{name: found[name] for name in names}, **found}
