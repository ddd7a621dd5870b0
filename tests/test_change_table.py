"""What one run embeds, rewrites and deletes after each kind of change: the table in the README, and why it is right."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from changed_vault import NOTES, Place, Seen, chunks, linking, look, texts, write_notes
from commands import make_runs_quick, quick_folder
from fake_embedder import FakeEmbedder
from qdrant_stand_in import StandIn

from mindnet_chunker import index_vault
from mindnet_chunker.records import Record
from mindnet_chunker.report import Report
from mindnet_chunker.runs.options import StoreOptions
from mindnet_chunker.runs.places import opened_index
from mindnet_chunker.runs.transfer import exported

README = Path(__file__).parent.parent / "README.md"
COPY = "Rooms/Winter.sync-conflict-20260501-101010-ABCDEFG.md"

Change = Callable[[Place], object]
See = Callable[[str], Seen]


@pytest.fixture(scope="module")
def see() -> Iterator[See]:
    """Name of a row -> what its run did."""
    with pytest.MonkeyPatch.context() as patch:
        make_runs_quick(patch)
        yield cache(lambda name: ROWS[name]())


# --- the rows --------------------------------------------------------------------------------------------------------


def after(change: Change, prepare: Change = lambda place: None) -> Callable[[], Seen]:
    """Index the vault, prepare, change it, and look at what one more run does."""

    def measure() -> Seen:
        with quick_folder() as folder:
            place = Place(folder)
            place.index()
            prepare(place)
            before = place.exported()
            place.embedder = FakeEmbedder(place.embedder.dim, name=place.embedder.name)
            change(place)
            return look(place, place.index(), before)

    return measure


def second_vault() -> Seen:
    """`before` and `after` are what the server holds of the first."""
    with quick_folder() as folder, StandIn(folder / "server") as server:
        place = Place(folder)
        first = StoreOptions(url=server.url, collection="both", folder=folder / "locks")

        def held() -> list[Record]:
            with opened_index(place.vault, first, "test") as index:
                return [record for records in exported(index.store, index.vault) for record in records]

        def index(vault: Path) -> Report:
            return index_vault(
                vault, url=server.url, collection="both", store=folder / "locks", embedder=place.embedder
            )

        index(place.vault)
        before = held()
        place.embedder = FakeEmbedder()
        report = index(write_notes(folder / "second"))
        return Seen(
            report=report, before=before, after=held(), printed=place.printed(), embedded=place.embedder.embedded
        )


def touch(place: Place) -> None:
    for path in place.vault.rglob("*.md"):
        os.utime(path, (1, 1))


def move_the_vault(place: Place) -> None:
    (place.folder / "elsewhere").mkdir()
    place.vault = place.vault.rename(place.folder / "elsewhere" / "vault")


def restore_an_older_store(place: Place) -> None:
    shutil.copytree(place.store, place.folder / "older")
    edit_a_sentence(place)
    place.index()
    shutil.rmtree(place.store)
    (place.folder / "older").rename(place.store)


def edit_a_sentence(place: Place) -> None:
    place.edit("Bees.md", "The length is the distance.", "Its length is how far they are.")


def take_another_model(place: Place) -> None:
    place.embedder = FakeEmbedder(12, name="other")


def take_the_first_model_again(place: Place) -> None:
    place.embedder = FakeEmbedder()


def index_with_another_model(place: Place) -> None:
    take_another_model(place)
    place.index()


def change_a_row(place: Place) -> None:
    row = "concept: {target: [250, 400], max: 550, overlap: [40, 60], split_levels: [2, 3, 4]}\n"
    (place.vault / "types.yaml").write_text(row, encoding="utf-8")


ROWS: dict[str, Callable[[], Seen]] = {
    "nothing": after(lambda place: None),
    "all files touched": after(touch),
    "one sentence edited": after(edit_a_sentence),
    "a paragraph inserted at the top": after(lambda place: place.edit("Bees.md", "Bees live", "All is new.\n\nBees live")),
    "a heading renamed, with two below it": after(lambda place: place.edit("Hive.md", "## Comb\n", "## The comb\n")),
    "a file moved": after(lambda place: place.move("Hive.md", "Rooms/Hive.md")),
    "a file moved that has an `id:`": after(lambda place: place.move("Rooms/Winter.md", "Winter.md")),
    "a file renamed, its name is the title": after(lambda place: place.move("Bees.md", "Honeybees.md")),
    "a file renamed that has a `title:`": after(lambda place: place.move("Hive.md", "House.md")),
    "an alias changed": after(lambda place: place.edit("Hive.md", "[Skep]", "[Straw skep]")),
    "a row of types.yaml changed": after(change_a_row),
    "a note deleted": after(lambda place: (place.vault / "Bees.md").unlink()),
    "a note emptied": after(lambda place: (place.vault / "Bees.md").write_text("", encoding="utf-8")),
    "a note taken away by a sync service (`.Bees.md.icloud`)": after(lambda place: place.move("Bees.md", ".Bees.md.icloud")),
    "a conflict copy made by a sync service": after(
        lambda place: shutil.copy(place.vault / "Rooms/Winter.md", place.vault / COPY)
    ),
    "the vault's folder moved": after(move_the_vault),
    "a second vault on the same server, of the same notes": second_vault,
    "an older copy of the store put back, with one sentence edited since": after(lambda place: None, restore_an_older_store),
    "another model": after(take_another_model),
    "the first model again": after(take_the_first_model_again, index_with_another_model),
}  # fmt: skip


def test_the_table_in_the_readme_is_what_was_measured(see: See) -> None:
    lines = ["| what changed | embedded | payload only | deleted |", "|---|---|---|---|"]
    lines += ["| {} | {} | {} | {} |".format(name, *see(name).figures) for name in ROWS]
    right = "\n".join(lines)

    readme = README.read_text(encoding="utf-8")

    found = re.search(r"<!-- changes -->\n(.*?)\n<!-- /changes -->", readme, re.S)
    assert found and found[1] == right, f"the table in README.md should be\n\n{right}\n"
    assert f"{len(NOTES)} notes with {len(chunks(see('nothing').before))} chunks" in readme


# --- why each is right -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name] is not second_vault])
def test_after_each_change_the_store_holds_what_the_vault_says(name: str, see: See) -> None:
    seen = see(name)

    away = [record for record in seen.after if record["path"] == "Bees.md"] if "icloud" in name else []
    assert sorted(map(repr, seen.after)) == sorted(map(repr, [*seen.printed, *away]))
    assert seen.report.exit_code == 0


@pytest.mark.parametrize("name", [name for name in ROWS if "model" not in name and ROWS[name] is not second_vault])
def test_exactly_the_texts_are_embedded_that_the_store_did_not_have(name: str, see: See) -> None:
    seen = see(name)

    assert sorted(seen.embedded) == sorted(texts(seen.after) - texts(seen.before))
    assert seen.report.embedded["texts"] == len(seen.embedded)


@pytest.mark.parametrize("name", ["nothing", "all files touched", "the vault's folder moved"])
def test_where_no_note_says_anything_else_nothing_is_written(name: str, see: See) -> None:
    seen = see(name)

    assert seen.figures == (0, 0, 0)
    assert seen.report.writes.total() == 0
    assert seen.report.notes["unchanged"] == len(NOTES)
    assert seen.after == seen.before


def test_an_edited_sentence_embeds_its_chunk_and_moves_those_after_it(see: See) -> None:
    seen = see("one sentence edited")

    assert [text.count("how far they are") for text in seen.embedded] == [1]
    assert [chunk["section_path"] for chunk in seen.changed] == ["/Food"]
    assert seen.report.notes_written == ["Bees.md"]


def test_a_paragraph_at_the_top_leaves_all_sections_below_it_embedded(see: See) -> None:
    seen = see("a paragraph inserted at the top")

    assert ["All is new." in text for text in seen.embedded] == [True]
    assert [chunk["section_path"] for chunk in seen.changed] == ["/Dance", "/Food"]


def test_a_renamed_heading_embeds_its_own_chunk_and_those_under_its_path(see: See) -> None:
    seen = see("a heading renamed, with two below it")

    assert len(seen.embedded) == 3
    assert all("The comb" in text for text in seen.embedded)
    assert seen.report.embedded["context_changed"] == 2  # the third has the heading in its own text
    assert [chunk["section_path"] for chunk in seen.changed] == ["/Entrance"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a file moved", "Hive.md", "Rooms/Hive.md"),
        ("a file moved that has an `id:`", "Rooms/Winter.md", "Winter.md"),
        ("a file renamed that has a `title:`", "Hive.md", "House.md"),
    ],
)
def test_a_file_that_moves_under_the_title_that_it_had_embeds_nothing(name: str, old: str, new: str, see: See) -> None:
    seen = see(name)

    assert seen.embedded == []
    assert seen.report.notes["renamed"] == 1
    assert seen.report.notes["deleted"] == 0
    assert texts(seen.after, new) == texts(seen.before, old)
    assert not [record for record in seen.after if record["path"] == old]


def test_a_moved_file_says_its_new_place_in_the_chunks_that_link_to_it(see: See) -> None:
    seen = see("a file moved")

    assert seen.changed == linking(seen.after, "Hive")
    assert {link["target_path"] for chunk in seen.changed for link in chunk["references"] if link["raw"] == "[[Hive]]"} == {
        "Rooms/Hive.md"
    }  # fmt: skip


def test_a_moved_file_with_an_id_keeps_its_points(see: See) -> None:
    seen = see("a file moved that has an `id:`")

    points = {chunk["point_id"] for chunk in chunks(seen.before, "Rooms/Winter.md")}
    assert {chunk["point_id"] for chunk in chunks(seen.after, "Winter.md")} == points
    assert (seen.report.writes["upserted"], seen.report.writes["deleted"]) == (0, 0)


def test_a_renamed_file_without_a_title_embeds_all_its_chunks_under_the_new_one(see: See) -> None:
    seen = see("a file renamed, its name is the title")

    assert set(seen.embedded) == texts(seen.after, "Honeybees.md")
    assert seen.report.embedded["context_changed"] == len(seen.embedded) == 3
    assert not [record for record in seen.after if record["path"] == "Bees.md"]


def test_an_alias_changes_what_is_said_of_the_chunks_of_its_note_alone(see: See) -> None:
    seen = see("an alias changed")

    assert seen.embedded == []
    assert seen.changed == chunks(seen.after, "Hive.md")
    assert {tuple(chunk["aliases"]) for chunk in seen.changed} == {("Straw skep",)}


def test_a_changed_row_cuts_the_notes_of_its_type_alone_and_embeds_what_is_cut_otherwise(see: See) -> None:
    seen = see("a row of types.yaml changed")

    assert seen.report.notes_written == ["Swarm.md"]
    assert len(seen.embedded) == 2
    assert any("#### Scouts" in text and "May" in text for text in seen.embedded)


@pytest.mark.parametrize("name", ["a note deleted", "a note emptied"])
def test_a_note_whose_text_is_gone_leaves_no_chunk_and_no_edge(name: str, see: See) -> None:
    seen = see(name)

    left = [record for record in seen.after if record["note_id"] == "Bees"]
    assert seen.embedded == []
    assert [record["record"] for record in left] == ([] if name == "a note deleted" else ["note"])
    assert seen.report.notes["deleted"] == (name == "a note deleted")


def test_a_deleted_note_takes_its_backlinks_with_it_and_opens_the_links_to_it(see: See) -> None:
    seen = see("a note deleted")

    assert not [record for record in seen.after if record.get("kind") == "backlink" and record["target_id"] == "Bees"]
    assert seen.changed == linking(seen.after, "Bees")
    assert [link["resolved"] for chunk in seen.changed for link in chunk["references"] if link["raw"] == "[[Bees]]"] == [False]  # fmt: skip


def test_a_note_that_is_a_placeholder_just_now_keeps_what_is_stored(see: See) -> None:
    seen = see("a note taken away by a sync service (`.Bees.md.icloud`)")

    assert seen.figures == (0, 0, 0)
    assert seen.after == seen.before
    assert seen.report.notes["deleted"] == 0


def test_a_conflict_copy_is_stored_beside_its_note_and_embeds_nothing(see: See) -> None:
    seen = see("a conflict copy made by a sync service")

    assert seen.embedded == []
    assert texts(seen.after, COPY) == texts(seen.before, "Rooms/Winter.md")
    assert chunks(seen.after, "Rooms/Winter.md") == chunks(seen.before, "Rooms/Winter.md")
    assert {chunk["note_id"] for chunk in chunks(seen.after, "Rooms/Winter.md")} == {"winter"}


def test_a_second_vault_embeds_its_own_and_leaves_the_first_alone(see: See) -> None:
    seen = see("a second vault on the same server, of the same notes")

    assert set(seen.embedded) == texts(seen.before)
    assert seen.report.writes["deleted"] == 0
    assert seen.after == seen.before


def test_an_older_store_is_brought_up_to_date_like_one_that_never_left(see: See) -> None:
    seen = see("an older copy of the store put back, with one sentence edited since")

    assert seen.figures == see("one sentence edited").figures
    assert seen.after == see("one sentence edited").after


@pytest.mark.parametrize("name", ["another model", "the first model again"])
def test_another_model_embeds_everything_and_changes_no_record(name: str, see: See) -> None:
    seen = see(name)

    assert set(seen.embedded) == texts(seen.after)
    assert seen.after == seen.before
