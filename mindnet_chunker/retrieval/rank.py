"""A question -> hits: the ranks of two searches fused, each kind of chunk weighted, the best returned whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from mindnet_chunker.index.store import Filter, Hit, Match, Model, Sparse, Store, Vector
from mindnet_chunker.records import Json, Record

K = 2  # of reciprocal rank fusion
DEPTH = 200  # ranks of each half that are fused, however many hits are wanted: the first ones stay the same
DIGITS = 6  # of a score; what differs later is rounding of the engine, and counts as a tie


class Balance(NamedTuple):
    """How much each half counts."""

    dense: float = 1.0
    bm25: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question in the forms that a store can be asked in."""

    dense: Vector | None = None
    sparse: Sparse | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHit:
    """A chunk that answers."""

    rank: int  # from 1
    score: float  # fused: 1 is the first of both halves; dense: cosine; bm25: the engine's. Times the kind's weight
    dense_rank: int | None  # None: not among the first `DEPTH`
    bm25_rank: int | None
    words: tuple[str, ...]  # of the question, that the chunk holds
    payload: Record  # the chunk's record: `path`, `line_start`, `line_end`, `text`, `note_title`, `section_path`, ...
    weight: float = 1.0  # of its kind
    # "section", "note": their text. "links": a list of `{direction, kind, note_id, path, title, ...}`. None: not asked
    expanded: Json = None
    stale: bool = False  # the file is not as it was indexed: the text in `expanded` is what the index holds

    def record(self) -> Record:
        """As `search --json` prints it."""
        chunk = self.payload
        return {
            "rank": self.rank,
            "score": self.score,
            "ranks": {"dense": self.dense_rank, "bm25": self.bm25_rank},
            "words": list(self.words),
            **{key: chunk[key] for key in ("note_id", "chunk_id", "path", "line_start", "line_end")},
            "title": chunk["note_title"],
            **{key: chunk[key] for key in ("section_path", "kind", "type", "tags", "text")},
            "expanded": self.expanded,
        }


class Ranked(NamedTuple):
    """A chunk in its place, not yet read."""

    id: str
    score: float
    dense_rank: int | None
    bm25_rank: int | None
    weight: float


def search(
    store: Store,
    query: Query,
    *,
    vault: str,
    top: int = 5,
    where: Filter | None = None,
    weights: Mapping[str, float] | None = None,
    balance: Balance | None = None,
    words_in: Callable[[Record], Sequence[str]] = lambda chunk: (),
) -> list[SearchHit]:
    """The best `top` chunks, ties in the order of ids. A query with one form only asks that half.

    `weights`: how much a hit of a kind counts, 1 unless told; a kind of weight 0 is no hit. `words_in`: the words of the
    question that a chunk holds.
    """
    ranked = rank(store, query, vault=vault, top=top, where=where, weights=weights, balance=balance)
    chunks = {point.id: point.payload for point in store.retrieve("chunks", vault, [each.id for each in ranked])}
    return [
        SearchHit(
            rank=place,
            score=each.score,
            dense_rank=each.dense_rank,
            bm25_rank=each.bm25_rank,
            words=tuple(words_in(chunks[each.id])),
            payload=chunks[each.id],
            weight=each.weight,
        )
        for place, each in enumerate((each for each in ranked if each.id in chunks), 1)
    ]


def rank(
    store: Store,
    query: Query,
    *,
    vault: str,
    top: int,
    where: Filter | None = None,
    weights: Mapping[str, float] | None = None,
    balance: Balance | None = None,
) -> list[Ranked]:
    """The order of `search`, without the chunks themselves."""
    weights = weights or {}
    where = _without(where or Filter(), tuple(kind for kind, weight in sorted(weights.items()) if weight == 0))
    depth = max(DEPTH, top)
    dense = [] if query.dense is None else nearest(store, vault, query.dense, depth, where)
    sparse = query.sparse if query.sparse and query.sparse.indices else None
    bm25 = [] if sparse is None else nearest(store, vault, sparse, depth, where)
    if query.dense is None or query.sparse is None:
        scores = {hit.id: hit.score for hit in dense or bm25}
    else:
        scores = fuse((dense, bm25), balance or Balance())
    dense_ranks, bm25_ranks = _ranks(dense), _ranks(bm25)
    found = []
    for hit in {hit.id: hit for hit in (*dense, *bm25)}.values():
        weight = weights.get(str(hit.payload.get("kind")), 1.0)
        score = weighted(scores[hit.id], weight)
        found.append(Ranked(hit.id, score, dense_ranks.get(hit.id), bm25_ranks.get(hit.id), weight))
    return sorted(found, key=lambda each: (-each.score, each.id))[:top]


def fuse(halves: tuple[Sequence[Hit], Sequence[Hit]], balance: Balance) -> dict[str, float]:
    """Reciprocal rank fusion as Qdrant has it, ranks from 0: id -> the sum of share / (K + rank), 1 for the first of both.

    Source: Cormack, Clarke and Büttcher 2009. Their k of 60 makes the first rank hardly better than the tenth.
    """
    scores: dict[str, float] = {}
    for half, share in zip(halves, balance, strict=True):
        for place, hit in enumerate(half):
            scores[hit.id] = scores.get(hit.id, 0.0) + share / sum(balance) * K / (K + place)
    return scores


def weighted(score: float, weight: float) -> float:
    """A lower weight lowers scores below zero too."""
    return round(score - (1 - weight) * abs(score), DIGITS)


def balance_for(model: Model, language: str) -> Balance:
    """Dense counts twice where the model is made for the store's main language."""
    made_for = model.about.get("languages")
    return Balance(dense=2.0) if made_for == "multilingual" or (made_for and made_for == language) else Balance()


def nearest(store: Store, vault: str, query: Vector | Sparse, depth: int, where: Filter | None) -> list[Hit]:
    """The first `depth` hits of one half: the same ones from every store, where many tie with the last one too."""
    asked = depth + 1
    while True:
        hits = [
            replace(hit, score=round(hit.score, DIGITS))
            for hit in store.search(vault, query, asked, where, keys=("kind", "note_id"))
        ]
        if len(hits) < asked or hits[-1].score < hits[depth - 1].score:
            return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:depth]
        asked *= 4


def _ranks(half: Sequence[Hit]) -> dict[str, int]:
    return {hit.id: place for place, hit in enumerate(half, 1)}


def _without(where: Filter, kinds: tuple[str, ...]) -> Filter:
    return replace(where, must_not=(*where.must_not, Match("kind", kinds))) if kinds else where
