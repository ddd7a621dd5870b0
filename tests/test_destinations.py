from __future__ import annotations

import pytest

from mindnet_chunker.markdown.destinations import decoded, definition, inline_destination, is_external
from mindnet_chunker.markdown.leaves import Leaf


def address(text: str) -> str | None:
    found = inline_destination(text, 0, len(text))
    return None if found is None or found.after != len(text) else text[found.start : found.end]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(a)", "a"),
        ("( a )", "a"),
        ("(<a b>)", "a b"),
        ("(<a\\>b>)", "a\\>b"),
        ("(a(b)c)", "a(b)c"),
        ("(a\\)b)", "a\\)b"),
        ('(a "t")', "a"),
        ("(a 't \\' u')", "a"),
        ("(a\n(t))", "a"),
        ("()", ""),
        ("(a b)", None),
        ('(a"t")', 'a"t"'),
        ("(a (t)", None),
        ("(<a)", None),
        ("(<a\nb>)", None),
        ('(a "t)', None),
    ],
)
def test_addresses_are_read_as_commonmark_reads_them(text: str, expected: str | None) -> None:
    assert address(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[A  b]: c.md", ("a b", "c.md")),
        ('[a]:\n  <b c.md> "t"', ("a", "b c.md")),
        ("> [a]:\n> b.md", ("a", "b.md")),
        ("  [a\\]]: b", ("a\\]", "b")),
    ],
)
def test_a_definition_has_a_folded_label_and_an_address(text: str, expected: tuple[str, str]) -> None:
    found = definition(text, Leaf(0, len(text), "definition"))

    assert found is not None
    assert (found[0], text[found[1].start : found[1].end]) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("a%20b.md", "a b.md"),
        ("%C3%A4.md", "ä.md"),
        ("50%.md", "50%.md"),
        ("%zz", "%zz"),
        ("%C3.md", "%C3.md"),
        ("%ED%A0%80", "%ED%A0%80"),
        ("a\\(b\\&amp;", "a(b&"),
        ("a&amp;b&uuml;", "a&bü"),
    ],
)
def test_an_address_names_a_path(address: str, expected: str) -> None:
    assert decoded(address) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://a", True),
        ("mailto:a@b", True),
        ("obsidian://x", True),
        ("C:/a", False),
        ("a/b:c", False),
        ("#a:b", False),
    ],
)
def test_a_scheme_of_two_letters_leads_out_of_the_vault(address: str, expected: bool) -> None:
    assert is_external(address) is expected
