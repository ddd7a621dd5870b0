"""The options of a run, as the command line and the library take them."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultOptions:
    """What is read and how it is cut."""

    vault_id: str | None = None  # default: the vault folder's name
    types: AnyPath | None = None  # default: `types.yaml` in the vault's root, else the built-in table
    model: AnyPath | None = None  # name or folder; its tokenizer counts. Default: the bundled one
    exclude: tuple[str, ...] = ()  # globs
    include_templates: bool = False
    max_file_size: int = 100_000_000  # bytes
    query_prefix: str | None = None  # default: the model's own
    passage_prefix: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreOptions:
    """Where the index lies. The key of a server comes from the environment alone."""

    folder: Path | None = None  # embedded store; default: in the user's data folder, one per vault
    url: str | None = None  # a Qdrant server or cluster instead
    collection: str | None = None  # default: mindnet-<vault id>
    wait: float = 10.0  # seconds to wait for a store in use
    timeout: float = 60.0  # seconds for one request to a server
    ca_cert: Path | None = None
    insecure: bool = False  # send the key over plain http to another host


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedOptions:
    """How vectors are computed."""

    device: str | None = None
    precision: str = "auto"  # auto | fp32 | bf16
    threads: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """What an index run may do."""

    dry_run: bool = False
    rebuild: bool = False
    allow_mass_delete: bool = False
    out: AnyPath | None = None  # a folder for chunks.json, meta.json and report.json of every note
