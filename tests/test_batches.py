"""Batches of texts of about the same length."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.embedding.batches import batches


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(1, 300)), st.integers(1, 1000), st.integers(1, 10))
def test_every_text_is_in_one_batch_that_keeps_both_limits(lengths: list[int], tokens: int, texts: int) -> None:
    made = list(batches(lengths, max_tokens=tokens, max_texts=texts))

    assert sorted(index for batch in made for index in batch) == list(range(len(lengths)))
    assert all(len(batch) <= texts for batch in made)
    assert all(len(batch) == 1 or max(lengths[index] for index in batch) * len(batch) <= tokens for batch in made)


def test_the_longest_come_first_and_equals_keep_their_order() -> None:
    assert list(batches([1, 9, 1, 9, 5], max_tokens=18, max_texts=2)) == [[1, 3], [4, 0], [2]]
