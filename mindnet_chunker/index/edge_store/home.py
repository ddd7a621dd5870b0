"""The home of an embedded store's generations: its folder, opened under `store.lock`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.edge_store.folder import EdgeFolder
from mindnet_chunker.index.edge_store.seal import Seal
from mindnet_chunker.index.edge_store.shards import EdgeStore, create_shards
from mindnet_chunker.index.generations import StoreMeta
from mindnet_chunker.index.locks import store_lock
from mindnet_chunker.index.store import DamagedStoreError, Model
from mindnet_chunker.records import Record


class EdgeHome:
    """Use as a context: within, this process holds the lock, and no other one can open the store."""

    def __init__(self, folder: Path, *, command: str, wait: float) -> None:
        """`command`: what others are told about the holder; `wait`: seconds to wait for one."""
        self.folder = folder
        self._files = EdgeFolder(folder)
        self._lock = store_lock(folder, command)
        self._wait = wait
        self._stores: dict[str, EdgeStore] = {}  # by generation: no shard may be loaded twice
        self._seal = Seal(folder)
        self._sealed: dict[str, Record] = {}  # by vault
        self._written = False

    def __enter__(self) -> Self:
        self._files.refuse_foreign()
        self._lock.acquire(self._wait)
        self._sealed = self._seal.read()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close its stores and let go."""
        try:
            if self._lock.held:
                for store in self._stores.values():
                    store.close()
                if not self._written and self._seal.read() != self._sealed:
                    self._seal.set(self._sealed)  # even to load a shard changes its files
        finally:
            self._lock.release()

    def meta(self) -> StoreMeta | None:
        return self._files.meta()

    def open(self, generation: str | None = None) -> EdgeStore:
        if generation is None:
            meta = self._files.meta()
            if meta is None:
                raise StoreError(
                    "nothing is indexed here yet", where=str(self.folder), hint="index a vault: `mindnet-chunk VAULT`"
                )
            generation = meta.generation
        if generation not in self._stores:
            model = self._files.model(generation)
            if model is None:
                raise self._files.damaged(f"the generation `{generation}` is not there")
            place = self._files.place(generation)
            self._stores[generation] = EdgeStore(place, model, self._lock, self._wait, self._break_seal)
        return self._stores[generation]

    def unfinished(self) -> Mapping[str, Model]:
        meta = self._files.meta()
        found = {}
        for name in self._files.generations():
            if meta is None or name != meta.generation:
                try:
                    found[name] = self._files.model(name)
                except DamagedStoreError:
                    self._files.drop(name)  # it was never in force
        return {name: model for name, model in found.items() if model}

    def create(self, generation: str, model: Model) -> EdgeStore:
        self._break_seal()
        self._forget(generation)
        place = self._files.prepare(generation)
        create_shards(place, model.dim)
        self._files.finish(generation, model)
        return self.open(generation)

    def put_in_force(self, generation: str) -> None:
        meta = self._files.meta()
        self._files.write_meta(generation, dict(meta.vaults) if meta else {})

    def write_vault(self, vault: str, about: Record | None) -> None:
        meta = self._files.meta()
        assert meta is not None
        others = {name: known for name, known in meta.vaults.items() if name != vault}
        self._files.write_meta(meta.generation, others if about is None else {**others, vault: about})

    def settled(self, vault: str) -> Record | None:
        return None if self._written else self._sealed.get(vault)

    def settle(self, vault: str, note: Record) -> None:
        self._sealed[vault] = note
        self._written = False

    def drop(self, generation: str) -> None:
        self._break_seal()
        self._forget(generation)
        self._files.drop(generation)
        self._files.sweep()

    def reset(self) -> None:
        self._break_seal()
        for generation in list(self._stores):
            self._forget(generation)
        self._files.reset()

    def _break_seal(self) -> None:
        if not self._written:
            self._seal.remove()
            self._written = True

    def _forget(self, generation: str) -> None:
        if store := self._stores.pop(generation, None):
            store.discard()
