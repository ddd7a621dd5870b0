"""The indexes in the data folder: of which vaults they are, and in which of these a folder lies."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mindnet_chunker.index.locks import default_stores
from mindnet_chunker.records import Record
from mindnet_chunker.vault.read import vault_path

SHOWN = 3  # vaults in a hint


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """A vault that has an index."""

    store: Path
    vault: str  # its id; "" where the store cannot say
    root: Path | None  # where it lay when it was indexed last

    @property
    def there(self) -> bool:
        return self.root is not None and self.root.is_dir()


def indexed_vaults() -> list[Indexed]:
    """Those of all stores in the data folder; a store that cannot be read has one without a name."""
    return [
        found
        for store in default_stores()
        if (store / "meta.json").exists()
        for found in vaults_in(store) or [Indexed(store=store, vault="", root=None)]
    ]


def vaults_in(store: Path) -> list[Indexed]:
    """Those of one store; none where it cannot be read."""
    return in_store(store, _vaults_of(store))


def in_store(store: Path, vaults: Mapping[str, Record]) -> list[Indexed]:
    """The vaults of one store, as it notes them."""
    roots = {vault: about.get("root") for vault, about in sorted(vaults.items())}
    return [Indexed(store=store, vault=vault, root=Path(root) if root else None) for vault, root in roots.items()]


def around_here(vaults: Iterable[Indexed]) -> Indexed | None:
    """The vault that the current folder lies in, of nested ones the innermost; None also where it has several indexes."""
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return None
    holding = [(len(one.root.parts), one) for one in vaults if one.root and vault_path(here, one.root) is not None]
    innermost = [one for depth, one in holding if depth == max(holding, key=lambda pair: pair[0])[0]]
    return innermost[0] if len(innermost) == 1 else None


def other_name(root: Path, others: Iterable[Indexed]) -> str | None:
    """What to say where a vault has no index under its id yet: it may have one under another, from before it was renamed."""
    known = [one for one in others if one.root]
    same = [one for one in known if one.root == root]
    gone = [one for one in known if not one.there]
    if not (same or gone):
        return None
    ids = list(dict.fromkeys(one.vault for one in same or gone))[:SHOWN]
    ways = " or ".join(f"--vault-id {shlex.quote(vault)}" for vault in ids)
    names = " or ".join(f"`{vault}`" for vault in ids)
    what = f"this folder is indexed as {names}" if same else f"if this is {names} under another name"
    return f"hint     {what}: its index goes on with {ways}, given with every run"


def ways_to_name(vaults: Sequence[Indexed]) -> list[str]:
    """For each vault the option that chooses its index."""
    roots = [one.root for one in vaults]
    return [
        f"--vault {shlex.quote(str(one.root))}"
        if one.there and roots.count(one.root) == 1
        else f"--store {shlex.quote(str(one.store))}" + (f"  (`{one.vault}`, {one.root})" if one.root else "")
        for one in vaults
    ]


def _vaults_of(store: Path) -> dict[str, Record]:
    try:
        vaults = json.loads((store / "meta.json").read_text(encoding="utf-8"))["vaults"]
        return {vault: about for vault, about in vaults.items() if isinstance(about, dict)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}  # whoever opens it is told
