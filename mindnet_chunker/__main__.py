"""The console script: route the words, run the command, end with the documented exit code."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest

COMMANDS = (
    "index", "search", "show", "status", "related", "validate", "export", "import", "eval", "forget",
)  # fmt: skip
TOP_OPTIONS = ("--help", "-h", "--version", "--install-completion", "--show-completion")


def route(words: Sequence[str], *, piped: bool) -> list[str]:
    """The first word decides: a command's name, else `index` is meant. Without words, a piped note is read."""
    if not words:
        return ["index"] if piped else ["--help"]
    if words[0] == "validate":
        return [*_stored(words)]
    if words[0] in COMMANDS or words[0] in TOP_OPTIONS:
        return list(words)
    return ["index", *words]


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

    sys.exit(run(route(sys.argv[1:], piped=stdin_is_piped())))


if __name__ == "__main__":
    main()
