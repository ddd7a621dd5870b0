"""The chunks that `mindnet-chunk ~/Notes --qdrant-url http://127.0.0.1:6333` stored, as a LangChain retriever.

    pip install langchain-qdrant
    python examples/langchain_bridge.py http://127.0.0.1:6333 mindnet-Notes "Why do bees swarm?"

The second word is the first part of the collections' names: `--collection`, or else `mindnet-<vault id>`. The key of
the server comes from QDRANT_API_KEY. The model is the one that made the index; a changed one is refused.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStoreRetriever
from langchain_qdrant import QdrantVectorStore
from qdrant_client import QdrantClient, models

from mindnet_chunker import open_store
from mindnet_chunker.runs.asker import Asker


class IndexModel(Embeddings):
    """Embeds questions only: what is stored was embedded by the index run."""

    def __init__(self, asker: Asker) -> None:
        self.asker = asker

    def embed_query(self, text: str) -> list[float]:
        return [float(number) for number in self.asker.query(text, "dense").dense]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]  # LangChain asks once, for the number of dimensions


class Chunks(QdrantVectorStore):
    """A document's metadata is its chunk's record. LangChain expects it below one key of the payload; ours is flat."""

    @classmethod
    def _document_from_point(cls, scored_point: Any, *names: str) -> Document:
        document = super()._document_from_point(scored_point, *names)
        document.metadata |= {key: value for key, value in scored_point.payload.items() if key != "text"}
        return document


def retriever(client: QdrantClient, name: str, asker: Asker, top: int = 5) -> VectorStoreRetriever:
    """As in `mindnet-chunk search --mode dense`, sections that only list links are no hits."""
    chunks = Chunks(client, f"{name}_chunks", IndexModel(asker), vector_name="dense", content_payload_key="text")
    vault = models.FieldCondition(key="vault", match=models.MatchValue(value=asker.index.vault))
    links = models.FieldCondition(key="kind", match=models.MatchValue(value="links"))
    return chunks.as_retriever(search_kwargs={"k": top, "filter": models.Filter(must=[vault], must_not=[links])})


if __name__ == "__main__":
    url, name, question = sys.argv[1:]
    client = QdrantClient(url, api_key=os.environ.get("QDRANT_API_KEY"))
    with open_store(url=url, collection=name) as index:
        for document in retriever(client, name, Asker(index)).invoke(question):
            print(f"{document.metadata['path']}:{document.metadata['line_start']}", repr(document.page_content))
