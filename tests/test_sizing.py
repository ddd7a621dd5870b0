from __future__ import annotations

import pickle
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.chunking.row_keys import LANGUAGES, READERS
from mindnet_chunker.chunking.sizing import NoteType, TypeTable, builtin_types_text, load_types
from mindnet_chunker.errors import TypeTableError

BUILTIN = ("types.yaml", builtin_types_text())


def table(own: str) -> TypeTable:
    return load_types([BUILTIN, ("vault/types.yaml", own)])


def fault(own: str) -> TypeTableError:
    with pytest.raises(TypeTableError) as caught:
        table(own)
    assert caught.value.where == "vault/types.yaml"
    return caught.value


@pytest.mark.parametrize(
    ("name", "target", "most", "overlap"),
    [
        ("thought", (150, 250), 300, (30, 40)),
        ("experience", (250, 350), 450, (40, 60)),
        ("journal", (200, 300), 400, (30, 50)),
        ("task", (120, 200), 250, (20, 30)),
        ("project", (300, 450), 600, (50, 70)),
        ("concept", (250, 400), 550, (40, 60)),
        ("source", (200, 350), 500, (30, 50)),
        ("default", (250, 350), 450, (40, 60)),
    ],
)
def test_the_built_in_rows_have_the_sizes_of_the_design(
    name: str, target: tuple[int, int], most: int, overlap: tuple[int, int]
) -> None:
    row = load_types([BUILTIN]).row(name)

    assert (row.name, row.target, row.max, row.overlap, row.min) == (name, target, most, overlap, 60)


def test_the_built_in_rows_have_the_rules_of_the_design() -> None:
    rows = load_types([BUILTIN]).rows

    assert rows["thought"].merge_sections == "target"
    assert rows["journal"].bundle_dates
    assert rows["task"].keep_lists
    assert rows["project"].split_levels == (2,)
    assert rows["concept"].isolate_sections == ("Definition", "Begriff", "Kurzdefinition")
    assert rows["concept"].isolate_intro
    assert rows["source"].isolate == ("quote",)


def test_the_default_row_leaves_every_other_key_at_its_default() -> None:
    assert load_types([BUILTIN]).row("default") == NoteType()


def test_the_settings_weigh_code_less_and_links_not_at_all() -> None:
    settings = load_types([BUILTIN]).settings

    assert settings.languages == ("de", "en", "fr", "it", "es")
    assert settings.weights["links"] == 0 < settings.weights["code"] < settings.weights["text"] == 1


def test_an_unknown_type_has_the_default_row_and_letter_case_is_ignored() -> None:
    types = load_types([BUILTIN])

    assert types.row("recipe") == types.row("default")
    assert types.row("Concept ") == types.row("concept")


def test_every_field_of_a_row_can_be_given_and_is_explained_in_the_file() -> None:
    names = {field.name for field in fields(NoteType)} - {"name"}

    assert names == set(READERS)
    assert all(f"#   {name} " in BUILTIN[1] for name in names)


def test_a_row_of_ones_own_replaces_the_built_in_one_whole() -> None:
    row = table("concept:\n  max: 700\n").row("concept")

    assert (row.max, row.isolate_intro, row.isolate_sections) == (700, False, ())


def test_a_row_of_ones_own_may_be_new_or_empty() -> None:
    types = table("Rezept:\n  keep_lists: true\nleer:\n")

    assert types.row("rezept").keep_lists
    assert types.row("leer") == NoteType(name="leer")
    assert "rezept" in types.names


def test_sizes_that_are_left_out_come_from_the_default_row_of_the_same_table() -> None:
    row = table("default:\n  target: [80, 100]\n  max: 120\n  overlap: 10\nneu:\n  max: 110\n").row("neu")

    assert (row.target, row.max, row.overlap) == ((80, 100), 110, (10, 10))


def test_sizes_that_are_left_out_give_way_to_those_that_are_given() -> None:
    small = table("neu:\n  max: 100\n").row("neu")
    large = table("neu:\n  target: [800, 900]\n").row("neu")
    narrow = table("neu:\n  target: [20, 30]\n").row("neu")

    assert (small.target, small.max) == ((100, 100), 100)
    assert (large.target, large.max) == ((800, 900), 900)
    assert (narrow.overlap, narrow.min) == ((19, 19), 20)


def test_one_number_is_both_ends() -> None:
    row = table("neu:\n  target: 200\n  overlap: 0\n  list_items: 4\n").row("neu")

    assert (row.target, row.overlap, row.list_items) == ((200, 200), (0, 0), (4, 4))


def test_the_simpler_strategies_need_no_overlap_in_tokens() -> None:
    row = table("neu:\n  strategy: sliding_window\n  target: [0, 100]\n  overlap_sentences: 2\n").row("neu")

    assert (row.target, row.overlap, row.overlap_sentences) == ((0, 100), (0, 0), 2)


@pytest.mark.parametrize(
    ("own", "line", "what", "hint"),
    [
        ("a:\n  traget: 100\n", 2, "unknown key `traget`", "did you mean `target`? one of: target, max,"),
        ("a:\n  Max: 100\n", 2, "unknown key `Max`", "did you mean `max`?"),
        ("a:\n  xyzzy: 1\n", 2, "unknown key `xyzzy`", "one of: target, max,"),
        ("a:\n\n  target: -5\n", 3, "`target` is `-5`", "a whole number from 0 upwards, or two: [low, high]"),
        ("a:\n  target: [10, -5]\n", 2, "`target` is `[10, -5]`", "from 0 upwards"),
        ("a:\n  target: [300, 200]\n", 2, "`target` is `[300, 200]`", "the lower number comes first"),
        ("a:\n  target: [1, 2, 3]\n", 2, "`target` is `[1, 2, 3]`", "or two"),
        ("a:\n  target: []\n", 2, "`target` is `[]`", "or two"),
        ("a:\n  max: 15\n", 2, "`max` is `15`", "from 16 upwards"),
        ("a:\n  max: viel\n", 2, "`max` is `viel`", "a whole number"),
        ("a:\n  max: '100'\n", 2, "`max` is `100`", "a whole number"),
        ("a:\n  max: true\n", 2, "`max` is `true`", "a whole number"),
        ("a:\n  max: 100.5\n", 2, "`max` is `100.5`", "a whole number"),
        ("a:\n  max:\n", 2, "`max` is empty", "a whole number"),
        ("a:\n  max: {b: 1}\n", 2, "`max` is `{b}`", "a whole number"),
        (f"a:\n  max: {'9' * 5000}\n", 2, "`max` is `999", "a whole number"),
        ("a:\n  min: -1\n", 2, "`min` is `-1`", "from 0 upwards"),
        ("a:\n  max: 300\n  target: [100, 400]\n", 3, "`target` [100, 400] must not pass `max` 300", "raise `max`"),
        ("a:\n  target: 100\n  overlap: 120\n", 3, "`overlap` 120 must be less than `target` 100", "lower `overlap`"),
        ("a:\n  target: [80, 100]\n  overlap: [10, 80]\n", 3, "`overlap` [10, 80] must be less than", "raise `target`"),
        ("a:\n  target: 0\n", 2, "must be less than `target` 0", "raise `target`"),
        ("a:\n  target: [50, 100]\n  min: 60\n", 3, "`min` 60 must not pass `target` [50, 100]", "lower `min`"),
        ("a:\n  max: 50\n  min: 60\n", 3, "`min` 60 must not pass `target` 50", "lower `min`"),
        ("a:\n  strategy: strukture\n", 2, "`strategy` is `strukture`", "did you mean `structure`? one of: structure,"),
        ("a:\n  merge_sections: no\n", 2, "`merge_sections` is `no`", "one of: never, small, target"),
        ("a:\n  merge_sections: false\n", 2, "`merge_sections` is `false`", "one of: never, small, target"),
        ("a:\n  keep_lists: yes\n", 2, "`keep_lists` is `yes`", "one of: true, false"),
        ("a:\n  keep_lists: 'true'\n", 2, "`keep_lists` is `true`", "one of: true, false"),
        ("a:\n  bundle_dates: 1\n", 2, "`bundle_dates` is `1`", "one of: true, false"),
        ("a:\n  split_levels: [2, 7]\n", 2, "`split_levels` is `[2, 7]`", "from 1 to 6"),
        ("a:\n  split_levels: 2\n", 2, "`split_levels` is `2`", "a list of heading levels"),
        ("a:\n  isolate: quote\n", 2, "`isolate` is `quote`", "a list"),
        ("a:\n  isolate: [quotes]\n", 2, "`isolate` names `quotes`", "did you mean `quote`? one of: list, table,"),
        ("a:\n  isolate: [[quote]]\n", 2, "`isolate` names `[quote]`", "one of:"),
        ("a:\n  skip_sections: Anhang\n", 2, "`skip_sections` is `Anhang`", "a list of headings"),
        ("a:\n  skip_sections: ['']\n", 2, "`skip_sections` names ``", "headings as text"),
        ("a:\n  oversize: cut\n", 2, "`oversize` is `cut`", "one of: keep, split"),
        ("a:\n  context: all\n", 2, "`context` is `all`", "one of: path, title, none"),
        ("a:\n  list_items: [0, 3]\n", 2, "`list_items` is `[0, 3]`", "from 1 upwards"),
        ("a: 5\n", 1, "the row `a` is `5`", "write its keys below it"),
        ("a: [1]\n", 1, "the row `a` is `[1]`", "a key at the top level names a note type"),
        ("types:\n  - name: a\n", 1, "the row `types` is `[{'name': 'a'}]`", "write its keys below it"),
        ("- a\n", 1, "the table is no mapping", "write a row for each note type"),
        ("a:\n  max: 100\n  max: 200\n", 3, "`max` is there twice, first in line 2", "keep one"),
        ("a:\n  max: 100\n\na:\n  max: 200\n", 4, "`a` is there twice, first in line 1", "keep one"),
        ("a:\n  max: 100\nA:\n  max: 200\n", 3, "the row `A` is there twice", "one row"),
        ("a:\n  max: [100\n", 3, "no valid YAML", "mend the line"),
        ("a:\n\tmax: 100\n", 2, "no valid YAML", "mend the line"),
        ("a: &x\n  max: *x\n", 1, "nested too deeply", "a plain list"),
        ("a: {<<: {max: 100}}\n", 1, "unknown key `<<`", "one of:"),
        ("settings: 3\n", 1, "`settings` is `3`", "write `weights:`"),
        ("settings:\n  weight: {}\n", 2, "unknown key `weight`", "did you mean `weights`?"),
        ("settings:\n  weights:\n    cod: 1\n", 3, "unknown kind `cod`", "did you mean `code`?"),
        ("settings:\n  weights:\n    code: -1\n", 3, "the weight of `code` is `-1`", "from 0"),
        ("settings:\n  weights:\n    code: .inf\n", 3, "the weight of `code` is `.inf`", "from 0"),
        ("settings:\n  languages: [de, xx]\n", 2, "`languages` names `xx`", "one of: af, ar,"),
        ("settings:\n  languages: []\n", 2, "`languages` is empty", "name at least one"),
        ("settings:\n  languages: de\n", 2, "`languages` is `de`", "a list"),
    ],
)
def test_an_impossible_row_names_its_line_its_value_and_the_way_out(own: str, line: int, what: str, hint: str) -> None:
    error = fault(own)

    assert error.line == line
    assert what in error.what
    assert hint in error.hint
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("own", "line", "names"),
    [
        ("types:\n  concept:\n    max: 700\n", 1, "`concept`"),
        ("# mine\nversion: 1\ntypes:\n  a: {max: 700}\n  b: {traget: 1}\n", 3, "`a`, `b`"),
        ("Types:\n  a: 300\n  b:\n", 1, "`a`, `b`"),
        ("note_types:\n  a: {max: 100}\n", 1, "`a`"),
        ("types:\n" + "".join(f"  t{n}: {{max: 100}}\n" for n in range(9)), 1, "`t0`, `t1`, `t2` and 6 more"),
    ],
)
def test_rows_below_a_key_of_their_own_are_told_where_rows_stand(own: str, line: int, names: str) -> None:
    error = fault(own)

    written = own.split("\n")[line - 1].rstrip(":")
    first = names.split(", ", maxsplit=1)[0].strip("`")
    assert str(error) == f"vault/types.yaml:{line}: rows stand at the top level, not below `{written}`: {names}"
    assert error.hint == (
        f"take the line `{written}:` out and begin each row at the start of a line: "
        f"`{first}:`, and its keys indented below it, as in `target: [250, 350]`"
    )


def test_a_note_type_may_be_called_types() -> None:
    assert table("types:\n  max: 700\n").row("types").max == 700


def test_aliases_that_multiply_are_an_error() -> None:
    rows = [
        "a: &a [" + "1, " * 999 + "1]",
        *(f"{n}: &{n} [" + f"*{o}, " * 999 + f"*{o}]" for o, n in ("ab", "bc", "cd")),
    ]

    assert "nested too deeply" in fault("\n".join(rows)).what


def test_an_impossible_value_from_the_built_in_table_is_not_laid_at_the_vaults_door() -> None:
    with pytest.raises(TypeTableError) as caught:
        load_types([("types.yaml", "a:\n  max: 1\n"), ("vault/types.yaml", "b:\n  max: 100\n")])

    assert str(caught.value) == "types.yaml:2: `max` is `1`"


def test_an_empty_file_changes_nothing() -> None:
    assert table("") == table("# nur ein Kommentar\n") == load_types([BUILTIN])


def test_a_file_without_a_default_row_still_has_one() -> None:
    assert load_types([("types.yaml", "a:\n  max: 100\n")]).row("b") == NoteType()


def test_settings_are_replaced_key_by_key() -> None:
    settings = table("settings:\n  weights: {table: 0.5}\n").settings

    assert (settings.weights["table"], settings.weights["code"], settings.languages[0]) == (0.5, 0.8, "de")


def test_words_of_older_yaml_are_text() -> None:
    row = table("a:\n  skip_sections: [no, On, 12, 2025-01-01]\n").row("a")

    assert row.skip_sections == ("no", "On", "12", "2025-01-01")


def test_a_note_overrides_keys_of_its_row() -> None:
    types = load_types([BUILTIN])

    row = types.override(types.row("concept"), {"max": 100, "context": "none"})

    assert (row.name, row.max, row.target, row.isolate_intro, row.context) == ("concept", 100, (100, 100), True, "none")


@pytest.mark.parametrize(
    ("chunking", "what"),
    [
        ({"max": "100"}, "`max` is `100`"),
        ({"maxx": 100}, "unknown key `maxx`"),
        ({"target": [1, {"a": 2}]}, "`target` is"),
        ({"overlap": 300}, "`overlap` 300 must be less than `target` [250, 350]"),
        ({"isolate": {"quote": True}}, "`isolate` is `{quote}`"),
        ({"context": ["path"]}, "`context` is `[path]`"),
    ],
)
def test_an_impossible_override_says_so(chunking: dict[str, object], what: str) -> None:
    types = load_types([BUILTIN])

    with pytest.raises(TypeTableError) as caught:
        types.override(types.row("default"), chunking)

    assert what in caught.value.what
    assert caught.value.hint


def test_a_table_can_be_sent_to_another_process() -> None:
    types = load_types([BUILTIN])

    assert pickle.loads(pickle.dumps(types)) == types


def test_every_language_that_may_be_named_has_a_profile() -> None:
    from langdetect.detector_factory import PROFILES_DIRECTORY

    profiles = {path.name.partition("-")[0] for path in Path(PROFILES_DIRECTORY).iterdir()}

    assert set(LANGUAGES) == profiles


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["", "default: {strategy: sliding_window, target: [0, 100]}", "default: {max: 16}"]),
    st.dictionaries(st.sampled_from(sorted(READERS)) | st.text(max_size=8), JSON, max_size=4)
    | st.fixed_dictionaries({}, optional={key: st.integers(0, 600) for key in ("target", "max", "overlap", "min")})
    | st.just({"strategy": "structure"}),
)
def test_an_override_gives_a_possible_row_or_an_error(own: str, chunking: dict[str, object]) -> None:
    types = load_types([("types.yaml", own)])
    try:
        row = types.override(types.row("default"), chunking)
    except TypeTableError as error:
        assert "\n" not in error.what
    else:
        assert row.target[0] <= row.target[1] <= row.max
        assert row.overlap[0] <= row.overlap[1] <= row.target[0]
        assert row.min <= row.target[0]


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("ab:-[]{}\n &*x!'\"#|>?%@1.~,\t\ud800\x00é"), max_size=60))
def test_any_file_gives_a_table_or_an_error_with_its_name(own: str) -> None:
    try:
        types = table(own)
    except TypeTableError as error:
        assert str(error).startswith("vault/types.yaml:")
    else:
        assert types.row("default")
