"""How a request goes on when server, proxy or network do not: what is repeated, for how long, and what the user reads."""

from __future__ import annotations

import socket
import time
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from qdrant_stand_in import CLIENT_VERSION, StandIn, make_certificate
from store_contract import MODEL, a_point, names

from mindnet_chunker.errors import StoreError, UsageError
from mindnet_chunker.index.server_store import ServerHome, ServerStore
from mindnet_chunker.index.server_store.transport import FIRST_TRIES, TRIES, one_line, retry_after
from mindnet_chunker.index.store import RejectedPointsError

KEY = "S3CRET-key"


class Client:
    """A store on a stand-in, whose pauses are noted instead of waited for."""

    def __init__(self, server: StandIn, name: str, **options: Any) -> None:
        self.server = server
        self.pauses: list[float] = []
        self.warnings: list[str] = []
        self.home = ServerHome(server.url, name, sleep=self.pauses.append, warn=self.warnings.append, **options)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, ServerStore]]:
    with StandIn(tmp_path_factory.mktemp("shared"), key=KEY, read_only_key="look") as server:
        client = Client(server, "shared", key=KEY)
        with client.home as home:
            store = home.create("first", MODEL)
            home.put_in_force("first")
            yield client, store


@pytest.fixture
def client(running: tuple[Client, ServerStore]) -> Client:
    client, store = running
    client.server.faults.clear()
    store.delete("chunks", [point.id for point in store.scroll("chunks", "v", keys=("name",))])
    client.server.seen.clear()
    client.pauses.clear()
    client.warnings.clear()
    return client


@pytest.fixture
def store(running: tuple[Client, ServerStore], client: Client) -> ServerStore:
    return running[1]


def stored(store: ServerStore) -> list[str]:
    return names(store.scroll("chunks", "v", keys=("name",)))


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_a_state_that_passes_is_waited_for(client: Client, store: ServerStore, status: int) -> None:
    client.server.fail(path="PUT .*points", status=status, times=3)

    store.upsert("chunks", [a_point("x")])

    assert stored(store) == ["x"]
    assert len(client.pauses) == 3
    assert client.pauses == sorted(client.pauses)


@pytest.mark.parametrize("drop", ["before", "after"])
def test_a_connection_that_ends_is_made_again(client: Client, store: ServerStore, drop: Any) -> None:
    client.server.fail(drop=drop, times=2)
    store.upsert("chunks", [a_point("x"), a_point("y")])
    client.server.fail(drop=drop)
    store.overwrite_payload("chunks", {a_point("x").id: a_point("x", type="new").payload})
    client.server.fail(drop=drop)
    store.delete("chunks", [a_point("y").id])
    client.server.fail(drop=drop)

    assert [point.payload["type"] for point in store.scroll("chunks", "v")] == ["new"]
    assert len(client.pauses) == 5


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422, 501])
def test_a_refusal_is_not_repeated(client: Client, store: ServerStore, status: int) -> None:
    client.server.fail(path="PUT .*points", status=status, times=99)

    with pytest.raises(StoreError):
        store.upsert("chunks", [a_point("x")])

    assert len(client.server.requests("PUT .*points")) == 1
    assert client.pauses == []


@pytest.mark.parametrize("status", [301, 307, 308])
def test_a_server_that_sends_elsewhere_is_not_followed(client: Client, store: ServerStore, status: int) -> None:
    client.server.fail(status=status, headers={"Location": f"{client.server.url}/other"})

    with pytest.raises(StoreError, match=str(status)) as caught:
        store.count("chunks", "v")

    assert "URL" in caught.value.hint
    assert len(client.server.seen) == 1


def test_the_wait_that_a_server_asks_for_is_kept(client: Client, store: ServerStore) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    client.server.fail(status=429, headers={"Retry-After": "7"})
    client.server.fail(status=429, headers={"Retry-After": later})
    client.server.fail(status=503, headers={"Retry-After": "nonsense"})

    store.upsert("chunks", [a_point("x")])

    assert client.pauses[0] == 7
    assert client.warnings[0].endswith("429: told to fail; it asks to be left alone for 7 s; trying again in 7 s")
    assert len(client.warnings) == 2
    assert 25 < client.pauses[1] <= 30
    assert 0 < client.pauses[2] < 7


def test_a_wait_beyond_all_patience_ends_at_once(client: Client, store: ServerStore) -> None:
    client.server.fail(status=429, headers={"Retry-After": "3600"})

    with pytest.raises(StoreError, match="left alone for 3600 s"):
        store.count("chunks", "v")

    assert client.pauses == []


def test_repeating_ends(client: Client, store: ServerStore) -> None:
    client.server.fail(status=503, times=99)

    with pytest.raises(StoreError, match="503: told to fail"):
        store.count("chunks", "v")

    assert len(client.server.seen) == TRIES
    assert sum(client.pauses) < 60


@pytest.mark.parametrize("update", ["acknowledged", "wait_timeout"])
def test_only_a_completed_change_counts(client: Client, store: ServerStore, update: str) -> None:
    client.server.fail(path="PUT .*points", update=update, times=2)

    store.upsert("chunks", [a_point("x")])

    assert stored(store) == ["x"]
    client.server.fail(path="PUT .*points", update=update, times=99)
    with pytest.raises(StoreError, match="did not carry it out"):
        store.upsert("chunks", [a_point("y")])


def test_every_change_is_waited_for(client: Client, store: ServerStore) -> None:
    store.upsert("chunks", [a_point("x")])
    store.overwrite_payload("chunks", {a_point("x").id: a_point("x").payload})
    store.delete("chunks", [a_point("x").id])

    assert [one.query.get("wait") for one in client.server.requests("points($|/batch|/delete)")] == ["true"] * 3


def test_an_answer_that_is_not_the_servers_is_an_error_of_one_line(client: Client, store: ServerStore) -> None:
    for body in (b"<html>Log in to the hotel's network</html>", b"{}", b'{"result": 7}', b"\xff", b""):
        client.server.fail(body=body)

        with pytest.raises(StoreError, match="does not speak as a Qdrant server") as caught:
            store.count("chunks", "v")
        assert "\n" not in str(caught.value)


def test_a_web_page_is_not_shown_as_the_reason(client: Client, store: ServerStore) -> None:
    client.server.fail(status=403, body=b"<html>\n<b>x", headers={"Content-Type": "text/html"})

    with pytest.raises(StoreError, match="Forbidden"):
        store.count("chunks", "v")


def test_a_reason_that_repeats_the_key_is_masked(client: Client, store: ServerStore) -> None:
    client.server.fail(status=400, body=b'{"status": {"error": "no such key: S3CRET-key\\nmore"}}')

    with pytest.raises(StoreError, match=r"no such key: \*\*\*$"):
        store.count("chunks", "v")


# --- sizes ------------------------------------------------------------------------------------------------------------


def test_points_go_in_requests_that_a_server_takes(client: Client, store: ServerStore) -> None:
    store.upsert("chunks", [a_point(f"a{i}") for i in range(600)])
    store.upsert("chunks", [a_point(f"b{i}", text="ä" * 700_000) for i in range(13)])

    sent = client.server.requests("PUT .*points")
    assert [len(one.body["points"]) for one in sent] == [256, 256, 88, 5, 5, 3]
    assert max(one.size for one in sent) < 8 << 20


def test_a_point_that_no_request_can_carry_names_its_note_and_nothing_is_sent(
    client: Client, store: ServerStore
) -> None:
    with pytest.raises(RejectedPointsError, match=r"^Riese\.md: too large"):
        store.upsert("chunks", [a_point("x"), a_point("y", note="Riese", text="x" * (32 << 20))])

    assert client.server.seen == []


@pytest.mark.parametrize("status", [400, 413])
def test_a_smaller_limit_is_found_by_halving(client: Client, store: ServerStore, status: int) -> None:
    client.server.max_body, client.server.too_large = 20_000, status
    try:
        store.upsert("chunks", [a_point(str(i), text="x" * 3000) for i in range(20)])
        store.overwrite_payload(
            "chunks", {a_point(str(i)).id: a_point(str(i), n="y" * 3000).payload for i in range(20)}
        )
        with pytest.raises(RejectedPointsError, match=r"^Riese\.md: too large"):
            store.upsert("chunks", [a_point("x", note="Riese", text="x" * 30_000)])
    finally:
        client.server.max_body, client.server.too_large = 32 << 20, 400

    assert len(stored(store)) == 20
    assert all("n" in point.payload for point in store.scroll("chunks", "v"))


def test_points_that_the_server_refuses_can_be_tried_one_by_one(client: Client, store: ServerStore) -> None:
    client.server.fail(path="PUT .*points", status=422)

    with pytest.raises(RejectedPointsError, match="422: told to fail"):
        store.upsert("chunks", [a_point("x")])


# --- first contact ----------------------------------------------------------------------------------------------------


def test_nothing_is_sent_before_something_is_asked_for(client: Client) -> None:
    with ServerHome(client.server.url, "other"):
        pass

    assert client.server.seen == []


def test_a_server_that_is_not_there_is_told_in_one_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        pauses: list[float] = []
        with ServerHome(url, "x", sleep=pauses.append) as home, pytest.raises(StoreError) as caught:
            home.meta()

    assert str(caught.value).startswith(f"{url}: the Qdrant server cannot be reached: ")
    assert "\n" not in str(caught.value)
    assert len(pauses) == FIRST_TRIES - 1
    assert sum(pauses) < 3


def test_a_name_that_is_not_known_is_told_in_one_line() -> None:
    with ServerHome("http://nirgends.invalid", "x", sleep=lambda seconds: None) as home, pytest.raises(StoreError) as e:
        home.meta()

    assert "cannot be reached" in str(e.value)


def test_a_server_that_never_answers_ends_within_the_timeout() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        began = time.monotonic()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with ServerHome(url, "x", timeout=1) as home, pytest.raises(StoreError, match="within 1 s") as caught:
            home.meta()

    assert "--timeout" in caught.value.hint
    assert 1 <= time.monotonic() - began < 30


def test_a_request_that_hangs_is_sent_again_once_the_server_was_met(client: Client) -> None:
    with ServerHome(client.server.url, "shared", key=KEY, timeout=2, sleep=client.pauses.append) as home:
        assert home.meta()
        client.server.fail(delay=4)
        assert home.meta()

    assert len(client.pauses) == 1


@pytest.mark.parametrize(
    ("major", "minor", "warned"), [(0, 0, False), (0, -1, False), (0, 1, False), (0, -2, True), (1, 0, True)]
)
def test_versions_that_are_apart_are_told_once(client: Client, major: int, minor: int, warned: bool) -> None:
    ours = [int(part) for part in CLIENT_VERSION.split(".")[:2]]
    version = client.server.engine.version = f"{ours[0] + major}.{ours[1] + minor}.7"
    other = Client(client.server, "shared", key=KEY)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with other.home as home:
                home.meta()
                home.meta()
    finally:
        client.server.engine.version = CLIENT_VERSION

    assert len(other.warnings) == warned
    assert all(version in text for text in other.warnings)


@pytest.mark.parametrize("how", [{"status": 404}, {"status": 403}, {"body": b"{}"}])
def test_a_version_that_is_not_told_does_not_matter(client: Client, how: Any) -> None:
    client.server.fail(path="GET /$", **how)
    other = Client(client.server, "shared", key=KEY)

    with other.home as home:
        assert home.meta()
    assert other.warnings == []


def test_a_server_may_lie_below_a_path(tmp_path: Path) -> None:
    with StandIn(tmp_path, prefix="/tools/qdrant") as server, ServerHome(server.url + "/", "x") as home:
        home.create("first", MODEL).upsert("chunks", [a_point("x")])

        assert all(one.path.startswith("/tools/qdrant/") for one in server.seen)
        with ServerHome(server.url.removesuffix("/qdrant"), "x") as wrong, pytest.raises(StoreError, match="404"):
            wrong.create("first", MODEL)


# --- keys and certificates --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [None, "wrong"])
def test_a_key_that_is_missing_or_wrong_is_told(client: Client, key: str | None) -> None:
    other = Client(client.server, "shared", key=key)

    with other.home as home, pytest.raises(StoreError, match="does not accept the key") as caught:
        home.meta()

    assert "QDRANT_API_KEY" in caught.value.hint
    assert other.pauses == []


def test_a_key_that_may_only_read_is_enough_to_read(client: Client, store: ServerStore) -> None:
    point = a_point("x")
    store.upsert("chunks", [point])
    client.server.seen.clear()

    with ServerHome(client.server.url, "shared", key="look") as home:
        assert home.meta()
        assert home.unfinished() == {}
        reading = home.open()
        assert names(reading.scroll("chunks", "v", with_vectors=True)) == ["x"]
        assert names(reading.retrieve("chunks", "v", [point.id])) == ["x"]
        assert reading.count("chunks", "v") == 1
        assert reading.counts_by_note("chunks", "v") == {"n1": 1}
        assert len(reading.search("v", (1.0, 0, 0, 0), 5)) == 1
        reading.flush()
        reading.close()
        assert {one.method for one in client.server.seen} == {"GET", "POST"}
        with pytest.raises(StoreError, match="the key does not allow this: Forbidden") as caught:
            reading.upsert("chunks", [a_point("y")])
    assert "may write" in caught.value.hint


def test_a_key_is_sent_in_its_header_and_shown_nowhere(client: Client) -> None:
    with ServerHome(client.server.url, "shared", key=KEY) as home:
        home.meta()
        assert KEY not in f"{home} {home!r} {vars(home)}"

    assert {one.headers["api-key"] for one in client.server.seen} == {KEY}
    assert not any(KEY in one.path for one in client.server.seen)


def test_a_proxy_of_the_environment_sees_nothing_of_what_stays_here(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    with ServerHome(client.server.url, "shared", key=KEY) as home:
        assert home.meta()


def test_a_certificate_is_trusted_if_its_authority_is_named(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    with StandIn(tmp_path / "store", certificate=certificate, key=KEY) as server:
        with ServerHome(server.url, "x", key=KEY, ca_cert=certificate[0]) as home:
            home.create("first", MODEL).upsert("chunks", [a_point("x")])
        server.seen.clear()
        pauses: list[float] = []
        home = ServerHome(server.url, "x", key=KEY, insecure=True, sleep=pauses.append)
        with home, pytest.raises(StoreError, match="no secure connection: ") as caught:
            home.meta()
        assert "--ca-cert" in caught.value.hint
        assert (pauses, server.seen) == ([], [])
        home = ServerHome(server.url.replace("https", "http"), "x", timeout=5, sleep=pauses.append)
        with home, pytest.raises(StoreError):
            home.meta()


def test_https_to_a_server_that_speaks_http_is_told(client: Client) -> None:
    url = client.server.url.replace("http", "https")

    with ServerHome(url, "x") as home, pytest.raises(StoreError, match="no secure connection") as caught:
        home.meta()

    assert "http://" in caught.value.hint


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_without_certificates_is_a_mistake_of_the_user(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "ca.pem"
    if content:
        path.write_text(content)

    with ServerHome("https://localhost:1", "x", ca_cert=path) as home, pytest.raises(UsageError) as caught:
        home.meta()

    assert caught.value.where == str(path)


@given(st.text(st.characters()))
@settings(max_examples=200, deadline=None)
def test_whatever_a_server_says_becomes_one_line(text: str) -> None:
    assert one_line(text).isprintable()
    wait = retry_after(text)
    assert wait is None or wait >= 0
