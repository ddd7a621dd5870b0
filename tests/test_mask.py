from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from read_body import BODIES

from mindnet_chunker.markdown.mask import (
    FILLER,
    data_urls,
    drawings,
    masked,
    plain_lines,
    visible,
    without_comments,
)
from mindnet_chunker.records import Region

X = FILLER


def comments_in(text: str) -> list[Region]:
    """Where the tests write a comment they write it in braces."""
    found = []
    place = text.find("{")
    while place >= 0:
        end = text.index("}", place) + 1
        found.append(Region(place, end, "comment"))
        place = text.find("{", end)
    return found


def hidden(text: str) -> str:
    return without_comments(text, comments_in(text))


def test_every_line_end_becomes_a_line_feed_in_its_place() -> None:
    assert plain_lines("a\r\nb\rc\nd\u2028e") == "a \nb\nc\nd\u2028e"


def test_a_comment_beside_text_is_text() -> None:
    assert hidden("a {b} c\n    {d} e\n") == f"a {X * 3} c\n    {X * 3} e\n"


def test_lines_that_comments_fill_are_blank() -> None:
    assert hidden("a\n{b}\n {c} {d}\n{e\n\nf} g\n") == f"a\n   \n{' ' * 8}\n  \n\n{X * 2} g\n"


def test_the_lines_of_a_comment_in_a_quote_keep_their_marks() -> None:
    assert hidden("> {a\n> # b\n> > c} d\n") == f"> {' ' * 2}\n> {' ' * 3}\n> > {X * 2} d\n"


def test_only_regions_of_the_kinds_asked_for_are_masked() -> None:
    regions = [Region(0, 2, "code"), Region(3, 6, "url")]

    assert masked("ab\ncd\nef", regions, {"url"}) == f"ab\n{X * 2}\nef"
    assert masked("ab\ncd\nef", regions, {"math"}) == "ab\ncd\nef"


def test_what_is_hidden_leaves_one_blank_between_words_and_none_at_an_edge() -> None:
    assert visible(f"a {X}{X} b{X}c {X}") == "a bc"
    assert visible("a  b") == "a  b"


def data_in(text: str) -> list[str]:
    return [text[region.start : region.end] for region in data_urls(text, 0)]


def test_the_data_of_an_address_is_what_stands_behind_its_comma() -> None:
    assert data_in("a(data:image/png;base64,AB+/=) DATA:image/svg+xml,%3Csvg%3E'") == ["AB+/=", "%3Csvg%3E"]
    assert data_in("data:text/plain;charset=utf-8;base64,QQ== x") == ["QQ=="]


def test_a_word_data_with_a_colon_is_no_address() -> None:
    assert data_in("data: a, b. data:a,b data:image/png, metadata:x/y") == []


def test_data_ends_before_a_comment_does() -> None:
    assert data_in("%%data:text/plain,ab%%") == ["ab"]


DRAWN = {"excalidraw-plugin": "parsed"}


def drawn(text: str) -> str:
    """The text without its drawing."""
    return masked(text, drawings(text, 0, DRAWN), {"drawing"}, "")


def test_the_drawing_goes_and_the_text_elements_stay() -> None:
    text = (
        "==⚠  Switch to EXCALIDRAW VIEW ⚠==\n\n# Excalidraw Data\n## Text Elements\nHello ^a\n\n"
        "%%\n## Drawing\n```compressed-json\nN4KA\n\nkARAL\n```\n%%"
    )

    assert drawn(text).strip() == "# Excalidraw Data\n## Text Elements\nHello ^a"


def test_older_drawings_have_no_signs_around_them_or_plain_json() -> None:
    assert drawn('# Text Elements\na\n\n# Drawing\n```json\n{"b":\n"# c"}\n```\n\n# d\n').split() == [
        "#", "Text", "Elements", "a", "#", "d",
    ]  # fmt: skip
    assert drawn("a\n%%\n# Drawing\nno fence\n# b\n").split() == ["a", "#", "b"]
    assert drawn("a\n# Drawing\n```json\nnever closed\n# b\n").split() == ["a"]


def test_a_heading_drawing_is_a_heading_in_any_other_note() -> None:
    assert drawings("# Drawing\n```json\n{}\n```\n", 0, {"tags": ["excalidraw-plugin"]}) == []


@settings(max_examples=300, deadline=None)
@given(BODIES, st.lists(st.integers(0, 80), max_size=8))
def test_masks_keep_the_length_and_the_line_ends(text: str, places: list[int]) -> None:
    source = plain_lines(text)
    bounds = sorted({min(place, len(source)) for place in places})
    regions = [Region(a, b, "comment") for a, b in zip(bounds[::2], bounds[1::2], strict=False)]

    for result in (without_comments(source, regions), masked(source, regions, {"comment"})):
        assert len(result) == len(text)
        assert [i for i, c in enumerate(result) if c == "\n"] == [i for i, c in enumerate(source) if c == "\n"]
