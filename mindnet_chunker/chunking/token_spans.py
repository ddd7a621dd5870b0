"""Where the tokens of a text lie in it, for measures that count them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mindnet_chunker.records import Span


def token_finder(tokenizer_json: Path) -> Callable[[str], list[Span]]:
    """A function that gives the span of every token of a text, in order, special tokens left out."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_json))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def find(text: str) -> list[Span]:
        return [Span(start, end) for start, end in tokenizer.encode(text, add_special_tokens=False).offsets]

    return find
