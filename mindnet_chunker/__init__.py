"""Turn a vault of Markdown notes into chunks, a graph and an index in Qdrant."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mindnet_chunker.api import chunk_note, chunk_vault, index_vault, open_store, search
    from mindnet_chunker.embedding.embedder import EmbedCounts, Embedder
    from mindnet_chunker.errors import MindnetError
    from mindnet_chunker.retrieval.rank import SearchHit
    from mindnet_chunker.runs.options import EmbedOptions, IndexOptions, VaultOptions

__all__ = [
    "EmbedCounts", "EmbedOptions", "Embedder", "IndexOptions", "MindnetError", "SearchHit", "VaultOptions",
    "__version__", "chunk_note", "chunk_vault", "index_vault", "open_store", "search",
]  # fmt: skip

_PLACES = {
    "EmbedCounts": "embedding.embedder",
    "EmbedOptions": "runs.options",
    "Embedder": "embedding.embedder",
    "IndexOptions": "runs.options",
    "MindnetError": "errors",
    "SearchHit": "retrieval.rank",
    "VaultOptions": "runs.options",
}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first asked for: `--help` needs none of them."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES.get(name, 'api')}"), name)
