"""A small vault, its store, and what one run does after one change."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from commands import run
from fake_embedder import FakeEmbedder

from mindnet_chunker import index_vault
from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.records import Record
from mindnet_chunker.report import Report

NOTES = {
    "Bees.md": (
        "Bees live in a [[Hive]] and fly out on warm days.\n\n"
        "## Dance\n\nWho found flowers dances on the comb. The angle is the way to go. The length is the distance.\n\n"
        "## Food\n\nThey gather nectar and pollen. In winter they live on honey.\n"
    ),
    "Hive.md": (
        "---\ntitle: The house of the bees\naliases: [Skep]\n---\n"
        "## Comb\n\nCombs hang from the top.\n\n"
        "### Wax\n\nYoung bees sweat it out of their bellies.\n\n"
        "### Cells\n\nEach has six sides. The queen lays one egg in each.\n\n"
        "## Entrance\n\nGuards sit there. They know their own by the scent.\n"
    ),
    "Rooms/Winter.md": (
        "---\nid: winter\ntitle: Winter\n---\n"
        "## Cluster\n\nThe [[Bees]] sit close together in the [[Hive]].\n\n## Spring\n\nThe first flight is in March.\n"
    ),
    "Swarm.md": (
        "---\ntitle: Swarm\ntype: concept\n---\n"
        "## May\n\nThe old queen leaves the [[Hive]].\n\n#### Scouts\n\nThey look for a hollow tree.\n\n"
        "## Catching\n\nA basket and some water will do.\n"
    ),
}  # fmt: skip


@dataclass(slots=True)
class Place:
    """A folder with the vault, its store, and the embedder of the next run."""

    folder: Path
    vault: Path = field(init=False)
    store: Path = field(init=False)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)

    def __post_init__(self) -> None:
        self.vault, self.store = write_notes(self.folder / "vault"), self.folder / "store"

    def index(self) -> Report:
        return index_vault(self.vault, store=self.store, embedder=self.embedder)

    def exported(self) -> list[Record]:
        return run("export", "--store", self.store).records

    def printed(self) -> list[Record]:
        return run(self.vault, "--ndjson").records

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.vault / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")

    def move(self, old: str, new: str) -> None:
        (self.vault / new).parent.mkdir(exist_ok=True)
        (self.vault / old).rename(self.vault / new)


def write_notes(vault: Path) -> Path:
    for name, text in NOTES.items():
        (vault / name).parent.mkdir(parents=True, exist_ok=True)
        (vault / name).write_text(text, encoding="utf-8")
    return vault


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one run did. `before` and `after`: the records that the store held."""

    report: Report
    before: list[Record]
    after: list[Record]
    printed: list[Record]  # by `--ndjson`, afterwards
    embedded: list[str]  # texts, in the order of the run

    @property
    def figures(self) -> tuple[int, int, int]:
        """Texts embedded, points of which only the payload was written, points deleted."""
        return self.report.embedded["texts"], self.report.writes["payload_only"], self.report.writes["deleted"]

    @property
    def changed(self) -> list[Record]:
        """Chunks that kept their text for embedding, but not all that is said of them."""
        was = {chunk["point_id"]: chunk for chunk in chunks(self.before)}
        return [
            chunk
            for chunk in chunks(self.after)
            if (old := was.get(chunk["point_id"])) and old["text_hash"] == chunk["text_hash"] and old != chunk
        ]


def look(place: Place, report: Report, before: list[Record]) -> Seen:
    return Seen(
        report=report,
        before=before,
        after=place.exported(),
        printed=place.printed(),
        embedded=place.embedder.embedded,
    )


def chunks(records: list[Record], *paths: str) -> list[Record]:
    """Of these notes, or of all."""
    return [record for record in records if record["record"] == "chunk" and (not paths or record["path"] in paths)]


def texts(records: list[Record], *paths: str) -> set[str]:
    """What is embedded of the chunks of these notes, or of all."""
    return {embedding_text(chunk["context"], chunk["text"]) for chunk in chunks(records, *paths)}


def linking(records: list[Record], target: str) -> list[Record]:
    """The chunks with a link of this name."""
    return [chunk for chunk in chunks(records) if target in chunk["wikilinks"]]
