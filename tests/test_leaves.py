from __future__ import annotations

from mindnet_chunker.markdown.blocks import parse_blocks
from mindnet_chunker.markdown.leaves import leaves


def found(text: str, *, gaps: bool = True) -> list[tuple[str, str, bool]]:
    return [
        (leaf.kind, text[leaf.start : leaf.end], leaf.quoted)
        for leaf in leaves(parse_blocks(text, 0), text, 0, gaps=gaps)
    ]


def test_leaves_are_the_innermost_blocks() -> None:
    assert found("# a\n\n- b\n  - c\n\n> d\n\n|e|\n|-|\n|f|\n") == [
        ("heading", "# a\n\n", False),
        ("paragraph", "- b\n", False),
        ("paragraph", "  - c\n\n", False),
        ("paragraph", "> d\n\n", True),
        ("header", "|e|\n|-|\n", False),
        ("row", "|f|\n", False),
    ]


def test_blank_lines_beside_code_are_gaps_where_comments_may_stand() -> None:
    assert found("\n\n```\na\n```\n\n") == [
        ("gap", "\n\n", False),
        ("code", "```\na\n```", False),
        ("gap", "\n\n", False),
    ]
    assert found("\n\n```\na\n```\n\n", gaps=False) == [("code", "```\na\n```", False)]


def test_blank_lines_of_a_quote_are_gaps_too() -> None:
    assert [kind for kind, _, _ in found("> \n> ```\n> a\n> ```\n> \n")] == ["gap", "code", "gap"]


def test_a_body_without_blocks_is_one_gap() -> None:
    assert found(" \n") == [("gap", " \n", False)]
    assert found(" \n", gaps=False) == []
