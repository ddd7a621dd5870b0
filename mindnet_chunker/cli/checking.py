"""Commands that look at how notes are cut."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mindnet_chunker.cli import options as o
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.terminal import Talk


def show(
    note: Annotated[
        Path,
        typer.Argument(metavar="NOTE", show_default=False, help="A file, or the path or name of a note in the vault."),
    ],
    vault: o.VaultDir = None,
    types: o.Types = None,
    model: o.Model = None,
) -> int:
    """Show one note as it is cut: cuts, tokens, sections, overlap, links.

    mindnet-chunk show ~/Notes/Bees.md
    """
    from mindnet_chunker.runs.show import show_note

    return show_note(note, vault, VaultOptions(types=types, model=model), Talk())


def validate(
    target: Annotated[str | None, typer.Argument(metavar="[VAULT|-]", show_default=False)] = None,
    stored: Annotated[bool, typer.Option("--stored", hidden=True)] = False,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store", help="Check what is stored, there or (without DIR) in the only index.", metavar="[DIR]"
        ),
    ] = None,
    url: o.Url = None,
    collection: o.Collection = None,
    types: o.Types = None,
    model: o.Model = None,
    quiet: o.Quiet = False,
) -> int:
    """Check what must hold for chunks and edges: `path:line: CODE message`, exit 1 if anything is found.

    mindnet-chunk validate ~/Notes
    """
    from mindnet_chunker.runs.validate import print_findings

    where = o.store_options(store, url, collection) if stored or store else None
    return print_findings(target, where, VaultOptions(types=types, model=model), Talk(quiet=quiet))
