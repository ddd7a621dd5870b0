"""A text longer than the model's window -> windows -> one vector."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mindnet_chunker.records import Span

if TYPE_CHECKING:
    from mindnet_chunker.embedding.embedder import Vectors

# Where a window may end, best first. A match's end is the cut.
_BOUNDARIES = (
    re.compile(r"\n[ \t]*\n"),
    re.compile(r"\n"),
    re.compile(r"""[.!?…]["')\]»”’]*\s|[。！？｡．]["')\]」』»”’]*"""),
    re.compile(r"\s"),
)
_SLACK = 4  # a cut may lie a quarter of a window away from the place that would make the windows equal


def plan_windows(text: str, start: int, token_starts: Sequence[int], budget: int) -> list[Span]:
    """Cut `text[start:]` into windows of at most `budget` tokens, about equal in size.

    `token_starts` are the offsets of its tokens. Every character that is not blank lies in exactly one window.
    """
    spans = []
    begin, first = start, 0
    while (left := len(token_starts) - first) > budget and begin < len(text):
        aim = -(-left // -(-left // budget))
        least, most = max(1, aim - aim // _SLACK), min(budget, aim + aim // _SLACK)
        low, middle, high = (token_starts[first + tokens] for tokens in (least - 1, aim, most))
        cut = _best_cut(text, max(low, begin), middle, high) or max(middle, begin + 1)
        spans.append(_trimmed(text, begin, cut))
        begin, first = cut, bisect_left(token_starts, cut, first)
    spans.append(_trimmed(text, begin, len(text)))
    return [span for span in spans if span.start < span.end]


def _best_cut(text: str, low: int, aim: int, high: int) -> int | None:
    """The boundary of the best kind in `(low, high]`, of several the one nearest to `aim`."""
    for boundary in _BOUNDARIES:
        cuts = [match.end() for match in boundary.finditer(text, low, high)]
        if cuts:
            return min(cuts, key=lambda cut: (abs(cut - aim), cut))
    return None


def _trimmed(text: str, start: int, end: int) -> Span:
    """Without the blank lines around it; the indent of its first line stays."""
    piece = text[start:end]
    kept = piece.lstrip("\r\n")
    return Span(end - len(kept), end - len(kept) + len(kept.rstrip()))


def unit_rows(vectors: Vectors) -> Vectors:
    """Every row at unit length; zeros where a row is zero or not finite."""
    with np.errstate(all="ignore"):
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        usable = np.isfinite(lengths) & (lengths > 0)
        rows = np.where(usable, vectors / np.where(usable, lengths, 1), 0)
    return rows.astype(np.float32)


def fuse_windows(vectors: Vectors, owners: Sequence[int], tokens: Sequence[int], count: int) -> Vectors:
    """One vector `(count, dim)` for each text: the mean of its windows weighted by their tokens, at unit length.

    `owners[i]` is the text that row `i` is a window of. A text with an unusable window has no vector (zeros).
    """
    rows = unit_rows(vectors)
    spoiled = sorted({owner for owner, row in zip(owners, rows, strict=True) if not row.any()})
    sums = np.zeros((count, vectors.shape[1]))
    np.add.at(sums, np.asarray(owners, dtype=np.intp), rows * np.asarray(tokens, dtype=np.float64)[:, None])
    sums[spoiled] = 0
    return unit_rows(sums.astype(np.float32))
