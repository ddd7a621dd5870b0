"""The notes near a note: by stored vectors, with those already linked told apart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import made_vaults
import pytest
from asked_vault import asked_vault
from commands import Ran, make_runs_quick, quick_folder, run
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_store import MemoryStore
from test_search_command import modules_after

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.store import Model, Point, Vectors
from mindnet_chunker.records import stable_id
from mindnet_chunker.retrieval.note_names import find_note
from mindnet_chunker.retrieval.related import Neighbour, related

MODEL = Model(name="fake", dim=2, identity="0")


def chunks_of(note: str, *angles: float, kind: str = "text") -> list[Point]:
    """A note whose chunks stand so many degrees from north."""
    return [
        Point(
            id=stable_id(note, kind, str(number)),
            payload={
                "vault": "v", "note_id": note, "path": f"{note}.md", "note_title": note.upper(), "type": "default",
                "tags": [], "chunk_id": f"{note}#c{number:02}", "chunk_index": number, "section_path": "/", "text": note,
                "own_start": 0, "kind": kind,
            },
            vectors=Vectors((math.sin(math.radians(angle)), math.cos(math.radians(angle)))),
        )
        for number, angle in enumerate(angles)
    ]  # fmt: skip


def an_edge(source: str, target: str, kind: str = "references", *, resolved: bool = True) -> Point:
    path = f"{target}.md" if resolved else None
    payload = {
        "vault": "v", "kind": kind, "note_id": source, "path": f"{source}.md", "source_id": source, "target_id": target,
        "target_path": path, "resolved": resolved, "origin": "body", "raw": "", "alias": None, "heading": None,
        "block": None, "embed": False,
    }  # fmt: skip
    return Point(id=stable_id("edge", source, target, kind), payload=payload)


def a_note(path: str, title: str, note_id: str = "", aliases: Sequence[str] = ()) -> Point:
    payload = {"vault": "v", "path": path, "note_id": note_id or path, "title": title, "aliases": list(aliases)}
    return Point(id=stable_id("note", path), payload=payload)


def store_of(*chunks: list[Point], edges: Sequence[Point] = (), notes: Sequence[Point] = ()) -> MemoryStore:
    store = MemoryStore("g", MODEL)
    store.upsert("chunks", [chunk for group in chunks for chunk in group])
    store.upsert("edges", edges)
    store.upsert("notes", notes)
    return store


def names(found: list[Neighbour]) -> list[str]:
    return [neighbour.chunk["note_id"] for neighbour in found]


def test_notes_are_ordered_by_the_means_of_their_chunks() -> None:
    store = store_of(chunks_of("a", 0, 20), chunks_of("b", 10, 90), chunks_of("c", 5, 25), chunks_of("d", 180))

    found = related(store, "v", "a")

    assert names(found) == ["c", "b", "d"]
    assert found[0].score == round(math.cos(math.radians(5)), 6)
    assert [neighbour.rank for neighbour in found] == [1, 2, 3]


def test_a_neighbour_names_the_two_passages_that_are_nearest() -> None:
    store = store_of(chunks_of("a", 0, 40), chunks_of("b", 90, 45))

    found = related(store, "v", "a")[0]

    assert found.near["chunk_id"] == "a#c01"
    assert found.chunk["chunk_id"] == "b#c01"
    assert list(found.record()) == (
        [
            "rank",
            "score",
            "note_id",
            "path",
            "title",
            "type",
            "tags",
            "linked",
            "chunk_id",
            "section_path",
            "text",
            "near",
        ]
    )


def test_link_sections_say_nothing_about_a_note() -> None:
    store = store_of(chunks_of("a", 0), chunks_of("a", 90, kind="links"), chunks_of("b", 10), chunks_of("c", 60))

    assert names(related(store, "v", "a")) == ["b", "c"]


def test_links_in_either_direction_and_of_any_kind_are_told() -> None:
    edges = [an_edge("a", "b"), an_edge("c", "a", "depends_on"), an_edge("e", "a", resolved=False), an_edge("a", "a")]
    store = store_of(*(chunks_of(name, 10) for name in "abcde"), edges=edges)

    assert {n.chunk["note_id"]: n.linked for n in related(store, "v", "a")} == {
        "b": True, "c": True, "d": False, "e": False
    }  # fmt: skip
    assert set(names(related(store, "v", "a", unlinked=True))) == {"d", "e"}


def test_equally_near_notes_are_in_the_order_of_their_ids() -> None:
    store = store_of(chunks_of("a", 0), *(chunks_of(name, 10) for name in "edcb"))

    assert names(related(store, "v", "a", top=3)) == ["b", "c", "d"]


def test_a_note_without_text_is_an_error() -> None:
    store = store_of(chunks_of("a", 0, kind="links"), chunks_of("b", 0))

    with pytest.raises(UsageError, match="the note `a` has no text that could be compared"):
        related(store, "v", "a")


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(0, 170), min_size=1, max_size=3), min_size=1))
@settings(max_examples=50, deadline=None)
def test_a_note_is_never_near_itself_and_each_other_comes_once(notes: dict[str, list[int]]) -> None:
    store = store_of(*(chunks_of(name, *angles) for name, angles in notes.items()))

    found = related(store, "v", min(notes))

    assert sorted(names(found)) == sorted(notes.keys() - {min(notes)})
    assert [n.score for n in found] == sorted((n.score for n in found), reverse=True)


# --- what a note is called -------------------------------------------------------------------------------------------

NOTES = (
    a_note("Garten/Bienen.md", "Über Bienen", "b-1", ["Immen"]),
    a_note("Garten/Obst.md", "Obst"),
    a_note("Küche/Obst.md", "Kompott", "k-1"),
    a_note("Küche/Brot.md", "Brot und Bienen"),
)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Garten/Bienen.md", "Garten/Bienen.md"),
        ("Garten/Bienen", "Garten/Bienen.md"),
        ("./Ku\u0308che/Brot.md", "Küche/Brot.md"),
        ("b-1", "Garten/Bienen.md"),
        ("über  bienen", "Garten/Bienen.md"),
        ("Bienen", "Garten/Bienen.md"),
        ("brot.md", "Küche/Brot.md"),
        ("immen", "Garten/Bienen.md"),
        ("Obst", "Garten/Obst.md"),  # a title comes before a file's name
    ],
)
def test_a_note_is_found_by_what_it_is_called(name: str, path: str) -> None:
    assert find_note(store_of(notes=NOTES), "v", name)["path"] == path


def test_a_name_of_several_notes_is_refused_with_their_paths() -> None:
    with pytest.raises(UsageError) as caught:
        find_note(store_of(notes=NOTES), "v", "obst.md")

    assert caught.value.what == "several notes are called `obst.md`"
    assert caught.value.hint == "give a path: `Garten/Obst.md`, `Küche/Obst.md`"


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        find_note(store_of(notes=NOTES), "v", "Bienne")

    assert caught.value.what == "the index has no note `Bienne`"
    assert caught.value.hint.startswith("did you mean `Garten/Bienen.md`")


@given(st.text(max_size=20))
@settings(max_examples=60, deadline=None)
def test_any_name_is_a_note_or_an_error(name: str) -> None:
    try:
        assert find_note(store_of(notes=NOTES), "v", name)["path"]
    except UsageError as error:
        assert error.hint


# --- the command -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Path, Path]]:
    with asked_vault() as places:
        yield places


def call(asked: tuple[Path, Path], *words: Any) -> Ran:
    return run("related", *words, "--store", asked[1])


def test_the_nearest_notes_are_printed_a_line_each(asked: tuple[Path, Path]) -> None:
    found = call(asked, "Zwilling 1", "--json").records

    assert (found[0]["path"], found[0]["score"], found[0]["linked"]) == ("Zwilling 2.md", 1.0, False)
    assert len(found) == 5


def test_links_worth_making_leave_out_those_that_are_made(asked: tuple[Path, Path]) -> None:
    found = call(asked, "Bienen", "--unlinked", "--json").records

    assert {note["path"] for note in found} == {"Ort.md", "Zwilling 1.md", "Zwilling 2.md"}


def test_a_file_of_the_vault_may_be_named_from_anywhere(asked: tuple[Path, Path]) -> None:
    assert call(asked, asked[0] / "Garten/Obst.md", "--top", "1", "--json").exit_code == 0


def test_for_people_a_neighbour_is_a_title_a_passage_and_a_link(asked: tuple[Path, Path]) -> None:
    shown = call(asked, "Zwilling 1", "--top", "1").stdout.decode()

    assert shown.split("\n") == [
        "1. Zwilling  1.000",
        "   Genau derselbe Satz über Zwillinge.",
        "   Zwilling 2.md",
        "   obsidian://open?vault=Mein%20Garten&file=Zwilling%202",
        "   nearest: / ~ /",
        "",
    ]


def test_an_unknown_note_is_one_line(asked: tuple[Path, Path]) -> None:
    ran = call(asked, "Zwiling 3")

    assert (ran.exit_code, ran.stdout) == (2, b"")
    assert ran.stderr.startswith("error: the index has no note `Zwiling 3`\nhint: did you mean `Zwilling ")


def test_a_note_that_is_left_out_is_told_so_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    make_runs_quick(monkeypatch)
    with quick_folder() as folder:
        files = {
            ".obsidian/app.json": '{"userIgnoreFilters": ["Archive/"]}',
            ".obsidian/templates.json": '{"folder": "Templates"}',
            "Archive/Old.md": "Old words.\n",
            "Templates/Day.md": "Words of a day.\n",
            "Draft.md": "Words to come.\n",
            "Diary.md": "---\nindex: false\n---\nMy own words.\n",
        }
        made_vaults.write(files, folder / "vault")
        assert run(folder / "vault", "--store", folder / "store", "--exclude", "Draft.md").exit_code == 0

        told = {name: run("related", name, "--store", folder / "store") for name in ("Old", "Day", "Draft", "Diary")}

    for name, (path, why, way) in {
        "Old": ("Archive/Old.md", "Obsidian's excluded files name it", "Obsidian's excluded files"),
        "Day": ("Templates/Day.md", "it lies in the templates folder", "--include-templates"),
        "Draft": ("Draft.md", "`--exclude` named it in the last run", "--exclude"),
        "Diary": ("Diary.md", "it says `index: false`", "property"),
    }.items():
        assert told[name].exit_code == 2
        assert f"error: {path}: the note is left out of the index: {why}\nhint: " in told[name].stderr
        assert way in told[name].stderr.split("hint: ")[1]


def test_a_board_is_told_that_it_cannot_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    make_runs_quick(monkeypatch)
    board = '{"nodes": [{"id": "a", "type": "text", "text": "Bees swarm."}], "edges": []}'
    with quick_folder() as folder:
        made_vaults.write({"Bees.md": "Bees dance.\n", "Plans/Board.canvas": board}, folder / "vault")
        assert run(folder / "vault", "--store", folder / "store").exit_code == 0

        told = [run("related", name, "--store", folder / "store") for name in ("Board", "Plans/Board.canvas")]

    for ran in told:
        assert ran.exit_code == 2
        assert ran.stderr == "error: Plans/Board.canvas: boards cannot be compared\nhint: name a note\n"


def test_no_model_is_loaded(asked: tuple[Path, Path]) -> None:
    words = ["related", "Bienen", "--json", "--store", str(asked[1])]

    heavy = {"torch", "sentence_transformers", "transformers", "qdrant_client", "tokenizers", "markdown_it"}
    assert not modules_after(words) & heavy
