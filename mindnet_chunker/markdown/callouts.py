"""Callouts: quotes whose first line starts with `[!type]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mindnet_chunker.markdown.mask import visible
from mindnet_chunker.records import Block, Callout, Note

# `[!type|metadata]` as themes use it; with `(` or `[` behind, it is a Markdown link.
CALLOUT = re.compile(
    r"\[!(?P<type>[ \t]*+[^\[\]|\s][^\[\]|\n]*+)(?:\|[^\[\]\n]*+)?\](?P<fold>[+-]?)(?![(\[])(?P<title>.*)"
)


def find_callouts(blocks: Sequence[Block], shown: str, note: Note) -> Iterator[Callout]:
    """In reading order, those within others and within lists too."""
    for block in blocks:
        if block.kind == "callout" and (found := CALLOUT.search(shown, block.span.start, block.span.end)):
            yield Callout(
                type=found["type"].strip().lower(),
                title=visible(found["title"]).strip() or None,
                fold=found["fold"] or None,
                line=note.line_at(found.start()),
            )
        yield from find_callouts(block.parts, shown, note)
