"""The head of a note: where it ends, and what its YAML means."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.records import Frontmatter, Json
from mindnet_chunker.vault.frontmatter import read_frontmatter, split_head


def head(yaml: str) -> Frontmatter:
    return read_frontmatter(f"---\n{yaml}\n---\nBody.\n")[0]


def fields(yaml: str) -> Json:
    read = head(yaml)
    assert read.error is None, read.error
    return read.fields


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: 1\n---\nText", "Text"),
        ("---\r\na: 1\r\n---\r\nText", "Text"),
        ("---\ra: 1\r---\rText", "Text"),
        ("---\na: 1\n--- \t \nText", "Text"),
        ("---\na: 1\n---", ""),
        ("---\n---\nText", "Text"),
        ("---\na: 1\n...\n---\nText\n---\n", "Text\n---\n"),
        ("---\na: |\n  x\n ---\n---\nText", "Text"),
    ],
)
def test_the_body_begins_behind_the_closing_line(text: str, body: str) -> None:
    frontmatter, start = read_frontmatter(text)

    assert frontmatter.present
    assert text[start:] == body


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-",
        "---",
        "---\n",
        "----\na: 1\n----\n",
        " ---\na: 1\n---\n",
        "--- \na: 1\n---\n",
        "\n---\na: 1\n---\n",
        "Text\n---\na: 1\n---\n",
        "---\na: 1\n",
        "---\na: 1\n ---\n",
        "---\na: 1\n---x\n",
        "---\na: 1\n...\n",
    ],
)
def test_without_both_lines_everything_is_body(text: str) -> None:
    assert split_head(text) is None
    assert read_frontmatter(text) == (Frontmatter(), 0)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("yes", "yes"),
        ("NO", "NO"),
        ("off", "off"),
        ("y", "y"),
        ("true", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("~", None),
        ("Null", None),
        ("", None),
        ("#tag", None),
        ("0o17", 15),
        ("0x1F", 31),
        ("017", 17),
        ("+12", 12),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("-1.5E-2", -0.015),
        ("1_000", "1_000"),
        ("9:30", "9:30"),
        ("190:20:30", "190:20:30"),
        ("2025-09-02", "2025-09-02"),
        ("2025-09-02T10:00:00", "2025-09-02T10:00:00"),
        ("2025-09-02 10:00:00 +2", "2025-09-02 10:00:00 +2"),
        (".nan", ".nan"),
        ("-.INF", "-.INF"),
        ("1e999", "1e999"),
        ("9223372036854775807", 9223372036854775807),
        ("9223372036854775808", "9223372036854775808"),
        ("'1'", "1"),
        ('"true"', "true"),
        ("=", "="),
        ("!!str 5", "5"),
        ('!!int "5"', 5),
        ("!!float 5", 5.0),
        ("[[Note]]", [["Note"]]),
        ("https://example.com/a:b#c", "https://example.com/a:b#c"),
    ],
)
def test_values_follow_the_core_schema_of_yaml_1_2(written: str, value: Json) -> None:
    got = fields(f"k: {written}")["k"]

    assert got == value
    assert type(got) is type(value)


def test_keys_are_text_as_written() -> None:
    assert fields("1: a\ntrue: b\n~: c\n<<: {x: 1}\n0x1F: d") == {
        "1": "a",
        "true": "b",
        "~": "c",
        "<<": {"x": 1},
        "0x1F": "d",
    }


def test_lists_nested_mappings_and_anchors_keep_their_form() -> None:
    yaml = "a: &x\n  - 1\n  - b: [c, {d: null}]\ne: *x\nf: |\n  two\n  lines"

    assert fields(yaml) == {
        "a": [1, {"b": ["c", {"d": None}]}],
        "e": [1, {"b": ["c", {"d": None}]}],
        "f": "two\nlines\n",
    }


def test_json_is_a_head_too_with_both_halves_of_an_emoji() -> None:
    assert fields('{\n\t"a": [1, "x/y"],\n\t"b": "\\ud83d\\ude00",\n\t"c": "\\\\ud83d"\n}') == {
        "a": [1, "x/y"],
        "b": "😀",
        "c": "\\ud83d",
    }


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        ('ok: 1\ntitle: "open\nother: 1', 3),
        ("mood: ok\nmood: fine", 3),
        ("1: a\n'1': b", 3),
        ("a: b: c", 2),
        ("list:\n\t- tab", 3),
        ("a: [1, 2", 2),
        ("a: @x", 2),
        ("a: *unknown", 2),
        ("a: &a [*a]", 2),
        ("a: {{date}}", 2),
        ("? [a]\n: b", 2),
        ("a: !!timestamp 2025-01-01", 2),
        ("a: !!set {x}", 2),
        ("a: !!binary eA==", 2),
        ("a: !own x", 2),
        ("a: !!int x", 2),
        ("a: !!bool 1", 2),
        ("a: 1\n...\nb: 2", 4),
        ("a: \x00", 2),
        ("ok: 1\na: \x1b", 3),
        ("a: \ud800", 2),
        ('a: "\\ud800"', 2),
        ("a: " + "[" * 100 + "]" * 100, 2),
        ("a: " + "[" * 100_000, 2),
    ],
)
def test_an_invalid_head_gives_an_error_with_its_line_and_no_property(yaml: str, line: int) -> None:
    read = head(yaml)

    assert read.present
    assert read.fields == {}
    assert read.error
    assert "\n" not in read.error
    assert read.error_line == line


@pytest.mark.parametrize("yaml", ["- a\n- b", "just text", "# a comment", "", "{}", "null", "5"])
def test_what_is_no_mapping_has_no_properties_and_no_error(yaml: str) -> None:
    assert head(yaml) == Frontmatter(present=True)


def test_every_key_at_the_top_has_its_line() -> None:
    text = "---\r\n# comment\r\na: 1\r\n\r\nb:\r\n  c: 2\r\nd: 3\r\n---\r\n"

    assert read_frontmatter(text)[0].lines == {"a": 3, "b": 5, "d": 7}


def test_signs_that_only_yaml_1_1_takes_for_line_ends_change_nothing() -> None:
    read = head("a: x\u2028y\u2029z\x85\nb: 1")

    assert read.fields == {"a": "x\u2028y\u2029z\x85", "b": 1}
    assert read.lines == {"a": 2, "b": 3}


def test_numbers_and_booleans_are_known_as_they_were_written() -> None:
    assert head("a: 1.50\nb: 0017\nc: True\nd: text\ne: [1]").written == {"a": "1.50", "b": "0017", "c": "True"}


def test_escapes_leave_no_carriage_return_and_no_nul() -> None:
    assert fields('a: "x\\r\\ny\\rz\\0"') == {"a": "x\ny\nz\ufffd"}


def test_aliases_that_multiply_are_refused() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]

    assert "aliases" in (head("\n".join(levels)).error or "")


def test_a_long_text_repeated_by_aliases_is_refused() -> None:
    assert "aliases" in (head(f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 5000)}]").error or "")


def test_aliases_that_nest_are_refused() -> None:
    levels = ["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 120))]

    assert "nested" in (head("\n".join(levels)).error or "")


def test_many_properties_without_aliases_are_fine() -> None:
    assert len(fields(f"tags: [{', '.join(f't{n}' for n in range(15_000))}]")["tags"]) == 15_000


YAML_LINES = st.lists(
    st.sampled_from(
        ["a: 1", "b: [x, y]", "- c", "  d: e", "f: |", "\tg", "h: &h {i: 1}", "j: *h", "? k", ": l", "'m", '"n"', "{", "}",
         "...", "---", "%YAML 1.1", "# o", "p: !!int q", "<<: *h", "r: \u2028", "", "s: .nan", "t: 1e400", "\x07"]
    )
)  # fmt: skip


@given(st.one_of(st.text(), YAML_LINES.map("\n".join)), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=300, deadline=None)
def test_no_head_raises_and_what_is_read_is_json(yaml: str, end: str) -> None:
    text = f"---{end}{yaml}{end}---{end}Body"
    read, start = read_frontmatter(text)

    def refuse(constant: str) -> Json:
        raise AssertionError(constant)

    assert 0 <= start <= len(text)
    written = json.dumps(read.fields, ensure_ascii=False, allow_nan=False)
    assert json.loads(written.encode("utf-8"), parse_constant=refuse) == read.fields
    assert "\r" not in "".join(read.fields)
    assert read.lines.keys() == read.fields.keys()


@given(st.text(alphabet="-\n\r \tab:"))
@settings(max_examples=300, deadline=None)
def test_head_and_body_are_the_whole_text(text: str) -> None:
    split = split_head(text)

    if split is not None:
        start, end, body = split
        assert text[:start].strip() == "---"
        assert text[end:body].strip() == "---"
        assert end == start or text[end - 1] in "\r\n"


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs", "Cc"], max_codepoint=0xFFFD, exclude_characters="\u2028\u2029\ufeff")),
)  # fmt: skip


@given(st.dictionaries(st.text("abc", min_size=1), st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3))))
@settings(max_examples=200, deadline=None)
def test_json_comes_back_as_it_is(values: Json) -> None:
    got = fields(json.dumps(values, ensure_ascii=False))

    assert all(isinstance(number, str) or math.isfinite(number) for number in _numbers(got))
    assert got == values


def _numbers(value: Json) -> list[float]:
    if isinstance(value, dict):
        return [number for inner in value.values() for number in _numbers(inner)]
    if isinstance(value, list):
        return [number for inner in value for number in _numbers(inner)]
    return [value] if isinstance(value, int | float) else []


@pytest.mark.parametrize(
    "text",
    [
        "---\n" + "[[" * 200_000 + "\n---\n",
        "---\n" + "--- x\n" * 100_000,
        "---\n---" + " " * 500_000 + "x",
        "---\n" + "a: 'x" * 100_000 + "\n---",
        "---\n{" + "\\" * 500_000 + "\n---",
        "---\na: " + "x: " * 100_000 + "\n---",
        "---\n" + "#" * 500_000 + "\n---",
        "---\n" + '"' * 300_001 + "\n---",
    ],
)
def test_hostile_heads_are_read_in_one_pass(text: str) -> None:
    read_frontmatter(text)
