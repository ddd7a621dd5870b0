"""One note's body, read: comments, blocks, regions, inline syntax."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from mindnet_chunker.markdown.blocks import parse_blocks
from mindnet_chunker.markdown.inline import find_inline
from mindnet_chunker.markdown.leaves import leaves
from mindnet_chunker.markdown.mask import data_urls, drawings, masked, plain_lines, without_comments
from mindnet_chunker.markdown.scan import scan
from mindnet_chunker.markdown.sections import first_heading, outline_of
from mindnet_chunker.records import Document, Exclusion, Note, Region, Span

_ROUNDS = 4
_LEFT_OUT = frozenset(("comment", "data_url", "drawing"))


def read_document(note: Note) -> Document:
    """Read a body. Never raises, whatever the text.

    Which `%%` opens a comment depends on the blocks (none does within code), and the blocks depend on the comments (a
    fence within one is none). Each round gets at least one comment more right, and the first usually all of them; what
    still moves after the last is a text that was made to do so.
    """
    source = plain_lines(note.text)
    drawn = drawings(source, note.body_start, note.frontmatter.fields)
    source = masked(source, drawn, ("drawing",), " ")
    addresses = data_urls(source, note.body_start)
    source = masked(source, addresses, ("data_url",))
    comments: list[Region] = []
    for _ in range(_ROUNDS):
        shown = without_comments(source, comments)
        blocks = parse_blocks(shown, note.body_start)
        found = leaves(blocks, shown, note.body_start, gaps=bool(comments))
        marks = scan(source, found)
        if marks.comments == comments:
            break
        comments = marks.comments
    return Document(
        note=note,
        regions=_carved(marks.regions, sorted((*drawn, *addresses))),
        blocks=blocks,
        headings=outline_of(blocks, note, shown),
        inline=find_inline(note, source, shown, blocks, found, marks),
        first_heading=None if drawn else first_heading(blocks, shown),  # a drawing's are its plugin's
    )


def exclusions(document: Document) -> list[Exclusion]:
    """What of a note's file is never in a chunk: its head, comments, drawings, the data of `data:` addresses."""
    start = document.note.body_start
    head = [Exclusion(span=Span(0, start), reason="frontmatter")] if start else []
    regions = (region for region in document.regions if region.kind in _LEFT_OUT)
    return [*head, *(Exclusion(span=Span(region.start, region.end), reason=region.kind) for region in regions)]


def _carved(regions: Sequence[Region], holes: Iterable[Region]) -> tuple[Region, ...]:
    """The regions with the holes cut out of them and put between them; a comment swallows its holes."""
    waiting = deque(holes)
    if not waiting:
        return tuple(regions)
    found: list[Region] = []
    for region in regions:
        while waiting and waiting[0].end <= region.start:
            found.append(waiting.popleft())
        at = region.start
        while waiting and waiting[0].start < region.end:
            hole = waiting.popleft()
            if region.kind != "comment":
                if at < hole.start:
                    found.append(Region(at, hole.start, region.kind))
                found.append(hole)
                at = hole.end
        if at < region.end:
            found.append(Region(at, region.end, region.kind))
    return (*found, *waiting)
