"""An index of a hundred thousand chunks: how long each kind of run takes, and how much memory.

    python benchmarks/hundred_thousand.py
    python benchmarks/hundred_thousand.py --chunks 20000

The vault is made up from a seed in a temporary folder, five chunks a note, and so are the vectors: no model is loaded, and
what is measured is all the rest. Each run is a process of its own, imports included. The last one is that of an unchanged
vault of 5,000 notes, with a look at what it imported: neither torch nor qdrant_client.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from made_up import vault
from measured import COMMAND, Run, measure

if TYPE_CHECKING:
    from mindnet_chunker.embedding.embedder import EmbeddingText, Vectors

PER_NOTE = 5  # chunks
WORDS = 50  # a chunk
SMALLER = 5_000  # notes
DIM = 384
UNTIL_TRUSTED = 3  # seconds: a file that has only just changed is read again by the next run
HEAVY = ("torch", "sentence_transformers", "qdrant_client")


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        index(Path(sys.argv[2]), Path(sys.argv[3]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--folder", type=Path, help="where vault and stores are made (default: a temporary folder)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hundred-thousand-", dir=args.folder) as place:
        large(Path(place, "large"), args.chunks // PER_NOTE, args.seed)
        unchanged(Path(place, "smaller"), min(SMALLER, args.chunks // PER_NOTE), args.seed)


def large(place: Path, notes: int, seed: int) -> None:
    """Everything that is done with one index."""
    root, store, copy, lines = place / "vault", place / "store", place / "copy", place / "export.ndjson"
    size = write(root, notes, seed)
    print(f"{notes} notes, {size / 1e6:.0f} MB, in {root}")
    show("index", *indexed(root, store))
    show("unchanged", *indexed(root, store))
    note = next(root.rglob("note-000007.md"))
    note.write_text(note.read_text(encoding="utf-8").replace("See [[", "See also [[", 1), encoding="utf-8")
    show("one note edited", *indexed(root, store))
    run = measure([*COMMAND, "export", "--vectors", "--store", str(store)], stdout=lines)
    show("export with vectors", run, {"megabytes": round(lines.stat().st_size / 1e6)})
    show("import", measure([*COMMAND, "import", str(lines), "--store", str(copy)]), {})


def unchanged(place: Path, notes: int, seed: int) -> None:
    """The run that people wait for most often."""
    root, store = place / "vault", place / "store"
    write(root, notes, seed)
    indexed(root, store)
    show(f"{notes} notes, unchanged", *indexed(root, store))


def write(root: Path, notes: int, seed: int) -> int:
    """Write a vault, and wait until its files are no longer new; its bytes."""
    size = 0
    for path, text in vault(seed, notes, sections=PER_NOTE, words=WORDS):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        size += file.write_bytes(text.encode())
    time.sleep(UNTIL_TRUSTED)
    return size


def indexed(root: Path, store: Path) -> tuple[Run, dict[str, Any]]:
    """One index run in its own process, and what it says about itself."""
    said = root.parent / "said.json"
    run = measure([sys.executable, __file__, "--run", str(root), str(store)], stdout=said)
    return run, json.loads(said.read_text(encoding="utf-8"))


def show(name: str, run: Run, about: dict[str, Any]) -> None:
    print(run.row(name), *(f"  {key} {value}" for key, value in about.items()), flush=True)


# --- the process that indexes ----------------------------------------------------------------------------------------


def index(root: Path, store: Path) -> None:
    from mindnet_chunker import index_vault

    report = index_vault(root, store=store, embedder=MadeUpVectors())
    if report.exit_code != 0:
        sys.exit(f"{report.errors[:3]}")
    about = {
        "chunks": report.chunks["stored"],
        "embedded": report.embedded["texts"],
        "imported": [name for name in HEAVY if name in sys.modules] or "nothing heavy",
    }
    print(json.dumps(about))


class MadeUpVectors:
    """An embedder whose vectors follow from the hash of the text."""

    name, dim, window, identity = "made-up", DIM, 256, "made-up"

    def __init__(self) -> None:
        from mindnet_chunker.embedding.embedder import EmbedCounts

        self.counts = EmbedCounts()

    def start_loading(self) -> None:
        """There is nothing to load."""

    def embed(self, texts: Sequence[EmbeddingText], progress: Callable[[int], None] | None = None) -> Vectors:
        import numpy as np

        self.counts = self.counts._replace(texts=self.counts.texts + len(texts))
        digests = b"".join(hashlib.shake_128(each.text.encode()).digest(DIM) for each in texts)
        rows = np.frombuffer(digests, np.uint8).reshape(len(texts), DIM).astype(np.float32) - 127.5
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> Vectors:
        from mindnet_chunker.embedding.embedder import EmbeddingText

        return self.embed([EmbeddingText(text)])[0]


if __name__ == "__main__":
    main()
