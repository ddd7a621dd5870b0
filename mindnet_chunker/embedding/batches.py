"""Lengths -> batches that waste little on padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def batches(lengths: Sequence[int], *, max_tokens: int, max_texts: int) -> Iterator[list[int]]:
    """Yield the indices of texts of about the same length, the longest first.

    A batch is padded to its longest text; so padded it is at most `max_tokens`, unless a single text is longer.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda index: -lengths[index]):
        longest = lengths[batch[0]] if batch else 0
        if batch and (len(batch) == max_texts or longest * (len(batch) + 1) > max_tokens):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
