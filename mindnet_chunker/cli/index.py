"""`mindnet-chunk VAULT`: index it, or print its records."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from mindnet_chunker.cli import options as o
from mindnet_chunker.runs.options import EmbedOptions, IndexOptions, VaultOptions
from mindnet_chunker.terminal import Talk


def index(
    target: o.Target = None,
    ndjson: o.Ndjson = False,
    source: o.From = None,
    note_path: o.NotePath = "stdin.md",
    vault: o.VaultDir = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    vault_id: o.VaultId = None,
    types: o.Types = None,
    model: o.Model = None,
    exclude: o.Exclude = None,
    include_templates: o.Templates = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be done; write nothing, load no model.")
    ] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Read everything again and fill a new store.")] = False,
    report: Annotated[
        Path | None, typer.Option("--report", help="Write the run's figures to this file, as JSON.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Also write chunks.json, meta.json and report.json per note below this folder."),
    ] = None,
    allow_mass_delete: Annotated[
        bool, typer.Option("--allow-mass-delete", help="Remove notes even if more than half are gone.")
    ] = False,
    wait: o.Wait = 10.0,
    max_file_size: o.MaxSize = "100MB",
    device: Annotated[str | None, typer.Option("--device", help="cpu, cuda, mps (default: the best there is).")] = None,
    precision: Annotated[str, typer.Option("--precision", help="auto, fp32 or bf16.")] = "auto",
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="Threads of the model.")] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="With --ndjson: processes for chunking.")] = 1,
    query_prefix: o.QueryPrefix = None,
    passage_prefix: o.PassagePrefix = None,
    timeout: o.Timeout = 60.0,
    ca_cert: o.CaCert = None,
    insecure: o.Insecure = False,
    quiet: o.Quiet = False,
    verbose: o.Verbose = False,
) -> int:
    """Index a vault; with --ndjson, a note or standard input: print its records.

    mindnet-chunk ~/Notes

    mindnet-chunk ~/Notes --ndjson | head -3

    cat note.md | mindnet-chunk
    """
    options = VaultOptions(
        vault_id=vault_id, types=types, model=model, exclude=tuple(exclude or ()), include_templates=include_templates,
        max_file_size=o.size_of(max_file_size), query_prefix=query_prefix, passage_prefix=passage_prefix,
    )  # fmt: skip
    talk = Talk(quiet=quiet, verbose=verbose)
    is_note = os.path.isfile(str(target))  # noqa: PTH113 (false where the name is too long)
    if ndjson or source or target in (None, "-") or is_note:
        o.refuse_without_index(
            {"--store": store, "--report": report, "--out": out, "--dry-run": dry_run, "--rebuild": rebuild,
             "--allow-mass-delete": allow_mass_delete, "--collection": collection}
        )  # fmt: skip
        from mindnet_chunker.runs.stream import print_records

        return print_records(target, options, talk, source=source, note_path=note_path, vault=vault, workers=workers)
    from mindnet_chunker.runs.index_command import index_with_talk

    where = o.store_options(store, url, collection, wait, timeout, ca_cert, insecure)
    how = EmbedOptions(device=device, precision=precision, threads=threads)
    run = IndexOptions(dry_run=dry_run, rebuild=rebuild, allow_mass_delete=allow_mass_delete, out=out)
    return index_with_talk(Path(str(target)), options, where, how, run, talk, report)
