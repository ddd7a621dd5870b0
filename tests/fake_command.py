"""`mindnet-chunk` with made-up vectors in place of the model's: `python tests/fake_command.py WORDS`."""

from __future__ import annotations

from fake_embedder import FakeEmbedder

from mindnet_chunker.__main__ import main
from mindnet_chunker.embedding.embedder import Embedder
from mindnet_chunker.runs.embedder import ChunkEmbedder


def made_up(embedder: ChunkEmbedder) -> Embedder:
    """Stands for the model that `embedder` would load."""
    return embedder.own or FakeEmbedder(embedder.choice.dim)


if __name__ == "__main__":
    ChunkEmbedder._loaded = made_up  # type: ignore[method-assign, assignment]
    main()
