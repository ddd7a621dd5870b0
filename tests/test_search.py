"""From a question to its hits: fusion, weights, conditions, what is shown and what stands around a hit."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store import MemoryStore

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.store import Filter, Hit, Model, Point, Sparse, Vectors
from mindnet_chunker.records import Record, Span, stable_id
from mindnet_chunker.retrieval.expand import span_around, stored_text
from mindnet_chunker.retrieval.filters import Conditions, conditions, period
from mindnet_chunker.retrieval.passage import matching_sentence, obsidian_link, place_of, sentences_of
from mindnet_chunker.retrieval.rank import DEPTH, Balance, Query, SearchHit, balance_for, fuse, nearest, search

MODEL = Model(name="fake", dim=2, identity="0")
NORTH, EAST = (0.0, 1.0), (1.0, 0.0)


def a_chunk(name: str, angle: float = 0.0, words: dict[int, float] | None = None, **payload: Any) -> Point:
    """A chunk whose vector stands `angle` degrees from north."""
    direction = (math.sin(math.radians(angle)), math.cos(math.radians(angle)))
    sparse = Sparse(tuple(words), tuple(words.values())) if words else None
    usual = {
        "vault": "v", "note_id": name, "chunk_id": f"{name}#c00", "path": f"{name}.md", "folders": [], "kind": "text",
        "type": "default", "tags": [], "tag_keys": [], "lang": "de", "text": name, "own_start": 0, "context": "",
        "note_title": name, "section_path": "/", "header_path": [], "line_start": 1, "line_end": 1, "chunk_index": 0,
    }  # fmt: skip
    return Point(id=stable_id(name), payload={**usual, **payload}, vectors=Vectors(direction, sparse))


def store_of(*chunks: Point, notes: tuple[Record, ...] = ()) -> MemoryStore:
    store = MemoryStore("g", MODEL)
    store.upsert("chunks", chunks)
    store.upsert(
        "notes",
        [
            Point(id=stable_id("note", note["path"]), payload={"vault": "v", "note_id": note["path"], **note})
            for note in notes
        ],
    )
    return store


def found(hits: list[SearchHit]) -> list[str]:
    return [hit.payload["note_id"] for hit in hits]


# --- fusion and ranks ------------------------------------------------------------------------------------------------


def test_both_halves_are_fused_and_each_hit_knows_its_ranks() -> None:
    store = store_of(a_chunk("near", 0), a_chunk("both", 30, {7: 1.0}), a_chunk("word", 90, {7: 2.0}))

    hits = search(store, Query(dense=NORTH, sparse=Sparse((7,), (1.0,))), vault="v")

    assert found(hits) == ["word", "both", "near"]
    ranks = {hit.payload["note_id"]: (hit.dense_rank, hit.bm25_rank) for hit in hits}
    assert ranks == {"near": (1, None), "both": (2, 2), "word": (3, 1)}
    assert [hit.rank for hit in hits] == [1, 2, 3]


def test_the_first_of_both_halves_scores_one() -> None:
    store = store_of(a_chunk("a", 0, {7: 2.0}), a_chunk("b", 50, {7: 1.0}))

    hits = search(store, Query(dense=NORTH, sparse=Sparse((7,), (1.0,))), vault="v")

    assert [(hit.payload["note_id"], hit.score) for hit in hits] == [("a", 1.0), ("b", round(2 / 3, 6))]


def test_a_heavier_half_decides() -> None:
    dense, bm25 = [Hit(id="d", score=0.9, payload={})], [Hit(id="b", score=9.0, payload={})]

    assert fuse((dense, bm25), Balance(dense=2.0)) == pytest.approx({"d": 2 / 3, "b": 1 / 3})
    assert fuse((dense, bm25), Balance()) == pytest.approx({"d": 0.5, "b": 0.5})


def test_fusion_agrees_with_that_of_qdrant(tmp_path: Any) -> None:
    import qdrant_edge as edge

    shard = edge.EdgeShard.create(
        str(tmp_path),
        edge.EdgeConfig(vectors={n: edge.EdgeVectorParams(size=2, distance=edge.Distance.Cosine) for n in "ab"}),
    )
    ids = [stable_id(str(number)) for number in range(5)]
    turns = {"a": (0, 1, 2, 3, 4), "b": (2, 0, 4, 1, 3)}  # places in each half
    along = {n: [[math.sin(t / 4), math.cos(t / 4)] for t in places] for n, places in turns.items()}
    points = [edge.Point(id=i, vector={n: along[n][k] for n in "ab"}, payload={}) for k, i in enumerate(ids)]
    shard.update(edge.UpdateOperation.upsert_points(points))

    halves = [edge.Prefetch(query=edge.Query.Nearest([0.0, 1.0], n), limit=5) for n in "ab"]
    theirs = shard.query(edge.QueryRequest(prefetches=halves, query=edge.Fusion.Rrf(2), limit=5))
    ours = fuse(tuple(sorted(_as_hits(ids, turns[n]), key=lambda hit: -hit.score) for n in "ab"), Balance())  # type: ignore[arg-type]

    assert {str(hit.id): pytest.approx(hit.score) for hit in theirs} == ours  # both halves: 2 * 1/2 of the share
    shard.close()


def _as_hits(ids: list[str], places: tuple[int, ...]) -> list[Hit]:
    return [Hit(id=point, score=-float(place), payload={}) for point, place in zip(ids, places, strict=True)]


def test_ties_are_in_the_order_of_ids() -> None:
    names = [f"n{number}" for number in range(30)]
    store = store_of(*(a_chunk(name, 0, {7: 1.0}) for name in names))

    hits = search(store, Query(dense=NORTH, sparse=Sparse((7,), (1.0,))), vault="v", top=30)

    assert found(hits) == sorted(names, key=stable_id)


def test_what_ties_with_the_last_of_a_half_is_chosen_by_id() -> None:
    class Unordered(MemoryStore):
        """An engine that gives any of those that tie."""

        def search(self, vault: str, query: Any, limit: int, *args: Any, **more: Any) -> list[Hit]:
            hits = super().search(vault, query, 10**6, *args, **more)
            return sorted(hits, key=lambda hit: (-hit.score, hit.id[::-1]))[:limit]

    store = Unordered("g", MODEL)
    store.upsert("chunks", [a_chunk("first", 0), *(a_chunk(f"n{number}", 45) for number in range(20))])

    hits = nearest(store, "v", NORTH, 5, None)

    assert [hit.id for hit in hits] == [stable_id("first"), *sorted(stable_id(f"n{n}") for n in range(20))[:4]]


@given(st.lists(st.tuples(st.integers(0, 180), st.integers(0, 3)), min_size=1, max_size=12), st.integers(1, 12))
@settings(max_examples=60, deadline=None)
def test_fewer_hits_are_the_first_of_more(places: list[tuple[int, int]], top: int) -> None:
    store = store_of(*(a_chunk(f"n{n}", angle, {7: float(w)} if w else None) for n, (angle, w) in enumerate(places)))
    query = Query(dense=NORTH, sparse=Sparse((7,), (1.0,)))

    hits = search(store, query, vault="v", top=top)

    assert hits == search(store, query, vault="v", top=50)[:top]
    assert all(one.score >= two.score for one, two in pairwise(hits))


def test_more_hits_than_the_usual_depth_can_be_asked_for() -> None:
    store = store_of(*(a_chunk(f"n{number}", number / 10) for number in range(DEPTH + 20)))

    assert len(search(store, Query(dense=NORTH), vault="v", top=DEPTH + 20)) == DEPTH + 20


def test_one_half_alone_gives_its_own_score() -> None:
    store = store_of(a_chunk("a", 60, {7: 2.0}), a_chunk("b", 0, {8: 1.0}))

    dense = search(store, Query(dense=NORTH), vault="v")
    bm25 = search(store, Query(sparse=Sparse((7,), (1.5,))), vault="v")

    assert [(hit.payload["note_id"], hit.score) for hit in dense] == [("b", 1.0), ("a", 0.5)]
    assert [(hit.payload["note_id"], hit.score) for hit in bm25] == [("a", 3.0)]
    assert dense[0].bm25_rank is None
    assert bm25[0].dense_rank is None


def test_a_question_without_a_word_that_counts_is_answered_by_meaning_alone() -> None:
    store = store_of(a_chunk("a", 0))

    assert found(search(store, Query(dense=NORTH, sparse=Sparse((), ())), vault="v")) == ["a"]
    assert search(store, Query(sparse=Sparse((), ())), vault="v") == []


def test_kinds_count_as_much_as_their_weight_says() -> None:
    store = store_of(a_chunk("code", 0, kind="code"), a_chunk("text", 30), a_chunk("links", 0, kind="links"))

    hits = search(store, Query(dense=NORTH), vault="v", weights={"code": 0.8, "links": 0})

    assert [(hit.payload["note_id"], hit.score, hit.weight) for hit in hits] == [
        ("text", round(math.cos(math.pi / 6), 6), 1.0),
        ("code", 0.8, 0.8),
    ]


def test_a_lower_weight_lowers_scores_below_zero_too() -> None:
    store = store_of(a_chunk("code", 180, kind="code"), a_chunk("text", 180))

    assert found(search(store, Query(dense=NORTH), vault="v", weights={"code": 0.5})) == ["text", "code"]


def test_dense_counts_twice_where_the_model_knows_the_language() -> None:
    def model(languages: str | None) -> Model:
        return Model(name="m", dim=2, identity="0", about={"languages": languages})

    assert balance_for(model("en"), "en") == (2, 1)
    assert balance_for(model("multilingual"), "de") == (2, 1)
    assert balance_for(model("en"), "de") == (1, 1)
    assert balance_for(model(None), "") == (1, 1)


def test_a_hit_is_printed_with_the_documented_keys() -> None:
    store = store_of(a_chunk("a", 0, {7: 1.0}))

    hit = search(store, Query(dense=NORTH), vault="v", words_in=lambda chunk: ["Wort"])[0].record()

    keys = "rank score ranks words note_id chunk_id path line_start line_end title section_path kind type tags text expanded"
    assert list(hit) == keys.split()
    assert hit["ranks"] == {"dense": 1, "bm25": None}
    assert hit["words"] == ["Wort"]


# --- conditions ------------------------------------------------------------------------------------------------------


def answers(store: MemoryStore, asked: Conditions) -> set[str]:
    return set(found(search(store, Query(dense=NORTH), vault="v", where=conditions(asked, store, "v"))))


def test_a_tag_finds_what_is_nested_in_it_in_any_case() -> None:
    store = store_of(
        a_chunk("a", tag_keys=["area", "area/mindnet"]),
        a_chunk("b", tag_keys=["area"]),
        a_chunk("c", tag_keys=["areal"]),
    )

    assert answers(store, Conditions(tag=("#Area",))) == {"a", "b"}
    assert answers(store, Conditions(tag=("AREA/mindnet/",))) == {"a"}


def test_of_several_tags_all_are_wanted_of_several_types_any() -> None:
    store = store_of(
        a_chunk("a", tag_keys=["x", "y"], type="task"),
        a_chunk("b", tag_keys=["x"], type="idea"),
        a_chunk("c", type="log"),
    )

    assert answers(store, Conditions(tag=("x", "y"))) == {"a"}
    assert answers(store, Conditions(type=("task", "log"))) == {"a", "c"}


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("Garten",), {"a", "b"}),
        (("./Garten/Beete/",), {"b"}),
        (("Garten\\Beete",), {"b"}),
        (("Garten/a.md",), {"a"}),
        (("Garten/a",), {"a"}),
        (("Garten/Beete", "c"), {"b", "c"}),
        (("Ka\u0308fer",), {"d"}),
    ],
)
def test_a_path_is_a_folder_with_all_below_it_or_one_note(paths: tuple[str, ...], names: set[str]) -> None:
    chunks = (
        a_chunk("a", path="Garten/a.md", folders=["Garten"]),
        a_chunk("b", path="Garten/Beete/b.md", folders=["Garten", "Garten/Beete"]),
        a_chunk("c", path="c.md"),
        a_chunk("d", path="Käfer/d.md", folders=["Käfer"]),
    )
    store = store_of(*chunks, notes=tuple({"path": chunk.payload["path"]} for chunk in chunks))

    assert answers(store, Conditions(path=paths)) == names


def test_a_note_without_chunks_may_be_named_as_a_path() -> None:
    store = store_of(a_chunk("a"), notes=({"path": "leer.md"},))

    assert answers(store, Conditions(path=("leer",))) == set()


def test_since_and_until_name_whole_days_months_and_years() -> None:
    days = ("2024-12-31T23:59:59Z", "2025-03-01T00:00:00Z", "2025-03-31T23:59:59Z", "2025-04-01T00:00:00Z")
    store = store_of(*(a_chunk(day, created_at=day) for day in days), a_chunk("undated"))

    assert answers(store, Conditions(since="2025-03", until="2025-03")) == set(days[1:3])
    assert answers(store, Conditions(until="2024")) == set(days[:1])
    assert answers(store, Conditions(since="2025-03-31")) == set(days[2:])
    assert answers(store, Conditions(until="2025-03-01T00:00")) == set(days[:2])
    assert answers(store, Conditions(since="2025-04-01T01:00+02:00")) == {days[3], *days[2:3]}


@pytest.mark.parametrize(
    ("asked", "what", "hint"),
    [
        (Conditions(type=("conzept",)), "nothing in the index has the type `conzept`", "did you mean `concept`?"),
        (Conditions(type=("Concept",)), "nothing in the index has the type `Concept`", "did you mean `concept`?"),
        (Conditions(tag=("Bienne",)), "nothing in the index has the tag `bienne`", "did you mean `biene`?"),
        (Conditions(path=("20_ideen",)), "nothing in the index has the path `20_ideen`", "did you mean `20_ideas`?"),
        (Conditions(lang=("xx",)), "nothing in the index has the lang `xx`", "stored are `de`"),
        (
            Conditions(area=("x",)),
            "nothing in the index has the area `x`",
            "no note in the index has a value for `area`",
        ),
        (Conditions(tag=("#",)), "nothing in the index has the tag ``", "stored are `biene`"),
        (
            Conditions(since="soon"),
            "`since` is no date: `soon`",
            "allowed are 2025, 2025-03, 2025-03-31, 2025-03-31T18:30",
        ),
        (Conditions(until="2025-02-30"), "`until` is no date: `2025-02-30`", "allowed are 2025"),
        (Conditions(since="2025", until="2024-06"), "`since` 2025 is after `until` 2024-06", "exchange the two"),
    ],
)
def test_an_impossible_condition_is_one_clear_line_with_the_way_out(asked: Conditions, what: str, hint: str) -> None:
    store = store_of(
        a_chunk("a", type="concept", tag_keys=["biene"], path="20_ideas/a.md", folders=["20_ideas"], area=None)
    )

    with pytest.raises(UsageError) as caught:
        conditions(asked, store, "v")

    assert caught.value.what == what
    assert caught.value.hint.startswith(hint)


def test_the_end_of_the_calendar_has_no_end() -> None:
    assert period("until", "9999-12-31") == ("9999-12-31T00:00:00Z", None)
    assert period("since", "0001") == ("0001-01-01T00:00:00Z", "0002-01-01T00:00:00Z")


@given(st.text(max_size=20))
@settings(max_examples=100, deadline=None)
def test_any_text_as_a_date_is_a_period_or_an_error(text: str) -> None:
    try:
        start, end = period("since", text)
    except UsageError as error:
        assert "is no date" in error.what
    else:
        assert end is None or start < end


@given(st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_text_as_a_condition_is_answered_or_an_error(text: str) -> None:
    store = store_of(a_chunk("a", tag_keys=["biene"]))

    for asked in (Conditions(tag=(text,)), Conditions(path=(text,)), Conditions(project=(text,))):
        try:
            assert isinstance(conditions(asked, store, "v"), Filter)
        except UsageError as error:
            assert error.hint


# --- what is shown ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vault", "path", "link"),
    [
        ("Notes", "a.md", "obsidian://open?vault=Notes&file=a"),
        (
            "Mein Garten",
            "Küche & Co/50% #1.md",
            "obsidian://open?vault=Mein%20Garten&file=K%C3%BCche%20%26%20Co%2F50%25%20%231",
        ),
        ("v", "Plan.canvas", "obsidian://open?vault=v&file=Plan.canvas"),
        ("v", "a+b=c?.md", "obsidian://open?vault=v&file=a%2Bb%3Dc%3F"),
    ],
)
def test_the_link_of_a_hit_opens_its_note(vault: str, path: str, link: str) -> None:
    assert obsidian_link(vault, path) == link


@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
@settings(max_examples=100, deadline=None)
def test_every_name_comes_back_out_of_its_link(vault: str, name: str) -> None:
    link = obsidian_link(vault, f"{name}.md")

    asked = parse_qs(urlsplit(link).query, keep_blank_values=True, strict_parsing=True)
    assert link.isascii()
    assert asked == {"vault": [vault], "file": [name]}


def test_the_sentence_shown_holds_most_words_of_the_question() -> None:
    text = "## Schwarm\n\nEs war warm. Die Bienen zogen aus. Danach war Ruhe.\n\n- Korb\n- Bienen in den Korb\n"
    chunk = {"text": text, "own_start": 0}

    def words_in(sentence: str) -> list[str]:
        return [word for word in ("Bienen", "Korb") if word in sentence]

    assert matching_sentence(chunk, words_in) == "Bienen in den Korb"
    assert matching_sentence(chunk, lambda sentence: []) == "Es war warm."
    assert matching_sentence(chunk, lambda sentence: [], lambda texts: [len(text) for text in texts]) == (
        "Die Bienen zogen aus."
    )


def test_sentences_are_shown_without_marks_and_without_what_says_nothing() -> None:
    text = (
        "# Titel\n\n> [!note] Hinweis\n> Ein Satz. Noch\n> einer.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "1. [x] Erledigt\n\n```py\nx = 1. # so\n```\n\n---\n"
    )

    assert sentences_of(text) == ["Ein Satz.", "Noch einer.", "| a | b |", "| 1 | 2 |", "[x] Erledigt", "x = 1. # so"]
    assert sentences_of("## Nur\n### Titel") == ["Nur", "Titel"]


@given(st.text(alphabet="ab .!?\n#>-*|`~[]1)", max_size=80))
@settings(max_examples=150, deadline=None)
def test_every_chunk_has_something_to_show(text: str) -> None:
    shown = matching_sentence({"text": text, "own_start": 0}, lambda sentence: [])

    assert "\n" not in shown


def test_the_place_of_a_hit_names_title_and_sections_once() -> None:
    steps = [{"level": 1, "text": "Titel"}, {"level": 2, "text": "Abschnitt"}]

    assert place_of({"note_title": "Titel", "header_path": steps}) == "Titel > Abschnitt"
    assert place_of({"note_title": "Name", "header_path": steps[1:]}) == "Name > Abschnitt"
    assert place_of({"note_title": "Name", "header_path": []}) == "Name"


# --- what stands around a hit ----------------------------------------------------------------------------------------

NOTE = {
    "char_count": 100,
    "exclusions": [{"char_start": 0, "char_end": 10, "reason": "frontmatter"}],
    "headings": [
        {"level": 2, "text": "A", "line": 3, "char_start": 20, "char_end": 70},
        {"level": 3, "text": "A1", "line": 4, "char_start": 25, "char_end": 50},
        {"level": 3, "text": "A2", "line": 6, "char_start": 50, "char_end": 70},
        {"level": 2, "text": "B", "line": 8, "char_start": 70, "char_end": 100},
    ],
}


def placed(start: int | None, end: int | None, *path: tuple[int, str]) -> Record:
    return {"char_start": start, "char_end": end, "header_path": [{"level": n, "text": t} for n, t in path]}


@pytest.mark.parametrize(
    ("chunk", "span"),
    [
        (placed(10, 18, (0, "T")), (10, 20)),  # before the first heading
        (placed(50, 60, (0, "T"), (2, "A"), (3, "A2")), (50, 70)),
        (placed(20, 48, (0, "T"), (2, "A"), (3, "A1")), (20, 50)),  # with the heading above its own
        (placed(25, 68, (0, "T"), (2, "A")), (20, 70)),  # two sections merged
        (placed(50, 60, (0, "T"), (2, "joined / names")), (50, 70)),  # a label that is no heading
        (placed(20, 98, (0, "T")), (10, 100)),  # sections without a common one
        (placed(None, None), None),
    ],
)
def test_the_section_of_a_hit_is_that_of_its_path(chunk: Record, span: tuple[int, int] | None) -> None:
    assert span_around(chunk, NOTE, "section") == span


def test_a_note_around_a_hit_begins_behind_its_head() -> None:
    assert span_around(placed(50, 60), NOTE, "note") == (10, 100)
    assert span_around(placed(1, 2), {"char_count": 5, "exclusions": [], "headings": []}, "section") == (0, 5)


def test_stored_texts_of_a_section_leave_out_what_they_repeat() -> None:
    chunks = [
        {"chunk_index": 1, "char_start": 20, "text": "Wiederholt. Neu.", "own_start": 12},
        {"chunk_index": 0, "char_start": 10, "text": "Erst. Wiederholt.", "own_start": 0},
        {"chunk_index": 2, "char_start": 60, "text": "Danach.", "own_start": 0},
    ]

    assert stored_text(chunks, Span(10, 50)) == "Erst. Wiederholt.\n\nNeu."
    assert stored_text(chunks, None).endswith("Danach.")
