"""The home of a server's generations: all collections that begin with one name.

`<name>_chunks`, `<name>_notes`, `<name>_edges` are aliases of `<name>_<kind>__<generation>`, moved together. Where the
three were made by hand and fit, they are taken as they are, as the generation `AS_FOUND`, until a new model takes over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from mindnet_chunker.counted import counted
from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.generations import StoreMeta
from mindnet_chunker.index.server_store.address import checked_name
from mindnet_chunker.index.server_store.collections import Collections, Found
from mindnet_chunker.index.server_store.labels import Label, mark_of, model_of, vault_of
from mindnet_chunker.index.server_store.server import Server
from mindnet_chunker.index.server_store.store import ServerStore
from mindnet_chunker.index.store import KINDS, DamagedStoreError, Kind, Model
from mindnet_chunker.records import Record

AS_FOUND = "as-found"
ORDER: tuple[Kind, ...] = ("notes", "chunks", "edges")  # made and dropped; without the first it is no generation


class ServerHome:
    """Use as a context. Nothing is sent before something is asked for."""

    def __init__(
        self,
        url: str,
        name: str,
        *,
        key: str | None = None,
        timeout: float = 60.0,
        ca_cert: Path | None = None,
        insecure: bool = False,
        warn: Callable[[str], None] = lambda text: None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`name`: what the collections' names begin with; `key`: from the environment; `timeout`: seconds for
        one try of a request; `warn`: told what the user should know while it goes on.

        Raises UsageError where URL, name or key cannot be right, or the key would be sent in the clear.
        """
        self.name = checked_name(name)
        self._server = Server(url, key=key, timeout=timeout, ca_cert=ca_cert, insecure=insecure, warn=warn, sleep=sleep)
        self._collections = Collections(self._server)

    def __str__(self) -> str:
        return f"{self._server.address}, collections `{self.name}_*`"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._server.close()

    def meta(self) -> StoreMeta | None:
        label = self._in_force()
        if label is None:
            return None
        model = self._model_of(label)
        self._whole(label.generation, model)
        return StoreMeta(generation=label.generation, model=model, vaults=label.vaults)

    def open(self, generation: str | None = None) -> ServerStore:
        if generation is None:
            label = self._in_force()
            if label is None:
                raise StoreError(
                    "nothing is indexed here yet",
                    where=str(self),
                    hint="index a vault: `mindnet-chunk VAULT --qdrant-url URL`, or name it with `--collection NAME`",
                )
        else:
            label = self._ours(self._physical("notes", generation), generation)
            if label is None:
                raise self._damaged(f"the generation `{generation}` is not there")
        model = self._model_of(label)
        return ServerStore(self._server, self._whole(label.generation, model), label.generation, model)

    def unfinished(self) -> Mapping[str, Model]:
        found: dict[str, Model] = {}
        for generation in sorted(self._generations() - {self._serves()}):
            parts = [self._ours(self._physical(kind, generation), generation) for kind in ORDER]
            if parts[0] and parts[0].model and all(parts):
                found[generation] = parts[0].model
        return found

    def create(self, generation: str, model: Model) -> ServerStore:
        """Where collections made by hand are used, the store's `generation` is another one than asked for.

        Everything is looked at before anything is made. What an earlier run left half made is dropped.
        """
        if self._in_force() is None and self._made_by_hand():
            generation = AS_FOUND
        else:
            assert generation != self._serves()
            for left in self._generations() - self.unfinished().keys() - {self._serves()} | {generation}:
                self.drop(left)
        known = {kind: self._collections.find(self._physical(kind, generation)) for kind in ORDER}
        for kind, found in known.items():
            if found:
                self._refuse_unfit(found, kind, model)
        for kind, found in known.items():
            made = found or self._collections.make(self._physical(kind, generation), kind, model.dim)
            self._collections.write_label(made, mark_of(self.name, generation))
            self._collections.index(made.name, kind, made.indexed)
        self._write_label(generation, model_of(model))
        return self.open(generation)

    def put_in_force(self, generation: str) -> None:
        before = self._in_force()
        if before and before.generation == generation:
            return
        if before and before.vaults:
            known = [vault_of(vault, about) for vault, about in before.vaults.items()]
            self._write_label(generation, {key: about for one in known for key, about in one.items()})
        if before and before.generation == AS_FOUND:
            self.drop(AS_FOUND)  # an alias cannot bear the name of a collection
        self._collections.point_aliases({self._front(kind): self._physical(kind, generation) for kind in KINDS})
        self._server.soon(lambda: self._serves() == generation)

    def write_vault(self, vault: str, about: Record | None) -> None:
        label = self._in_force()
        assert label is not None
        self._write_label(label.generation, vault_of(vault, about))
        for generation in self._generations() - {label.generation}:
            if self._collections.find(self._physical("notes", generation)) is None:
                self.drop(generation)  # left of one that was half dropped when its run ended

    def settled(self, vault: str) -> Record | None:
        return None  # others may write to a server, and leave no trace

    def settle(self, vault: str, note: Record) -> None:
        """Nothing to keep."""

    def drop(self, generation: str) -> None:
        for kind in ORDER:
            name = self._physical(kind, generation)
            if self._ours(name, generation):
                self._collections.drop(name)

    def reset(self) -> None:
        for generation in (*self._generations(), AS_FOUND):
            self.drop(generation)

    def _front(self, kind: Kind) -> str:
        """The name that others know."""
        return f"{self.name}_{kind}"

    def _physical(self, kind: Kind, generation: str) -> str:
        return self._front(kind) if generation == AS_FOUND else f"{self._front(kind)}__{generation}"

    def _generations(self) -> set[str]:
        """Names of those that may be ours, whole or not, in force or not."""
        prefixes = tuple(self._physical(kind, "") for kind in KINDS)
        names = self._collections.names()
        return {name.removeprefix(prefix) for name in names for prefix in prefixes if name.startswith(prefix)}

    def _label(self, name: str) -> Label | None:
        """What a collection says of itself, if it is ours."""
        return _label_of(self._collections.find(name), self.name)

    def _ours(self, name: str, generation: str) -> Label | None:
        label = self._label(name)
        return label if label and label.generation == generation else None

    def _in_force(self) -> Label | None:
        return _unless_half_made(self._label(self._front("notes")))

    def _serves(self) -> str | None:
        """The name of the generation in force."""
        label = self._in_force()
        return label.generation if label else None

    def _model_of(self, label: Label) -> Model:
        if label.model is None:
            raise self._damaged(f"the generation `{label.generation}` does not say of which model it is")
        return label.model

    def _whole(self, generation: str, model: Model) -> dict[Kind, Found]:
        """Its three collections; raises DamagedStoreError."""
        whole: dict[Kind, Found] = {}
        for kind in KINDS:
            name = self._physical(kind, generation)
            found = self._collections.find(name)
            fault = found.fault(kind, model.dim) if found else "it is not there"
            if found is None or fault:
                raise self._damaged(f"`{name}`: {fault}")
            whole[kind] = found
        return whole

    def _made_by_hand(self) -> bool:
        """Whether one of the names is taken by a collection that we did not make. Raises StoreError for an alias."""
        by_hand = False
        names = self._collections.names()
        for kind in KINDS:
            name = self._front(kind)
            label = self._label(name)
            if label and label.generation != AS_FOUND:
                continue  # an alias of ours that was left alone
            if name in names:
                by_hand = True
            elif self._collections.find(name):
                raise self._foreign(name, "it is an alias of a collection that is not ours")
        return by_hand

    def _refuse_unfit(self, found: Found, kind: Kind, model: Model) -> None:
        if found.label is None and found.points:
            raise self._foreign(found.name, f"it holds {counted(found.points, 'point')} that we did not write")
        if found.label and found.label.name != self.name:
            raise self._foreign(found.name, f"it belongs to the collections `{found.label.name}_*`")
        if fault := found.fault(kind, model.dim):
            raise self._foreign(found.name, fault)

    def _write_label(self, generation: str, label: Record) -> None:
        found = self._collections.find(self._physical("notes", generation))
        if found is None:
            raise self._damaged(f"the generation `{generation}` is not there")
        self._collections.write_label(found, label)

    def _foreign(self, name: str, why: str) -> StoreError:
        return StoreError(
            f"the collection `{name}` is there already, and we cannot use it: {why}; nothing was written",
            where=str(self._server.address),
            hint="name others with `--collection NAME`, or remove it from the server yourself",
        )

    def _damaged(self, what: str) -> DamagedStoreError:
        return DamagedStoreError(
            f"the store is damaged: {what}",
            where=str(self),
            hint="the vault is the truth: fill the store again with `--rebuild`",
        )


def stored_names(
    url: str,
    *,
    key: str | None = None,
    timeout: float = 60.0,
    ca_cert: Path | None = None,
    insecure: bool = False,
    warn: Callable[[str], None] = lambda text: None,
) -> list[str]:
    """For which names a server holds something of ours. The parameters are those of `ServerHome`."""
    server = Server(url, key=key, timeout=timeout, ca_cert=ca_cert, insecure=insecure, warn=warn)
    try:
        collections = Collections(server)
        fronts = {front for front in (*collections.aliases(), *collections.names()) if front.endswith("_notes")}
        names = [front.removesuffix("_notes") for front in sorted(fronts)]
        return [name for name in names if _unless_half_made(_label_of(collections.find(f"{name}_notes"), name))]
    finally:
        server.close()


def _label_of(found: Found | None, name: str) -> Label | None:
    return found.label if found and found.label and found.label.name == name else None


def _unless_half_made(label: Label | None) -> Label | None:
    """Collections made by hand bear their names from the start, but serve only once all three are taken over."""
    half_made = label and label.generation == AS_FOUND and label.model is None
    return None if half_made else label
