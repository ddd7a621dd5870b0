"""`related`: the notes near a note, printed. Loads no model."""

from __future__ import annotations

from pathlib import Path

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.points import line_of
from mindnet_chunker.records import Record, is_canvas
from mindnet_chunker.retrieval.note_names import find_note
from mindnet_chunker.retrieval.passage import first_sentence, obsidian_link
from mindnet_chunker.retrieval.related import Neighbour, related
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import OpenIndex, opened_index
from mindnet_chunker.runs.sources import root_of, vault_name
from mindnet_chunker.terminal import Talk, write_lines
from mindnet_chunker.terminal_hits import Shown, show_hits
from mindnet_chunker.vault.read import vault_path

# `excluded` of a note -> why it has no chunks, and what would bring it in.
LEFT_OUT = {
    "filter": ("Obsidian's excluded files name it", "take it out of Obsidian's excluded files"),
    "template": ("it lies in the templates folder", "give `--include-templates`"),
    "option": ("`--exclude` named it in the last run", "leave out that `--exclude`"),
    "property": ("it says `index: false`", "take out that property"),
}


def print_related(
    note: str, vault: Path | None, where: StoreOptions, talk: Talk, *, top: int, unlinked: bool, as_json: bool
) -> int:
    """Print the nearest notes; 0 also where there are none."""
    with opened_index(vault, where, "mindnet-chunk related", talk.say) as index:
        found = find_note(index.store, index.vault, _in_vault(note, index))
        _refuse_board(found)
        _refuse_left_out(found)
        neighbours = related(index.store, index.vault, found["note_id"], top=top, unlinked=unlinked)
    if not neighbours:
        talk.say("no other note is left to compare with")
    if as_json:
        write_lines([line_of(neighbour.record()) for neighbour in neighbours])
    else:
        name = vault_name(index)
        show_hits([_shown(neighbour, name) for neighbour in neighbours])
    return 0


def _refuse_board(note: Record) -> None:
    if is_canvas(note["path"]):
        raise UsageError("boards cannot be compared", where=note["path"], hint="name a note")


def _refuse_left_out(note: Record) -> None:
    if reason := note.get("excluded"):
        why, way = LEFT_OUT.get(reason, (str(reason), "bring it in"))
        raise UsageError(
            f"the note is left out of the index: {why}", where=note["path"], hint=f"{way}, then index the vault again"
        )


def _in_vault(note: str, index: OpenIndex) -> str:
    """A file of the vault may be named from where the command is run."""
    root = root_of(index)
    inside = vault_path(Path(note), root) if root and Path(note).is_file() else None
    return inside or note


def _shown(neighbour: Neighbour, vault: str) -> Shown:
    chunk, near = neighbour.chunk, neighbour.near
    sections = f"{near['section_path']} ~ {chunk['section_path']}"
    return Shown(
        rank=neighbour.rank,
        score=neighbour.score,
        heading=chunk["note_title"],
        sentence=first_sentence(chunk),
        words=(),
        place=f"{chunk['path']}{' (linked)' if neighbour.linked else ''}",
        link=obsidian_link(vault, chunk["path"]),
        more=[f"nearest: {sections}"],
    )
