"""Commands that bring an index from one place to another."""

from __future__ import annotations

from typing import Annotated

import typer

from mindnet_chunker.cli import options as o


def export(
    vectors: Annotated[bool, typer.Option("--vectors", help="Also the vectors.")] = False,
    vault: o.VaultDir = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    wait: o.Wait = 10.0,
) -> int:
    """Print what the index holds, as the lines of --ndjson.

    mindnet-chunk export > notes.ndjson
    """
    from mindnet_chunker.runs.transfer import print_export

    return print_export(vault, o.store_options(store, url, collection, wait), vectors=vectors)
