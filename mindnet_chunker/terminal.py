"""What a person sees: lines on standard error, a progress bar, tables, colours. Data goes through `write_line`.

Edge: rich, standard output and standard error.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from mindnet_chunker.errors import MindnetError, ReaderGoneError
from mindnet_chunker.records import Problem

SHOWN_PROBLEMS = 5  # of one kind; the rest is counted and stands in the report


class Progress(Protocol):
    def __call__(self, done: int, total: int) -> None: ...


def one_line(text: str) -> str:
    """Control characters as escapes: a file name must not break a line."""
    return "".join(ch if ch.isprintable() else ch.encode("unicode_escape").decode() for ch in text)


def use_utf8() -> None:
    """Both streams speak UTF-8 whatever the console, and never fail on a character."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")


def write_line(line: str) -> None:
    write_lines([line])


def write_lines(lines: Sequence[str]) -> None:
    """Lines of data, flushed: the reader may wait for them. Raises ReaderGoneError where nobody reads any more."""
    try:
        sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise ReaderGoneError from None


class Talk:
    """Talk on standard error: quiet, usual or verbose."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self.quiet = quiet
        self.verbose = verbose
        self._warned: Counter[str] = Counter()
        self._counted = "notes"  # by the progress
        self.colour = sys.stderr.isatty() and "NO_COLOR" not in os.environ

    def say(self, text: str) -> None:
        if not self.quiet:
            self._write(text)

    def detail(self, text: str) -> None:
        if self.verbose and not self.quiet:
            self._write(text)

    def error(self, wrong: MindnetError) -> None:
        self._write(self._paint("31", "error: ") + one_line(str(wrong)))
        if wrong.hint:
            self._write(f"hint: {wrong.hint}")

    def errors(self, problems: Sequence[Problem]) -> None:
        """Every failed note by name."""
        for problem in problems:
            self._write(self._paint("31", "error: ") + self._form(problem, hint=self.verbose))

    def warnings(self, problems: Sequence[Problem]) -> None:
        """The first of each kind, with one hint; the rest is counted, see `end_of_warnings`."""
        for problem in problems:
            self._warned[problem.code] += 1
            if not self.quiet and (self.verbose or self._warned[problem.code] <= SHOWN_PROBLEMS):
                first = self._warned[problem.code] == 1
                self._write(self._paint("33", "warning: ") + self._form(problem, hint=self.verbose or first))

    def end_of_warnings(self) -> None:
        """How many of each kind were not shown."""
        for code, count in self._warned.items():
            if count > SHOWN_PROBLEMS and not self.verbose and not self.quiet:
                self._write(
                    f"warning: {count - SHOWN_PROBLEMS} more of `{code}` (all of them with -v or --report FILE)"
                )
        self._warned.clear()

    def _form(self, problem: Problem, *, hint: bool) -> str:
        place = ":".join(str(part) for part in (problem.path, problem.line) if part)
        text = one_line(f"{place}: {problem.message}" if place else problem.message)
        return f"{text}\nhint: {one_line(problem.hint)}" if problem.hint and hint else text

    def _paint(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
        except OSError:  # nobody listens any more; the work goes on
            self.quiet = True

    def count(self, nouns: str) -> None:
        """What it is that the progress counts."""
        self._counted = nouns

    @contextmanager
    def progress(self) -> Iterator[Progress]:
        """A bar on a terminal; otherwise one line `stored N/M notes` per committed group."""
        if self.quiet:
            yield lambda done, total: None
        elif not sys.stderr.isatty():
            yield lambda done, total: self._write(f"stored {done}/{total} {self._counted}")
        else:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as Bar

            columns = (
                TextColumn("storing"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.description}"),
                TimeRemainingColumn(),
            )
            with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
                task = bar.add_task(self._counted, total=None)
                yield lambda done, total: bar.update(task, completed=done, total=total, description=self._counted)
