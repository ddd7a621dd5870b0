"""The stand-in is only worth something if it refuses what a Qdrant server refuses."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from qdrant_stand_in import CLIENT_VERSION, StandIn, make_certificate

A, B = "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"
NOTES = "/collections/notes"
BODY = {
    "vectors": {"dense": {"size": 2, "distance": "Cosine"}},
    "sparse_vectors": {"bm25": {"modifier": "idf"}},
    "hnsw_config": {"m": 8},
    "metadata": {"a": 1, "b": {"c": 2, "d": None}},
}


def ask(server: StandIn, request: str, body: Any = None, *, raw: bytes = b"", **headers: str) -> tuple[int, Any]:
    """`request`: "PUT /path"; status and what stands under `result`, or the error."""
    method, path = request.split(" ")
    parts = urlsplit(server.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
    content = raw or (json.dumps(body).encode() if body is not None else b"")
    connection.request(method, parts.path + path, content, {key.replace("_", "-"): v for key, v in headers.items()})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    try:
        found = json.loads(text)
    except ValueError:
        return answer.status, text
    return answer.status, found["result"] if "result" in found else found.get("status", {}).get("error", found)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    with StandIn(tmp_path_factory.mktemp("shared")) as server:
        yield server


@pytest.fixture
def server(shared: StandIn) -> StandIn:
    """With one collection, `notes`, that holds the points A and B."""
    shared.seen.clear()
    shared.faults.clear()
    shared.engine.aliases.clear()
    for name in list(shared.engine.collections):
        shared.engine.drop(name, None)
    assert ask(shared, f"PUT {NOTES}", BODY) == (200, True)
    points = [
        {"id": A, "vector": {"dense": [1, 0]}, "payload": {"path": "a", "n": 1}},
        {"id": B, "vector": {"dense": [0, 2], "bm25": {"indices": [7], "values": [1.5]}}, "payload": {"path": "b"}},
    ]
    assert ask(shared, f"PUT {NOTES}/points?wait=true", {"points": points})[1]["status"] == "completed"
    return shared


def test_it_listens_on_this_machine_only(server: StandIn) -> None:
    assert server.url.startswith("http://127.0.0.1:")


def test_it_tells_its_version(server: StandIn) -> None:
    assert ask(server, "GET /")[1]["version"] == CLIENT_VERSION


def test_a_collection_tells_how_it_was_made(server: StandIn) -> None:
    _, info = ask(server, f"GET {NOTES}")

    assert info["config"]["params"]["vectors"] == BODY["vectors"]
    assert info["config"]["hnsw_config"]["m"] == 8
    assert info["config"]["metadata"] == BODY["metadata"]
    assert info["points_count"] == 2


def test_metadata_is_merged_key_by_key(server: StandIn) -> None:
    ask(server, f"PATCH {NOTES}", {"metadata": {"a": None, "b": {"e": None}, "f": 3}})
    ask(server, f"PATCH {NOTES}", {"metadata": {}})

    assert ask(server, f"GET {NOTES}")[1]["config"]["metadata"] == {"b": {"e": None}, "f": 3}


@pytest.mark.parametrize(
    "request_", ["GET /collections/x", "POST /collections/x/points/scroll", "PUT /collections/x/points"]
)
def test_a_collection_that_is_not_there_is_404(server: StandIn, request_: str) -> None:
    assert ask(server, request_, {"points": []}) == (404, "Not found: Collection `x` doesn't exist!")


def test_dropping_what_is_not_there_is_no_error(server: StandIn) -> None:
    assert ask(server, "DELETE /collections/x") == (200, False)
    assert ask(server, f"DELETE {NOTES}") == (200, True)


@pytest.mark.parametrize("name", ["notes", "alias"])
def test_a_name_is_given_once(server: StandIn, name: str) -> None:
    aliases = [{"create_alias": {"collection_name": "notes", "alias_name": "alias"}}]
    assert ask(server, "POST /collections/aliases", {"actions": aliases}) == (200, True)

    assert ask(server, f"PUT /collections/{name}", BODY)[0] == 409


@pytest.mark.parametrize("name", ["a%3Ab", "a%2Fb", "x" * 256])
def test_a_name_that_no_file_could_bear_is_refused(server: StandIn, name: str) -> None:
    assert ask(server, f"PUT /collections/{name}", BODY)[0] == 422


def test_an_alias_serves_for_the_collection(server: StandIn) -> None:
    ask(
        server,
        "POST /collections/aliases",
        {"actions": [{"create_alias": {"collection_name": "notes", "alias_name": "ä"}}]},
    )

    assert ask(server, "POST /collections/%C3%A4/points/count", {}) == (200, {"count": 2})
    assert ask(server, "GET /aliases")[1] == {"aliases": [{"alias_name": "ä", "collection_name": "notes"}]}


@pytest.mark.parametrize(("collection", "alias", "status"), [("x", "free", 404), ("notes", "notes", 409)])
def test_aliases_change_all_or_none(server: StandIn, collection: str, alias: str, status: int) -> None:
    good = {"create_alias": {"collection_name": "notes", "alias_name": "good"}}
    bad = {"create_alias": {"collection_name": collection, "alias_name": alias}}

    assert ask(server, "POST /collections/aliases", {"actions": [good, bad]})[0] == status
    assert ask(server, "GET /aliases")[1] == {"aliases": []}


def test_dropping_a_collection_drops_its_aliases(server: StandIn) -> None:
    ask(
        server,
        "POST /collections/aliases",
        {"actions": [{"create_alias": {"collection_name": "notes", "alias_name": "a"}}]},
    )

    ask(server, f"DELETE {NOTES}")

    assert ask(server, "GET /aliases")[1] == {"aliases": []}


@pytest.mark.parametrize(
    ("point", "error"),
    [
        ({"id": "x", "vector": {}}, "is not a valid point ID"),
        ({"id": -1, "vector": {}}, "is not a valid point ID"),
        ({"id": A, "vector": {"dense": [1, 2, 3]}}, "expected dim: 2, got 3"),
        ({"id": A, "vector": {"other": [1, 2]}}, "Not existing vector name error: other"),
        ({"id": A, "vector": [1, 2]}, "Not existing vector name error"),
        ({"id": A, "vector": {"bm25": {"indices": [1, 1], "values": [1, 2]}}}, "unique"),
    ],
)
def test_a_point_that_does_not_fit_is_refused_and_nothing_of_the_batch_is_kept(
    server: StandIn, point: Any, error: str
) -> None:
    good = {"id": 5, "vector": {"dense": [1, 2]}}

    status, said = ask(server, f"PUT {NOTES}/points?wait=true", {"points": [good, point]})

    assert status in (400, 422)
    assert error in said
    assert ask(server, f"POST {NOTES}/points/count", {}) == (200, {"count": 2})


def test_what_is_not_waited_for_is_only_acknowledged(server: StandIn) -> None:
    assert ask(server, f"POST {NOTES}/points/delete", {"points": [A]})[1]["status"] == "acknowledged"


def test_the_payload_of_a_point_that_is_not_there_cannot_be_replaced(server: StandIn) -> None:
    change = {"payload": {}, "points": ["00000000-0000-0000-0000-00000000000c"]}

    assert ask(server, f"PUT {NOTES}/points/payload?wait=true", change)[0] == 404


def test_a_filter_needs_an_index(server: StandIn) -> None:
    conditions = {"filter": {"must": [{"key": "path", "match": {"any": ["a"]}}]}}

    status, error = ask(server, f"POST {NOTES}/points/scroll", conditions)
    assert (status, 'Index required but not found for "path"' in error) == (400, True)
    ask(server, f"PUT {NOTES}/index?wait=true", {"field_name": "path", "field_schema": "keyword"})
    _, found = ask(server, f"POST {NOTES}/points/scroll", conditions)
    assert [point["id"] for point in found["points"]] == [A]
    assert ask(server, f"GET {NOTES}")[1]["payload_schema"]["path"]["data_type"] == "keyword"
    assert ask(server, f"POST {NOTES}/facet", {"key": "path"})[1]["hits"][0]["count"] == 1


def test_a_search_gives_scores(server: StandIn) -> None:
    _, dense = ask(server, f"POST {NOTES}/points/query", {"query": [1, 1], "using": "dense", "with_payload": ["path"]})
    _, sparse = ask(server, f"POST {NOTES}/points/query", {"query": {"indices": [7], "values": [1]}, "using": "bm25"})

    assert {hit["id"]: round(hit["score"], 3) for hit in dense["points"]} == {A: 0.707, B: 0.707}
    assert [hit["id"] for hit in sparse["points"]] == [B]


def test_scrolling_goes_on_where_it_ended(server: StandIn) -> None:
    _, first = ask(server, f"POST {NOTES}/points/scroll", {"limit": 1, "with_vector": True})
    _, second = ask(server, f"POST {NOTES}/points/scroll", {"limit": 1, "offset": first["next_page_offset"]})

    assert [first["points"][0]["id"], second["points"][0]["id"]] == [A, B]
    assert first["points"][0]["vector"] == {"dense": [1.0, 0.0]}
    assert second["next_page_offset"] is None
    assert ask(server, f"POST {NOTES}/points/scroll", {"limit": 0})[0] == 422


def test_what_is_no_json_is_refused(server: StandIn) -> None:
    assert ask(server, f"POST {NOTES}/points/scroll", raw=b"{")[0] == 400


def test_a_body_over_the_limit_is_refused(tmp_path: Path) -> None:
    with StandIn(tmp_path, max_body=1000) as small:
        status, error = ask(small, "PUT /collections/x", {"metadata": {"a": "x" * 1000}})

    assert (status, "larger than allowed (limit: 1000 bytes)" in error) == (400, True)


def test_keys_decide_what_is_allowed(tmp_path: Path) -> None:
    with StandIn(tmp_path, key="all", read_only_key="look") as server:
        assert ask(server, "GET /")[0] == 200
        assert ask(server, "GET /collections")[0] == 401
        assert ask(server, "GET /collections", api_key="wrong") == (401, "Invalid API key or JWT")
        assert ask(server, f"PUT {NOTES}", BODY, api_key="look")[0] == 403
        assert ask(server, f"PUT {NOTES}", BODY, api_key="all")[0] == 200
        assert ask(server, f"POST {NOTES}/points/scroll", {}, authorization="Bearer look")[0] == 200
        assert ask(server, f"POST {NOTES}/points/delete", {"points": []}, api_key="look")[0] == 403
        assert ask(server, "POST /collections/aliases", {"actions": []}, api_key="look")[0] == 403


def test_an_old_server_keeps_no_metadata(tmp_path: Path) -> None:
    with StandIn(tmp_path, keeps_metadata=False) as server:
        ask(server, f"PUT {NOTES}", BODY)
        ask(server, f"PATCH {NOTES}", {"metadata": {"a": 1}})

        assert "metadata" not in ask(server, f"GET {NOTES}")[1]["config"]


def test_a_fault_strikes_as_often_as_it_is_told_to(server: StandIn) -> None:
    server.fail(path="GET /aliases", status=503, skip=1, times=2, headers={"Retry-After": "3"})

    assert [ask(server, "GET /aliases")[0] for _ in range(5)] == [200, 503, 503, 200, 200]


@pytest.mark.parametrize(("drop", "left"), [("before", 2), ("after", 1)])
def test_a_connection_can_end_before_or_after_the_change(server: StandIn, drop: Any, left: int) -> None:
    server.fail(path="points/delete", drop=drop)

    with pytest.raises((http.client.HTTPException, OSError)):
        ask(server, f"POST {NOTES}/points/delete?wait=true", {"points": [A]})
    assert ask(server, f"POST {NOTES}/points/count", {}) == (200, {"count": left})


def test_an_update_can_be_left_undone(server: StandIn) -> None:
    server.fail(path="points/delete", update="wait_timeout")

    assert ask(server, f"POST {NOTES}/points/delete?wait=true", {"points": [A]})[1]["status"] == "wait_timeout"
    assert ask(server, f"POST {NOTES}/points/count", {}) == (200, {"count": 2})


MANY = 100  # more than wait in a server's queue by default


def test_many_may_ask_at_once(server: StandIn) -> None:
    found: list[tuple[int, Any]] = []
    gate = threading.Barrier(MANY)

    def count() -> None:
        gate.wait()
        found.append(ask(server, f"POST {NOTES}/points/count", {}))

    threads = [threading.Thread(target=count) for _ in range(MANY)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [(200, {"count": 2})] * MANY


def test_it_speaks_https(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    with StandIn(tmp_path / "store", certificate=certificate) as server:
        parts = urlsplit(server.url)
        context = ssl.create_default_context(cafile=str(certificate[0]))
        connection = http.client.HTTPSConnection(parts.hostname or "", parts.port, context=context, timeout=10)
        connection.request("GET", "/collections")
        status = connection.getresponse().status
        connection.close()

    assert (parts.scheme, status) == ("https", 200)
