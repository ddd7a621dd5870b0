"""What a link's path points at, and where its subpath stands."""

from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.vault.names import Names, Outline, find_subpath

VAULT = (
    "Start.md",
    "Same.md",
    "f/Same.md",
    "f/Start.md",
    "f/sub/Deep.md",
    "g/Deep.md",
    "much-longer-folder/List.md",
    "a/b/List.md",
    "a.png",
    "b.canvas",
    "v1.5.md",
    "LICENSE",
    "x/Ångström.md",
    "Plan (2).md",
)


@pytest.mark.parametrize(
    ("target", "source", "found"),
    [
        ("", "f/Start.md", "f/Start.md"),
        ("  ", "f/Start.md", "f/Start.md"),
        ("Same", "Start.md", "Same.md"),
        ("Same", "f/Start.md", "Same.md"),  # a whole path wins over a note beside the source
        ("SAME.MD", "f/Start.md", "Same.md"),
        (" same ", "f/Start.md", "Same.md"),
        ("./Same", "f/Start.md", "f/Same.md"),
        ("../Same", "f/Start.md", "Same.md"),
        ("../f/./Same.md", "f/Start.md", "f/Same.md"),
        ("/Same", "f/Start.md", "Same.md"),
        ("/f/Same", "Start.md", "f/Same.md"),
        ("/sub/Deep", "f/Start.md", None),
        ("./Deep", "f/Start.md", None),
        ("Deep", "f/Start.md", "f/sub/Deep.md"),  # below the source's folder, though longer
        ("Deep", "f/sub/Other.md", "f/sub/Deep.md"),
        ("Deep", "Start.md", "g/Deep.md"),
        ("sub/Deep", "Start.md", "f/sub/Deep.md"),
        ("wrong/Deep", "Start.md", None),
        ("ub/Deep", "Start.md", None),
        ("List", "Start.md", "a/b/List.md"),  # the shortest string, not the fewest folders
        ("List", "much-longer-folder/Other.md", "much-longer-folder/List.md"),
        ("List", "a/Other.md", "a/b/List.md"),
        ("a", "Start.md", None),
        ("a.png", "Start.md", "a.png"),
        ("b", "Start.md", None),
        ("b.canvas", "Start.md", "b.canvas"),
        ("v1.5", "Start.md", "v1.5.md"),
        ("LICENSE", "Start.md", None),  # a name without a dot is a note's
        ("A\u030angstro\u0308m", "Start.md", "x/Ångström.md"),
        ("Plan (2)", "Start.md", "Plan (2).md"),
        ("https://example.org", "Start.md", None),
    ],
)
def test_a_path_is_resolved_as_the_app_does(target: str, source: str, found: str | None) -> None:
    assert Names(VAULT).resolve(target, source) == found


@pytest.mark.parametrize(
    "target",
    ["../../etc/passwd", "../Start.md/../../Start", "/etc/hostname", "..\\Same", "f\\Same", "..", ".", "/", "./", "../",
     "//Same", "f//Same", "f/", "\0", "../../f/Same"],
)  # fmt: skip
def test_nothing_leads_out_of_the_vault(target: str) -> None:
    assert Names(VAULT).resolve(target, "f/Start.md") is None


def test_a_file_in_decomposed_form_is_found_by_its_composed_name() -> None:
    paths = [unicodedata.normalize("NFD", "Märchen/Übung.md")]

    assert Names(paths).resolve("übung", "Start.md") == paths[0]


def test_ties_go_to_the_smallest_path() -> None:
    assert Names(["c/X.md", "a/X.md", "b/X.md"]).resolve("X", "Start.md") == "a/X.md"
    assert Names(["x.md", "X.md"]).resolve("x", "Start.md") == "X.md"


def test_an_exact_path_is_never_searched_by_name() -> None:
    names = Names(VAULT)

    assert names.exact("f/same.md") == "f/Same.md"
    assert names.exact("Deep.md") is None
    assert names.exact("Same") is None


def resolved_slowly(paths: list[str], target: str, source: str) -> str | None:
    """The rules, word for word."""
    name = target.rpartition("/")[2]
    folder = source.lower().rpartition("/")[0]
    for path in ([target] if "." in name else []) + [f"{target}.md"]:
        wanted = path.lower()
        if path.startswith("/"):
            found = [known for known in paths if known.lower() == wanted[1:]]
        else:
            found = [known for known in paths if known.lower() == wanted]
            found = found or [known for known in paths if known.lower().endswith(f"/{wanted}")]
        if found:
            own = [known for known in found if not folder or known.lower().startswith(f"{folder}/")]
            return min(own or found, key=lambda known: (len(known), known))
    return None


PATHS = st.lists(st.sampled_from("abA"), min_size=1, max_size=4).flatmap(
    lambda parts: st.sampled_from(["/".join(parts) + end for end in (".md", ".png", "")])
)


@given(st.lists(PATHS, unique_by=str.lower, max_size=12), PATHS, PATHS, st.sampled_from(["", "/"]))
@settings(max_examples=400, deadline=None)
def test_fast_and_slow_resolving_agree(paths: list[str], target: str, source: str, lead: str) -> None:
    assert Names(paths).resolve(lead + target, source) == resolved_slowly(paths, lead + target, source)


@given(st.lists(st.text(max_size=20), max_size=8), st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_any_target_gives_a_known_path_or_nothing(paths: list[str], target: str, source: str) -> None:
    found = Names(paths).resolve(target, source)

    assert found is None or found in paths or (not target.strip() and found == source)


def test_the_order_of_the_files_does_not_matter() -> None:
    paths = [f"{folder}/{name}.md" for folder in ("a", "b/c", "bb", "d") for name in ("X", "x", "Y")]
    shuffled = random.Random(7).sample(paths, len(paths))

    for target in ("X", "c/x", "y"):
        assert Names(paths).resolve(target, "b/Z.md") == Names(shuffled).resolve(target, "b/Z.md")


def test_ten_thousand_notes_of_one_name_are_no_trouble() -> None:
    paths = [f"projects/p{number}/docs/index.md" for number in range(10_000)]
    names = Names(paths)

    for number, path in enumerate(paths):
        assert names.resolve("index", path) == path
        assert names.resolve(f"p{number}/docs/index", "Start.md") == path


OUTLINE = Outline(
    headings=(
        (1, "Fruit", 1),
        (2, "What is it?", 3),
        (3, "Sorts", 5),
        (2, "Sorts", 9),
        (4, "**Bold** [[Link|text]]", 11),
        (1, "Ünder_score: a-b", 15),
    ),
    blocks={"b-1": 7},
)


@pytest.mark.parametrize(
    ("heading", "line"),
    [
        ("fruit", 1),
        ("what is it", 3),
        ("What:is//it!", 3),
        ("Sorts", 5),
        ("Fruit#Sorts", 5),
        ("Fruit#What is it?#Sorts", 5),
        ("#Fruit##Sorts#", 5),
        ("Sorts#Bold link text", 11),
        ("Fruit#bold link text", 11),
        ("U\u0308nder_score a-b", 15),
        ("Sorts#Fruit", None),
        ("Sorts#Sorts", None),
        ("Under score", None),
        ("", None),
        ("##", None),
        ("Fruit#Nothing", None),
        ("a#b#c#d#e#f#g#h", None),
    ],
)
def test_a_heading_is_found_without_regard_to_case_and_punctuation(heading: str, line: int | None) -> None:
    assert find_subpath(OUTLINE, heading, None) == line


def test_a_chain_may_start_at_a_later_heading_of_the_same_text() -> None:
    outline = Outline(headings=((3, "A", 1), (1, "A", 2), (2, "B", 3)), blocks={})

    assert find_subpath(outline, "A#B", None) == 3


def test_a_block_is_found_without_regard_to_case() -> None:
    assert find_subpath(OUTLINE, None, "B-1") == 7
    assert find_subpath(OUTLINE, None, "b-2") is None


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(1, 6), st.text(max_size=10), st.integers(1)), max_size=8))
@settings(max_examples=200, deadline=None)
def test_any_subpath_gives_a_line_of_the_note_or_nothing(heading: str, headings: list[tuple[int, str, int]]) -> None:
    found = find_subpath(Outline(headings=tuple(headings), blocks={}), heading, None)

    assert found is None or found in [line for _, _, line in headings]
