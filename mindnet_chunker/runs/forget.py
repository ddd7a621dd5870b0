"""Remove a vault's index."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from mindnet_chunker.counted import counted, notes_and_boards
from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.generations import StoreMeta
from mindnet_chunker.index.locks import run_lock
from mindnet_chunker.index.manifest import manifest_path
from mindnet_chunker.index.write import clear
from mindnet_chunker.runs.held import held
from mindnet_chunker.runs.indexes import vaults_in
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import index_at, opened_home, place_name
from mindnet_chunker.terminal import Talk

COMMAND = "mindnet-chunk forget"


def forget(vault: Path | None, where: StoreOptions, sure: Callable[[str], bool], talk: Talk) -> int:
    """`sure` is asked before anything is removed; 1 if it says no. The vault itself is never touched.

    Without `vault` the only one of the store that `where` names.
    """
    folder, root, name = index_at(vault, where) if vault else _only_one(where)
    _refuse_unknown(where, folder, root, name)
    with run_lock(folder, COMMAND), opened_home(where, folder, COMMAND, name) as home:
        meta = home.meta()
        known = _known(meta, str(root), name)
        place = place_name(where, folder, name)
        if meta is None or known is None:
            raise _unknown(name, place)
        store = home.open()
        inside = held(store, known)
        what = f"{notes_and_boards(inside.notes, inside.boards)}, {counted(store.count('chunks', known), 'chunk')}"
        if not sure(f"remove the index of `{known}` ({what}) from {place}?"):
            talk.say("nothing was removed")
            return 1
        if meta.vaults.keys() == {known}:
            store.close()
            home.reset()
        else:
            clear(store, known)
            home.write_vault(known, None)
        manifest_path(folder, known).unlink(missing_ok=True)
    talk.say(f"removed {what}; the vault itself is as it was")
    return 0


def _only_one(where: StoreOptions) -> tuple[Path, Path | None, str]:
    """As `index_at`, of the only vault in a store."""
    if where.folder is None:
        raise UsageError("which index?", hint="name its vault, as in `mindnet-chunk forget VAULT`, or a `--store DIR`")
    vaults = vaults_in(where.folder)
    if len(vaults) == 1:
        return where.folder, vaults[0].root, vaults[0].vault
    if not vaults:
        raise UsageError("no index is here", where=str(where.folder), hint="`mindnet-chunk status` shows what is")
    shown = "".join(f"\n  {shlex.quote(str(one.root))}" for one in vaults)
    raise UsageError("holds several vaults", where=str(where.folder), hint=f"name one of them:{shown}")


def _refuse_unknown(where: StoreOptions, folder: Path, root: Path | None, name: str) -> None:
    """Before the locks: the folder that they lie in must not be made for an index that is not there."""
    if where.url is None:
        known = (folder / "meta.json").exists()
    else:
        with opened_home(where, folder, COMMAND, name) as home:
            known = _known(home.meta(), str(root), name) is not None
    if not known:
        raise _unknown(name, place_name(where, folder, name))


def _unknown(name: str, place: str) -> UsageError:
    return UsageError(f"no index of `{name}` is here", where=place, hint="`mindnet-chunk status` shows what is")


def _known(meta: StoreMeta | None, root: str, name: str) -> str | None:
    vaults = meta.vaults if meta else {}
    own = [vault for vault in sorted(vaults) if vaults[vault].get("root") == root]
    return own[0] if own else name if name in vaults else None
