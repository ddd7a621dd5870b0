from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from qdrant_stand_in import StandIn
from store_contract import MODEL, HomeContract, StoreContract, empty

from mindnet_chunker.index.server_store import ServerHome, ServerStore


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerStore]:
    """Making collections takes longer than most tests."""
    with StandIn(tmp_path_factory.mktemp("shared")) as server, ServerHome(server.url, "shared") as home:
        yield home.create("first", MODEL)


class TestServerStore(StoreContract):
    @pytest.fixture
    def store(self, shared: ServerStore) -> ServerStore:
        empty(shared)
        return shared


class TestServerHome(HomeContract):
    @pytest.fixture
    def home(self, tmp_path: Path) -> Iterator[ServerHome]:
        with StandIn(tmp_path) as server, ServerHome(server.url, "test") as home:
            yield home
