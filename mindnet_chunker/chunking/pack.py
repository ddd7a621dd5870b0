"""A note -> its chunks: cuts chosen together within each group of sections, overlap carried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mindnet_chunker.chunking.body import Body
from mindnet_chunker.chunking.build import Builder
from mindnet_chunker.chunking.context import Contexts
from mindnet_chunker.chunking.groups import left_out
from mindnet_chunker.chunking.limits import Limits
from mindnet_chunker.chunking.sizing import NoteType
from mindnet_chunker.chunking.strategies import Simple, headings_left_out
from mindnet_chunker.chunking.structure import Structure
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.chunking.traits import walk
from mindnet_chunker.markdown.read import exclusions
from mindnet_chunker.markdown.sections import sections
from mindnet_chunker.records import Chunk, Document, Exclusion, Problem, Span

BROKEN_FENCE = "broken-fence"
CONTENT_LOSS = "content-loss"


def cut_note(
    document: Document, title: str, aliases: Sequence[str], row: NoteType, counter: TokenCounter, window: int
) -> tuple[list[Chunk], list[Exclusion], list[Problem]]:
    """Cut a note by its row. Every visible character of the body is in one chunk or in one exclusion.

    Sizes are tokens of the text as embedded; `window` is what the model reads at once.
    """
    parted = sections(document.blocks, title=title, first_heading=document.first_heading)
    kept, skipped = left_out(parted, row)
    excluded = [*exclusions(document), *skipped, *headings_left_out(kept, row)]
    excluded.sort(key=lambda one: one.span)
    limits = Limits.of(row, counter.specials, window)
    body = Body(document, kept, _merged(one.span for one in excluded), counter)
    contexts = Contexts(row, aliases, counter, limits.max)
    builder = Builder(body, limits, contexts, window)
    strategy = Structure if row.strategy == "structure" else Simple
    chunks = [built.chunk for built in strategy(body, row, limits, contexts, builder).pack()]
    return chunks, excluded, [*_broken_fences(document), *_losses(body, chunks)]


def fails(problems: Iterable[Problem], row: NoteType) -> Problem | None:
    """The problem for which the row lets the note fail, if there is one."""
    fatal = {BROKEN_FENCE: row.fail_on_broken_fence, CONTENT_LOSS: row.fail_on_content_loss}
    return next((problem for problem in problems if fatal.get(problem.code)), None)


def _broken_fences(document: Document) -> Iterator[Problem]:
    note = document.note
    for block in walk(document.blocks):
        if block.fence is not None and not block.fence.closed:
            yield Problem(
                code=BROKEN_FENCE,
                message=f"the code block `{block.fence.opener.strip()[:40]}` is never closed",
                path=note.path,
                line=note.line_at(block.span.start),
                hint="close it with a line of the same marks, or the rest of the note counts as code",
            )


def _losses(body: Body, chunks: Sequence[Chunk]) -> Iterator[Problem]:
    """What is visible and in no chunk: none, if all is right."""
    note = body.document.note
    ends = [note.body_start, *(chunk.span.end for chunk in chunks)]
    starts = [*(chunk.span.start for chunk in chunks), len(note.text)]
    for end, start in zip(ends, starts, strict=True):
        if (lost := body.visible(end, start)) is not None:
            yield Problem(
                code=CONTENT_LOSS,
                message=f"{lost.end - lost.start} characters are in no chunk: `{body.text[lost.start :][:40]}`",
                path=note.path,
                line=note.line_at(lost.start),
                hint="this is a fault of the program: please report the note",
            )


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that meet or overlap as one."""
    merged: list[Span] = []
    for span in spans:
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        elif span.end > span.start:
            merged.append(span)
    return merged
