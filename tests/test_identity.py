"""Every note has an id of its own, and a copy never takes it from the original."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.vault.identity import assign_ids


def test_a_declared_id_is_kept_where_it_is_unique() -> None:
    ids, problems = assign_ids({"a/Eins.md": "one", "Zwei.MD": None, "b/Drei.md": "three"})

    assert ids == {"a/Eins.md": "one", "Zwei.MD": "Zwei", "b/Drei.md": "three"}
    assert problems == []


def test_the_shortest_path_keeps_an_id_that_two_declare() -> None:
    ids, problems = assign_ids({"folder/a.md": "x", "b.md": "x", "a.md": "x"})

    assert ids == {"folder/a.md": "folder/a", "b.md": "b", "a.md": "x"}
    assert [(problem.code, problem.path) for problem in problems] == [
        ("duplicate-id", "b.md"),
        ("duplicate-id", "folder/a.md"),
    ]
    assert all("`a.md`" in problem.message and "`x`" in problem.message for problem in problems)


@pytest.mark.parametrize(
    "copy",
    [
        "X (conflicted copy 2024-05-01).md",
        "X (Anna's conflicted copy 2024-05-01).md",
        "X (Konfliktkopie von PC 2024-05-01).md",
        "X (Case Conflict).md",
        "X (En conflit de Anna).md",
        "X.sync-conflict-20240501-123456-ABCDEFG.md",
        "X_conflict-20240501.md",
        "X 2.md",
        "X (1).md",
        "X(1).md",
        "X-DESKTOP-4F2A.md",
        "X copy.md",
        "X - Kopie (2).md",
    ],
)
def test_a_copy_never_takes_the_id_though_its_path_is_shorter(copy: str) -> None:
    ids, problems = assign_ids({copy: "x", "moved/to/some/deeper/folder/of/the/archive/X.md": "x"})

    assert ids["moved/to/some/deeper/folder/of/the/archive/X.md"] == "x"
    assert ids[copy] == copy.removesuffix(".md")
    assert [problem.path for problem in problems] == [copy]


def test_a_copy_has_the_id_once_the_original_is_gone() -> None:
    assert assign_ids({"X (conflicted copy 2024-05-01).md": "x"})[0] == {"X (conflicted copy 2024-05-01).md": "x"}


def test_a_name_that_only_looks_like_a_copy_is_none_without_its_original() -> None:
    ids, _ = assign_ids({"Heft 2.md": "x", "somewhere/else/Buch.md": "x"})

    assert ids == {"Heft 2.md": "x", "somewhere/else/Buch.md": "somewhere/else/Buch"}


def test_an_id_that_is_another_notes_path_is_not_given() -> None:
    ids, problems = assign_ids({"a.md": None, "b.md": "a"})

    assert ids == {"a.md": "a", "b.md": "b"}
    assert "`a.md`" in problems[0].message


def test_a_path_id_is_free_where_its_note_has_another_id() -> None:
    assert assign_ids({"a.md": "own", "b.md": "a"}) == ({"a.md": "own", "b.md": "a"}, [])


def test_notes_that_lose_their_ids_one_after_another_end_with_their_paths() -> None:
    ids, problems = assign_ids({"a.md": None, "b.md": "a", "c.md": "b", "d.md": "c"})

    assert ids == {"a.md": "a", "b.md": "b", "c.md": "c", "d.md": "d"}
    assert len(problems) == 3


def test_paths_that_differ_in_their_ending_only_have_two_ids() -> None:
    assert assign_ids({"a.md": None, "a.MD": None})[0] == {"a.md": "a", "a.MD": "a.MD"}


def test_ten_thousand_notes_of_one_id_are_no_trouble() -> None:
    ids, problems = assign_ids({f"folder{number % 100}/Name {number}.md": "same" for number in range(10_000)})

    assert (len(set(ids.values())), len(problems)) == (10_000, 9_999)


NAMES = st.sampled_from(["a", "b", "a 2", "b (1)", "a (conflicted copy)", "x/a", "x/b", "a.md"])


@given(st.dictionaries(NAMES.map(lambda name: f"{name}.md"), st.one_of(st.none(), NAMES)), st.randoms())
@settings(max_examples=300, deadline=None)
def test_ids_are_unique_and_do_not_depend_on_the_order(declared: dict[str, str | None], random: object) -> None:
    ids, problems = assign_ids(declared)
    shuffled = list(declared.items())
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert ids.keys() == declared.keys()
    assert len(set(ids.values())) == len(ids)
    assert assign_ids(dict(shuffled)) == (ids, problems)
    lost = {path for path, wanted in declared.items() if wanted not in (None, ids[path])}
    assert lost <= {problem.path for problem in problems}
