"""Commands that ask an index."""

from __future__ import annotations

from typing import Annotated

import typer

from mindnet_chunker.cli import options as o
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.terminal import Talk


def search(
    question: str,
    top: Annotated[int, typer.Option("--top", min=1, help="How many hits.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="One hit a line, as JSON.")] = False,
    vault: o.VaultDir = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    model: o.Model = None,
    wait: o.Wait = 10.0,
    quiet: o.Quiet = False,
) -> int:
    """Answer a question from the index.

    mindnet-chunk search "When do bees swarm?"
    """
    from mindnet_chunker.runs.search import print_hits

    where = o.store_options(store, url, collection, wait)
    return print_hits(question, vault, where, VaultOptions(model=model), Talk(quiet=quiet), top=top, as_json=as_json)


def status(
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    max_age: Annotated[
        str | None, typer.Option("--max-age", help="Exit 1 when the last good run is older: 12h, 7d.")
    ] = None,
    vault: o.VaultDir = None,
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
