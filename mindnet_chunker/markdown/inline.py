"""The marks of a body -> its links, tags, block ids, fields, tasks and callouts, as written."""

from __future__ import annotations

from collections.abc import Sequence

from mindnet_chunker.markdown.block_ids import find_block_ids
from mindnet_chunker.markdown.callouts import find_callouts
from mindnet_chunker.markdown.fields import find_fields
from mindnet_chunker.markdown.leaves import Leaf
from mindnet_chunker.markdown.links import body_links
from mindnet_chunker.markdown.mask import masked
from mindnet_chunker.markdown.scan import Marks
from mindnet_chunker.markdown.tasks import find_tasks
from mindnet_chunker.records import Block, Inline, Note, Region, Tag

_DEAD = frozenset(("code", "math", "comment", "html", "escape", "url"))


def find_inline(
    note: Note, source: str, shown: str, blocks: Sequence[Block], leaves: Sequence[Leaf], marks: Marks
) -> Inline:
    """Everything inline, each list in reading order. `shown` is the source without its comments.

    Most notes have few of these: each is looked for only where its sign stands somewhere.
    """
    has_fields, has_ids = "::" in source, "^" in source
    dead = _dead(source, marks) if has_fields or has_ids else source
    fields = tuple(find_fields(dead, shown, note)) if has_fields else ()
    links, external_links = body_links(note, source, marks, fields)
    return Inline(
        links=links,
        external_links=external_links,
        tags=tuple(Tag(text=source[s.start + 1 : s.end], line=note.line_at(s.start), span=s) for s in marks.tags),
        block_ids=tuple(find_block_ids(leaves, dead, note)) if has_ids else (),
        callouts=tuple(find_callouts(blocks, shown, note)) if "[!" in source else (),
        fields=fields,
        tasks=tuple(find_tasks(blocks, shown, note)) if "] " in source or "]\t" in source else (),
    )


def _dead(source: str, marks: Marks) -> str:
    """The source without all that is no plain text, wikilinks included."""
    text = masked(source, marks.regions, _DEAD)
    return masked(text, (Region(*span, "link") for span in marks.wikilinks), ("link",))
