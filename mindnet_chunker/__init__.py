"""Turn a vault of Markdown notes into chunks, a graph and an index in Qdrant."""

__version__ = "0.1.0"
