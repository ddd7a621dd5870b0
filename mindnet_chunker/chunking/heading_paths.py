"""Heading paths compared: what several of them share, and whether one begins with another."""

from __future__ import annotations

from collections.abc import Iterable

from mindnet_chunker.records import HeadingRef


def common_path(paths: Iterable[tuple[HeadingRef, ...]]) -> tuple[HeadingRef, ...]:
    """The steps that all paths begin with."""
    shared: tuple[HeadingRef, ...] | None = None
    for path in paths:
        if shared is None:
            shared = path
        elif path[: len(shared)] != shared:
            shared = shared[: _same_steps(shared, path)]
    return shared or ()


def begins_with(path: tuple[HeadingRef, ...], start: tuple[HeadingRef, ...]) -> bool:
    return _same_steps(path, start) == len(start)


def _same_steps(one: tuple[HeadingRef, ...], other: tuple[HeadingRef, ...]) -> int:
    """How many steps two paths share. The note's title is one step, be it a heading of the text or not."""
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours and (count or mine.text != yours.text):
            break
        count += 1
    return count
