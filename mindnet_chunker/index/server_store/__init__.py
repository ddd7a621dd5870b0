"""A Qdrant server, spoken to over REST with qdrant-client, which is imported only when it is first needed."""

from mindnet_chunker.index.server_store.address import default_name, masked
from mindnet_chunker.index.server_store.home import ServerHome, stored_names
from mindnet_chunker.index.server_store.store import ServerStore

__all__ = ["ServerHome", "ServerStore", "default_name", "masked", "stored_names"]
