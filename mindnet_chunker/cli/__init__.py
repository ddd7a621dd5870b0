"""The command line: parse, call, print. The work is done in `runs/`."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from mindnet_chunker import __version__
from mindnet_chunker.cli import asking, checking, index, moving, reading
from mindnet_chunker.cli.unquoted import meant_path, meant_text
from mindnet_chunker.errors import MindnetError, ReaderGoneError
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

app.command("index")(index.index)
app.command("show")(checking.show)
app.command("validate")(checking.validate)
app.command("search")(asking.search)
app.command("related")(asking.related)
app.command("eval")(asking.evaluate)
app.command("status")(reading.status)
app.command("export")(moving.export)
app.command("import")(moving.import_)
app.command("forget")(moving.forget)


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
    except (KeyboardInterrupt, typer.Abort):
        talk.say("stopped; the run can simply be repeated")
        return 128 + signal.SIGINT
    except ReaderGoneError:
        return quiet_end()
    except Exception as wrong:
        show = getattr(wrong, "show", None)  # wrong usage, found by the option parser
        if show is None:
            raise
        show()
        if meant := meant_path(words) or meant_text(words):
            talk.say(f'hint: did you mean "{meant}"?')
        return int(getattr(wrong, "exit_code", 2))


def quiet_end() -> int:
    """The reader has closed the pipe: nothing more is wanted, and the interpreter must not write at its end either."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
