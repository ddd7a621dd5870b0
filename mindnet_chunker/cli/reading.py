"""Commands that say what an index holds."""

from __future__ import annotations

from typing import Annotated

import typer

from mindnet_chunker.cli import options as o


def status(
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    max_age: Annotated[
        str | None, typer.Option("--max-age", help="Exit 1 when the last good run is older: 12h, 7d.")
    ] = None,
    vault: o.IndexOf = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    wait: o.Wait = 10.0,
) -> int:
    """Say what the index holds and when it was last brought up to date.

    mindnet-chunk status --max-age 7d
    """
    from mindnet_chunker.runs.status import print_status

    return print_status(vault, o.store_options(store, url, collection, wait), as_json=as_json, max_age=max_age)
