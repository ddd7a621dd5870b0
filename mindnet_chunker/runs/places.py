"""Options -> the place where an index lies: a folder, or a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.edge_store import EdgeHome
from mindnet_chunker.index.generations import Home, StoreMeta
from mindnet_chunker.index.locks import default_store, default_stores
from mindnet_chunker.index.store import Store
from mindnet_chunker.records import nfc
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.vault.read import find_root


def lock_folder(where: StoreOptions, vault: str) -> Path:
    """The folder of an embedded store; for a server, the one that this machine's locks and cache lie in."""
    return where.folder or default_store(vault)


@contextmanager
def opened_home(where: StoreOptions, folder: Path, command: str) -> Iterator[Home]:
    """The place as one that holds generations; no other process can open an embedded one meanwhile."""
    with EdgeHome(folder, command=command, wait=where.wait) as home:
        yield home


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIndex:
    """An index that was opened for reading."""

    vault: str
    store: Store
    meta: StoreMeta
    place: str


@contextmanager
def opened_index(vault: Path | None, where: StoreOptions, command: str) -> Iterator[OpenIndex]:
    """The index that the options name: by `--store` or `--qdrant-url`, by the vault's folder, or the only one there is."""
    wanted = nfc(find_root(vault).name) if vault else None
    folder = where.folder or (default_store(wanted) if wanted else _only_store())
    if not (folder / "meta.json").exists():
        raise UsageError("nothing is indexed here yet", where=str(folder), hint="index a vault: `mindnet-chunk VAULT`")
    with opened_home(where, folder, command) as home:
        meta = home.meta()
        if meta is None:
            raise UsageError(
                "nothing is indexed here yet", where=str(folder), hint="index a vault: `mindnet-chunk VAULT`"
            )
        yield OpenIndex(vault=_vault_in(meta, wanted, str(folder)), store=home.open(), meta=meta, place=str(folder))


def _only_store() -> Path:
    stores = [store for store in default_stores() if (store / "meta.json").exists()]
    if len(stores) == 1:
        return stores[0]
    if not stores:
        raise UsageError("nothing is indexed yet", hint="index a vault: `mindnet-chunk VAULT`")
    names = "\n  ".join(str(store) for store in stores)
    raise UsageError("there are several indexes", hint=f"name one with `--vault DIR` or `--store DIR`:\n  {names}")


def _vault_in(meta: StoreMeta, wanted: str | None, place: str) -> str:
    names = sorted(meta.vaults)
    if wanted in meta.vaults:
        return str(wanted)
    if wanted is None and len(names) == 1:
        return names[0]
    shown = ", ".join(f"`{name}`" for name in names) or "none"
    what = f"holds no vault `{wanted}`" if wanted else "holds several vaults"
    raise UsageError(what, where=place, hint=f"name one of them with `--vault DIR`; it holds {shown}")
