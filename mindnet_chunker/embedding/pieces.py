"""Texts -> what the model is given: each whole where it fits, in windows that begin with its context where not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from mindnet_chunker.embedding.embedder import EmbeddingText
from mindnet_chunker.embedding.windows import plan_windows
from mindnet_chunker.errors import ModelError

_SLICE = 512  # texts whose tokens are held at a time
_LEAST = 8  # tokens of a window that a prefix must leave


class Piece(NamedTuple):
    owner: int  # index of its text
    text: str  # without the prefix
    length: int  # tokens: prefix, context and special tokens included
    weight: int  # tokens of its own


def pieces_of(texts: Sequence[EmbeddingText], tokenizer: Any, window: int, prefix: str = "") -> Iterator[Piece]:
    """Yield the pieces of all texts in order, none longer than `window` tokens behind the prefix.

    `tokenizer` is a `tokenizers.Tokenizer` without truncation and padding.
    """
    for first in range(0, len(texts), _SLICE):
        part = texts[first : first + _SLICE]
        lengths = _lengths(tokenizer, [prefix + each.text for each in part])
        for owner, (each, length) in enumerate(zip(part, lengths, strict=True), first):
            if length <= window:
                yield Piece(owner, each.text, length, length)
            else:
                yield from _windows(owner, each, tokenizer, window, prefix)


def _windows(owner: int, each: EmbeddingText, tokenizer: Any, window: int, prefix: str) -> Iterator[Piece]:
    fixed = _lengths(tokenizer, [prefix])[0]
    room = window - fixed
    if room < _LEAST:
        raise ModelError(
            f"the prefix `{prefix}` takes {fixed} of the {window} tokens that the model reads at once",
            hint="give a shorter one with `--passage-prefix` or `--query-prefix`",
        )
    context = _shortened(each.text[: each.context_end], tokenizer, room // 2)
    fixed += len(_starts(tokenizer, context))
    body = each.text[each.context_end :]
    starts = _starts(tokenizer, body)
    budget = max(1, window - fixed)
    while True:
        texts = [context + body[start:end] for start, end in plan_windows(body, 0, starts, budget)] or [context]
        lengths = _lengths(tokenizer, [prefix + text for text in texts])
        over = max(lengths) - window
        if over <= 0 or budget == 1:
            break
        budget = max(1, budget - over)  # a word that is cut can make more tokens than it had
    yield from (Piece(owner, text, length, max(1, length - fixed)) for text, length in zip(texts, lengths, strict=True))


def _shortened(context: str, tokenizer: Any, most: int) -> str:
    """Its last tokens: the outer levels of a heading path go first."""
    starts = _starts(tokenizer, context)
    return context[starts[-most] :] if len(starts) > most else context


def _lengths(tokenizer: Any, texts: list[str]) -> list[int]:
    return [len(encoding) for encoding in tokenizer.encode_batch_fast(texts)]


def _starts(tokenizer: Any, text: str) -> list[int]:
    """Where each token of the text begins."""
    return [start for start, _ in tokenizer.encode(text, add_special_tokens=False).offsets]
