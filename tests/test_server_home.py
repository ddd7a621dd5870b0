"""What a server holds already, and what an earlier run left of its own."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from qdrant_stand_in import StandIn
from store_contract import MODEL, OTHER_MODEL, a_point, along, names

from mindnet_chunker.errors import StoreError, UsageError
from mindnet_chunker.index.generations import finish, open_target
from mindnet_chunker.index.server_store import ServerHome, stored_names
from mindnet_chunker.index.server_store.home import AS_FOUND
from mindnet_chunker.index.store import KINDS, DamagedStoreError, Model

FRONTS = ("x_chunks", "x_edges", "x_notes")
CHANGES = "^(PUT|PATCH|DELETE) |/aliases|/delete|/batch"  # requests that change something


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StandIn]:
    with StandIn(tmp_path / "server") as server:
        yield server


@pytest.fixture
def home(server: StandIn) -> Iterator[ServerHome]:
    with ServerHome(server.url, "x", sleep=lambda seconds: None) as home:
        yield home


def by_hand(dim: int = MODEL.dim, **more: Any) -> dict[str, Any]:
    """What a user would send to make the chunks' collection."""
    return {
        "vectors": {"dense": {"size": dim, "distance": "Cosine"}},
        "sparse_vectors": {"bm25": {"modifier": "idf"}},
        **more,
    }


def collections(server: StandIn) -> list[str]:
    return sorted(server.engine.collections)


# --- what is there already --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (by_hand(dim=768), "its vectors have 768 dimensions, those of the model 4"),
        ({"vectors": {"size": 4, "distance": "Cosine"}}, "its vectors have no name|it has no vector `dense`"),
        ({"vectors": {"text": {"size": 4, "distance": "Cosine"}}}, "it has no vector `dense`"),
        (by_hand() | {"vectors": {"dense": {"size": 4, "distance": "Dot"}}}, "cosine"),
        (by_hand() | {"sparse_vectors": {}}, "no sparse vector `bm25`"),
        (by_hand() | {"sparse_vectors": {"bm25": {}}}, "modifier `idf`"),
    ],
)
@pytest.mark.parametrize("name", ["x_chunks", "x_chunks__first"])
def test_a_collection_that_does_not_fit_is_explained_before_anything_is_written(
    server: StandIn, home: ServerHome, name: str, body: dict[str, Any], why: str
) -> None:
    server.engine.create(name, copy.deepcopy(body))

    with pytest.raises(StoreError, match=why) as caught:
        home.create("first", MODEL)

    assert f"`{name}`" in caught.value.what
    assert "--collection" in caught.value.hint
    assert collections(server) == [name]
    assert server.requests(CHANGES) == []


def test_a_collection_with_points_of_others_is_refused_and_left_alone(server: StandIn, home: ServerHome) -> None:
    server.engine.create("x_notes", {})
    server.engine.of("x_notes").upsert([{"id": 1, "vector": {}, "payload": {"a": 1}}])

    assert home.meta() is None
    with pytest.raises(StoreError, match="it holds 1 point that we did not write"):
        home.create("first", MODEL)
    home.reset()
    assert collections(server) == ["x_notes"]
    assert server.engine.of("x_notes").count(None) == 1


def test_an_alias_of_others_is_refused(server: StandIn, home: ServerHome) -> None:
    server.engine.create("theirs", by_hand())
    server.engine.aliases["x_chunks"] = "theirs"

    with pytest.raises(StoreError, match=r"`x_chunks`.*an alias of a collection that is not ours"):
        home.create("first", MODEL)

    assert collections(server) == ["theirs"]


def test_collections_made_by_hand_that_fit_are_used_as_they_are(server: StandIn, home: ServerHome) -> None:
    server.engine.create("x_chunks", by_hand(hnsw_config={"m": 32}))

    store = home.create("first", MODEL)
    home.put_in_force(store.generation)
    home.write_vault("v", {"root": "/"})
    store.upsert("chunks", [a_point("x")])

    assert collections(server) == list(FRONTS)
    assert server.engine.aliases == {}
    assert server.engine.of("x_chunks").hnsw["m"] == 32
    meta = home.meta()
    assert meta is not None
    assert (meta.generation, meta.model, meta.vaults) == (AS_FOUND, MODEL, {"v": {"root": "/"}})
    assert names(home.open().scroll("chunks", "v")) == ["x"]
    assert home.unfinished() == {}


def test_a_new_model_takes_over_from_collections_made_by_hand(server: StandIn, home: ServerHome) -> None:
    for front in FRONTS:
        server.engine.create(front, by_hand())
    home.put_in_force(home.create("first", MODEL).generation)
    home.write_vault("v", {"root": "/"})
    target = open_target(home, "v", {}, OTHER_MODEL, rebuild=False)
    target.store.upsert("chunks", [a_point("new", vectors=along(1, 0, 0))])
    assert server.engine.of("x_chunks").dims == {"dense": 4}

    finish(home, target, "v", {"root": "/"})

    assert names(home.open().scroll("chunks", "v")) == ["new"]
    assert len(collections(server)) == 3
    assert sorted(server.engine.aliases) == list(FRONTS)


def test_what_an_administrator_changed_is_respected(server: StandIn, home: ServerHome) -> None:
    home.create("first", MODEL)
    home.put_in_force("first")
    server.engine.of("x_chunks").hnsw |= {"m": 64}
    server.engine.of("x_chunks").metadata |= {"owner": "us"}  # type: ignore[operator]

    home.write_vault("v", {"root": "/"})
    home.open().upsert("chunks", [a_point("x")])

    assert server.engine.of("x_chunks").hnsw["m"] == 64
    assert server.engine.of("x_chunks").metadata["owner"] == "us"  # type: ignore[index]


@pytest.mark.parametrize("keeps_metadata", [True, False])
def test_a_store_of_a_later_version_is_refused_and_left_alone(tmp_path: Path, keeps_metadata: bool) -> None:
    with StandIn(tmp_path, keeps_metadata=keeps_metadata) as server, ServerHome(server.url, "x") as home:
        home.create("first", MODEL)
        home.put_in_force("first")
        notes = server.engine.of("x_notes")
        if keeps_metadata:
            notes.metadata["mindnet"]["format"] = 2  # type: ignore[index]
        else:
            (point,) = notes.scroll({"limit": 9})["points"]
            point["payload"]["mindnet"]["format"] = 2
            notes.upsert([point | {"vector": {}}])
        server.seen.clear()

        for ask in (home.meta, home.open, home.reset, lambda: home.create("second", OTHER_MODEL)):
            with pytest.raises(StoreError, match=r"later version \(format 2, not 1\)"):
                ask()
        assert server.requests(CHANGES) == []


def test_the_label_on_a_server_without_metadata_is_no_point_of_any_vault(tmp_path: Path) -> None:
    with StandIn(tmp_path, keeps_metadata=False) as server, ServerHome(server.url, "x") as home:
        store = home.create("first", MODEL)
        home.put_in_force("first")
        home.write_vault("v", {"root": "/ä"})

        for kind in KINDS:
            assert list(store.scroll(kind, "v")) == []
            assert store.counts_by_note(kind, "v") == {}
        assert store.search("v", (1.0, 0, 0, 0), 5) == []
        with ServerHome(server.url, "x") as other:
            meta = other.meta()
            assert meta is not None
            assert meta.vaults == {"v": {"root": "/ä"}}


def test_names_that_begin_alike_are_kept_apart(server: StandIn, home: ServerHome) -> None:
    home.create("first", MODEL)
    home.put_in_force("first")
    with ServerHome(server.url, "x_notes__x") as other:
        other.create("first", OTHER_MODEL)
        other.put_in_force("first")

        assert home.unfinished() == {}
        home.write_vault("v", {"root": "/"})
        home.reset()
        meta = other.meta()
        assert meta is not None
        assert meta.model == OTHER_MODEL
    assert len(collections(server)) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_collection_that_was_lost_makes_the_store_damaged_and_a_rebuild_fills_it(
    server: StandIn, home: ServerHome, kind: str
) -> None:
    home.create("first", MODEL)
    home.put_in_force("first")
    home.write_vault("v", {"root": "/"})
    server.engine.drop(f"x_{kind}__first", None)

    if kind == "notes":  # with it, all knowledge of the store is lost
        assert home.meta() is None
    else:
        with pytest.raises(DamagedStoreError, match=f"`x_{kind}__first`: it is not there") as caught:
            home.meta()
        assert "--rebuild" in caught.value.hint
    target = open_target(home, "v", {"root": "/"}, MODEL, rebuild=True)
    target.store.upsert("chunks", [a_point("x")])
    finish(home, target, "v", {"root": "/"})

    assert names(home.open().scroll("chunks", "v")) == ["x"]
    assert len(collections(server)) == 3


# --- runs that end early ----------------------------------------------------------------------------------------------


class Killed(BaseException):
    """The process ends."""


def killed_after(server: StandIn, home: ServerHome, changes: int) -> ServerHome:
    """A home whose process ends after so many requests that change something; indexes, all alike, do not count."""

    def die(seconds: float) -> None:
        raise Killed

    dying = ServerHome(server.url, home.name, sleep=die)
    left = changes
    answer = server.engine.answer

    def counting(method: str, path: str, query: Any, body: Any) -> Any:
        nonlocal left
        if (method in ("PUT", "PATCH", "DELETE") or path == "/collections/aliases") and not path.endswith("/index"):
            left -= 1
            if left < 0:
                raise ConnectionAbortedError  # the handler dies, and with it the connection
        return answer(method, path, query, body)

    server.engine.answer = counting  # type: ignore[method-assign]
    return dying


def test_a_takeover_that_ends_anywhere_is_completed_by_the_next_run(tmp_path: Path) -> None:
    about = {"root": "/"}

    def run(home: ServerHome, model: Model, name: str) -> None:
        target = open_target(home, "v", about, model, rebuild=False)
        target.store.upsert("chunks", [a_point(name, vectors=along(*[1.0] * model.dim))])
        finish(home, target, "v", about)

    changes, complete = 0, False
    while not complete:
        with StandIn(tmp_path / str(changes)) as server, ServerHome(server.url, "x") as home:
            run(home, MODEL, "old")
            answer = server.engine.answer
            dying = killed_after(server, home, changes)
            try:
                run(dying, OTHER_MODEL, "new")
                complete = True
            except Killed:
                pass
            server.engine.answer = answer  # type: ignore[method-assign]
            dying.close()

            assert names(home.open().scroll("chunks", "v")) in (["old"], ["new"]), changes
            run(home, OTHER_MODEL, "new")
            assert names(home.open().scroll("chunks", "v")) == ["new"], changes
            assert len(collections(server)) == 3, changes
            changes += 2
    assert changes > 12


def test_making_collections_survives_answers_that_get_lost(server: StandIn, home: ServerHome) -> None:
    server.fail(path="^(PUT|PATCH|DELETE) |/aliases$", drop="after", times=3)
    for pattern in ("PUT /collections/x_edges__first$", "PATCH", "PUT .*index", "POST /collections/aliases"):
        server.fail(path=pattern, drop="after")

    store = home.create("first", MODEL)
    home.put_in_force("first")
    store.upsert("chunks", [a_point("x")])

    assert names(home.open().scroll("chunks", "v")) == ["x"]


# --- what else is to be known -----------------------------------------------------------------------------------------


def test_the_names_that_a_server_has_something_of_ours_for_are_told(server: StandIn) -> None:
    for name in ("b", "a", "by-hand", "empty"):
        with ServerHome(server.url, name) as home:
            if name == "by-hand":
                server.engine.create("by-hand_notes", {})
            store = home.create("first", MODEL)
            if name != "empty":
                home.put_in_force(store.generation)
    server.engine.create("theirs_notes", {})

    assert stored_names(server.url) == ["a", "b", "by-hand"]


def test_a_node_of_a_cluster_may_know_a_moment_later(server: StandIn, home: ServerHome) -> None:
    server.fail(path="GET /collections/x_notes__first$", status=404, skip=1, times=2)
    server.fail(path="GET /collections/x_notes$", status=404, skip=3, times=2)

    home.create("first", MODEL)
    home.put_in_force("first")
    home.write_vault("v", {"root": "/"})

    assert server.engine.of("x_notes").count(None) == 0  # its label stands in the metadata
    meta = home.meta()
    assert meta is not None
    assert list(meta.vaults) == ["v"]


def test_a_name_that_no_server_takes_is_a_mistake_of_the_user(server: StandIn) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        ServerHome(server.url, "a/b")
