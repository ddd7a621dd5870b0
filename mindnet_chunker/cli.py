"""The command line: parse, call, print. The work is done in `runs/`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from mindnet_chunker import __version__
from mindnet_chunker.errors import MindnetError
from mindnet_chunker.runs.options import EmbedOptions, IndexOptions, StoreOptions, VaultOptions
from mindnet_chunker.terminal import Talk, use_utf8

app = typer.Typer(
    name="mindnet-chunk",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="A first word that is no command is taken as `index`: mindnet-chunk VAULT, mindnet-chunk NOTE.md, "
    "cat NOTE.md | mindnet-chunk. All their options: mindnet-chunk index --help",
)

Target = Annotated[str | None, typer.Argument(metavar="[VAULT|NOTE.md|-]", show_default=False)]
Ndjson = Annotated[
    bool, typer.Option("--ndjson", help="Print the records instead of storing them: no model, no store.")
]
From = Annotated[
    str | None, typer.Option("--from", metavar="ndjson", help="With `-`: a stream of notes, one {path, text} a line.")
]
NotePath = Annotated[str, typer.Option("--path", help="The path of the note that comes by standard input.")]
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
    list[str] | None, typer.Option("--exclude", metavar="GLOB", help="Leave notes out; may be repeated.")
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


@app.command("index")
def index(
    target: Target = None,
    ndjson: Ndjson = False,
    source: From = None,
    note_path: NotePath = "stdin.md",
    vault: VaultDir = None,
    store: Store = None,
    url: Url = None,
    collection: Collection = None,
    vault_id: VaultId = None,
    types: Types = None,
    model: Model = None,
    exclude: Exclude = None,
    include_templates: Templates = False,
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
    wait: Wait = 10.0,
    max_file_size: MaxSize = "100MB",
    device: Annotated[str | None, typer.Option("--device", help="cpu, cuda, mps (default: the best there is).")] = None,
    precision: Annotated[str, typer.Option("--precision", help="auto, fp32 or bf16.")] = "auto",
    threads: Annotated[int | None, typer.Option("--threads", min=1, help="Threads of the model.")] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="With --ndjson: processes for chunking.")] = 1,
    query_prefix: QueryPrefix = None,
    passage_prefix: PassagePrefix = None,
    timeout: Timeout = 60.0,
    ca_cert: CaCert = None,
    insecure: Insecure = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> int:
    """Index a vault; with --ndjson, a note or standard input: print its records.

    mindnet-chunk ~/Notes

    mindnet-chunk ~/Notes --ndjson | head -3

    cat note.md | mindnet-chunk
    """
    options = VaultOptions(
        vault_id=vault_id, types=types, model=model, exclude=tuple(exclude or ()), include_templates=include_templates,
        max_file_size=size_of(max_file_size), query_prefix=query_prefix, passage_prefix=passage_prefix,
    )  # fmt: skip
    talk = Talk(quiet=quiet, verbose=verbose)
    if ndjson or target in (None, "-") or Path(str(target)).is_file():
        from mindnet_chunker.runs.stream import print_records

        return print_records(target, options, talk, source=source, note_path=note_path, vault=vault, workers=workers)
    from mindnet_chunker.runs.index_command import index_with_talk

    where = store_options(store, url, collection, wait, timeout, ca_cert, insecure)
    how = EmbedOptions(device=device, precision=precision, threads=threads)
    run = IndexOptions(dry_run=dry_run, rebuild=rebuild, allow_mass_delete=allow_mass_delete, out=out)
    return index_with_talk(Path(str(target)), options, where, how, run, talk, report)


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


@app.command("search")
def search(
    question: str,
    top: Annotated[int, typer.Option("--top", min=1, help="How many hits.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="One hit a line, as JSON.")] = False,
    vault: VaultDir = None,
    store: Store = None,
    url: Url = None,
    collection: Collection = None,
    model: Model = None,
    wait: Wait = 10.0,
    quiet: Quiet = False,
) -> int:
    """Answer a question from the index.

    mindnet-chunk search "When do bees swarm?"
    """
    from mindnet_chunker.runs.search import print_hits

    where = store_options(store, url, collection, wait)
    return print_hits(question, vault, where, VaultOptions(model=model), Talk(quiet=quiet), top=top, as_json=as_json)


@app.command("status")
def status(
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object.")] = False,
    max_age: Annotated[
        str | None, typer.Option("--max-age", help="Exit 1 when the last good run is older: 12h, 7d.")
    ] = None,
    vault: VaultDir = None,
    store: Store = None,
    url: Url = None,
    collection: Collection = None,
    wait: Wait = 10.0,
) -> int:
    """Say what the index holds and when it was last brought up to date.

    mindnet-chunk status --max-age 7d
    """
    from mindnet_chunker.runs.status import print_status

    return print_status(vault, store_options(store, url, collection, wait), as_json=as_json, max_age=max_age)


@app.command("export")
def export(
    vectors: Annotated[bool, typer.Option("--vectors", help="Also the vectors.")] = False,
    vault: VaultDir = None,
    store: Store = None,
    url: Url = None,
    collection: Collection = None,
    wait: Wait = 10.0,
) -> int:
    """Print what the index holds, as the lines of --ndjson.

    mindnet-chunk export > notes.ndjson
    """
    from mindnet_chunker.runs.transfer import print_export

    return print_export(vault, store_options(store, url, collection, wait), vectors=vectors)


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mindnet-chunk {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Chunks, a graph and an index in Qdrant from a vault of Markdown notes, on your own machine."""


def run(words: Sequence[str]) -> int:
    """Run one command; every error that a user can cause becomes one line and a hint."""
    use_utf8()
    talk = Talk()
    try:
        code = app(args=list(words), standalone_mode=False)
        return code if isinstance(code, int) else 0
    except MindnetError as wrong:
        talk.error(wrong)
        return 2
    except KeyboardInterrupt:
        talk.say("stopped; the run can simply be repeated")
        return 128 + signal.SIGINT
    except BrokenPipeError:
        return quiet_end()
    except Exception as wrong:
        show = getattr(wrong, "show", None)  # wrong usage, found by the option parser
        if show is None:
            raise
        show()
        return int(getattr(wrong, "exit_code", 2))


def quiet_end() -> int:
    """The reader has closed the pipe: nothing more is wanted, and the interpreter must not write at its end either."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
