from __future__ import annotations

import math
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store import MemoryHome, MemoryStore
from store_contract import MODEL, HomeContract, StoreContract, a_point

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.check import MAX_DEPTH, check_points
from mindnet_chunker.index.store import Filter, Match, Point, Sparse, Vectors


class TestMemoryStore(StoreContract, HomeContract):
    """The contract itself is sound: the store that other tests use keeps it."""

    @pytest.fixture
    def home(self) -> MemoryHome:
        return MemoryHome()

    @pytest.fixture
    def store(self, home: MemoryHome) -> MemoryStore:
        return home.create("first", MODEL)


def nested(depth: int, *, lists: bool) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if lists else {"k": value}
    return value


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (2**63, "64"),
        (-(2**63) - 1, "64"),
        ("\ud800", "surrogate"),
        ({1: 2}, "cannot be a key"),
        ({"\udfff": 2}, "cannot be a key"),
        (date(2026, 1, 1), "no JSON"),
        (b"x", "no JSON"),
        ((1, 2), "no JSON"),
        ({1, 2}, "no JSON"),
        (np.float32(1), "no JSON"),
        (nested(MAX_DEPTH, lists=True), "nested"),
        (nested(MAX_DEPTH, lists=False), "nested"),
        (nested(100_000, lists=True), "nested"),
    ],
)
def test_a_value_that_would_not_come_back_is_refused_with_the_path_of_its_note(value: Any, what: str) -> None:
    for frontmatter in (value, {"deeper": [value]}):
        point = a_point("x", note="Ordner/Notiz", frontmatter=frontmatter)

        with pytest.raises(StoreError, match=what) as caught:
            check_points("chunks", [a_point("good"), point], 4)
        assert caught.value.where == "Ordner/Notiz.md"


@pytest.mark.parametrize(
    "value", [nested(MAX_DEPTH - 1, lists=True), 2**63 - 1, -(2**63), "\U0001f600\0", {"": None}, 1e308]
)
def test_a_value_at_the_limit_is_taken(value: Any) -> None:
    check_points("chunks", [a_point("x", frontmatter=value)], 4)


@pytest.mark.parametrize(
    "vectors",
    [
        Vectors(),
        Vectors((1.0, 2.0, 3.0)),
        Vectors((1.0, 2.0, 3.0, 4.0, 5.0)),
        Vectors(((1.0, 2.0, 3.0, 4.0),)),
        Vectors((0.0, 0.0, 0.0, 0.0)),
        Vectors((1.0, math.nan, 0.0, 0.0)),
        Vectors((1.0, -math.inf, 0.0, 0.0)),
        Vectors((1.0, 0, 0, 0), Sparse((), ())),
        Vectors((1.0, 0, 0, 0), Sparse((1, 1), (1.0, 1.0))),
        Vectors((1.0, 0, 0, 0), Sparse((1, 2), (1.0,))),
        Vectors((1.0, 0, 0, 0), Sparse((-1,), (1.0,))),
        Vectors((1.0, 0, 0, 0), Sparse((2**32,), (1.0,))),
        Vectors((1.0, 0, 0, 0), Sparse((1,), (math.nan,))),
    ],
)
def test_a_vector_that_cannot_be_searched_is_refused(vectors: Vectors) -> None:
    point = Point(id=a_point("x").id, payload=a_point("x").payload, vectors=vectors)

    with pytest.raises(StoreError, match=r"n1\.md"):
        check_points("chunks", [point], 4)


def test_only_chunks_may_have_vectors() -> None:
    with pytest.raises(StoreError, match="only chunks"):
        check_points("notes", [a_point("x")], 4)


@pytest.mark.parametrize(
    "point_id", ["", "x", "7", a_point("x").id.upper(), a_point("x").id.replace("-", ""), a_point("x").id + "\n"]
)
def test_an_id_that_is_no_uuid_in_lower_case_is_refused(point_id: str) -> None:
    with pytest.raises(StoreError, match="UUID"):
        check_points("edges", [Point(id=point_id, payload=a_point("x").payload)], 4)


@pytest.mark.parametrize("key", ["vault", "note_id"])
@pytest.mark.parametrize("value", [None, "", 7])
def test_a_point_without_vault_or_note_is_refused(key: str, value: Any) -> None:
    with pytest.raises(StoreError, match=key):
        check_points(
            "chunks",
            [a_point("x", **{key: value})]
            if key != "vault"
            else [
                Point(id=a_point("x").id, payload={**a_point("x").payload, key: value}, vectors=a_point("x").vectors)
            ],
            4,
        )


@pytest.mark.parametrize("time", ["2026-01-31", "2026-01-31T12:00:00", "2026-01-31T12:00:00+01:00", "gestern", "", 5])
def test_a_time_in_another_form_is_refused_because_it_would_never_match(time: Any) -> None:
    with pytest.raises(StoreError, match="created_at"):
        check_points("chunks", [a_point("x", created_at=time)], 4)


def test_an_error_never_holds_what_cannot_be_printed() -> None:
    with pytest.raises(StoreError) as caught:
        check_points("edges", [a_point("x", note="\ud800", of="edges")], 4)

    str(caught.value).encode("utf-8")


def test_a_filter_on_a_field_without_index_is_a_mistake() -> None:
    with pytest.raises(AssertionError):
        Filter(must=(Match("title", ("x",)),)).check("chunks")
    with pytest.raises(AssertionError):
        Filter(since="2026-01-01T00:00:00Z").check("edges")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()) | st.integers(), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(json_values)
@settings(max_examples=200, deadline=None)
def test_whatever_a_payload_holds_it_is_stored_or_refused_by_name(value: Any) -> None:
    point = a_point("x", of="edges", frontmatter=value)

    try:
        check_points("edges", [point], 4)
    except StoreError as error:
        assert error.where == "n1.md"
    else:
        assert "\\ud8" not in repr(value)
