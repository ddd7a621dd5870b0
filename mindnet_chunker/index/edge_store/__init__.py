"""Qdrant Edge: the server's engine in this process, its files in a folder."""

from mindnet_chunker.index.edge_store.home import EdgeHome
from mindnet_chunker.index.edge_store.shards import EdgeStore

__all__ = ["EdgeHome", "EdgeStore"]
