from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_stand_in import StandIn
from store_contract import MODEL, OTHER_MODEL, HomeContract, StoreContract, a_point, empty, names

from mindnet_chunker.index.server_store import ServerHome, ServerStore
from mindnet_chunker.index.store import KINDS, Filter, Match, indexes_of

FRONTS = ("x_chunks", "x_edges", "x_notes")
CHANGES = "^(PUT|PATCH|DELETE) |/aliases|/delete|/batch"  # requests that change something


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerStore]:
    """Making collections takes longer than most tests."""
    with StandIn(tmp_path_factory.mktemp("shared")) as server, ServerHome(server.url, "shared") as home:
        yield home.create("first", MODEL)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[StandIn]:
    with StandIn(tmp_path / "server") as server:
        yield server


@pytest.fixture
def home(server: StandIn) -> Iterator[ServerHome]:
    with ServerHome(server.url, "x", sleep=lambda seconds: None) as home:
        yield home


class TestServerStore(StoreContract):
    @pytest.fixture
    def store(self, shared: ServerStore) -> ServerStore:
        empty(shared)
        return shared


class TestServerHome(HomeContract):
    """`home` is the fixture above."""

    @pytest.fixture
    def home(self, server: StandIn) -> Iterator[ServerHome]:
        with ServerHome(server.url, "x") as home:
            yield home


class TestHomeOnServerWithoutMetadata(HomeContract):
    """Servers before 1.16."""

    @pytest.fixture
    def home(self, tmp_path: Path) -> Iterator[ServerHome]:
        with (
            StandIn(tmp_path, keeps_metadata=False) as server,
            ServerHome(server.url, "x", sleep=lambda seconds: None) as home,
        ):
            yield home


if os.environ.get("QDRANT_URL"):

    class TestRealServer(StoreContract, HomeContract):
        """In collections of its own, removed afterwards."""

        @pytest.fixture
        def home(self) -> Iterator[ServerHome]:
            name = f"mindnet-test-{uuid.uuid4().hex}"
            key = os.environ.get("QDRANT_API_KEY")
            with ServerHome(os.environ["QDRANT_URL"], name, key=key) as home:
                try:
                    yield home
                finally:
                    home.reset()

        @pytest.fixture
        def store(self, home: ServerHome) -> ServerStore:
            return home.create("first", MODEL)

else:

    def test_the_contract_holds_on_a_real_server(capsys: pytest.CaptureFixture[str]) -> None:
        reason = "the contract was not run on a real server: `QDRANT_URL` is not set"
        with capsys.disabled():
            print(f"\n{reason}")
        pytest.skip(reason)


def test_a_generation_is_three_collections_behind_three_aliases(server: StandIn, home: ServerHome) -> None:
    home.create("first", MODEL)
    assert server.engine.aliases == {}
    home.put_in_force("first")

    assert sorted(server.engine.collections) == ["x_chunks__first", "x_edges__first", "x_notes__first"]
    assert server.engine.aliases == {front: f"{front}__first" for front in FRONTS}


def test_all_aliases_move_in_one_request(server: StandIn, home: ServerHome) -> None:
    home.create("first", MODEL)
    home.put_in_force("first")
    home.create("second", OTHER_MODEL)
    server.seen.clear()

    home.put_in_force("second")

    assert len(server.requests("POST /collections/aliases")) == 1
    assert server.engine.aliases == {front: f"{front}__second" for front in FRONTS}


def test_collections_are_made_as_the_design_says(server: StandIn, home: ServerHome) -> None:
    home.create("first", MODEL)

    chunks, notes, edges = (server.engine.of(f"x_{kind}__first").info() for kind in KINDS)
    assert chunks["config"]["params"]["vectors"] == {"dense": {"size": 4, "distance": "Cosine"}}
    assert chunks["config"]["params"]["sparse_vectors"] == {"bm25": {"modifier": "idf"}}
    assert notes["config"]["params"]["vectors"] == edges["config"]["params"]["vectors"] == {}
    for info in (chunks, notes, edges):
        assert (info["config"]["hnsw_config"]["m"], info["config"]["hnsw_config"]["ef_construct"]) == (16, 128)


def test_every_field_that_is_filtered_by_is_indexed_before_the_first_upload(server: StandIn, home: ServerHome) -> None:
    home.create("first", MODEL).upsert("chunks", [a_point("x")])

    for kind in KINDS:
        indexed = server.engine.of(f"x_{kind}__first").indexed
        assert {name: schema["type"] for name, schema in indexed.items()} == {
            name: schema.replace("tenant", "keyword") for name, schema in indexes_of(kind).items()
        }
        assert indexed["vault"] == {"type": "keyword", "is_tenant": True}
    order = [one.path for one in server.requests("PUT .*(index|points)$")]
    assert order[-1].endswith("/points")
    assert all(path.endswith("/index") for path in order[:-1])


def test_an_index_that_is_missing_is_made_before_the_next_upload(server: StandIn, home: ServerHome) -> None:
    home.create("first", MODEL)
    del server.engine.of("x_chunks__first").indexed["lang"]
    store = home.open("first")
    assert store.count("chunks", "v") == 0
    assert "lang" not in server.engine.of("x_chunks__first").indexed

    store.upsert("chunks", [a_point("x", lang="de")])

    assert names(store.scroll("chunks", "v", Filter(must=(Match("lang", ("de",)),)))) == ["x"]


def test_what_is_known_of_vaults_is_seen_from_another_machine(server: StandIn, home: ServerHome) -> None:
    home.create("first", MODEL)
    home.put_in_force("first")
    home.write_vault("Gärten", {"root": "/a", "settings": {"x": None}})
    with ServerHome(server.url, "x") as other:
        other.write_vault("w", {"root": "/b"})
    home.write_vault("Gärten", {"root": "/c"})

    meta = home.meta()
    assert meta is not None
    assert meta.vaults == {"Gärten": {"root": "/c"}, "w": {"root": "/b"}}


def test_small_stores_are_searched_exactly_and_large_ones_by_their_index(server: StandIn, home: ServerHome) -> None:
    store = home.create("first", MODEL)
    store.search("v", (1.0, 0, 0, 0), 5)
    store._exact = False

    store.search("v", (1.0, 0, 0, 0), 5)

    exact, index = (one.body["params"] for one in server.requests("query"))
    assert exact == {"exact": True}
    assert index["hnsw_ef"] >= 128


def test_what_can_match_nothing_is_not_asked_for(server: StandIn, home: ServerHome) -> None:
    store = home.create("first", MODEL)
    server.seen.clear()
    nothing = Filter(must=(Match("type", ()),))

    assert list(store.scroll("chunks", "v", nothing)) == []
    assert store.search("v", (1.0, 0, 0, 0), 5, nothing) == []
    assert store.count("chunks", "v", nothing) == 0
    assert server.seen == []
