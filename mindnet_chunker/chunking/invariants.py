"""What must hold for the chunks of every note, read from the records alone, and from the file where it is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mindnet_chunker.chunking.against_file import check_against_file, finding
from mindnet_chunker.chunking.limits import CHARACTERS_PER_TOKEN
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.records import Problem, Record


def check_note(
    text: str | None,
    chunks: Sequence[Record],
    note: Record,
    counter: TokenCounter,
    *,
    row: NoteType | None = None,
    edges: Sequence[Record] = (),
) -> list[Problem]:
    """What is wrong with the chunks of a note or canvas, given as records; nothing if all is right.

    Without `text` only what the records show is checked, without `row` no size and no rule of its own.
    """
    found = [*_check_ids(chunks, note), *_check_order(chunks, note), *_check_edges(chunks, edges, note)]
    for chunk in chunks:
        found += _check_chunk(chunk, counter, row)
    found += _check_fences(chunks)
    if text is not None and note["record"] == "note" and not note["excluded"]:
        found += check_against_file(text, chunks, note, row)
    return found


def _check_ids(chunks: Sequence[Record], note: Record) -> Iterator[Problem]:
    for name in ("chunk_id", "point_id"):
        for value, count in Counter(chunk[name] for chunk in chunks).items():
            if count > 1:
                yield Problem(
                    code="duplicate-id", message=f"{count} chunks have the {name} `{value}`", path=note["path"]
                )
    if note["n_chunks"] != len(chunks):
        message = f"the note speaks of {note['n_chunks']} chunks, there are {len(chunks)}"
        yield Problem(code="chunk-count", message=message, path=note["path"])


def _check_order(chunks: Sequence[Record], note: Record) -> Iterator[Problem]:
    last = len(chunks) - 1
    for place, chunk in enumerate(chunks):
        if chunk["chunk_index"] != place:
            yield finding(chunk, "index", f"expected chunk_index {place}, got {chunk['chunk_index']}")
        if chunk["note_id"] != note["note_id"]:
            yield finding(chunk, "note-id", f"expected note_id `{note['note_id']}`, got `{chunk['note_id']}`")
        expected = {
            "prev": f"#c{place - 1:02}" if place else None,
            "next": f"#c{place + 1:02}" if place < last else None,
        }
        if chunk["neighbors"] != expected:
            yield finding(chunk, "prev-next", f"expected the neighbors {expected}, got {chunk['neighbors']}")


def _check_edges(chunks: Sequence[Record], edges: Sequence[Record], note: Record) -> Iterator[Problem]:
    points = {chunk["point_id"] for chunk in chunks}
    for edge in edges:
        if edge["source_kind"] == "chunk" and edge["source_id"] not in points:
            message = f"edge `{edge['kind']}` comes from the chunk `{edge['source_id']}`, which is not there"
            yield Problem(code="edge-source", message=message, path=note["path"])


def _check_chunk(chunk: Record, counter: TokenCounter, row: NoteType | None) -> Iterator[Problem]:
    if not chunk["text"].strip():
        yield finding(chunk, "blank", "the chunk has no text")
    embedded = embedding_text(chunk["context"], chunk["text"])
    encoded = counter.encode_count(embedded) + counter.specials
    if chunk["embedding_tokens"] != encoded:
        yield finding(chunk, "token-count", f"embedding_tokens is {chunk['embedding_tokens']}, encoded it is {encoded}")
    for added in chunk["added"]:
        here = chunk["text"][added["at"] : added["at"] + len(added["text"])]
        if here != added["text"] or added["at"] < chunk["own_start"]:
            yield finding(chunk, "added", f"`{added['text'].strip()}` is not at {added['at']} of the text")
    if row is not None:
        yield from _check_size(chunk, row, max(encoded, -(-len(embedded) // CHARACTERS_PER_TOKEN)))


def _check_size(chunk: Record, row: NoteType, size: int) -> Iterator[Problem]:
    over = size > row.max
    kept = "oversize" in chunk["flags"]
    if over and not kept:
        yield finding(chunk, "over-max", f"{size} tokens, `max` is {row.max}")
    if not kept or row.strategy != "structure":
        return
    if not {"has_code", "has_table"} & set(chunk["flags"]):
        yield finding(chunk, "over-max", "flagged `oversize`, but it holds neither code nor a table")
    if row.oversize == "split":
        yield finding(chunk, "over-max", "flagged `oversize`, but the row says `oversize: split`")


def _check_fences(chunks: Sequence[Record]) -> Iterator[Problem]:
    """A fence that is closed for a cut is opened again after it."""
    closed: Record | None = None  # the chunk before, if it closes a fence
    for chunk in chunks:
        why = {added["why"] for added in chunk["added"]}
        if closed and "fence_open" not in why:
            yield finding(closed, "fence", "a fence is closed for the cut, and not opened again after it")
        if not closed and "fence_open" in why:
            yield finding(chunk, "fence", "a fence is opened again that was not closed before the cut")
        closed = chunk if "fence_close" in why else None
    if closed:
        yield finding(closed, "fence", "a fence is closed for the cut, and not opened again after it")
