"""A vault brought to a server: the same as in an embedded store, whatever goes wrong on the way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_vault import MODEL, FakeEmbedder, FakeVault, expected, run, snapshot
from qdrant_stand_in import StandIn

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.edge_store import EdgeHome
from mindnet_chunker.index.server_store import ServerHome, ServerStore
from mindnet_chunker.index.sync import sync
from mindnet_chunker.index.write import clear

BEFORE = {
    "a.md": "# Apfel\n\nErster Absatz zum Apfel [[b]].\n\nZweiter Absatz.\n\nDritter Absatz [[fehlt]].",
    "b.md": "# Birne\n\nErster Absatz zur Birne.\n\nZweiter Absatz.",
    "c/d.md": "Nur ein Absatz [[a]].",
    "leer.md": "",
}
AFTER = {
    "a.md": "# Apfel\n\nNeuer Absatz [[b]].\n\nErster Absatz zum Apfel [[b]].\n\nZweiter, neuer Absatz.",
    "e/f.md": "Nur ein Absatz [[a]].",
    "leer.md": "Nicht mehr [[fehlt]].",
    "fehlt.md": "id: 7\n\nDoch da.",
}
CHANGES = "^(PUT|PATCH|DELETE) |/aliases|/delete|/batch"  # requests that change something


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[StandIn, ServerStore]]:
    with (
        StandIn(tmp_path_factory.mktemp("shared")) as server,
        ServerHome(server.url, "x", timeout=5, sleep=lambda seconds: None) as home,
    ):
        yield server, home.create("first", MODEL)


@pytest.fixture
def server(shared: tuple[StandIn, ServerStore]) -> StandIn:
    return shared[0]


@pytest.fixture
def store(shared: tuple[StandIn, ServerStore]) -> ServerStore:
    server, store = shared
    server.faults.clear()
    for vault in ("v", "w"):
        clear(store, vault)
    server.seen.clear()
    return store


def test_a_server_holds_what_an_embedded_store_holds(store: ServerStore, tmp_path: Path) -> None:
    with EdgeHome(tmp_path / "edge", command="test", wait=0) as home:
        embedded = home.create("first", MODEL)
        for files in (BEFORE, AFTER):
            there, here = run(store, files), run(embedded, files)

            assert snapshot(store) == snapshot(embedded) == expected(files)
            assert there == here


def test_a_second_run_writes_nothing(server: StandIn, store: ServerStore) -> None:
    run(store, BEFORE)
    server.seen.clear()
    vault = FakeVault(BEFORE)

    report = sync(store, "v", vault.wanted(), FakeEmbedder())

    assert (report.unchanged, vault.built) == (4, [])
    assert server.requests(CHANGES) == []
    assert [one.path.split("/")[-1] for one in server.seen] == ["scroll", "count", "count"]


def test_two_vaults_on_one_server_do_not_touch_each_other(server: StandIn, store: ServerStore) -> None:
    run(store, BEFORE)
    run(store, AFTER, name="w")
    run(store, {}, name="w")

    assert snapshot(store, "w") == {}
    assert snapshot(store) == expected(BEFORE)


@pytest.mark.parametrize(
    "fault",
    [
        {"drop": "before"}, {"drop": "after"}, {"status": 503}, {"status": 500},
        {"status": 429, "headers": {"Retry-After": "1"}}, {"path": CHANGES, "update": "wait_timeout"},
    ],
    ids=str,
)  # fmt: skip
def test_a_run_with_a_fault_at_every_third_request_ends_well(
    server: StandIn, store: ServerStore, fault: dict[str, Any]
) -> None:
    for files in (BEFORE, AFTER):
        for number in range(60):
            server.fail(skip=2 * number, **fault)

        run(store, files)

        server.faults.clear()
        assert snapshot(store) == expected(files)


def test_a_run_that_loses_its_server_anywhere_is_healed_by_the_next(server: StandIn, store: ServerStore) -> None:
    run(store, BEFORE)
    server.seen.clear()
    run(store, AFTER)
    count = len(server.requests(CHANGES))
    assert count > 8

    for lost in range(count):
        for drop in ("before", "after"):
            run(store, BEFORE)
            server.fail(path=CHANGES, skip=lost, times=99, drop=drop)
            with pytest.raises(StoreError, match="the connection to the Qdrant server broke"):
                run(store, AFTER)
            server.faults.clear()

            run(store, AFTER if lost % 2 else BEFORE)

            assert snapshot(store) == expected(AFTER if lost % 2 else BEFORE), (lost, drop)


@pytest.mark.parametrize("status", [400, 413])
def test_a_note_that_is_too_large_for_the_server_is_named_and_the_others_are_stored(
    server: StandIn, store: ServerStore, status: int
) -> None:
    files = {**BEFORE, "riese.md": "x" * 40_000}
    server.max_body, server.too_large = 30_000, status
    try:
        report = run(store, files)
    finally:
        server.max_body, server.too_large = 32 << 20, 400

    assert [(problem.path, problem.code) for problem in report.failed] == [("riese.md", "note-not-stored")]
    assert "too large for the server" in report.failed[0].message
    run(store, files)
    assert snapshot(store) == expected(files)
