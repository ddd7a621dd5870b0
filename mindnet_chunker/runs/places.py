"""Options -> the place where an index lies: a folder, or a server."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.edge_store import EdgeHome
from mindnet_chunker.index.edge_store.folder import EdgeFolder
from mindnet_chunker.index.generations import Home, StoreMeta
from mindnet_chunker.index.locks import default_store
from mindnet_chunker.index.store import Store
from mindnet_chunker.records import Record, nfc
from mindnet_chunker.runs.indexes import Indexed, around_here, in_store, indexed_vaults, ways_to_name
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.terminal import Talk
from mindnet_chunker.vault.read import find_root

INDEX_FIRST = "index a vault: `mindnet-chunk VAULT`"
FIRST_RUN: Record = {"first_run": "not ended"}  # what a place notes of a vault until a run over it has ended


def lock_folder(where: StoreOptions, vault: str) -> Path:
    """The folder of an embedded store; for a server, the one that this machine's locks and cache lie in."""
    return where.folder or default_store(vault)


def refuse_foreign(where: StoreOptions, folder: Path) -> None:
    """Nothing of ours goes into a folder that holds other people's files, not even a lock."""
    if where.url is None:
        EdgeFolder(folder).refuse_foreign()


def collection_name(where: StoreOptions, vault: str) -> str:
    """`--collection`, else one made of the vault's id."""
    from mindnet_chunker.index.server_store import default_name

    return where.collection or default_name(vault)


@contextmanager
def opened_home(where: StoreOptions, folder: Path, command: str, vault: str) -> Iterator[Home]:
    """The place as one that holds generations; no other process can open an embedded one meanwhile."""
    if where.url is None:
        with EdgeHome(folder, command=command, wait=where.wait) as home:
            yield home
        return
    from mindnet_chunker.index.server_store import ServerHome

    with ServerHome(where.url, collection_name(where, vault), **_server_options(where)) as server:
        yield server


def place_name(where: StoreOptions, folder: Path, vault: str) -> str:
    """For people; credentials are never part of it."""
    if where.url is None:
        return str(folder)
    from mindnet_chunker.index.server_store import masked

    return f"{masked(where.url)}, collections `{collection_name(where, vault)}_*`" if vault else masked(where.url)


def place_options(where: StoreOptions) -> str:
    """The options that name a place, for a command that is proposed."""
    if where.url is None:
        return f" --store {shlex.quote(str(where.folder))}" if where.folder else ""
    from mindnet_chunker.index.server_store import masked

    collection = f" --collection {shlex.quote(where.collection)}" if where.collection else ""
    return f" --qdrant-url {shlex.quote(masked(where.url))}{collection}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIndex:
    """An index that was opened for reading."""

    vault: str
    store: Store
    meta: StoreMeta
    place: str
    closed: Event = field(default_factory=Event)  # set once it can be read no more


@contextmanager
def opened_index(
    vault: Path | None, where: StoreOptions, command: str, say: Callable[[str], None] = lambda text: None
) -> Iterator[OpenIndex]:
    """The index that the options name: by `--store` or `--qdrant-url`, or by the vault's folder.

    Without them the one of the vault that the current folder lies in, which is said, or the only one there is.
    """
    root = find_root(vault) if vault else None
    folder = where.folder or Path()
    if where.url is None and where.folder is None:
        folder, root = (_store_of(root), root) if root else _unnamed(say)
    name = nfc(root.name) if root else None
    if where.url is not None:
        where = _on_server(where, name)
    elif not (folder / "meta.json").exists():
        raise _not_indexed(None if where.folder else vault, str(folder))
    place = place_name(where, folder, name or "")
    with opened_home(where, folder, command, name or "") as home:
        meta = home.meta()
        if meta is None:
            raise _not_indexed(None, place)
        index = OpenIndex(vault=_vault_in(meta, root, folder, place), store=home.open(), meta=meta, place=place)
        say_if_unfinished(index, where, say)
        try:
            yield index
        finally:
            index.closed.set()


def say_if_unfinished(index: OpenIndex, where: StoreOptions, say: Callable[[str], None]) -> None:
    """Where no run over the vault has ended yet, much of it may be missing."""
    about = index.meta.vaults[index.vault]
    if about.items() >= FIRST_RUN.items():
        root = Path(about.get("root") or "VAULT")
        vault_id = "" if nfc(root.name) == index.vault else f" --vault-id {shlex.quote(index.vault)}"
        again = f"mindnet-chunk {shlex.quote(str(root))}{place_options(where)}{vault_id}"
        say(
            "no run over this vault has ended yet, so much of it may be missing; "
            f"unless one is under way, repeat `{again}`"
        )


def index_at(vault: Path, where: StoreOptions) -> tuple[Path, Path, str]:
    """The folder of a vault's store (or of its locks), the vault's root, and its name."""
    root = find_root(vault) if vault.exists() else vault.absolute()
    folder = where.folder or (_store_of(root) if where.url is None else default_store(nfc(root.name)))
    return folder, root, nfc(root.name)


def _on_server(where: StoreOptions, name: str | None) -> StoreOptions:
    """With the name of the collections: as given, of the vault, else the only one there is."""
    from mindnet_chunker.index.server_store import stored_names

    if where.collection or name:
        return where
    names = stored_names(str(where.url), **_server_options(where))
    if len(names) == 1:
        return replace(where, collection=names[0])
    shown = ", ".join(f"`{one}`" for one in names) or "none"
    raise UsageError(
        "which index on the server?",
        where=place_name(where, Path(), ""),
        hint=f"name it with `--vault DIR` or `--collection NAME`; it holds {shown}",
    )


def _server_options(where: StoreOptions) -> dict[str, Any]:
    return {
        "key": os.environ.get("QDRANT_API_KEY") or None,
        "timeout": where.timeout,
        "ca_cert": where.ca_cert,
        "insecure": where.insecure,
        "warn": Talk().say,
    }


def _store_of(root: Path) -> Path:
    """By the vault's name; a vault that has another id is found by its folder."""
    named = default_store(nfc(root.name))
    stores = [one.store for one in indexed_vaults() if one.root == root]
    return named if named in stores or not stores else stores[0]


def others_of(where: StoreOptions, meta: StoreMeta | None) -> list[Indexed]:
    """The vaults that a run could go on with by `--vault-id` alone: those of its place, or of the data folder."""
    here = in_store(where.folder or Path(), meta.vaults) if meta else []
    if where.folder or where.url:
        return here
    return [one for one in indexed_vaults() if one.store == default_store(one.vault)]


def _unnamed(say: Callable[[str], None]) -> tuple[Path, Path | None]:
    """The store that is meant where none is named, and the root of the vault if it was told by that."""
    vaults = indexed_vaults()
    stores = list(dict.fromkeys(one.store for one in vaults))
    if not stores:
        raise UsageError("nothing is indexed yet", hint=INDEX_FIRST)
    if len(stores) == 1:
        return stores[0], None
    if here := around_here(vaults):
        say(f"the current folder lies in {here.root}: its index is taken")
        return here.store, here.root
    ways = "".join(f"\n  {way}" for way in ways_to_name(vaults))
    raise UsageError("there are several indexes", hint=f"name one of them, or go into its vault:{ways}")


def _not_indexed(vault: Path | None, place: str) -> UsageError:
    """`vault`: the folder by which an index was asked for."""
    if vault is None:
        return UsageError("nothing is indexed here yet", where=place, hint=INDEX_FIRST)
    there = vault.is_dir()
    what = "this vault is not indexed yet" if there else "no such folder"
    own = f"index it: `mindnet-chunk {shlex.quote(str(vault))}`" if there else ""
    ways = "".join(f"\n  {way}" for way in ways_to_name(indexed_vaults()))
    others = f"name one of those that are indexed:{ways}" if ways else ""
    return UsageError(what, where=str(vault), hint=", or ".join(filter(None, (own, others))) or INDEX_FIRST)


def _vault_in(meta: StoreMeta, root: Path | None, folder: Path, place: str) -> str:
    vaults = in_store(folder, meta.vaults)
    if root is not None:
        own = [one.vault for one in vaults if one.root == root]
        wanted = own[0] if own else nfc(root.name)
        if wanted in meta.vaults:
            return wanted
        what = f"holds no vault `{wanted}`"
    else:
        found = vaults[0] if len(vaults) == 1 else around_here(vaults)
        if found:
            return found.vault
        what = "holds several vaults" if vaults else "holds no vault"
    ways = "".join(f"\n  --vault {shlex.quote(str(one.root))}" for one in vaults) or " none"
    raise UsageError(what, where=place, hint=f"name one of those that it holds:{ways}")
