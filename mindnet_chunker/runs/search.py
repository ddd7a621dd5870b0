"""A question -> hits: the index opened, the question embedded by the model that made the vectors, the answer printed."""

from __future__ import annotations

from pathlib import Path

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.points import line_of
from mindnet_chunker.index.store import Filter, Hit, Match
from mindnet_chunker.records import Record
from mindnet_chunker.runs.embedder import ChunkEmbedder
from mindnet_chunker.runs.options import EmbedOptions, StoreOptions, VaultOptions
from mindnet_chunker.runs.places import opened_index
from mindnet_chunker.runs.setup import chosen_model
from mindnet_chunker.terminal import Talk, write_line

NO_HITS = Filter(must_not=(Match("kind", ("links",)),))


def print_hits(
    question: str,
    vault: Path | None,
    where: StoreOptions,
    options: VaultOptions,
    talk: Talk,
    *,
    top: int,
    as_json: bool,
) -> int:
    """Print the best hits; 0 also where there are none."""
    if not question.strip():
        raise UsageError("the question is empty", hint='mindnet-chunk search "Why do bees swarm?"')
    with opened_index(vault, where, "mindnet-chunk search") as index:
        choice = chosen_model(VaultOptions(model=options.model or index.meta.model.name), weights=True)
        embedder = ChunkEmbedder(choice, EmbedOptions())
        if embedder.identity != index.meta.model.identity:
            raise UsageError(f"the index was made by another model, `{index.meta.model.name}`", where=index.place)
        from mindnet_chunker.embedding.model import SentenceEmbedder

        vector = SentenceEmbedder(choice).embed_query(question)
        hits = index.store.search(index.vault, vector, top, NO_HITS)
    for rank, hit in enumerate(hits, 1):
        write_line(line_of(_record(rank, hit)) if as_json else _shown(rank, hit))
    if not hits:
        talk.say("no hits")
    return 0


def _record(rank: int, hit: Hit) -> Record:
    payload = hit.payload
    keys = ("note_id", "chunk_id", "path", "line_start", "line_end")
    more = ("section_path", "kind", "type", "tags", "text")
    return {
        "rank": rank,
        "score": round(hit.score, 6),
        "ranks": {"dense": rank, "bm25": None},
        "words": [],
        **{key: payload[key] for key in keys},
        "title": payload["note_title"],
        **{key: payload[key] for key in more},
        "expanded": None,
    }


def _shown(rank: int, hit: Hit) -> str:
    payload = hit.payload
    place = " > ".join((payload["note_title"], *payload["section_path"].strip("/").split("/"))).rstrip(" >")
    own = " ".join(payload["text"][payload["own_start"] :].split())
    return f"{rank}. {place}  {hit.score:.3f}\n   {payload['path']}:{payload['line_start']}\n   {own[:160]}"
