"""A vault on disk, its store, and the commands that bring them together."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from commands import Ran, run

from mindnet_chunker.records import Record
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import opened_index


@dataclass(frozen=True, slots=True)
class Indexed:
    """A vault and the store that it was indexed into."""

    vault: Path
    store: Path

    def index(self, *words: str) -> Record:
        """Index it and return the report."""
        report = self.store.parent / "report.json"
        ran = run(self.vault, "--store", self.store, "--report", report, *words)
        assert ran.exit_code == 0, ran.stderr
        found: Record = json.loads(report.read_bytes())
        return found

    def exported(self) -> Ran:
        return run("export", "--store", self.store)

    def printed(self) -> Ran:
        return run(self.vault, "--ndjson")

    def edge_points(self) -> int:
        """The sum of `n_edge_points`, which is beside the records of notes and not printed."""
        with opened_index(None, StoreOptions(folder=self.store), "test") as index:
            points = index.store.scroll("notes", index.vault, keys=("n_edge_points",))
            return sum(point.payload["n_edge_points"] for point in points)
