"""What a collection of ours says of itself, so that every machine sees it: whose it is, of which model, of which vaults.

It stands in the collection's metadata. Servers before 1.16 keep none: there a point stands for it, without a vault and
so out of reach for every read of a store. Top-level keys are merged one by one, so that two vaults never overwrite
each other's; one that is null counts as gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from mindnet_chunker.errors import StoreError
from mindnet_chunker.index.store import Model
from mindnet_chunker.records import Record, stable_id

FORMAT = 1  # of these keys; raised when an earlier version could not read them
MARK = "mindnet"  # {format, collection, generation}: on every collection of ours
MODEL = "mindnet_model"  # on the notes' collection, written last: without it, a generation is not whole
VAULT = "mindnet_vault:"  # followed by the vault's id: on the notes' collection
LABEL_POINT = stable_id("label")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What we find on a collection of ours."""

    name: str  # that of all three collections together
    generation: str
    model: Model | None = None
    vaults: Mapping[str, Record] = field(default_factory=dict)


def read_label(metadata: Any, where: str) -> Label | None:
    """None: this is no collection of ours. Raises StoreError if a later version made it."""
    mark = metadata.get(MARK) if isinstance(metadata, dict) else None
    if not isinstance(mark, dict) or not isinstance(mark.get("format"), int):
        return None
    if mark["format"] > FORMAT:
        raise StoreError(
            f"the store was made by a later version (format {mark['format']}, not {FORMAT})",
            where=where,
            hint="install that version, or name other collections with `--collection NAME`",
        )
    try:
        model = Model(**metadata[MODEL])
    except (KeyError, TypeError):
        model = None
    vaults = {
        key.removeprefix(VAULT): about
        for key, about in metadata.items()
        if key.startswith(VAULT) and isinstance(about, dict)
    }
    return Label(name=str(mark.get("collection")), generation=str(mark.get("generation")), model=model, vaults=vaults)


def mark_of(name: str, generation: str) -> Record:
    return {MARK: {"format": FORMAT, "collection": name, "generation": generation}}


def model_of(model: Model) -> Record:
    return {MODEL: asdict(model)}


def vault_of(vault: str, about: Record | None) -> Record:
    return {VAULT + vault: about}


def merged(label: Record, changes: Record) -> Record:
    """As a server merges metadata: key by key, null removes."""
    return {key: value for key, value in {**label, **changes}.items() if value is not None}
