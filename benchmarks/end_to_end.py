"""From a folder of notes to vectors, and to an index: ours beside LangChain, with the same model.

    python benchmarks/end_to_end.py ~/Notes --notes 300

Each is a process of its own, from its start to its end, imports included, twice: with the vectors kept in memory (read,
cut, embed), and as it is shipped: `mindnet-chunk NOTES --store DIR` beside LangChain's DirectoryLoader, header and
recursive splitters, HuggingFaceEmbeddings and QdrantVectorStore in a local folder. The first N notes of the folder in the
order of their paths, copied. Where other work goes on beside it, `--threads 1` gives steadier figures. The last line: how
much of our time is not embedding, by the report of the run; waiting for the model to load counts as embedding.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from folder import files_in
from measured import COMMAND, Run, measure

SIDES = ("ours", "langchain")


def main() -> None:
    if sys.argv[1:2] == ["--side"]:
        run_side(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]) if sys.argv[4:] else None)
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder of notes")
    parser.add_argument("--notes", type=int, default=300, help="at most so many, in the order of their paths")
    parser.add_argument("--threads", type=int, help="of the model, for both (default: as many as there are cores)")
    args = parser.parse_args()
    if args.threads is not None:
        os.environ |= {"OMP_NUM_THREADS": str(args.threads), "MKL_NUM_THREADS": str(args.threads)}
    with tempfile.TemporaryDirectory(prefix="end-to-end-") as place:
        notes, stores = Path(place, "notes"), Path(place, "stores")
        size = copied(args.folder, args.notes, notes)
        report = Path(place, "report.json")
        side = [sys.executable, __file__, "--side"]
        print(f"{len(files_in(notes))} notes, {size / 1e6:.2f} MB; each a process of its own, imports included")
        print("vectors kept in memory")
        show(*(measure([*side, name, str(notes)]) for name in SIDES))
        print("as it is shipped, into an embedded store")
        ours = measure([*COMMAND, str(notes), "--store", str(stores / "ours"), "--report", str(report)])
        show(ours, measure([*side, "langchain", str(notes), str(stores / "langchain")]))
        embedding = json.loads(report.read_text(encoding="utf-8"))["timings"]["embed"]
        print(f"not embedding: {ours.seconds - embedding:.2f} s of our {ours.seconds:.2f} s, ", end="")
        print(f"{1 - embedding / ours.seconds:.0%}")


def copied(folder: Path, limit: int, place: Path) -> int:
    """Copy the first notes; their size in bytes."""
    files = files_in(folder, limit)
    for file in files:
        copy = place / file.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    return sum(file.stat().st_size for file in files)


def show(ours: Run, langchain: Run) -> None:
    print(ours.row("  ours"))
    print(langchain.row("  LangChain"))
    ratios = (theirs / own for own, theirs in zip(ours, langchain, strict=True))
    print("  {:<38} {:9.2f} x {:9.2f} x     {:8.2f} x".format("LangChain takes", *ratios))


# --- one side, in its own process ------------------------------------------------------------------------------------


def run_side(side: str, notes: Path, store: Path | None) -> None:
    count, how = in_memory(notes) if side == "ours" else langchain(notes, store)
    print(f"{side}: {count} {how}")


def in_memory(notes: Path) -> tuple[int, str]:
    from mindnet_chunker import chunk_vault
    from mindnet_chunker.embedding.choose import choose_model
    from mindnet_chunker.runs.embedder import ChunkEmbedder
    from mindnet_chunker.runs.options import EmbedOptions

    embedder = ChunkEmbedder(choose_model(None), EmbedOptions(), "und")
    embedder.start()
    chunks = [record for record in chunk_vault(notes) if record["record"] == "chunk"]
    return len(embedder.dense(chunks)), "vectors"


def langchain(notes: Path, store: Path | None) -> tuple[int, str]:
    """As its documentation does it, with the bundled model's folder for a name."""
    from peers import langchain_splitters, needed

    from mindnet_chunker.embedding.choose import choose_model

    loaders = needed("langchain_community.document_loaders", "langchain-community")
    embeddings = needed("langchain_huggingface", "langchain-huggingface").HuggingFaceEmbeddings(
        model_name=str(choose_model(None).folder), model_kwargs={"device": "cpu"}
    )
    by_heading, by_size = langchain_splitters()
    loader = loaders.DirectoryLoader(
        str(notes), glob="**/*.md", loader_cls=loaders.TextLoader, loader_kwargs={"encoding": "utf-8"}
    )
    parts = []
    for document in loader.load():
        for part in by_heading.split_text(document.page_content):
            part.metadata |= document.metadata
            parts.append(part)
    documents = by_size.split_documents(parts)
    if store is None:
        return len(embeddings.embed_documents([document.page_content for document in documents])), "vectors"
    qdrant = needed("langchain_qdrant", "langchain-qdrant")
    qdrant.QdrantVectorStore.from_documents(documents, embeddings, path=str(store), collection_name="notes")
    return len(documents), "points"


if __name__ == "__main__":
    main()
