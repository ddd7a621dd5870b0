"""Generations: chunks, notes and edges of one model, which take over together.

A changed model fills a new generation while the old one serves; when it is complete it is put in force, and the old
one is dropped. One that was left unfinished goes on in the next run with the same model, and is dropped by any other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.nothing import NothingStored
from mindnet_chunker.index.store import DamagedStoreError, Model, Store
from mindnet_chunker.records import Record


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreMeta:
    """What a place that holds generations says of itself."""

    generation: str  # the one in force
    model: Model  # of that one
    vaults: Mapping[str, Record] = field(default_factory=dict)  # vault id -> root, settings, last run, ...; JSON


class Home(Protocol):
    """A place that holds generations: a folder, or the collections of one name on a server."""

    def meta(self) -> StoreMeta | None:
        """None: nothing is in force yet. Raises DamagedStoreError."""

    def open(self, generation: str | None = None) -> Store:
        """By default the one in force; raises StoreError where there is none."""

    def unfinished(self) -> Mapping[str, Model]:
        """Generations of ours that are whole in their making, but not in force."""

    def create(self, generation: str, model: Model) -> Store:
        """An empty generation, payload indexes included."""

    def put_in_force(self, generation: str) -> None:
        """All three collections at once; the vaults known are kept."""

    def write_vault(self, vault: str, about: Record | None) -> None:
        """Replace what `meta().vaults` says of one vault; None removes it. A generation must be in force."""

    def settled(self, vault: str) -> Record | None:
        """What `settle` was told, if nothing has been written to the place since. A place of many writers cannot tell."""

    def settle(self, vault: str, note: Record) -> None:
        """The vault is stored as it is; `note` (JSON) says how it was. To be called last."""

    def drop(self, generation: str) -> None: ...

    def reset(self) -> None:
        """Drop all that is stored, damaged or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where an index run writes."""

    store: Store
    takes_over: bool  # a generation that is put in force once it is complete
    afresh: bool  # a rebuild in the generation in force: nothing that is stored counts


def generation_name(model: Model) -> str:
    """`all-minilm-l6-v2_384_1f0c22ab`: safe as the name of a folder and of a collection."""
    name = re.sub(r"[^a-z0-9.]+", "-", model.name.lower()).strip("-.")[-40:]
    return f"{name or 'model'}_{model.dim}_{model.identity[:8]}"


def open_target(home: Home, vault: str, about: Record, model: Model, *, rebuild: bool) -> Target:
    """Find or make the generation that a run of `model` writes to.

    A new model takes a new generation, which is refused where other vaults use the one in force. A rebuild takes one
    as well, or, where others use it, writes everything of this vault again.
    """
    try:
        meta = home.meta()
    except DamagedStoreError:
        if not rebuild:
            raise
        home.reset()
        meta = None
    unfinished = dict(home.unfinished())
    same = meta is not None and meta.model.identity == model.identity
    others = sorted(meta.vaults.keys() - {vault}) if meta else []
    if meta and others and not same:
        raise StoreError(
            f"`{meta.model.name}` made the vectors of {', '.join(f'`{other}`' for other in others)}, "
            f"which lie in the same store: it cannot take those of `{model.name}`",
            hint=f"use `--model {meta.model.name}`, or a store of its own for this vault",
        )
    going_on = not meta or (not same and not rebuild)
    kept = next((name for name, other in unfinished.items() if going_on and other.identity == model.identity), None)
    for name in unfinished.keys() - {kept}:
        home.drop(name)
    if meta and same and (others or not rebuild):
        if vault not in meta.vaults:  # before anything is written, so that others know of it
            home.write_vault(vault, about)
        return Target(store=home.open(), takes_over=False, afresh=rebuild)
    store = home.open(kept) if kept else home.create(_free_name(model, meta), model)
    if meta is None:  # nothing serves until then: be found from the first note on
        home.put_in_force(store.generation)
        home.write_vault(vault, about)
    return Target(store=store, takes_over=meta is not None, afresh=False)


def look_at_target(home: Home, model: Model, *, rebuild: bool) -> Store:
    """What a run of `model` would start from; for a dry run, changes nothing."""
    if rebuild:
        return NothingStored(model)
    meta = home.meta()
    if meta and meta.model.identity == model.identity:
        return home.open()
    unfinished = (name for name, other in home.unfinished().items() if other.identity == model.identity)
    name = next(unfinished, None)
    return home.open(name) if name else NothingStored(model)


def finish(home: Home, target: Target, vault: str, about: Record) -> None:
    """After a run that left nothing over: let its generation take over, drop the one before."""
    before = home.meta()
    if target.takes_over and before:
        home.put_in_force(target.store.generation)
        home.drop(before.generation)
    home.write_vault(vault, about)


def _free_name(model: Model, meta: StoreMeta | None) -> str:
    """A rebuild makes a second generation of the same model."""
    name = generation_name(model)
    return f"{name}_b" if meta and meta.generation == name else name
