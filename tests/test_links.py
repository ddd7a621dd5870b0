from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from read_body import BODIES, cases, read, shown_link

from mindnet_chunker.markdown.links import property_links
from mindnet_chunker.records import Frontmatter, Link


@pytest.mark.parametrize(("title", "text", "expected"), cases("links"))
def test_links_are_found_as_written(title: str, text: str, expected: str) -> None:
    inline = read(text).inline
    outside = [f"external {link.url}" + (f' "{link.text}"' if link.text else "") for link in inline.external_links]

    assert "".join(f"{line}\n" for line in [*map(shown_link, inline.links), *outside]) == expected


def test_a_link_knows_its_source_text_line_and_place() -> None:
    text = "---\nx: 1\n---\na\n\n> b ![[C#d|e]]\n[f](<g h.md>)\n"
    wikilink, markdown = read(text).inline.links

    assert wikilink == Link(
        kind="wikilink",
        raw="![[C#d|e]]",
        target="C",
        heading="d",
        block=None,
        alias="e",
        embed=True,
        line=6,
        span=wikilink.span,
    )
    assert [text[slice(*link.span)] for link in (wikilink, markdown) if link.span] == [wikilink.raw, "[f](<g h.md>)"]


def test_a_link_in_a_field_has_its_key() -> None:
    links = read("Depends On:: [[A]], [b](B.md)\n\nx (seen at:: [[C]]) [[D]]\n").inline.links

    assert [(link.target, link.key, link.origin) for link in links] == [
        ("A", "depends-on", "field"),
        ("B.md", "depends-on", "field"),
        ("C", "seen-at", "field"),
        ("D", "", "body"),
    ]


def test_no_carriage_return_is_in_what_is_found() -> None:
    inline = read("[a\r\nb](c.md) [[d]]\r\n[e](f.md\r\n)\r[g](https://h.org)\r").inline
    texts = [text for link in inline.links for text in (link.raw, link.target, link.alias or "")]

    assert not any("\r" in text for text in [*texts, *(link.url for link in inline.external_links)])
    assert [link.alias for link in inline.links] == ["a b", None, "e"]


def test_the_data_of_an_address_is_not_part_of_a_link() -> None:
    document = read(f"![a](data:image/png;base64,{'A' * 100_000}) [[b]]\n")

    assert [link.url for link in document.inline.external_links] == ["data:image/png;base64,"]
    assert [link.target for link in document.inline.links] == ["b"]


# --- properties ------------------------------------------------------------------------------------------------------


def of(value: Any) -> list[str]:
    return [shown_link(link) for link in property_links(Frontmatter(present=True, fields={"Up To": value}, lines={}))]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("[[A]]", ["property A"]),
        (["[[A#b|c]]", "text", "![[D#^e]]"], ['property A #b "c"', "embed property D ^e"]),
        ("see [[A]] and [[B]]", ["property A", "property B"]),
        ({"x": {"y": ["[[A]]"]}, "z": "[[B]]"}, ["property A", "property B"]),
        ("[a](B%20c.md#d)", ['property B c.md #d "a"']),
        ("text [a](b.md)", []),
        ("[a](https://b.org)", []),
        ("https://b.org", []),
        ("2024-01-02", []),
        ([["A"]], []),
        ("[[ ]]", []),
        (3, []),
        (None, []),
    ],
)
def test_links_in_a_property(value: Any, expected: list[str]) -> None:
    assert of(value) == expected


def test_links_of_properties_know_their_key_and_line() -> None:
    head = Frontmatter(present=True, fields={"Up To": "[[A]]", "b": ["[[C]]"]}, lines={"Up To": 2, "b": 3})

    links = property_links(head)

    assert [(link.key, link.line, link.origin, link.kind, link.raw, link.span) for link in links] == [
        ("up to", 2, "property", "property", "[[A]]", None),
        ("b", 3, "property", "property", "[[C]]", None),
    ]


def test_a_value_nested_very_deep_is_read_too() -> None:
    value: Any = "[[A]]"
    for _ in range(5000):
        value = [value]

    assert of(value) == ["property A"]


VALUES = st.recursive(
    st.none()
    | st.integers()
    | st.lists(st.sampled_from(["[[", "]]", "|", "#", "](", ")", "a", " ", "!"])).map("".join),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_whatever_a_property_holds_can_be_read(value: Any) -> None:
    assert all(link.startswith(("property ", "embed property ")) for link in of(value))


@settings(max_examples=300, deadline=None)
@given(BODIES)
def test_links_are_in_reading_order_and_name_something(text: str) -> None:
    document = read(text)
    links = document.inline.links

    starts = [link.span.start for link in links if link.span]

    assert starts == sorted(starts)
    assert len(starts) == len(links)
    assert all(link.target or link.heading or link.block for link in links)
    assert all(link.line == document.note.line_at(start) for link, start in zip(links, starts, strict=True))


@settings(max_examples=200, deadline=None)
@given(BODIES.filter(lambda text: "\r" not in text))
def test_line_ends_of_windows_change_no_link_tag_or_heading(text: str) -> None:
    def found(document_text: str) -> list[object]:
        document = read(document_text)
        inline = document.inline
        return [
            [(link.kind, link.target, link.heading, link.block, link.embed, link.line) for link in inline.links],
            [(tag.text, tag.line) for tag in inline.tags],
            [(block.id, block.line) for block in inline.block_ids],
            [(heading.level, heading.text, heading.line) for heading in document.headings],
            [block.kind for block in document.blocks],
        ]

    assert found(text.replace("\n", "\r\n")) == found(text)
