"""Commands that bring an index from one place to another, or away."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mindnet_chunker.cli import options as o
from mindnet_chunker.errors import UsageError
from mindnet_chunker.terminal import Talk


def export(
    vectors: Annotated[bool, typer.Option("--vectors", help="Also the vectors, so that `import` can take it.")] = False,
    vault: o.IndexOf = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    wait: o.Wait = 10.0,
    timeout: o.Timeout = 60.0,
    ca_cert: o.CaCert = None,
    insecure: o.Insecure = False,
) -> int:
    """Print what the index holds, as the lines of --ndjson.

    mindnet-chunk export > notes.ndjson
    """
    from mindnet_chunker.runs.transfer import print_export

    where = o.store_options(store, url, collection, wait, timeout, ca_cert, insecure)
    return print_export(vault, where, vectors=vectors)


def import_(
    source: Annotated[Path | None, typer.Argument(metavar="[FILE|-]", show_default=False)] = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    wait: o.Wait = 10.0,
    timeout: o.Timeout = 60.0,
    ca_cert: o.CaCert = None,
    insecure: o.Insecure = False,
    quiet: o.Quiet = False,
) -> int:
    """Fill an empty store, embedded or on a server, from `export --vectors`; nothing is embedded.

    mindnet-chunk export --vectors | mindnet-chunk import --qdrant-url http://localhost:6333
    """
    from mindnet_chunker.runs.importing import import_lines, open_lines

    where = o.store_options(store, url, collection, wait, timeout, ca_cert, insecure)
    return import_lines(*open_lines(source), where, Talk(quiet=quiet))


def forget(
    vault: Annotated[
        Path | None,
        typer.Argument(metavar="[VAULT]", show_default=False, help="May be left out with --store of a single vault."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    wait: o.Wait = 10.0,
    timeout: o.Timeout = 60.0,
    ca_cert: o.CaCert = None,
    insecure: o.Insecure = False,
) -> int:
    """Remove a vault's index, after asking. The vault itself is never touched.

    mindnet-chunk forget ~/Notes
    """
    from mindnet_chunker.runs.forget import forget as remove

    where = o.store_options(store, url, collection, wait, timeout, ca_cert, insecure)
    return remove(vault, where, lambda question: yes or _confirmed(question), Talk())


def _confirmed(question: str) -> bool:
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        raise UsageError(
            "the question was not answered: nothing was removed", hint="answer it, or give `--yes`"
        ) from None
