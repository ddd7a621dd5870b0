"""Windows over texts that are longer than the model's window, and the vector that is made of them."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.embedding.windows import fuse_windows, plan_windows, unit_rows

TEXTS = st.text(alphabet="ab. !\n\t\r。é🙂|`", max_size=300)


def word_starts(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"\S+", text)]


def sign_starts(text: str) -> list[int]:
    return [match.start() for match in re.finditer(r"\S", text)]


def pieces(text: str, budget: int) -> list[str]:
    return [text[start:end] for start, end in plan_windows(text, 0, word_starts(text), budget)]


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 40), st.integers(0, 20))
def test_every_sign_lies_in_one_window_and_none_is_over_the_budget(text: str, budget: int, start: int) -> None:
    starts = [at for at in sign_starts(text) if at >= start]

    spans = plan_windows(text, start, starts, budget)

    covered = [at for span in spans for at in range(*span) if at in set(starts)]
    assert covered == starts
    assert all(0 < sum(first <= at < last for at in starts) <= budget for first, last in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.integers(1, 40), st.lists(st.integers(0, 300), max_size=200))
def test_strange_offsets_lose_nothing(text: str, budget: int, offsets: list[int]) -> None:
    starts = sorted(min(offset, len(text)) for offset in offsets)

    spans = plan_windows(text, 0, starts, budget)

    assert "".join("".join(text[first:last] for first, last in spans).split()) == "".join(text.split())


def test_tokens_that_share_a_sign_are_never_parted() -> None:
    starts = [0, 0, 0, 0, 0, 1, 1, 1]

    assert plan_windows("🙂é", 0, starts, 2) == [(0, 1), (1, 2)]


def test_a_text_that_fits_is_one_window() -> None:
    assert pieces("one two three", 3) == ["one two three"]


def test_blank_text_has_no_window() -> None:
    assert plan_windows(" \n ", 0, [], 5) == []


def test_windows_are_about_equal() -> None:
    sizes = [len(piece.split()) for piece in pieces("word " * 110, 50)]

    assert sizes == [37, 37, 36]


def test_a_paragraph_s_end_is_preferred_to_a_line_s_end() -> None:
    text = "a b c d e f g\n\nh i\nj k l m n o"

    assert pieces(text, 10) == ["a b c d e f g", "h i\nj k l m n o"]


def test_a_sentence_s_end_is_preferred_to_a_blank() -> None:
    text = "a b c d e f. g h i j k l m n"

    assert pieces(text, 10) == ["a b c d e f. ".rstrip(), "g h i j k l m n"]


def test_a_full_width_stop_ends_a_sentence() -> None:
    text = "一二三四五六七。八九十一二三四"

    spans = plan_windows(text, 0, sign_starts(text), 12)

    assert text[: spans[0].end] == "一二三四五六七。"


def test_the_indent_of_a_window_s_first_line_stays() -> None:
    text = "a b c d\n    e f g h"

    assert pieces(text, 4) == ["a b c d", "    e f g h"]


def test_text_without_any_boundary_is_cut_between_tokens() -> None:
    text = "x" * 10

    assert plan_windows(text, 0, list(range(10)), 4) == [(0, 4), (4, 7), (7, 10)]


def test_windows_make_one_vector_weighted_by_their_tokens() -> None:
    rows = np.array([[2, 0], [0, 5], [1, 1]], np.float32)

    vectors = fuse_windows(rows, [0, 0, 1], [3, 4, 1], 2)

    assert np.allclose(vectors, [[0.6, 0.8], [0.5**0.5, 0.5**0.5]])
    assert vectors.dtype == np.float32


def test_a_text_without_direction_is_a_row_of_zeros() -> None:
    rows = np.array([[0, 0], [np.nan, 1], [1, 0], [np.inf, 0], [3, 0]], np.float32)

    vectors = fuse_windows(rows, [0, 1, 1, 2, 3], [1, 1, 9, 1, 1], 4)

    assert vectors.tolist() == [[0, 0], [0, 0], [0, 0], [1, 0]]


def test_windows_that_cancel_each_other_have_no_direction() -> None:
    rows = np.array([[1, 0], [-1, 0]], np.float32)

    assert fuse_windows(rows, [0, 0], [2, 2], 1).tolist() == [[0, 0]]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.floats(width=32), min_size=3, max_size=3), min_size=1, max_size=5))
def test_rows_are_of_unit_length_or_zero(rows: list[list[float]]) -> None:
    lengths = np.linalg.norm(unit_rows(np.array(rows, np.float32)).astype(np.float64), axis=1)

    assert all(abs(length - 1) < 1e-6 or length == 0 for length in lengths)
