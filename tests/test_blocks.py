from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from read_body import BODIES, cases, lines_of, read

from mindnet_chunker.markdown.blocks import parse_blocks
from mindnet_chunker.markdown.mask import masked
from mindnet_chunker.records import Block, Fence, Span


@pytest.mark.parametrize(("title", "text", "expected"), cases("blocks"))
def test_blocks_have_their_kinds_and_lines(title: str, text: str, expected: str) -> None:
    document = read(text)

    assert "".join(f"{line}\n" for line in lines_of(document, document.blocks)) == expected


def fences(text: str) -> list[Fence]:
    def of(blocks: Sequence[Block]) -> list[Fence]:
        return [fence for block in blocks for fence in [*([block.fence] if block.fence else []), *of(block.parts)]]

    return of(read(text).blocks)


def test_a_fence_says_how_to_close_and_open_it() -> None:
    assert fences("~~~ python x\na\n~~~~  \n") == [
        Fence(opener="~~~ python x", closer="~~~~", info="python x", closed=True)
    ]


def test_a_fence_within_containers_has_their_marks() -> None:
    assert fences("> - ```js\n>   a\n>   ```\n") == [
        Fence(opener="> - ```js", closer=">   ```", info="js", closed=True)
    ]


@pytest.mark.parametrize(
    ("text", "closer"),
    [
        ("```js\na\n", "```"),
        ("> ```\n> a\n\nb\n", "> ```"),
        ("12. ````x\n    a\n", "    ````"),
        ("- > ~~~\n", "  > ~~~"),
    ],
)
def test_an_open_fence_gets_a_closer_with_the_marks_of_its_containers(text: str, closer: str) -> None:
    fence = fences(text)[0]

    assert (fence.closed, fence.closer) == (False, closer)


def test_a_last_line_that_looks_like_a_closer_but_is_none_leaves_the_fence_open() -> None:
    assert [fence.closed for fence in fences("````\na\n```\n")] == [False]
    assert [fence.closed for fence in fences("```\na\n    ```\n")] == [False]
    assert [fence.closed for fence in fences("```\n")] == [False]


def test_only_lf_crlf_and_cr_end_a_line() -> None:
    document = read("a\u2028b\x0bc\x0c\x85d\r# e\r\n# f\n")

    assert [(h.text, h.line) for h in document.headings] == [("e", 2), ("f", 3)]


def test_a_blank_body_has_no_blocks() -> None:
    assert parse_blocks(" \n\t\n", 0) == ()
    assert parse_blocks("", 0) == ()


def test_spans_are_places_in_the_whole_text() -> None:
    text = "---\na: b\n---\n# c\n\nd\n"

    assert [text[slice(*block.span)] for block in read(text).blocks] == ["# c\n\n", "d\n"]


def test_marks_nested_too_deep_are_text_and_what_follows_is_not_lost() -> None:
    document = read("- " * 100 + "a\n\n" + "> " * 100 + "b\n\n# c\n")

    assert [block.kind for block in document.blocks] == ["list", "quote", "heading"]


def assert_tiles(blocks: Sequence[Block], span: Span) -> None:
    assert [block.span.start for block in blocks] == [span.start, *(block.span.end for block in blocks[:-1])]
    assert blocks[-1].span.end == span.end
    for block in blocks:
        assert block.span.start < block.span.end
        if block.parts:
            assert_tiles(block.parts, block.span)


@settings(max_examples=300, deadline=None)
@given(BODIES)
def test_blocks_tile_the_body_and_the_blocks_they_lie_in(text: str) -> None:
    document = read(text)

    start = document.note.body_start
    if document.blocks:
        assert_tiles(document.blocks, Span(start, len(text)))
    else:
        assert not masked(text, document.regions, {"comment"}, " ")[start:].strip(" \t\r\n")


@settings(max_examples=200, deadline=None)
@given(BODIES)
def test_blocks_begin_at_the_start_of_a_line(text: str) -> None:
    document = read(text)

    def starts(blocks: Sequence[Block]) -> set[int]:
        return {start for block in blocks for start in {block.span.start} | starts(block.parts)}

    assert starts(document.blocks) <= set(document.note.line_starts)
