"""A note's chunks, as records, held against the file that they were cut from."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from mindnet_chunker.chunking.body import VISIBLE
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.traits import walk
from mindnet_chunker.chunking.wording import tidy
from mindnet_chunker.markdown.read import read_document
from mindnet_chunker.records import Block, Document, Frontmatter, Note, Problem, Record

_LINE_END = re.compile(r"\r\n|\r|\n")
_ROOM_FOR_FENCES = 32  # tokens of `max` below which the lines of a fence may leave no room for code


class _File:
    """The file, with what its note leaves out on purpose."""

    def __init__(self, text: str, note: Record) -> None:
        self.text = text
        self.path = note["path"]
        self.holes = sorted((hole["char_start"], hole["char_end"]) for hole in note["exclusions"])
        heads = [hole["char_end"] for hole in note["exclusions"] if hole["reason"] == "frontmatter"]
        self.start = max(heads, default=0)
        lines = (0, *(end.end() for end in _LINE_END.finditer(text)))
        frontmatter = Frontmatter(present=note["has_frontmatter"], fields=note["frontmatter"])
        self.note = Note(path=self.path, text=text, frontmatter=frontmatter, body_start=self.start, line_starts=lines)

    def cutout(self, start: int, end: int) -> str:
        """The stretch without its exclusions."""
        pieces = []
        for low, high in self.holes[self._first_hole(start) :]:
            if low >= end:
                break
            pieces.append(self.text[start : max(start, low)])
            start = max(start, min(high, end))
        return "".join((*pieces, self.text[start:end]))

    def shows(self, start: int, end: int) -> bool:
        return start < end and VISIBLE.search(self.cutout(start, end)) is not None

    def first_visible(self, start: int, end: int) -> int:
        """Where the stretch begins that is seen of it; `end` if nothing is."""
        at = self._first_hole(start)
        while start < end:
            low, high = self.holes[at] if at < len(self.holes) else (end, end)
            if found := VISIBLE.search(self.text, start, max(start, min(low, end))):
                return found.start()
            start, at = max(start, high), at + 1
        return end

    def _first_hole(self, start: int) -> int:
        at = bisect_left(self.holes, (start, 0))
        while at and self.holes[at - 1][1] > start:
            at -= 1
        return at


def check_against_file(text: str, chunks: Sequence[Record], note: Record, row: NoteType | None) -> Iterator[Problem]:
    """What the file tells about the chunks of its note."""
    file = _File(text, note)
    document = read_document(file.note)
    yield from _check_coverage(file, chunks)
    for chunk in chunks:
        yield from _check_text(file, chunk)
    if row is None or row.max >= _ROOM_FOR_FENCES:
        yield from _check_fences(file, document, chunks)
    if row is None or row.strategy == "structure":
        yield from _check_headings(file, document, chunks, row)


def finding(chunk: Record, code: str, message: str) -> Problem:
    """A finding about a chunk, at its first line."""
    return Problem(code=code, message=f"{chunk['chunk_id']}: {message}", path=chunk["path"], line=chunk["line_start"])


def _check_coverage(file: _File, chunks: Sequence[Record]) -> Iterator[Problem]:
    """Every visible character of the body is in one chunk or one exclusion."""
    end = file.start
    for chunk in chunks:
        start = chunk["char_start"]
        if not end <= start < chunk["char_end"] <= len(file.text) or not 0 <= chunk["overlap_start"] <= start:
            yield finding(chunk, "offsets", f"owns {start} to {chunk['char_end']}, the chunk before ends at {end}")
        elif file.shows(end, start):
            yield _lost(file, end, start)
        end = max(end, chunk["char_end"])
    if file.shows(end, len(file.text)):
        yield _lost(file, end, len(file.text))


def _lost(file: _File, start: int, end: int) -> Problem:
    first = file.first_visible(start, end)
    message = f"in no chunk: `{tidy(file.cutout(first, end))[:60]}`"
    return Problem(code="coverage", message=message, path=file.path, line=file.note.line_at(first))


def _check_text(file: _File, chunk: Record) -> Iterator[Problem]:
    """The text is the tidied slice of the file, what was added apart."""
    text, own_start = chunk["text"], chunk["own_start"]
    for added in sorted(chunk["added"], key=lambda one: -one["at"]):
        text = text[: added["at"]] + text[added["at"] + len(added["text"]) :]
    own = tidy(file.cutout(chunk["char_start"], chunk["char_end"]))
    if text[own_start:] != own:
        yield finding(chunk, "slice", f"the own text `{text[own_start:][:40]}` is not the file's `{own[:40]}`")
    elif text != tidy(file.cutout(chunk["overlap_start"], chunk["char_end"])):
        yield finding(chunk, "slice", f"the overlap `{text[:own_start][:40]}` is not the file's")


def _check_fences(file: _File, document: Document, chunks: Sequence[Record]) -> Iterator[Problem]:
    """Where a cut goes through a fenced code block, the fence is closed before it and opened after it."""
    starts = [chunk["char_start"] for chunk in chunks]
    for block in walk(document.blocks):
        if block.fence is None:
            continue
        end = block.span.start + len(file.text[slice(*block.span)].rstrip())
        for at in range(bisect_right(starts, file.first_visible(*block.span)), bisect_left(starts, end)):
            before, after = chunks[at - 1], chunks[at]
            if at and not any(added["why"] == "fence_close" for added in before["added"]):
                yield finding(
                    before, "fence", f"ends inside the code block `{block.fence.opener[:40]}` without closing it"
                )
            if not any(added["why"] == "fence_open" for added in after["added"]):
                yield finding(
                    after, "fence", f"begins inside the code block `{block.fence.opener[:40]}` without opening it"
                )


def _check_headings(
    file: _File, document: Document, chunks: Sequence[Record], row: NoteType | None
) -> Iterator[Problem]:
    blocks = [block for block in document.blocks if file.shows(*block.span)]
    starts = [block.span.start for block in blocks]
    last_text = max((block.span.start for block in blocks if block.kind not in ("heading", "rule")), default=-1)
    merges = row is None or row.merge_sections != "never" or row.bundle_dates
    for chunk in chunks:
        inside = blocks[max(0, bisect_right(starts, chunk["char_start"]) - 1) : bisect_left(starts, chunk["char_end"])]
        if not inside or "headings_only" in chunk["flags"] or "cut_sentence" in chunk["flags"]:
            continue
        if inside[-1].kind == "heading" and inside[-1].span.start < last_text:
            yield finding(chunk, "heading-last", f"ends with the heading `{inside[-1].title[:40]}`")
        if not merges and chunk["kind"] != "links":
            yield from _check_levels(chunk, inside, last_text, row)


def _check_levels(chunk: Record, inside: Sequence[Block], last_text: int, row: NoteType | None) -> Iterator[Problem]:
    """Headings of the levels that start chunks stand at the start, but for those at the end of the note."""
    begun = False  # text has been seen
    for block in inside:
        begun = begun or block.kind not in ("heading", "rule")
        if (
            begun
            and block.kind == "heading"
            and row
            and block.level in row.split_levels
            and block.span.start < last_text
        ):
            yield finding(chunk, "split-level", f"the heading `{block.title[:40]}` stands inside the chunk")
