from __future__ import annotations

import pytest

from mindnet_chunker.markdown.tags import only_tags, split_tags


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("#a", ["#a"]),
        ("#a#b", ["#a", "#b"]),
        ("#a/b/", ["#a/b"]),
        ("#1984", []),
        ("#1984/", []),
        ("#1984a", ["#1984a"]),
        ("#1#a", []),
        ("#a#1#b", ["#a"]),
        ("#/", []),
    ],
)
def test_a_run_is_split_up_to_what_is_no_tag(run: str, expected: list[str]) -> None:
    assert [run[start:end] for start, end in split_tags(run)] == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("#a #b\n#c/d\n", True), ("#a#b", True), ("#a text", False), ("", False)]
)
def test_a_line_of_tags_holds_nothing_else(text: str, expected: bool) -> None:
    assert only_tags(text) is expected


def test_a_long_run_is_judged_in_time() -> None:
    assert not only_tags("#a" * 20_000 + " text")
