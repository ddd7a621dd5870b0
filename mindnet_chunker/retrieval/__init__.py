"""A question -> hits; a note -> the notes near it. Pure: the store is handed in, and so is the question's vector."""

from mindnet_chunker.retrieval.rank import MODES, Mode, Query, SearchHit, search

__all__ = ["MODES", "Mode", "Query", "SearchHit", "search"]
