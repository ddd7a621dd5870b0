"""Block identifiers: `^id` at the end of a paragraph or list item, or on a line of its own after another block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mindnet_chunker.markdown.leaves import Leaf
from mindnet_chunker.markdown.mask import FILLER
from mindnet_chunker.records import BlockId, Note, Span

_ID = re.compile(r"[A-Za-z0-9-]+")


def find_block_ids(leaves: Sequence[Leaf], masked: str, note: Note) -> Iterator[BlockId]:
    """In reading order. A quote's lines cannot be named: one that goes on without its mark may name the quote."""
    for leaf in leaves:
        if leaf.kind not in ("paragraph", "math"):
            continue
        caret = masked.rfind("^", leaf.start, leaf.end)
        if caret < 0 or (caret > leaf.start and masked[caret - 1] not in " \t\n"):
            continue
        found = _ID.match(masked, caret + 1, leaf.end)
        if found is None or masked[found.end() : leaf.end].strip(f" \t\n>{FILLER}"):
            continue
        line = masked.rfind("\n", leaf.start, caret) + 1 or leaf.start
        if not leaf.quoted or not masked[line:caret].strip(" \t"):
            yield BlockId(id=found[0], line=note.line_at(caret), span=Span(caret, found.end()))
