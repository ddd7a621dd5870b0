"""What every store must do: one suite, run on each implementation by a subclass that supplies `home`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.generations import Home
from mindnet_chunker.index.store import (
    FIELDS,
    KINDS,
    NO_VECTORS,
    Filter,
    Kind,
    Match,
    Model,
    Point,
    Sparse,
    Store,
    Vectors,
    note_states,
    of_notes,
)
from mindnet_chunker.index.vectors import vectors_by_text_hash
from mindnet_chunker.index.write import clear
from mindnet_chunker.records import stable_id

MODEL = Model(name="fake/model-s", dim=4, identity="0123456789abcdef", about={"window": 256, "names": ["a", "ä"]})
OTHER_MODEL = Model(name="other", dim=3, identity="fedcba9876543210")
VAULTS = ("v", "w")  # that the tests write to


def a_point(name: str, *, vault: str = "v", note: str = "n1", of: Kind = "chunks", **payload: Any) -> Point:
    vectors = payload.pop("vectors", None) or Vectors((1.0, 2.0, 3.0, 4.0), Sparse((3, 70), (1.0, 0.5)))
    return Point(
        id=stable_id("test", vault, name),
        payload={"vault": vault, "note_id": note, "path": f"{note}.md", "name": name, **payload},
        vectors=vectors if of == "chunks" else NO_VECTORS,
    )


def names(points: Any) -> list[str]:
    return sorted(point.payload["name"] for point in points)


def along(*values: float) -> Vectors:
    return Vectors(values, Sparse((1,), (1.0,)))


def empty(store: Store) -> Store:
    """One store may serve many tests."""
    for vault in VAULTS:
        clear(store, vault)
    return store


class StoreContract:
    """Subclasses define the fixture `store`: an empty store for `MODEL`."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        raise NotImplementedError

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_payload_comes_back_as_it_went_in(self, store: Store, kind: Kind) -> None:
        payload = {
            "z": None, "a": [1, -(2**63), 2**63 - 1, 0.1, 1e22, -0.0, True], "text": "Ä\0\U0001f600\u2028",
            "frontmatter": {"": 1, "a.b": {"c[]": []}, "d": {}}, "created_at": "2026-01-31T12:00:00Z",
        }  # fmt: skip
        point = a_point("x", of=kind, **payload)

        store.upsert(kind, [point])

        assert [p.payload for p in store.scroll(kind, "v")] == [point.payload]
        assert list(next(store.scroll(kind, "v")).payload) == list(point.payload)

    def test_vectors_come_back_with_length_one(self, store: Store) -> None:
        store.upsert("chunks", [a_point("x")])

        (found,) = store.scroll("chunks", "v", with_vectors=True)
        assert np.allclose(found.vectors.dense, np.array([1, 2, 3, 4]) / np.sqrt(30), atol=1e-6)
        assert found.vectors.sparse is not None
        assert [list(part) for part in found.vectors.sparse] == [[3, 70], [1.0, 0.5]]

    def test_a_chunk_may_have_no_sparse_vector(self, store: Store) -> None:
        store.upsert("chunks", [a_point("x", vectors=Vectors((1.0, 0, 0, 0)))])

        (found,) = store.scroll("chunks", "v", with_vectors=True)
        assert found.vectors.dense is not None
        assert found.vectors.sparse is None

    def test_vectors_stay_away_unless_asked_for(self, store: Store) -> None:
        store.upsert("chunks", [a_point("x")])

        (found,) = store.scroll("chunks", "v")
        assert found.vectors == NO_VECTORS

    def test_only_the_keys_that_are_asked_for_come(self, store: Store) -> None:
        store.upsert("chunks", [a_point("x", type="task", text="long")])

        (scrolled,) = store.scroll("chunks", "v", keys=("name", "type", "missing"))
        (retrieved,) = store.retrieve("chunks", "v", [scrolled.id], keys=("name",))
        assert scrolled.payload == {"name": "x", "type": "task"}
        assert retrieved.payload == {"name": "x"}

    def test_scrolling_goes_through_all_points_in_the_order_of_ids(self, store: Store) -> None:
        store.upsert("notes", [a_point(str(i), of="notes") for i in range(2500)])

        ids = [point.id for point in store.scroll("notes", "v", keys=("name",))]
        assert len(ids) == 2500
        assert ids == sorted(ids)

    def test_scrolling_an_empty_store_yields_nothing(self, store: Store) -> None:
        assert list(store.scroll("edges", "v")) == []

    def test_a_point_of_the_same_id_is_replaced(self, store: Store) -> None:
        store.upsert("chunks", [a_point("x", type="old", gone=1)])

        store.upsert("chunks", [a_point("x", type="new", vectors=along(0, 1, 0, 0))])

        (found,) = store.scroll("chunks", "v", with_vectors=True)
        assert found.payload["type"] == "new"
        assert "gone" not in found.payload
        assert np.allclose(found.vectors.dense, [0, 1, 0, 0])

    def test_overwriting_a_payload_keeps_the_vectors(self, store: Store) -> None:
        point = a_point("x", type="old", gone=1)
        store.upsert("chunks", [point])

        store.overwrite_payload("chunks", {point.id: a_point("x", type="new").payload})

        (found,) = store.scroll("chunks", "v", with_vectors=True)
        assert found.payload == a_point("x", type="new").payload
        assert found.vectors.dense is not None
        assert found.vectors.sparse is not None

    def test_deleting_is_by_id_and_twice_is_no_error(self, store: Store) -> None:
        points = [a_point(name) for name in "abc"]
        store.upsert("chunks", points)

        store.delete("chunks", [points[0].id, points[2].id])
        store.delete("chunks", [points[0].id])

        assert names(store.scroll("chunks", "v")) == ["b"]

    def test_empty_writes_do_nothing(self, store: Store) -> None:
        store.upsert("chunks", [])
        store.overwrite_payload("chunks", {})
        store.delete("chunks", [])
        store.flush()

        assert store.count("chunks", "v") == 0

    def test_retrieving_leaves_out_what_is_not_there(self, store: Store) -> None:
        point = a_point("x")
        store.upsert("chunks", [point])

        found = store.retrieve("chunks", "v", [stable_id("nothing"), point.id], with_vectors=True)

        assert names(found) == ["x"]
        assert found[0].vectors.dense is not None
        assert store.retrieve("chunks", "v", []) == []

    def test_two_vaults_never_touch_each_other(self, store: Store) -> None:
        for kind in KINDS:
            store.upsert(kind, [a_point("x", vault=vault, of=kind, text_hash="h") for vault in ("v", "w")])
        other = a_point("x", vault="w").id

        assert store.retrieve("chunks", "v", [other]) == []
        assert store.count("notes", "v") == 1
        assert store.counts_by_note("chunks", "v") == {"n1": 1}
        assert len(vectors_by_text_hash(store, "v", {"h"})) == 1
        assert [hit.payload["vault"] for hit in store.search("v", (1.0, 0, 0, 0), 9)] == ["v"]
        assert [hit.payload["vault"] for hit in store.search("v", Sparse((3,), (1.0,)), 9)] == ["v"]
        for kind in KINDS:
            assert [point.payload["vault"] for point in store.scroll(kind, "w")] == ["w"]

    def test_a_filter_names_values_of_which_one_must_be_there(self, store: Store) -> None:
        store.upsert(
            "chunks",
            [
                a_point("a", type="task", tag_keys=["x", "x/y"]),
                a_point("b", type="task", tag_keys=["z"]),
                a_point("c", type="source", tag_keys=["x"]),
                a_point("d"),
            ],
        )

        def found(**filters: Any) -> list[str]:
            where = Filter(**filters)
            listed = names(store.scroll("chunks", "v", where))
            assert store.count("chunks", "v", where) == len(listed)
            assert names(store.search("v", (1.0, 0, 0, 0), 9, where)) == listed
            return listed

        assert found(must=(Match("type", ("task", "other")),)) == ["a", "b"]
        assert found(must=(Match("tag_keys", ("x", "z")),)) == ["a", "b", "c"]
        assert found(must=(Match("type", ("task",)), Match("tag_keys", ("x",)))) == ["a"]
        assert found(must=(Match("tag_keys", ("x",)), Match("tag_keys", ("x/y",)))) == ["a"]
        assert found(must_not=(Match("type", ("task",)),)) == ["c", "d"]
        assert found(must=(Match("tag_keys", ("x",)),), must_not=(Match("type", ("source",)),)) == ["a"]
        assert found(must=(Match("type", ()),)) == []
        assert found() == ["a", "b", "c", "d"]

    def test_a_filter_of_times_takes_the_first_and_leaves_the_last(self, store: Store) -> None:
        days = {"a": "2026-01-01", "b": "2026-01-02", "c": "2026-01-03"}
        store.upsert("chunks", [a_point(name, created_at=f"{day}T00:00:00Z") for name, day in days.items()])
        store.upsert("chunks", [a_point("d", created_at=None), a_point("e")])

        def found(**filters: Any) -> list[str]:
            return names(store.scroll("chunks", "v", Filter(**filters)))

        assert found(since="2026-01-02T00:00:00Z") == ["b", "c"]
        assert found(until="2026-01-02T00:00:00Z") == ["a"]
        assert found(since="2026-01-01T00:00:01Z", until="2026-01-03T00:00:00Z") == ["b"]

    @pytest.mark.parametrize("field", [name for name, field in FIELDS.items() if field.schema == "keyword"])
    def test_every_keyword_field_can_be_filtered_by(self, store: Store, field: str) -> None:
        odd = "Ordner mit „Zeichen“ / *?[x]"
        for kind in FIELDS[field].of:
            store.upsert(kind, [a_point("x", of=kind, **{field: odd}), a_point("y", of=kind)])

        for kind in FIELDS[field].of:
            assert names(store.scroll(kind, "v", Filter(must=(Match(field, (odd,)),)))) == ["x"]

    def test_counts_by_note_cover_all_notes(self, store: Store) -> None:
        store.upsert("edges", [a_point(str(i), note=f"n{i % 30}", of="edges") for i in range(100)])

        counts = store.counts_by_note("edges", "v")
        assert len(counts) == 30
        assert sum(counts.values()) == 100
        assert counts["n0"] == 4

    def test_deleted_points_are_not_counted(self, store: Store) -> None:
        points = [a_point(str(i), note=f"n{i % 2}") for i in range(4)]
        store.upsert("chunks", points)

        store.delete("chunks", [points[0].id, points[2].id])

        assert store.counts_by_note("chunks", "v") == {"n1": 2}
        assert store.count("chunks", "v", of_notes(["n0"])) == 0

    def test_dense_search_gives_the_nearest_first(self, store: Store) -> None:
        store.upsert(
            "chunks",
            [
                a_point("far", vectors=along(0, 1, 0, 0)),
                a_point("near", vectors=along(3, 1, 0, 0)),
                a_point("same", vectors=along(2, 0, 0, 0)),
                a_point("against", vectors=along(-1, 0, 0, 0)),
            ],
        )

        hits = store.search("v", np.array([1, 0, 0, 0], dtype=np.float32), 3, keys=("name",))

        assert [hit.payload for hit in hits] == [{"name": "same"}, {"name": "near"}, {"name": "far"}]
        assert hits[0].score == pytest.approx(1.0, abs=1e-5)

    def test_ties_are_in_the_order_of_ids(self, store: Store) -> None:
        store.upsert("chunks", [a_point(str(i), vectors=along(1, 0, 0, 0)) for i in range(9)])

        ids = [hit.id for hit in store.search("v", (1.0, 0, 0, 0), 9)]

        assert ids == sorted(ids)

    def test_sparse_search_gives_only_points_that_share_an_index(self, store: Store) -> None:
        store.upsert(
            "chunks",
            [
                a_point("both", vectors=Vectors((1.0, 0, 0, 0), Sparse((5, 9), (1.0, 1.0)))),
                a_point("one", vectors=Vectors((1.0, 0, 0, 0), Sparse((5,), (1.0,)))),
                a_point("none", vectors=Vectors((1.0, 0, 0, 0), Sparse((6,), (1.0,)))),
                a_point("without", vectors=Vectors((1.0, 0, 0, 0))),
            ],
        )

        hits = store.search("v", Sparse((9, 5), (1.0, 1.0)), 9)

        assert [hit.payload["name"] for hit in hits] == ["both", "one"]

    def test_a_bad_point_is_refused_before_anything_is_written(self, store: Store) -> None:
        bad = a_point("bad", note="Böse", vectors=Vectors((float("nan"), 0, 0, 0)))

        with pytest.raises(StoreError, match=r"Böse\.md"):
            store.upsert("chunks", [a_point("good"), bad])
        with pytest.raises(StoreError, match=r"n1\.md"):
            store.overwrite_payload("chunks", {a_point("x").id: a_point("x", big=2**70).payload})

        assert store.count("chunks", "v") == 0

    def test_many_points_and_large_ones_are_stored(self, store: Store) -> None:
        store.upsert("notes", [a_point(str(i), of="notes", text="x" * 100_000) for i in range(150)])

        assert store.count("notes", "v") == 150

    def test_a_released_store_can_be_used_again(self, store: Store) -> None:
        store.upsert("chunks", [a_point("x")])

        with store.released():
            pass
        store.give_way()
        store.upsert("chunks", [a_point("y")])

        assert names(store.scroll("chunks", "v")) == ["x", "y"]

    def test_the_states_of_notes_are_read_from_their_points(self, store: Store) -> None:
        whole = {
            "commit": "c", "content_hash": "h", "excluded": None, "n_chunks": 3, "n_edges": 5, "n_edge_points": 1,
            "schema": 1,
        }  # fmt: skip
        store.upsert("notes", [a_point("x", note="a", of="notes", **whole), a_point("y", note="b", of="notes")])

        a, b = sorted(note_states(store, "v"), key=lambda state: state.note_id)
        assert (a.note_id, a.path, a.commit, a.content_hash, a.excluded) == ("a", "a.md", "c", "h", False)
        assert (a.n_chunks, a.n_edges, a.n_edge_points, a.schema) == (3, 5, 1, 1)
        assert (b.commit, b.n_chunks) == (None, 0)

    def test_vectors_are_found_by_the_hash_of_their_text(self, store: Store) -> None:
        store.upsert("chunks", [a_point("x", text_hash="h1"), a_point("y", text_hash="h2", vectors=along(0, 0, 1, 0))])

        found = vectors_by_text_hash(store, "v", {"h2", "h3"})

        assert found.keys() == {"h2"}
        assert np.allclose(found["h2"].dense, [0, 0, 1, 0])


class HomeContract:
    """Subclasses define the fixture `home`: a place without any generation."""

    @pytest.fixture
    def home(self) -> Iterator[Home]:
        raise NotImplementedError

    @pytest.fixture
    def first(self, home: Home) -> Store:
        store = home.create("first", MODEL)
        home.put_in_force("first")
        return store

    def test_a_home_without_generation_has_no_meta_and_opens_nothing(self, home: Home) -> None:
        assert home.meta() is None
        assert home.unfinished() == {}
        with pytest.raises(StoreError):
            home.open()

    def test_a_generation_is_unfinished_until_it_is_in_force(self, home: Home) -> None:
        home.create("first", MODEL)
        before = dict(home.unfinished())
        home.put_in_force("first")

        assert before == {"first": MODEL}
        assert home.unfinished() == {}
        meta = home.meta()
        assert meta is not None
        assert (meta.generation, meta.model, meta.vaults) == ("first", MODEL, {})

    def test_what_is_said_of_vaults_outlives_a_change_of_generation(self, home: Home, first: Store) -> None:
        home.write_vault("v", {"root": "/ä", "last": None})
        home.write_vault("w", {"root": "/w"})
        home.write_vault("w", None)
        home.create("second", OTHER_MODEL)

        home.put_in_force("second")

        meta = home.meta()
        assert meta is not None
        assert meta.vaults == {"v": {"root": "/ä", "last": None}}

    def test_the_old_generation_serves_until_the_new_one_is_in_force(self, home: Home, first: Store) -> None:
        first.upsert("chunks", [a_point("old")])
        new = home.create("second", OTHER_MODEL)
        new.upsert("chunks", [a_point("new", vectors=along(1, 0, 0))])

        assert names(home.open().scroll("chunks", "v")) == ["old"]
        assert home.unfinished() == {"second": OTHER_MODEL}
        home.put_in_force("second")
        assert names(home.open().scroll("chunks", "v")) == ["new"]
        assert home.open().model == OTHER_MODEL
        home.drop("first")
        assert home.unfinished() == {}

    def test_an_unfinished_generation_can_be_opened_again(self, home: Home, first: Store) -> None:
        home.create("second", OTHER_MODEL).upsert("chunks", [a_point("new", vectors=along(1, 0, 0))])

        again = home.open("second")

        assert (again.generation, again.model) == ("second", OTHER_MODEL)
        assert names(again.scroll("chunks", "v")) == ["new"]

    def test_a_name_that_is_made_again_is_empty(self, home: Home, first: Store) -> None:
        home.create("second", MODEL).upsert("chunks", [a_point("x")])
        home.drop("second")

        assert home.create("second", MODEL).count("chunks", "v") == 0

    def test_a_reset_leaves_nothing(self, home: Home, first: Store) -> None:
        first.upsert("chunks", [a_point("x")])

        home.reset()

        assert home.meta() is None
        assert home.unfinished() == {}
