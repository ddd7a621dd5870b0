"""The chunks that `mindnet-chunk ~/Notes --qdrant-url http://127.0.0.1:6333` stored, as a LlamaIndex retriever.

    pip install llama-index-core llama-index-vector-stores-qdrant
    python examples/llamaindex_bridge.py http://127.0.0.1:6333 mindnet-Notes "Why do bees swarm?"

The second word is the first part of the collections' names: `--collection`, or else `mindnet-<vault id>`. The key of
the server comes from QDRANT_API_KEY. The model is the one that made the index; a changed one is refused.
"""

from __future__ import annotations

import os
import sys

from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.vector_stores.qdrant import QdrantVectorStore
from qdrant_client import QdrantClient, models

from mindnet_chunker import open_store
from mindnet_chunker.runs.asker import Asker


class IndexModel(BaseEmbedding):
    """Embeds questions only: what is stored was embedded by the index run."""

    _asker: Asker

    def __init__(self, asker: Asker) -> None:
        super().__init__(model_name=asker.index.meta.model.name)
        self._asker = asker

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(number) for number in self._asker.query(query, "dense").dense]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        raise NotImplementedError("only mindnet-chunk writes into its collections")


def retriever(client: QdrantClient, name: str, asker: Asker, top: int = 5) -> BaseRetriever:
    """A node's metadata is its chunk's record. As in `mindnet-chunk search --mode dense`, lists of links are no hits."""
    chunks = QdrantVectorStore(f"{name}_chunks", client, dense_vector_name="dense", text_key="text")
    vault = models.FieldCondition(key="vault", match=models.MatchValue(value=asker.index.vault))
    links = models.FieldCondition(key="kind", match=models.MatchValue(value="links"))
    return VectorStoreIndex.from_vector_store(chunks, embed_model=IndexModel(asker)).as_retriever(
        similarity_top_k=top, vector_store_kwargs={"qdrant_filters": models.Filter(must=[vault], must_not=[links])}
    )


if __name__ == "__main__":
    url, name, question = sys.argv[1:]
    client = QdrantClient(url, api_key=os.environ.get("QDRANT_API_KEY"))
    with open_store(url=url, collection=name) as index:
        for hit in retriever(client, name, Asker(index)).retrieve(question):
            print(f"{hit.node.metadata['path']}:{hit.node.metadata['line_start']}", repr(hit.node.text))
