"""The sample vaults become what was written down by hand, from the notes and the rules alone, before the code ran."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from mindnet_chunker.records import NoteRecords, Record, nfc
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.runs.reader import Trouble
from mindnet_chunker.runs.stream import vault_records

HERE = Path(__file__).parent
VAULTS = HERE.parent / "vault_fixtures"


def expected(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((HERE / "expected" / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded


@cache
def printed(vault: str) -> dict[str, NoteRecords]:
    trouble = Trouble()
    found = {records.path: records for records in vault_records(VAULTS / vault, VaultOptions(), trouble)}
    assert not trouble.errors
    return found


def squeezed(text: str) -> str:
    return " ".join(text.split())


def cases(name: str) -> list[Any]:
    return [pytest.param(name, path, id=f"{name}/{path}") for path in expected(name)["notes"]]


@pytest.mark.parametrize(("vault", "path"), cases("mindnet") + cases("gold"))
def test_chunks_begin_and_end_where_a_person_would_cut(vault: str, path: str) -> None:
    wanted = expected(vault)["notes"][path]
    chunks = list(printed(vault)[nfc(path)].chunks)
    if "chunks" not in wanted:
        return

    for run, piece in split_runs(wanted["chunks"], chunks):
        own = [squeezed(chunk["text"][chunk["own_start"] :]) for chunk in piece]
        assert own[0].startswith(squeezed(run["first"])), own[0][:80]
        assert own[-1].endswith(squeezed(run["last"])), own[-1][-80:]
        for chunk in piece:
            check_chunk(run, chunk)


def split_runs(wanted: list[Record], chunks: list[Record]) -> list[tuple[Record, list[Record]]]:
    """Runs tile the note: each begins at the chunk with its first words."""
    if not wanted:
        assert not chunks
        return []
    starts = []
    at = 0
    for run in wanted:
        first = squeezed(run["first"])
        own = [squeezed(chunk["text"][chunk["own_start"] :]) for chunk in chunks]
        found = next((n for n in range(at, len(chunks)) if own[n].startswith(first)), None)
        assert found is not None, f"no chunk begins with {first!r}; they begin with {[text[:40] for text in own]}"
        starts.append(found)
        at = found + 1
    assert starts[0] == 0
    pieces = [chunks[a:b] for a, b in zip(starts, [*starts[1:], len(chunks)], strict=True)]
    for run, piece in zip(wanted, pieces, strict=True):
        low, high = run.get("n", 1) if isinstance(run.get("n", 1), list) else (run.get("n", 1),) * 2
        shown = [squeezed(chunk["text"][chunk["own_start"] :])[:60] for chunk in piece]
        assert low <= len(piece) <= high, f"{run['first']!r}: expected {low} to {high} chunks, got {shown}"
    return list(zip(wanted, pieces, strict=True))


def check_chunk(run: Record, chunk: Record) -> None:
    plain = {"kind": "kind", "context": "context", "tokens": "embedding_tokens", "own_tokens": "token_count"}
    for name, key in plain.items():
        if name in run:
            assert chunk[key] == run[name], f"{key} of the chunk with {run['first']!r}"
    if "at" in run:
        assert chunk["section_path"] == (run["at"] or "/"), f"section of the chunk with {run['first']!r}"
    assert set(run.get("flags", ())) <= set(chunk["flags"]), f"flags of the chunk with {run['first']!r}"
    if "source" in run:
        assert chunk["references_meta"] == run["source"]


@pytest.mark.parametrize(("vault", "path"), cases("mindnet") + cases("gold"))
def test_a_note_says_of_itself_what_its_author_meant(vault: str, path: str) -> None:
    wanted = expected(vault)["notes"][path]
    records = printed(vault)[nfc(path)]

    for name in ("title", "type", "excluded"):
        if name in wanted:
            assert records.note[name] == wanted[name]
    if "tasks" in wanted:
        assert len(records.note["tasks"]) == wanted["tasks"]
    if "sections" in wanted:
        assert sections_of(records.note) == wanted["sections"]
    for text in wanted.get("hidden", ()):
        assert all(text not in chunk["text"] for chunk in records.chunks)


def sections_of(note: Record) -> list[str]:
    """Paths of all headings below the title."""
    stack: list[tuple[int, str]] = []
    paths = []
    headings = note["headings"]
    opening = headings[:1] if headings and headings[0]["level"] == 1 and headings[0]["text"] == note["title"] else []
    for heading in headings[len(opening) :]:
        stack = [(level, text) for level, text in stack if level < heading["level"]]
        stack.append((heading["level"], heading["text"].replace("/", "\u2215")))
        paths.append("".join(f"/{text}" for _, text in stack))
    return paths


@pytest.mark.parametrize(("vault", "path"), cases("mindnet") + cases("gold"))
def test_the_graph_is_the_one_that_the_author_drew(vault: str, path: str) -> None:
    wanted = expected(vault)["notes"][path]
    edges = printed(vault)[nfc(path)].edges

    if "references" in wanted:
        got = [form(edge) for edge in edges if edge["kind"] == "references" and edge["source_kind"] == "note"]
        assert Counter(got) == Counter(wanted_form(one, path) for one in wanted["references"])
    if "typed" in wanted:
        plain = ("belongs_to", "prev", "next", "references", "backlink", "has_section")
        typed = [(e["kind"], e["target_path"] or e["target_id"]) for e in edges if e["kind"] not in plain]
        assert sorted(typed) == sorted((kind, nfc(to)) for kind, targets in wanted["typed"].items() for to in targets)
    if "backlinks" in wanted:
        note_id = printed(vault)[nfc(path)].note_id
        sources = {
            records.path
            for records in printed(vault).values()
            for edge in records.edges
            if edge["kind"] == "backlink" and edge["source_id"] == note_id
        }
        assert sources == {nfc(source) for source in wanted["backlinks"]}


def form(edge: Record) -> tuple[Any, ...]:
    return (
        edge["target_path"] or edge["target_id"],
        edge["origin"],
        edge["heading"],
        edge["block"],
        edge["resolved"],
        edge["embed"],
    )


def wanted_form(one: Record, path: str) -> tuple[Any, ...]:
    return (
        nfc(one["to"]), one.get("origin", "body"), one.get("heading"), one.get("block"), one.get("resolved", True),
        one.get("embed", False),
    )  # fmt: skip


def test_the_vault_as_a_whole_is_as_its_author_knows_it() -> None:
    wanted, found = expected("mindnet")["vault"], printed("mindnet")
    notes = [records for records in found.values() if records.note["record"] == "note"]
    missing = {
        edge["target_id"] for records in found.values() for edge in records.edges
        if edge["kind"] == "references" and not edge["resolved"]
    }  # fmt: skip

    assert sum(bool(records.chunks) for records in notes) == wanted["indexed"]
    assert {r.path: r.note["excluded"] for r in notes if r.note["excluded"]} == wanted["excluded"]
    assert missing == {nfc(name) for name in wanted["unresolved"]}
    assert not {nfc(name) for name in wanted["never_a_target"]} & missing


def test_the_canvas_is_read_as_it_was_drawn() -> None:
    for path, wanted in expected("mindnet")["canvases"].items():
        canvas = printed("mindnet")[nfc(path)].note

        got = [(link["target_path"] or link["target"], link["heading"], link["block"]) for link in canvas["links"]]
        assert got == [(nfc(one["to"]), one.get("heading"), one.get("block")) for one in wanted["links"]]
        assert canvas["external_links"] == wanted["urls"]
        assert canvas["canvas_edges"] == wanted["edges"]
        assert canvas["canvas_groups"] == wanted["groups"]


@pytest.mark.parametrize(
    ("vault", "path"),
    [pytest.param(v, p, id=f"{v}/{p}") for v, notes in expected("small").items() for p in notes],
)
def test_the_smallest_vaults_show_their_one_idea(vault: str, path: str) -> None:
    wanted, records = expected("small")[vault][path], printed(vault)[nfc(path)]
    note = records.note

    for name in ("title", "note_id", "excluded", "has_frontmatter", "frontmatter"):
        if name in wanted:
            assert note[name] == wanted[name]
    if "frontmatter_error" in wanted:
        assert bool(note["frontmatter_error"]) is wanted["frontmatter_error"]
    if "headings" in wanted:
        assert [heading["text"] for heading in note["headings"]] == wanted["headings"]
    if "tags" in wanted:
        assert sorted(tag.lower() for tag in note["tags"]) == sorted(tag.lower() for tag in wanted["tags"])
    if "links" in wanted:
        got = [(link["target_path"], link["heading"], link["block"], link["alias"]) for link in note["links"]]
        assert got == [
            (one.get("to") and nfc(one["to"]), one.get("heading"), one.get("block"), one.get("alias"))
            for one in wanted["links"]
        ]
    if "chunks" in wanted:
        assert len(records.chunks) == wanted["chunks"]
    texts = [squeezed(chunk["text"]) for chunk in records.chunks]
    for text in wanted.get("contains", ()):
        assert any(squeezed(text) in chunk for chunk in texts)
    for text in wanted.get("lacks", ()):
        assert all(squeezed(text) not in chunk for chunk in texts)
