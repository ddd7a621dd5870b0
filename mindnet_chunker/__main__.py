"""The console script: route the words, run the command, end with the documented exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import zip_longest
from typing import NoReturn

COMMANDS = (
    "index", "search", "show", "status", "related", "validate", "export", "import", "eval", "forget",
)  # fmt: skip
TOP_OPTIONS = ("--help", "-h", "--version", "--install-completion", "--show-completion")


def route(words: Sequence[str], *, piped: bool) -> list[str]:
    """The first word decides: a command's name, else `index` is meant. Without words, what is piped is read."""
    if not words:
        return ["index"] if piped else ["--help"]
    if words[0] == "validate":
        if len(words) == 1 and not piped:
            return ["validate", "--help"]
        return [*_stored(words)]
    if words[0] in COMMANDS or words[0] in TOP_OPTIONS:
        return list(words)
    return ["index", *words]


def mistyped(words: Sequence[str]) -> str | None:
    """The command that was meant, where the first word is neither a command nor a path but nearly a command."""
    if not words or words[0] in COMMANDS or words[0].startswith("-") or _exists(words[0]):
        return None
    near = next(iter(get_close_matches(words[0], COMMANDS, 1, 0.75)), None)
    return None if near and _is_unquoted(words) else near


def _exists(path: str) -> bool:
    return os.path.exists(path)  # noqa: PTH110 (false where the name is too long)


def _is_unquoted(words: Sequence[str]) -> bool:
    from mindnet_chunker.cli.unquoted import meant_path

    return meant_path(words) is not None


def _stored(words: Sequence[str]) -> Iterator[str]:
    """`validate --store` may stand without a folder: then the only index is meant."""
    for word, following in zip_longest(words, words[1:]):
        alone = word == "--store" and (following is None or following.startswith("-"))
        yield "--stored" if alone else word


def stdin_is_piped() -> bool:
    """Standard input is open and no terminal."""
    try:
        return sys.stdin is not None and not sys.stdin.isatty()
    except ValueError:  # closed
        return False


def main() -> None:
    """Run one command and exit: 0, 1, 2, 130 or 143."""
    from mindnet_chunker.cli import run

    if meant := mistyped(sys.argv[1:]):
        sys.stderr.write(
            f"error: no folder and no command `{sys.argv[1]}`\nhint: did you mean `mindnet-chunk {meant}`?\n"
        )
        sys.exit(2)
    _end(run(route(sys.argv[1:], piped=stdin_is_piped())))


def _end(code: int) -> NoReturn:
    """Exit; with torch loaded, without freeing what the process holds, which would take it one or two seconds."""
    if "torch" not in sys.modules:
        sys.exit(code)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
