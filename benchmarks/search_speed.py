"""How long a search takes over many chunks: python benchmarks/search_speed.py [--chunks 100000]

Notes, words and vectors are made up from a seed: no model is loaded. Prints seconds for filling and opening the embedded
store, and for each kind of search the median and the slowest of twenty in milliseconds, with the ratio to dense alone.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from mindnet_chunker.embedding.bm25 import Bm25Index
from mindnet_chunker.index.edge_store import EdgeHome
from mindnet_chunker.index.store import Model, Point, Sparse, Vectors
from mindnet_chunker.records import stable_id
from mindnet_chunker.retrieval.filters import Conditions, conditions
from mindnet_chunker.retrieval.rank import Query, search
from mindnet_chunker.retrieval.related import related

DIM = 384
TOPICS = 200  # directions around which vectors lie
PER_NOTE = 10  # chunks
WORDS = 20_000  # in the made-up language, the n-th as frequent as 1/n
PER_CHUNK = (40, 200)  # words
ROUNDS = 20
VAULT = "made-up"


def chunks(count: int, rng: np.random.Generator) -> Iterator[Point]:
    bm25 = Bm25Index()
    topics = rng.standard_normal((TOPICS, DIM))
    frequency = 1 / np.arange(1, WORDS + 1)
    frequency /= frequency.sum()
    for number in range(count):
        note, place = divmod(number, PER_NOTE)
        topic = note % TOPICS
        text = " ".join(f"w{word}" for word in rng.choice(WORDS, rng.integers(*PER_CHUNK), p=frequency))
        dense = topics[topic] + rng.standard_normal(DIM)
        yield Point(
            id=stable_id("chunk", str(number)),
            payload=payload(note, place, text, topic),
            vectors=Vectors((dense / np.linalg.norm(dense)).astype(np.float32), Sparse(*bm25.document(text))),
        )


def payload(note: int, place: int, text: str, topic: int) -> dict[str, Any]:
    """The fields of a chunk that a search looks at or shows."""
    name = f"note-{note:06}"
    return {
        "vault": VAULT, "note_id": name, "chunk_id": f"{name}#c{place:02}", "chunk_index": place, "note_title": name,
        "path": f"{topic:03}/{name}.md", "folders": [f"{topic:03}"], "type": ("concept", "journal", "task")[note % 3],
        "tags": [f"t{topic % 20}"], "tag_keys": [f"t{topic % 20}"], "lang": "und", "kind": "text", "text": text,
        "own_start": 0, "context": name, "section_path": f"/{place}", "header_path": [], "line_start": 1, "line_end": 9,
        "text_hash": stable_id(text), "created_at": f"20{note % 25:02}-01-01T00:00:00Z",
    }  # fmt: skip


def batches(points: Iterator[Point], size: int) -> Iterator[list[Point]]:
    batch: list[Point] = []
    for point in points:
        batch.append(point)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def timed(what: Callable[[int], Any]) -> list[float]:
    """Milliseconds of each round; the first one, which warms up, is left out."""
    what(0)
    found = []
    for number in range(1, ROUNDS + 1):
        begun = time.perf_counter()
        what(number)
        found.append(1000 * (time.perf_counter() - begun))
    return found


def report(name: str, found: Sequence[float], base: float) -> None:
    print(
        f"{name:<34} median {median(found):8.1f} ms   slowest {max(found):8.1f} ms   {median(found) / base:6.1f} x dense"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=20261130)
    parser.add_argument("--folder", type=Path, help="where the store is made (default: a temporary folder)")
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    folder = Path(tempfile.mkdtemp(prefix="search-speed-", dir=args.folder))
    try:
        model = Model(name="made-up", dim=DIM, identity="made-up")
        begun = time.perf_counter()
        with EdgeHome(folder, command="benchmark", wait=10) as home:
            store = home.create("g", model)
            for batch in batches(chunks(args.chunks, rng), 2000):
                store.upsert("chunks", batch)
            store.flush()
            home.put_in_force("g")
        print(f"{args.chunks} chunks made and stored in {time.perf_counter() - begun:.0f} s")
        measure(folder, rng)
    finally:
        shutil.rmtree(folder)


def measure(folder: Path, rng: np.random.Generator) -> None:
    questions = rng.standard_normal((ROUNDS + 1, DIM)).astype(np.float32)
    words = [f"w{rng.integers(50, 2000)} w{rng.integers(50, 2000)} w{rng.integers(2, 50)}" for _ in range(ROUNDS + 1)]
    sparse = [Sparse(*Bm25Index().question(text)) for text in words]
    begun = time.perf_counter()
    with EdgeHome(folder, command="benchmark", wait=10) as home:
        store = home.open()
        total = store.count("chunks", VAULT)
        print(f"opened in {time.perf_counter() - begun:.2f} s")
        dense = timed(lambda n: search(store, Query(dense=questions[n]), vault=VAULT))
        base = median(dense)
        narrow = conditions(Conditions(type=("concept",), tag=("t7",)), store, VAULT)
        report("dense, exact", dense, base)
        report("bm25", timed(lambda n: search(store, Query(sparse=sparse[n]), vault=VAULT)), base)
        both = [Query(dense=questions[n], sparse=sparse[n]) for n in range(ROUNDS + 1)]
        report("fused", timed(lambda n: search(store, both[n], vault=VAULT)), base)
        report("fused, type and tag given", timed(lambda n: search(store, both[n], vault=VAULT, where=narrow)), base)
        report(
            "fused, link sections left out",
            timed(lambda n: search(store, both[n], vault=VAULT, weights={"links": 0})),
            base,
        )
        report("related notes", timed(lambda n: related(store, VAULT, f"note-{n % (total // PER_NOTE):06}")), base)


if __name__ == "__main__":
    main()
