"""Commands that ask an index a question."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mindnet_chunker.cli import options as o
from mindnet_chunker.retrieval.ways import Expand, Mode
from mindnet_chunker.terminal import Talk

Values = list[str] | None
Json = Annotated[bool, typer.Option("--json", help="As JSON, one object a line.")]
OwnModel = Annotated[
    str | None, typer.Option("--model", help="Where the index's own model lies, if its name does not say.")
]


def search(
    question: str,
    top: Annotated[int, typer.Option("--top", min=1, help="How many hits.")] = 5,
    mode: Annotated[Mode, typer.Option("--mode", help="Both searches fused, or one of them.")] = "fused",
    expand: Annotated[
        Expand | None, typer.Option("--expand", help="Also the section or the note around a hit, or its links.")
    ] = None,
    kind: Annotated[
        Values, typer.Option("--type", help="Notes of this type; like all filters: may be repeated.")
    ] = None,
    tag: Annotated[Values, typer.Option("--tag", help="Notes with this tag or one nested in it.")] = None,
    path: Annotated[Values, typer.Option("--path", help="Notes below this folder, or one note.")] = None,
    area: Annotated[Values, typer.Option("--area")] = None,
    project: Annotated[Values, typer.Option("--project")] = None,
    status: Annotated[Values, typer.Option("--status")] = None,
    lang: Annotated[Values, typer.Option("--lang", help="Chunks in this language: de, en, ...")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Created then or later: 2025, 2025-03-31, ...")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Created then or before.")] = None,
    why: Annotated[bool, typer.Option("--why", help="Say why each hit is one.")] = False,
    as_json: Json = False,
    vault: o.IndexOf = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    model: OwnModel = None,
    query_prefix: o.QueryPrefix = None,
    wait: o.Wait = 10.0,
    timeout: o.Timeout = 60.0,
    ca_cert: o.CaCert = None,
    insecure: o.Insecure = False,
    quiet: o.Quiet = False,
) -> int:
    """Answer a question from the index.

    mindnet-chunk search "When do bees swarm?"
    """
    from mindnet_chunker.retrieval.filters import Conditions
    from mindnet_chunker.runs.search import SearchOptions, print_hits

    where = o.store_options(store, url, collection, wait, timeout, ca_cert, insecure)
    asked = Conditions(
        type=tuple(kind or ()), tag=tuple(tag or ()), path=tuple(path or ()), area=tuple(area or ()),
        project=tuple(project or ()), status=tuple(status or ()), lang=tuple(lang or ()), since=since, until=until,
    )  # fmt: skip
    options = SearchOptions(
        top=top, mode=mode, where=asked, expand=expand, model=model, query_prefix=query_prefix
    )  # fmt: skip
    return print_hits(question, vault, where, options, Talk(quiet=quiet), as_json=as_json, why=why)


def related(
    note: str,
    top: Annotated[int, typer.Option("--top", min=1, help="How many notes.")] = 10,
    unlinked: Annotated[bool, typer.Option("--unlinked", help="Without those that a link joins already.")] = False,
    as_json: Json = False,
    vault: o.IndexOf = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    wait: o.Wait = 10.0,
    timeout: o.Timeout = 60.0,
    ca_cert: o.CaCert = None,
    insecure: o.Insecure = False,
    quiet: o.Quiet = False,
) -> int:
    """Name the notes nearest to a note by their stored vectors; with --unlinked: links worth making.

    mindnet-chunk related "Der Schwarm im Apfelbaum" --unlinked
    """
    from mindnet_chunker.runs.related import print_related

    where = o.store_options(store, url, collection, wait, timeout, ca_cert, insecure)
    return print_related(note, vault, where, Talk(quiet=quiet), top=top, unlinked=unlinked, as_json=as_json)


def evaluate(
    questions: Annotated[Path, typer.Argument(metavar="QUESTIONS.json", show_default=False)],
    k: Annotated[int, typer.Option("--k", min=1, help="Hits that count for nDCG, recall and MRR.")] = 10,
    by: Annotated[str, typer.Option("--by", metavar="KEY", help="Also by this key of the questions.")] = "lang",
    as_json: Json = False,
    vault: o.IndexOf = None,
    store: o.Store = None,
    url: o.Url = None,
    collection: o.Collection = None,
    model: OwnModel = None,
    query_prefix: o.QueryPrefix = None,
    wait: o.Wait = 10.0,
    timeout: o.Timeout = 60.0,
    ca_cert: o.CaCert = None,
    insecure: o.Insecure = False,
) -> int:
    """Ask questions whose answers are known; compare dense, BM25 and both fused.

    mindnet-chunk eval questions.json
    """
    from mindnet_chunker.runs.evaluate import print_evaluation

    where = o.store_options(store, url, collection, wait, timeout, ca_cert, insecure)
    return print_evaluation(
        questions, vault, where, k=k, by=by, as_json=as_json, model=model, query_prefix=query_prefix
    )  # fmt: skip
