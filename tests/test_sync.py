from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fake_vault import MODEL, FakeEmbedder, FakeVault, Files, expected, run, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from killed import AFTER, GARDEN, Counting, Killed
from memory_store import MemoryStore
from numpy.typing import NDArray

from mindnet_chunker.errors import SkippedFileError, StoreError, UnreadableError
from mindnet_chunker.index.plan import Built, Wanted
from mindnet_chunker.index.store import Kind, NoteState, Point, RejectedPointsError, note_states
from mindnet_chunker.index.sync import sync
from mindnet_chunker.index.write import clear
from mindnet_chunker.records import Record


def store_of(files: Files = GARDEN) -> MemoryStore:
    store = MemoryStore("g", MODEL)
    run(store, files)
    return store


def wrote(report: Any) -> tuple[int, int, int, int]:
    return report.upserted, report.payload_only, report.deleted, report.embedded_texts


def test_a_first_run_stores_all_notes() -> None:
    store = MemoryStore("g", MODEL)

    report = run(store, GARDEN)

    assert snapshot(store) == expected(GARDEN)
    assert report.notes_written == sorted(GARDEN)
    assert wrote(report) == (9, 0, 0, 6)
    assert report.embedded_tokens == sum(
        len(t.split()) + 3 for text in GARDEN.values() for t in text.split("\n\n") if t and t[0] != "#"
    )


def test_a_second_run_writes_nothing_and_builds_nothing() -> None:
    store = store_of()
    counting = Counting(store)
    vault = FakeVault(GARDEN)

    report = sync(counting, "v", vault.wanted(), FakeEmbedder())

    assert wrote(report) == (0, 0, 0, 0)
    assert report.unchanged == 4
    assert report.notes_written == []
    assert vault.built == []
    assert counting.writes == ["flush"]


def test_a_changed_paragraph_is_the_only_one_embedded() -> None:
    store, embedder = store_of(), FakeEmbedder()
    changed = GARDEN | {"a.md": GARDEN["a.md"].replace("Zweiter Absatz.", "Zweiter, neuer Absatz.")}

    report = run(store, changed, embedder)

    assert embedder.texts == ["Zweiter, neuer Absatz."]
    assert wrote(report) == (1, 0, 1, 1)
    assert report.context_changed == 0
    assert snapshot(store) == expected(changed)


def test_a_paragraph_that_keeps_its_id_is_overwritten_with_its_new_vector() -> None:
    store = store_of({"a.md": "Gleicher Anfang, altes Ende."})

    report = run(store, {"a.md": "Gleicher Anfang, neues Ende."})

    assert wrote(report) == (1, 0, 0, 1)
    assert snapshot(store) == expected({"a.md": "Gleicher Anfang, neues Ende."})


def test_inserted_text_changes_only_the_payload_of_what_follows() -> None:
    store, embedder = store_of(), FakeEmbedder()
    changed = GARDEN | {"b.md": GARDEN["b.md"].replace("Erster", "Ganz neu.\n\nErster")}

    report = run(store, changed, embedder)

    assert embedder.texts == ["Ganz neu."]
    assert wrote(report) == (1, 2, 0, 1)
    assert snapshot(store) == expected(changed)


def test_a_moved_note_embeds_nothing() -> None:
    store, embedder = store_of(), FakeEmbedder()
    moved = {("neu/x/" + path if path == "a.md" else path): text for path, text in GARDEN.items()}

    report = run(store, moved, embedder)

    assert embedder.texts == []
    assert report.renamed == [("a.md", "neu/x/a.md")]
    assert report.notes_deleted == []
    assert snapshot(store) == expected(moved)


def test_a_note_renamed_without_a_title_of_its_own_embeds_the_chunks_whose_context_changed() -> None:
    store, embedder = store_of(), FakeEmbedder()
    files = {("e.md" if path == "c/d.md" else path): text for path, text in GARDEN.items()}

    report = run(store, files, embedder)

    assert embedder.texts == ["Nur ein Absatz [[a]]."]
    assert report.context_changed == 1
    assert report.renamed == [("c/d.md", "e.md")]
    assert snapshot(store) == expected(files)


def test_a_changed_title_counts_its_chunks_as_changed_in_context() -> None:
    store = store_of()
    files = GARDEN | {"b.md": GARDEN["b.md"].replace("# Birne", "# Quitte") + "\n\nUnd mehr."}

    report = run(store, files)

    assert (report.embedded_texts, report.context_changed) == (3, 2)


def test_a_note_with_an_id_of_its_own_keeps_its_points_when_it_is_renamed() -> None:
    store, embedder = store_of({"a.md": "id: 7\n\n# Titel\n\nText."}), FakeEmbedder()

    report = run(store, {"b/c.md": "id: 7\n\n# Titel\n\nText."}, embedder)

    assert embedder.texts == []
    assert report.renamed == [("a.md", "b/c.md")]
    assert report.notes_deleted == []
    assert wrote(report) == (0, 1, 0, 0)
    assert snapshot(store) == expected({"b/c.md": "id: 7\n\n# Titel\n\nText."})


def test_two_notes_can_swap_their_ids() -> None:
    before = {"a.md": "id: 1\n\n# A\n\nText von A.", "b.md": "id: 2\n\n# B\n\nText von B."}
    after = {"a.md": "id: 2\n\n# A\n\nText von A.", "b.md": "id: 1\n\n# B\n\nText von B."}
    store, embedder = store_of(before), FakeEmbedder()

    run(store, after, embedder)

    assert embedder.texts == []
    assert snapshot(store) == expected(after)


def test_a_deleted_note_leaves_nothing_behind() -> None:
    store = store_of()
    rest = {path: text for path, text in GARDEN.items() if path != "a.md"}

    report = run(store, rest)

    assert report.notes_deleted == ["a.md"]
    assert report.deleted == 5
    assert snapshot(store) == expected(rest)


def test_a_note_that_loses_its_text_keeps_only_its_own_point() -> None:
    store = store_of()

    report = run(store, GARDEN | {"a.md": ""})

    assert report.notes_written == ["a.md"]
    assert snapshot(store) == expected(GARDEN | {"a.md": ""})


def test_an_edge_heals_once_its_target_appears() -> None:
    store = store_of()
    healed = GARDEN | {"fehlt.md": "Da."}

    report = run(store, healed)

    assert report.notes_written == ["a.md", "fehlt.md"]
    assert report.payload_only == 1
    assert snapshot(store) == expected(healed)


def test_equal_texts_are_embedded_once() -> None:
    embedder = FakeEmbedder()
    files = {f"{folder}/gleich.md": "Immer derselbe Text.\n\nImmer derselbe Text." for folder in "abcdef"}

    report = run(MemoryStore("g", MODEL), files, embedder)

    assert embedder.texts == ["Immer derselbe Text."]
    assert report.upserted == 12


def test_a_section_that_moves_to_a_later_note_is_not_embedded_again() -> None:
    many = {f"m{i:03}.md": f"# M\n\nFüllung {i}." for i in range(150)}
    store = store_of({"a.md": "# Gleich\n\nWandert.", "z.md": "# Gleich\n\nBleibt.", **many})
    embedder = FakeEmbedder()
    after = {"a.md": "# Gleich\n\nNeu.", "z.md": "# Gleich\n\nBleibt.\n\nWandert."}
    after |= {path: text + "\n\nMehr." for path, text in many.items()}

    run(store, after, embedder)

    assert "Wandert." not in embedder.texts
    assert snapshot(store) == expected(after)


def test_many_texts_are_embedded_in_large_batches_after_small_first_ones() -> None:
    embedder = FakeEmbedder()
    files = {f"n{i:04}.md": f"Notiz Nummer {i}." for i in range(3000)}

    run(MemoryStore("g", MODEL), files, embedder)

    sizes = [len(call) for call in embedder.calls]
    assert sum(sizes) == 3000
    assert sizes[0] == 64
    assert max(sizes) == 128
    assert len(sizes) < 30


def test_texts_of_a_batch_are_embedded_longest_first() -> None:
    embedder = FakeEmbedder()
    files = {f"n{i:04}.md": f"Nummer {i} " + "wort " * (i % 50) for i in range(400)}

    run(MemoryStore("g", MODEL), files, embedder)

    for call in embedder.calls:
        tokens = [record["embedding_tokens"] for record in call]
        assert tokens == sorted(tokens, reverse=True)


def test_the_store_is_let_go_while_texts_are_embedded() -> None:
    events: list[str] = []

    class Watched(MemoryStore):
        @contextmanager
        def released(self) -> Iterator[None]:
            events.append("released")
            yield
            events.append("taken")

        def upsert(self, kind: Kind, points: Sequence[Point]) -> None:
            events.append(f"upsert {kind}")
            super().upsert(kind, points)

    class WatchedEmbedder(FakeEmbedder):
        def dense(self, chunks: Sequence[Record]) -> NDArray[np.float32]:
            events.append("embed")
            return super().dense(chunks)

    store = Watched("g", MODEL)
    run(store, {"a.md": "Text."}, WatchedEmbedder())
    run(store, {"b/a.md": "Text."})

    assert events[:4] == ["released", "embed", "taken", "upsert notes"]
    assert events.count("released") == 1


def test_progress_tells_the_notes_stored_after_each_group() -> None:
    told: list[tuple[int, int]] = []
    files = {f"n{i:03}.md": f"Nummer {i}." for i in range(150)}

    run(MemoryStore("g", MODEL), files, progress=lambda stored, total: told.append((stored, total)))

    assert told == [(64, 150), (128, 150), (150, 150)]


def test_a_stopped_run_keeps_what_it_stored_and_the_next_one_does_the_rest() -> None:
    files = {f"n{i:03}.md": f"Nummer {i}." for i in range(300)} | {"alt.md": "Alt."}
    store, told = store_of({"alt.md": "Alt.", "weg.md": "Weg."}), [0]

    first = run(store, files, progress=lambda stored, total: told.append(stored), should_stop=lambda: told[-1] >= 100)
    second = run(store, files)

    assert 100 <= len(first.notes_written) < 300
    assert first.left_over == 300 - len(first.notes_written)
    assert first.notes_deleted == []
    assert len(second.notes_written) == 300 - len(first.notes_written)
    assert second.notes_deleted == ["weg.md"]
    assert snapshot(store) == expected(files)


def test_a_run_that_is_stopped_while_it_embeds_stores_only_whole_notes() -> None:
    files = {f"n{i:03}.md": f"Nummer {i}.\n\n" + "Langer Absatz. " * 30 + f"{i}" for i in range(200)}
    store, embedder = MemoryStore("g", MODEL), FakeEmbedder()

    report = run(store, files, embedder, should_stop=lambda: len(embedder.calls) >= 2)

    states = {state.path: state for state in note_states(store, "v")}
    assert report.left_over > 0
    assert all(state.commit for state in states.values())
    assert len(states) + report.left_over == 200
    run(store, files)
    assert snapshot(store) == expected(files)


def test_a_run_below_a_folder_leaves_the_rest_alone() -> None:
    store = store_of({"a/eins.md": "In a.", "a/zwei.md": "Auch in a.", "b/drei.md": "In b.", "ab.md": "Daneben."})

    report = run(store, {"a/eins.md": "In a, neu."}, scope="a")

    assert report.notes_deleted == ["a/zwei.md"]
    assert snapshot(store) == expected({"a/eins.md": "In a, neu.", "b/drei.md": "In b.", "ab.md": "Daneben."})


def test_a_note_that_is_away_is_kept() -> None:
    store = store_of()
    rest = {path: text for path, text in GARDEN.items() if path != "a.md"}

    report = run(store, rest, away=lambda path: path == "a.md")

    assert report.notes_deleted == []
    kept = {key: value for key, value in snapshot(store).items() if value[0]["path"] == "a.md"}
    assert kept == {key: value for key, value in expected(GARDEN).items() if value[0]["path"] == "a.md"}


@pytest.mark.parametrize(
    ("error", "where"),
    [
        (SkippedFileError("not here"), "skipped"),
        (UnreadableError("no right"), "failed"),
        (ZeroDivisionError("x"), "failed"),
    ],
)
def test_a_note_that_cannot_be_built_is_reported_and_what_is_stored_stays(error: Exception, where: str) -> None:
    store = store_of()
    changed = FakeVault(GARDEN | {"a.md": "Neu.", "b.md": "Auch neu."})

    def fail() -> Built:
        raise error

    wanted = [replace(note, build=fail) if note.path == "a.md" else note for note in changed.wanted()]
    report = sync(store, "v", wanted, FakeEmbedder())

    (problem,) = getattr(report, where)
    assert problem.path == "a.md"
    assert str(error) in problem.message
    assert report.notes_written == ["b.md"]
    assert snapshot(store) == expected(GARDEN | {"b.md": "Auch neu."})


def test_a_note_that_cannot_be_stored_is_reported_and_the_rest_is_stored() -> None:
    class Faulty(FakeEmbedder):
        def dense(self, chunks: Sequence[Record]) -> NDArray[np.float32]:
            rows = super().dense(chunks)
            for row, chunk in zip(rows, chunks, strict=True):
                if "Birne" in chunk["text"]:
                    row[3] = math.nan
            return rows

    store = MemoryStore("g", MODEL)
    report = run(store, GARDEN, Faulty())

    (problem,) = report.failed
    assert (problem.code, problem.path) == ("note-not-stored", "b.md")
    assert report.left_over == 0
    assert {state.path for state in note_states(store, "v")} == set(GARDEN) - {"b.md"}


class Refusing(MemoryStore):
    """An engine that refuses, without a reason that our check knows, whatever holds a certain word."""

    def upsert(self, kind: Kind, points: Sequence[Point]) -> None:
        if kind == "chunks" and any("giftig" in point.payload["text"] for point in points):
            raise RejectedPointsError("no")
        super().upsert(kind, points)


def test_a_note_that_the_engine_refuses_is_found_and_the_others_are_stored() -> None:
    store = Refusing("g", MODEL)
    files = {f"n{i}.md": f"Text {i}." for i in range(20)} | {"n5.md": "giftig"}

    report = run(store, files)

    assert [problem.path for problem in report.failed] == ["n5.md"]
    assert sum(state.commit is not None for state in note_states(store, "v")) == 19
    run(store, files | {"n5.md": "gesund"})
    assert snapshot(store) == expected(files | {"n5.md": "gesund"})


def test_an_engine_that_refuses_everything_ends_the_run() -> None:
    with pytest.raises(RejectedPointsError):
        run(Refusing("g", MODEL), {f"n{i}.md": f"giftig {i}" for i in range(20)})


def test_a_lie_of_the_cache_is_never_stored() -> None:
    store = store_of()
    vault = FakeVault(GARDEN | {"b.md": "Neu."})
    lies = [replace(note, commit="lie") for note in vault.wanted()]

    report = sync(store, "v", lies, FakeEmbedder())

    assert report.notes_written == ["b.md"]
    assert report.unchanged == 3
    assert snapshot(store) == expected(GARDEN | {"b.md": "Neu."})


def many(count: int) -> dict[str, str]:
    return {f"n{i:03}.md": f"Nummer {i}." for i in range(count)}


def first_of(files: Files, count: int) -> dict[str, str]:
    return dict(list(files.items())[:count])


def test_losing_more_than_half_of_the_notes_is_held_back_but_the_rest_is_written() -> None:
    store = store_of(many(20))

    report = run(store, first_of(many(20), 9) | {"neu.md": "Neu."})

    assert len(report.held_back) == 11
    assert report.notes_deleted == []
    assert report.notes_written == ["neu.md"]
    assert snapshot(store) == expected(many(20) | {"neu.md": "Neu."})


def test_notes_that_lose_all_their_text_count_as_lost() -> None:
    store = store_of(many(20))
    emptied = many(20) | dict.fromkeys(first_of(many(20), 6), "") | {"n019.md": "Anders."}
    gone = {path: text for path, text in emptied.items() if not "n010.md" <= path <= "n014.md"}

    report = run(store, gone)

    assert len(report.held_back) == 11
    assert report.notes_written == ["n019.md"]
    assert report.left_over == 0
    assert snapshot(store) == expected(many(20) | {"n019.md": "Anders."})


def test_a_mass_delete_that_is_allowed_is_carried_out() -> None:
    store = store_of(many(20))
    left = first_of(many(20), 5) | {"n007.md": ""}

    report = run(store, left, allow_mass_delete=True)

    assert report.held_back == []
    assert len(report.notes_deleted) == 14
    assert snapshot(store) == expected(left)


@pytest.mark.parametrize(("before", "after"), [(20, 10), (19, 0), (19, 1), (40, 20)])
def test_half_of_the_notes_or_a_small_vault_may_go_at_once(before: int, after: int) -> None:
    store = store_of(many(before))

    report = run(store, first_of(many(before), after))

    assert report.held_back == []
    assert snapshot(store) == expected(first_of(many(before), after))


def test_moving_all_notes_is_no_loss() -> None:
    store = store_of(many(30))
    moved = {f"archiv/{path}": text for path, text in many(30).items()}

    report = run(store, moved)

    assert report.held_back == []
    assert len(report.renamed) == 30
    assert snapshot(store) == expected(moved)


def test_giving_ids_to_all_notes_is_no_loss() -> None:
    store, embedder = store_of(many(30)), FakeEmbedder()
    with_ids = {path: f"id: {7000 + i}\n\n{text}" for i, (path, text) in enumerate(many(30).items())}

    report = run(store, with_ids, embedder)

    assert report.held_back == []
    assert report.notes_deleted == []
    assert report.renamed == []
    assert embedder.texts == []
    assert snapshot(store) == expected(with_ids)


def test_one_of_two_equal_notes_can_be_deleted() -> None:
    store = store_of({"a.md": "Gleich.", "b/a.md": "Gleich."})

    report = run(store, {"b/a.md": "Gleich."})

    assert report.notes_deleted == ["a.md"]
    assert report.renamed == []


def test_excluding_all_notes_is_no_loss() -> None:
    files = {f"out/{path}": text for path, text in many(30).items()}
    vault = FakeVault(files)
    store = MemoryStore("g", MODEL)
    inside = {path.replace("out/", "in/"): text for path, text in files.items()}
    run(store, {path: f"id: {path[3:]}\n\n{text}" for path, text in inside.items()})

    report = run(store, {path: f"id: {path[4:]}\n\n{text}" for path, text in vault.files.items()})

    assert report.held_back == []
    assert store.count("chunks", "v") == 0
    assert store.count("notes", "v") == 30


def test_two_vaults_in_one_store_do_not_touch_each_other() -> None:
    store = MemoryStore("g", MODEL)
    run(store, GARDEN)
    run(store, GARDEN | {"z.md": "Mehr."}, name="w")

    run(store, {"a.md": "Anders."}, name="w")
    run(store, {}, name="w")

    assert snapshot(store) == expected(GARDEN)
    assert snapshot(store, "w") == {}


def test_clearing_a_vault_leaves_the_other() -> None:
    store = store_of()
    run(store, GARDEN, name="w")

    clear(store, "v")

    assert snapshot(store) == {}
    assert snapshot(store, "w") == expected(GARDEN, "w")


def test_a_fresh_run_counts_nothing_that_is_stored() -> None:
    store, embedder = store_of(), FakeEmbedder()
    wrong = next(iter(store.points["chunks"].values()))
    store.points["chunks"][wrong.id] = replace(wrong, vectors=replace_vector(wrong))

    report = run(store, GARDEN, embedder, afresh=True)

    assert report.embedded_texts == 6
    assert report.unchanged == 0
    assert snapshot(store) == expected(GARDEN)


def replace_vector(point: Point) -> Any:
    return point.vectors._replace(dense=-np.asarray(point.vectors.dense))


def test_a_dry_run_says_the_same_figures_and_writes_nothing() -> None:
    after = {
        "b.md": GARDEN["b.md"] + "\n\nMehr.",
        "c/d.md": GARDEN["c/d.md"],
        "x/a.md": GARDEN["a.md"],
        "neu.md": "Neu.",
    }
    store, counting, embedder = store_of(), Counting(store_of()), FakeEmbedder()

    told = run(counting, after, embedder, dry_run=True)
    done = run(store, after)

    assert counting.writes == []
    assert embedder.calls == []
    assert told == done


@pytest.mark.parametrize("kind", ["chunks", "edges"])
def test_points_that_were_lost_are_found_by_their_count_and_written_again(kind: Kind) -> None:
    store = store_of()
    store.points[kind].pop(next(iter(store.points[kind])))

    report = run(store, GARDEN)

    assert len(report.notes_written) == 1
    assert report.unchanged == 3
    assert snapshot(store) == expected(GARDEN)


def test_points_of_notes_that_are_not_known_are_removed() -> None:
    store = store_of(GARDEN | {"x.md": "Fremd [[a]]."})
    store.points["notes"] = {
        point_id: point for point_id, point in store.points["notes"].items() if point.payload["path"] != "x.md"
    }

    run(store, GARDEN)

    assert snapshot(store) == expected(GARDEN)


def test_what_is_lost_of_a_note_that_is_away_is_marked_for_the_run_that_sees_it() -> None:
    store = store_of()
    lost = next(point for point in store.points["chunks"].values() if point.payload["path"] == "a.md")
    del store.points["chunks"][lost.id]

    run(store, {p: t for p, t in GARDEN.items() if p != "a.md"}, away=lambda path: path == "a.md")
    marked = {state.path: state.commit is None for state in note_states(store, "v")}
    run(store, GARDEN)

    assert marked == {"a.md": True, "b.md": False, "c/d.md": False, "leer.md": False}
    assert snapshot(store) == expected(GARDEN)


def test_a_store_that_loses_what_is_written_ends_in_an_error() -> None:
    class Losing(MemoryStore):
        def count(self, kind: Kind, *rest: Any) -> int:
            return super().count(kind, *rest) - (kind == "chunks")

        def counts_by_note(self, kind: Kind, vault: str) -> dict[str, int]:
            counts = super().counts_by_note(kind, vault)
            return {note_id: count - (note_id == "a") for note_id, count in counts.items()}

    with pytest.raises(StoreError, match="number of points"):
        run(Losing("g", MODEL), GARDEN)


# --- killed before every single write --------------------------------------------------------------------------------


def killed_everywhere(before: Files, after: Files, then: Files) -> None:
    """For every write of the run from `before` to `after`: kill it there, run with `then`, compare with a fresh run."""
    base = store_of(before)
    for allowed in range(1000):
        store = MemoryStore("g", MODEL)
        store.points = {kind: dict(points) for kind, points in base.points.items()}
        try:
            run(Counting(store, allowed), after, allow_mass_delete=True)
        except Killed:
            run(store, then, allow_mass_delete=True)
            assert snapshot(store) == expected(then), f"killed before write {allowed}"
        else:
            assert snapshot(store) == expected(after)
            return
    raise AssertionError("the run never ended")


@pytest.mark.parametrize(
    "then",
    [AFTER, GARDEN, {}, {"a.md": "", "neu.md": AFTER["neu.md"]}, AFTER | {"a.md": GARDEN["a.md"]}],
    ids=["the same", "all undone", "all gone", "mostly gone", "one undone"],
)
def test_a_run_killed_before_any_write_is_healed_by_the_next(then: Files) -> None:
    killed_everywhere(GARDEN, AFTER, then)


def test_a_first_run_killed_before_any_write_is_healed_by_the_next() -> None:
    killed_everywhere({}, GARDEN, AFTER)


def test_a_removal_killed_before_any_write_is_healed_also_when_the_note_comes_back() -> None:
    killed_everywhere(GARDEN, {"leer.md": ""}, GARDEN)


def test_an_exchange_of_ids_killed_before_any_write_is_healed() -> None:
    one = {"a.md": "id: 1\n\n# A\n\nText von A.", "b.md": "id: 2\n\n# B\n\nText von B.\n\nMehr."}
    two = {"a.md": "id: 2\n\n# A\n\nText von A.", "b.md": "id: 1\n\n# B\n\nText von B.\n\nMehr."}

    killed_everywhere(one, two, two)
    killed_everywhere(one, two, one)


paragraphs = st.lists(st.sampled_from(["# T", "eins", "zwei", "drei [[a]]", "vier [[b]] [[x]]"]), max_size=4).map(
    "\n\n".join
)
vaults = st.dictionaries(st.sampled_from(["a.md", "b.md", "f/a.md", "f/c.md", "out/d.md"]), paragraphs, max_size=5)


@given(vaults, vaults, vaults)
@settings(max_examples=60, deadline=None)
def test_any_run_killed_anywhere_is_healed(before: Files, after: Files, then: Files) -> None:
    killed_everywhere(before, after, then)


@given(st.lists(vaults, min_size=1, max_size=5))
@settings(max_examples=150, deadline=None)
def test_after_any_history_the_store_equals_a_fresh_one_and_a_further_run_writes_nothing(history: list[Files]) -> None:
    store = MemoryStore("g", MODEL)
    for files in history:
        run(store, files)

    assert snapshot(store) == expected(history[-1])
    assert wrote(run(store, history[-1])) == (0, 0, 0, 0)


def test_two_notes_with_one_id_are_a_mistake_of_the_caller() -> None:
    note = FakeVault(GARDEN).wanted()[0]

    with pytest.raises(AssertionError):
        sync(
            store_of(),
            "v",
            [note, Wanted(path="x.md", note_id=note.note_id, commit="", build=note.build)],
            FakeEmbedder(),
        )


def test_a_state_is_read_from_whatever_the_payload_holds() -> None:
    store = store_of()
    point = next(iter(store.points["notes"].values()))
    store.points["notes"][point.id] = replace(point, payload={**point.payload, "n_chunks": "three", "commit": 7})

    states: list[NoteState] = list(note_states(store, "v"))
    run(store, GARDEN)

    assert sum(state.commit is None for state in states) == 1
    assert snapshot(store) == expected(GARDEN)
