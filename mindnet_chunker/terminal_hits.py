"""Hits as a person reads them: a table on a terminal, plain lines elsewhere.

Edge: rich, standard output.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindnet_chunker.terminal import one_line, write_lines

if TYPE_CHECKING:
    from rich.text import Text

LONGEST = 300  # characters of a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One hit, as text. Nothing in it is trusted: it comes from notes."""

    rank: int
    score: float
    heading: str  # title > section
    sentence: str
    words: Sequence[str]  # to be marked in the sentence
    place: str  # path:lines
    link: str  # opens the note
    more: Sequence[str] = ()  # why it is a hit
    expanded: Sequence[str] = ()  # lines


def show_hits(hits: Sequence[Shown]) -> None:
    if hits and on_terminal():
        _show_table(hits)
    else:
        for hit in hits:
            write_lines(plain_lines(hit))


def on_terminal() -> bool:
    return sys.stdout.isatty()


def plain_lines(hit: Shown) -> list[str]:
    told = [hit.sentence and one_line(shortened(hit.sentence)), *map(one_line, (hit.place, hit.link, *hit.more))]
    indented = [f"   {line}" for line in told if line]
    around = [f"   | {one_line(line)}".rstrip() for line in hit.expanded]
    return [f"{hit.rank}. {one_line(hit.heading)}  {hit.score:.3f}", *indented, *around]


def shortened(sentence: str) -> str:
    return sentence if len(sentence) <= LONGEST else sentence[: LONGEST - 1].rstrip() + "…"


def _show_table(hits: Sequence[Shown]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, show_header=False, padding=(0, 1, 1, 0), expand=False)
    table.add_column(justify="right", style="bold", no_wrap=True)
    table.add_column(justify="right", style="cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for hit in hits:
        table.add_row(str(hit.rank), f"{hit.score:.3f}", _cell(hit))
    Console(highlight=False).print(table)


def _cell(hit: Shown) -> Text:
    from rich.style import Style
    from rich.text import Text

    sentence = Text(one_line(shortened(hit.sentence)))
    sentence.highlight_words([word for word in hit.words if len(word) > 1], "bold yellow", case_sensitive=False)
    lines = [
        Text(one_line(hit.heading), style="bold"),
        sentence,
        Text(one_line(hit.place), style="dim"),
        Text(one_line(hit.link), style=Style(dim=True, link=hit.link)),
        *(Text(one_line(line), style="italic") for line in hit.more),
        *(Text(f"│ {one_line(line)}") for line in hit.expanded),
    ]
    return Text("\n").join(line for line in lines if line.plain)
