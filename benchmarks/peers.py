"""What others would do with the same notes: LangChain's and chonkie's splitters, set as their users set them.

Both count tokens with the bundled model's tokenizer, called directly: through `transformers` each count takes longer.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from tokenizers import Tokenizer

from mindnet_chunker.embedding.choose import choose_model

TOKENS, OVERLAP = 300, 50  # what is usual for the model
LEVELS = 6


class Piece(NamedTuple):
    """A chunk of theirs; a splitter may have changed its white space."""

    text: str
    headings: tuple[str, ...] = ()


Split = Callable[[str], list[Piece]]


def needed(module: str, package: str) -> Any:
    """The module, or the end of the benchmark with what to do."""
    try:
        return import_module(module)
    except ImportError as error:
        sys.exit(f"{package} is compared with and cannot be imported ({error})\nhint: pip install {package}")


def plain_tokenizer() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(choose_model(None, weights=False).tokenizer_json))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def langchain_splitters() -> tuple[Any, Any]:
    """The one that cuts at headings, and the one that cuts what is too long: at paragraphs, lines, then blanks."""
    library = needed("langchain_text_splitters", "langchain-text-splitters")
    tokenizer = plain_tokenizer()
    by_heading = library.MarkdownHeaderTextSplitter(
        [("#" * level, str(level)) for level in range(1, LEVELS + 1)], strip_headers=False
    )
    by_size = library.RecursiveCharacterTextSplitter(
        chunk_size=TOKENS,
        chunk_overlap=OVERLAP,
        length_function=lambda text: len(tokenizer.encode(text, add_special_tokens=False)),
    )
    return by_heading, by_size


def langchain_split() -> Split:
    by_heading, by_size = langchain_splitters()

    def split(text: str) -> list[Piece]:
        return [
            Piece(document.page_content, tuple(document.metadata.values()))
            for document in by_size.split_documents(by_heading.split_text(text))
        ]

    return split


def chonkie_split() -> Split:
    """Recursively, without overlap: it has none."""
    chunker = needed("chonkie", "chonkie").RecursiveChunker(tokenizer=plain_tokenizer(), chunk_size=TOKENS)

    def split(text: str) -> list[Piece]:
        return [Piece(chunk.text) for chunk in chunker.chunk(text)]

    return split
