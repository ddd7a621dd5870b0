from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_contract import MODEL, HomeContract, StoreContract, empty

from mindnet_chunker.index.edge_store import EdgeHome, EdgeStore


def open_home(folder: Path, wait: float = 0) -> EdgeHome:
    return EdgeHome(folder, command="test", wait=wait)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EdgeStore]:
    """Making shards takes longer than most tests."""
    with open_home(tmp_path_factory.mktemp("shared") / "store") as home:
        yield home.create("first", MODEL)


class TestEdgeStore(StoreContract):
    @pytest.fixture
    def store(self, shared: EdgeStore) -> EdgeStore:
        empty(shared)
        return shared


class TestEdgeHome(HomeContract):
    @pytest.fixture
    def home(self, tmp_path: Path) -> Iterator[EdgeHome]:
        with open_home(tmp_path / "store") as home:
            yield home
