"""The options that several commands share, each said once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from mindnet_chunker.errors import UsageError
from mindnet_chunker.runs.options import StoreOptions

Target = Annotated[str | None, typer.Argument(metavar="[VAULT|NOTE.md|-]", show_default=False)]
Ndjson = Annotated[
    bool, typer.Option("--ndjson", help="Print the records instead of storing them: no model, no store.")
]
From = Annotated[
    str | None, typer.Option("--from", metavar="ndjson", help="With `-`: a stream of notes, one {path, text} a line.")
]
NotePath = Annotated[str, typer.Option("--path", help="The path of the note that comes by standard input.")]
IndexOf = Annotated[
    Path | None,
    typer.Option("--vault", help="The vault whose index is meant (default: the one you are in, or the only one)."),
]
VaultDir = Annotated[Path | None, typer.Option("--vault", help="The vault: links of a lone note resolve in it.")]
Store = Annotated[
    Path | None,
    typer.Option("--store", help="Folder of the embedded store (default: in your data folder, one per vault)."),
]
Url = Annotated[
    str | None,
    typer.Option(
        "--qdrant-url", envvar="QDRANT_URL", help="A Qdrant server or cluster instead; its key only by QDRANT_API_KEY."
    ),
]
Collection = Annotated[
    str | None, typer.Option("--collection", help="Name of the collections (default: mindnet-<vault id>).")
]
VaultId = Annotated[str | None, typer.Option("--vault-id", help="Default: the vault folder's name.")]
Types = Annotated[
    Path | None, typer.Option("--types", help="A types.yaml (default: the vault's own, else the built-in table).")
]
Model = Annotated[
    str | None, typer.Option("--model", help="Embedding model, a name or a folder (default: the bundled MiniLM).")
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="GLOB",
        help="Leave notes out of this run and of the index; may be repeated. For good: Obsidian's excluded files, or `index: false`.",
    ),
]
Templates = Annotated[bool, typer.Option("--include-templates", help="Also index the templates folder.")]
MaxSize = Annotated[str, typer.Option("--max-file-size", help="Larger files are skipped with a warning.")]
QueryPrefix = Annotated[
    str | None, typer.Option("--query-prefix", help="Put before a question (default: the model's own).")
]
PassagePrefix = Annotated[
    str | None, typer.Option("--passage-prefix", help="Put before a text (default: the model's own).")
]
Wait = Annotated[float, typer.Option("--wait", min=0, help="Seconds to wait for a store in use.")]
Timeout = Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds for one request to a server.")]
CaCert = Annotated[Path | None, typer.Option("--ca-cert", help="Certificate of your own authority.")]
Insecure = Annotated[bool, typer.Option("--insecure", help="Send the key over plain http to another host.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Errors only.")]
Verbose = Annotated[bool, typer.Option("-v", "--verbose", help="Every warning, every changed note.")]


def size_of(text: str) -> int:
    """`100 MB`, `2G`, `4096` -> bytes."""
    units = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}
    bare = text.strip().upper().removesuffix("B").strip()
    number, unit = (bare[:-1].strip(), bare[-1]) if bare[-1:] in ("K", "M", "G") else (bare, "")
    try:
        size = int(float(number) * units[unit])
    except (ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise typer.BadParameter(f"{text!r} is no size; allowed are numbers such as 4096, 500K, 100M, 1G")
    return size


def store_options(
    store: Path | None,
    url: str | None = None,
    collection: str | None = None,
    wait: float = 10.0,
    timeout: float = 60.0,
    ca_cert: Path | None = None,
    insecure: bool = False,
) -> StoreOptions:
    return StoreOptions(
        folder=store, url=None if store else url, collection=collection, wait=wait, timeout=timeout, ca_cert=ca_cert,
        insecure=insecure,
    )  # fmt: skip


def refuse_without_index(given: Mapping[str, object]) -> None:
    """Options of an index run mean nothing where records are printed: better refused than ignored."""
    for name, value in given.items():
        if value:
            raise UsageError(
                f"`{name}` has no meaning where records are printed", hint="index a folder, without --ndjson"
            )
