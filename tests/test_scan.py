from __future__ import annotations

import pytest
from growth import growth_is_within
from hypothesis import given, settings
from hypothesis import strategies as st
from read_body import BODIES, cases, read

from mindnet_chunker.records import Document


def shown_regions(document: Document) -> list[str]:
    text = document.note.text
    return [f"{r.kind} {text[r.start : r.end]}".replace("\n", "⏎") for r in document.regions]


@pytest.mark.parametrize(("title", "text", "expected"), cases("regions"))
def test_regions_are_what_inline_syntax_is_dead_in(title: str, text: str, expected: str) -> None:
    assert "".join(f"{line}\n" for line in shown_regions(read(text))) == expected


def test_a_comment_may_end_in_another_block() -> None:
    document = read("a %% b\n\n# c\n\nd %% e [[f]]\n")

    assert [block.kind for block in document.blocks] == ["paragraph", "paragraph"]
    assert [link.target for link in document.inline.links] == ["f"]
    assert document.headings == ()


def test_a_comment_in_an_html_block_may_end_behind_it() -> None:
    document = read("<div>\n<!-- a\n\n# b\n-->\n\n# c\n")

    assert [heading.text for heading in document.headings] == ["c"]
    assert "comment <!-- a⏎⏎# b⏎-->" in shown_regions(document)


def test_brackets_in_a_long_row_are_no_links_but_the_last_two_may_be() -> None:
    assert [link.raw for link in read("[" * 500 + "a]]").inline.links] == ["[[a]]"]


@settings(max_examples=400, deadline=None)
@given(BODIES)
def test_regions_are_in_order_and_do_not_overlap(text: str) -> None:
    document = read(text)

    places = [document.note.body_start, *(place for r in document.regions for place in (r.start, r.end)), len(text)]

    assert places == sorted(places)
    assert all(region.start < region.end for region in document.regions)


@settings(max_examples=400, deadline=None)
@given(BODIES)
def test_no_mark_is_found_within_a_region(text: str) -> None:
    document = read(text)
    inline = document.inline
    dead = [r for r in document.regions if r.kind in ("code", "math", "comment", "html", "escape")]

    for span in [*(link.span for link in inline.links), *(tag.span for tag in inline.tags)]:
        assert span is not None
        assert not any(r.start <= span.start < r.end for r in dead)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["a", "[[x]]", "#t", "^i", "[a](b.md)", "k:: v", "\n", " "]), max_size=10).map("".join))
def test_nothing_is_found_in_a_fenced_block(text: str) -> None:
    inline = read(f"````\n{text}\n````\n").inline

    assert not (inline.links or inline.tags or inline.block_ids or inline.fields or inline.tasks or inline.callouts)


UNITS = (
    *("[[", "[[a ", "]]", "![](", "[a](", "[a](b ", "[a](<", "[a](b '", "[a](()()", "[a][b]", "[[a|b]] "),
    *("> ", "- ", "1. ", "# ", "#", "#a", "`", "` ", "`` ` ", "%%", "%% ", "%% a\n\n", "$", "$a", "$$ ", "$$\n"),
    *(
        "<",
        "<a ",
        "<a x='",
        "<!--",
        "<!A",
        "<?",
        "*",
        "|",
        "|-",
        "|-\n",
        "key::",
        "[k:: ",
        "(k:: v) ",
        "\\",
        "^a ",
        "^a\n",
    ),
    *(
        "~~~\n",
        "> > a\n",
        "- a\n",
        "[a]: b\n",
        "[^a]: ",
        "http://a ",
        "http://a)",
        "data:image/png;base64,",
        "\t",
        "\r",
        "a\n",
    ),
)


@pytest.mark.parametrize(
    ("before", "unit", "after"),
    [
        *(("", unit, "a") for unit in UNITS),
        ("[", "a", ":: b"),
        ("[k:: ", "a", ""),
        ("", "_", ". a:: b"),
        ("> [!", "a", ""),
        ("# a", " ", "%%b%% c"),
        ("[a", " ", "\nb](c.md)"),
        ("[a](", "%ff", ")"),
        ("[a](", "(", ")"),
        ("http://a", ")", ""),
        ("- [ ] a", " ", "📅"),
        ("> " * 60 + "a\n", "b\n", ""),
        ("- " * 60 + "a\n\n", "b\n\n", ""),
        ("| a |\n|---|\n", "b\n", ""),
        ("[a", "\nb", "]: c"),
        ("[a]: b '", "\nc", ""),
    ],
)
def test_the_time_to_read_grows_no_faster_than_the_text(before: str, unit: str, after: str) -> None:
    small, large = (before + unit * (size // len(unit)) + after for size in (12_000, 48_000))

    assert growth_is_within(8, lambda: read(small), lambda: read(large))
