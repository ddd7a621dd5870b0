from __future__ import annotations

import pytest
from hypothesis import given, settings
from read_body import BODIES, read

from mindnet_chunker.markdown.sections import sections
from mindnet_chunker.records import Section


def parted(text: str, title: str = "T") -> tuple[Section, ...]:
    document = read(text)
    return sections(document.blocks, title=title, first_heading=document.first_heading)


def paths(text: str, title: str = "T") -> list[str]:
    """The headings of each section: `0 T / 2 A`."""
    return [" / ".join(f"{level} {name}" for level, name in section.headings) for section in parted(text, title)]


def test_every_heading_starts_a_section_and_the_text_before_the_first_is_one() -> None:
    found = parted("a\n\n## b\n\nc\n\nd\n\n### e\n")

    assert [(s.heading.title if s.heading else None, len(s.blocks)) for s in found] == [(None, 1), ("b", 2), ("e", 0)]


def test_a_heading_ends_all_of_its_level_and_deeper() -> None:
    assert paths("## a\n### b\n###### c\n### d\n## e\n#### f\n") == [
        "0 T / 2 a",
        "0 T / 2 a / 3 b",
        "0 T / 2 a / 3 b / 6 c",
        "0 T / 2 a / 3 d",
        "0 T / 2 e",
        "0 T / 2 e / 4 f",
    ]


@pytest.mark.parametrize("opening", ["# T\n", "T\n===\n", "#tag #more\n\n# T\n", "%% c %%\n\n# T\n", "#  T  #\n"])
def test_an_opening_heading_of_the_titles_text_is_the_title(opening: str) -> None:
    assert paths(f"{opening}a\n\n## b\n")[-2:] == ["1 T", "1 T / 2 b"]


def test_any_other_first_heading_stands_below_the_title() -> None:
    assert paths("# A\n\n## b\n") == ["0 T / 1 A", "0 T / 1 A / 2 b"]
    assert paths("text\n\n# T\n") == ["0 T", "0 T / 1 T"]
    assert paths("## a\n# T\n") == ["0 T / 2 a", "0 T / 1 T"]


def test_a_second_first_level_heading_is_a_heading_of_its_own() -> None:
    assert paths("# T\n\n## a\n\n# T\n\n# B\n") == ["1 T", "1 T / 2 a", "0 T / 1 T", "0 T / 1 B"]


def test_letters_of_two_parts_and_runs_of_blanks_do_not_make_another_title() -> None:
    assert paths("# Ma\u0308rz  2024\n", "März 2024") == ["1 März 2024"]


def test_headings_without_text_have_sections_too() -> None:
    assert paths("##\na\n## \n") == ["0 T / 2 ", "0 T / 2 "]


def test_a_blank_note_has_no_sections() -> None:
    assert parted("\n \n") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a", "a"),
        ("a\n=\n", "a"),
        ("\n\n#tag\n\n<!-- c -->\n# a **b**\n", "a **b**"),
        ("## a\n# b\n", None),
        ("text\n\n# a\n", None),
        ("#\n# a\n", None),
        ("> # a\n", None),
        ("---\n# a\n", None),
        ("", None),
    ],
)
def test_the_first_heading_is_one_that_opens_the_note(text: str, expected: str | None) -> None:
    assert read(text).first_heading == expected


def test_the_outline_says_where_sections_stand() -> None:
    text = "---\nx: 1\n---\n%% # no %%\n\n# a\n\ntext\n\n## b\n\nc\n---\n\n# d\n"
    headings = read(text).headings

    assert [(h.level, h.text, h.line) for h in headings] == [(1, "a", 6), (2, "b", 10), (2, "c", 12), (1, "d", 15)]
    assert [text[slice(*h.span)] for h in headings] == [
        "# a\n\ntext\n\n## b\n\nc\n---\n\n",
        "## b\n\n",
        "c\n---\n\n",
        "# d\n",
    ]


def test_headings_within_quotes_and_items_are_not_the_notes_own() -> None:
    assert read("> # a\n\n- # b\n\n[^1]: # c\n").headings == ()


@settings(max_examples=200, deadline=None)
@given(BODIES)
def test_sections_hold_every_block_once_and_start_with_the_title(text: str) -> None:
    document = read(text)

    found = sections(document.blocks, title="T", first_heading=document.first_heading)

    assert [b for s in found for b in ([s.heading] if s.heading else []) + list(s.blocks)] == list(document.blocks)
    assert all(section.headings[0].text == "T" for section in found)
    for section in found:
        levels = [step.level for step in section.headings[1:]]
        assert levels == sorted(set(levels))
