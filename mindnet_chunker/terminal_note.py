"""One note as it was cut, for a person: its chunks with sizes and sections, overlap dimmed, its edges.

Edge: rich, standard output.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from mindnet_chunker.counted import counted
from mindnet_chunker.records import NoteRecords, Record

NOT_SHOWN = ("belongs_to", "prev", "next", "has_section", "backlink")  # seen from the cuts, and the inverse of others


def print_note(records: NoteRecords, *, in_vault: bool) -> None:
    """Without a terminal the same as plain text. `in_vault`: links were looked up in a vault."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(headline(records.note), "bold"))
    for chunk in records.chunks:
        console.print(Rule(Text(cut_line(chunk), "cyan"), align="left", style="cyan"))
        console.print(chunk_text(chunk))
    if lines := list(edge_lines(records, in_vault=in_vault)):
        console.print(Rule(Text("links", "cyan"), align="left", style="cyan"))
        for line in lines:
            console.print(line)
    for problem in records.problems:
        console.print(Text(f"warning: line {problem.line or '-'}: {problem.message}", "yellow"))


def headline(note: Record) -> str:
    kind = note.get("type", "canvas")
    out = f", left out: {note['excluded']}" if note["excluded"] else ""
    return f"{note['path']} ({kind}, {counted(note['n_chunks'], 'chunk')}, {counted(note['n_edges'], 'edge')}{out})"


def cut_line(chunk: Record) -> str:
    """`#c02 /Kontext · list · 180 tokens (40 repeated) · lines 12-30 · de · sparse`."""
    repeated = f" ({chunk['overlap_tokens']} repeated)" if chunk["overlap_tokens"] else ""
    parts = [
        f"#c{chunk['chunk_index']:02} {chunk['section_path']}",
        chunk["kind"],
        f"{counted(chunk['embedding_tokens'], 'token')}{repeated}",
    ]
    if chunk["line_start"] is not None:
        parts.append(f"lines {chunk['line_start']}-{chunk['line_end']}")
    return " · ".join([*parts, chunk["lang"], *chunk["flags"]])


def chunk_text(chunk: Record) -> Text:
    """Context and overlap dimmed, added lines marked."""
    text = Text(chunk["text"])
    text.stylize("dim", 0, chunk["own_start"])
    for added in chunk["added"]:
        text.stylize("magenta", added["at"], added["at"] + len(added["text"]))
    context = Text(f"[{chunk['context']}]\n" if chunk["context"] else "", "dim italic")
    return context + text


def edge_lines(records: NoteRecords, *, in_vault: bool) -> Iterator[Text]:
    for edge in records.edges:
        if edge["kind"] in NOT_SHOWN or edge["source_kind"] == "chunk":
            continue
        other = edge["target_path"] or edge["target_id"]
        place = "".join(f"#{part}" for part in (edge["heading"], edge["block"] and f"^{edge['block']}") if part)
        unknown = " (no such note yet)" if in_vault else " (not looked up: no vault; name it with --vault DIR)"
        missing = "" if edge["resolved"] else unknown
        yield Text(f"{edge['kind']:<12} -> {other}{place}{missing}", "" if edge["resolved"] else "yellow")
