"""What a note says of itself: title, id, type, tags, aliases, people, dates."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.records import Json, NoteMeta
from mindnet_chunker.vault.daily import DailyNotes
from mindnet_chunker.vault.dates import stamp, utc
from mindnet_chunker.vault.notes import describe, line_table, parse_note, tag_keys

TYPES = frozenset({"thought", "task", "concept", "journal", "field-note", "default"})


def described(
    yaml: str = "",
    path: str = "Folder/Some note.md",
    *,
    heading: str | None = None,
    tags: Sequence[str] = (),
    daily: DailyNotes | None = None,
) -> NoteMeta:
    note = parse_note(path, f"---\n{yaml}\n---\nText.\n" if yaml else "Text.\n")
    return describe(note, heading=heading, tags=tags, types=TYPES, daily=daily)


def codes(meta: NoteMeta) -> list[tuple[str, int | None]]:
    return [(problem.code, problem.line) for problem in meta.problems]


# --- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("", (0,)),
        ("a", (0,)),
        ("a\n", (0, 2)),
        ("a\r\nb\rc\nd", (0, 3, 5, 7)),
        ("\n\r", (0, 1, 2)),
        ("a\x0cb\u2028c\x85", (0,)),
    ],
)
def test_lines_end_at_line_ends_and_at_nothing_else(text: str, starts: tuple[int, ...]) -> None:
    assert line_table(text) == starts


@given(st.text(alphabet="a\r\n"))
@settings(max_examples=200, deadline=None)
def test_both_ways_to_find_lines_agree(text: str) -> None:
    plain = text.replace("\r", "")

    assert line_table(plain + "\r")[:-1] == line_table(plain)
    assert parse_note("a.md", text).line_at(len(text)) == len(line_table(text))


# --- title -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("yaml", "heading", "title", "origin"),
    [
        ("title: Own title", "Heading", "Own title", "title"),
        ("Title: Any case", None, "Any case", "title"),
        ("title: 3.50", "Heading", "3.50", "title"),
        ("title: 007", None, "007", "title"),
        ("title: true", None, "true", "title"),
        ("title: 2024-05-01", None, "2024-05-01", "title"),
        ("title: 'Talk with [[People/Anna|A.]] on [bees](b.md)'", None, "Talk with A. on bees", "title"),
        ("title: '[[Bees]]'", None, "Bees", "title"),
        ('title: "One | two\\n\\tthree\\r\\n "', None, "One | two three", "title"),
        ("title: U\u0308", None, "Ü", "title"),
        ("title:", "Heading", "Heading", "heading"),
        ("title: ' '", "Heading", "Heading", "heading"),
        ("title: [[Bees]]", "Heading", "Heading", "heading"),
        ("title: {a: b}", None, "Some note", "name"),
        ("", " **Bold** [[Link]]\t", "**Bold** [[Link]]", "heading"),
        ("", " ", "Some note", "name"),
        ("", None, "Some note", "name"),
    ],
)
def test_the_title_is_the_property_the_opening_heading_or_the_file_name(
    yaml: str, heading: str | None, title: str, origin: str
) -> None:
    meta = described(yaml, heading=heading)

    assert (meta.title, meta.title_from) == (title, origin)


@pytest.mark.parametrize(
    ("path", "title"), [("a/v1.5.MD", "v1.5"), ("new\nline.md", "new line"), ("[x](y).md", "[x](y)"), ("n", "n")]
)
def test_a_file_name_as_title_stays_on_one_line(path: str, title: str) -> None:
    assert described(path=path).title == title


# --- id --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("yaml", "declared"),
    [
        ("id: abc", "abc"),
        ("ID: ' x y '", "x y"),
        ("id: 0017", "17"),
        ("id: 3.10", "3.10"),
        ("id: 2024-05-01", "2024-05-01"),
        ("id: 99999999999999999999", "99999999999999999999"),
        ("id: no", "no"),
        ("id: true", None),
        ("id:", None),
        ("id: ''", None),
        ("id: [a]", None),
        ("", None),
    ],
)
def test_an_id_is_text_or_a_number(yaml: str, declared: str | None) -> None:
    assert described(yaml).declared_id == declared


# --- tags and aliases ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("yaml", "tags", "warned"),
    [
        ("tags: [projekt, Idee]", ("projekt", "Idee"), []),
        ("tags: projekt, idee fest", ("projekt", "idee", "fest"), ["property-no-list"]),
        ("tags: '#projekt'", ("projekt",), ["property-no-list"]),
        ("tags: #projekt", (), []),
        ("tags:\n  - '#idee'\n  - Plan/Sommer\n  -\n  - ''", ("idee", "Plan/Sommer"), []),
        ("tags:", (), []),
        ("tag: einzel", ("einzel",), ["property-singular"]),
        ("TAGS: [x]\ntag: [X, y]", ("x", "y"), ["property-singular"]),
        ("tags: [7, fest, true, [a]]", ("fest",), ["tag-dropped"]),
        (
            "tags: ['two words', 'a.b', '#', '##x', '2024', '2024/05', 'a/', \"it's\"]",
            ("2024/05", "a"),
            ["tag-dropped"],
        ),
        ("tags: true", (), ["property-no-list"]),
        ("tags: {a: b}", (), ["property-no-list"]),
        ("tags: [größe, ✅done, 项目/子任务, a_b-c]", ("größe", "✅done", "项目/子任务", "a_b-c"), []),
        ("tags: [u\u0308ber]", ("über",), []),
    ],
)
def test_property_tags_are_read_leniently_with_a_warning(yaml: str, tags: tuple[str, ...], warned: list[str]) -> None:
    meta = described(yaml)

    assert meta.tags == tags
    assert [code for code, _ in codes(meta)] == warned


@pytest.mark.parametrize(
    ("yaml", "hint"),
    [
        ("tags: küche, brot", "write it as a list: `tags: [küche, brot]`"),
        ("Tags: '#familie'", "write it as a list: `Tags: [familie]`"),
        ("aliases: Anna, die Erste", 'write it as a list: `aliases: ["Anna, die Erste"]`'),
        ("aliases: Anna Maria", "write it as a list: `aliases: [Anna Maria]`"),
        ("tags: true", "write it as a list"),
        ("aliases: " + "a" * 100, "write it as a list"),
    ],
)
def test_what_is_no_list_is_shown_as_one(yaml: str, hint: str) -> None:
    assert [problem.hint for problem in described(yaml).problems] == [hint]


def test_tags_are_the_union_without_regard_to_case_as_first_spelled() -> None:
    assert described("tags: [Alpha, x/Y]", tags=("alpha", "Beta", "beta", "X/y")).tags == ("Alpha", "x/Y", "Beta")


def test_tag_keys_hold_every_ancestor_once() -> None:
    assert tag_keys(["Area/Mind/Net", "area/garden", "B", "a//b"]) == (
        "area",
        "area/mind",
        "area/mind/net",
        "area/garden",
        "b",
        "a",
        "a/b",
    )


@pytest.mark.parametrize(
    ("yaml", "aliases", "warned"),
    [
        ("aliases: [Whale, ' Sea beast ', '']", ("Whale", "Sea beast"), []),
        ("aliases: One, still one", ("One, still one",), ["property-no-list"]),
        ("Alias: [A]\naliases: [B]", ("A", "B"), ["property-singular"]),
        ("aliases: [42, true, 2024-05-02, [x], Maitag]", ("2024-05-02", "Maitag"), []),
        ("aliases: 12", (), ["property-no-list"]),
        ('aliases: ["a\\tb\\r\\nc"]', ("a b c",), []),
        ("aliases:", (), []),
    ],
)
def test_aliases_are_texts_in_order(yaml: str, aliases: tuple[str, ...], warned: list[str]) -> None:
    meta = described(yaml)

    assert meta.aliases == aliases
    assert [code for code, _ in codes(meta)] == warned


def test_unsupported_class_names_are_warned_of_with_their_line() -> None:
    assert codes(described("a: 1\ncssclass: wide\ncssclasses: x")) == [
        ("property-singular", 3),
        ("property-no-list", 4),
    ]


# --- type, area, project, people -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("yaml", "path", "tags", "kind", "guessed"),
    [
        ("type: Concept", "10_tasks/a.md", (), "concept", False),
        ("type: '[[Types/Concept|c]]'", "a.md", (), "concept", False),
        ("type: Recipe", "a.md", (), "Recipe", False),
        ("type: [task, concept]", "a.md", (), "task", False),
        ("type: {a: b}", "a.md", ("x", "Type/Concept/deep"), "concept", True),
        ("", "a.md", ("type/recipe",), "recipe", True),
        ("", "20250902-1015-task-buy-seeds.md", (), "task", True),
        ("", "x/Concept-graph.md", (), "concept", True),
        ("", "field-note-7.md", (), "field-note", True),
        ("", "10_concepts/a.md", (), "concept", True),
        ("", "10_concepts/20_journal/a.md", (), "journal", True),
        ("", "10_concepts/task-a.md", (), "task", True),
        ("", "concepts/a.md", (), "default", False),
        ("", "concept.md", (), "default", False),
        ("", "recipe-soup.md", (), "default", False),
        ("", "default-soup.md", (), "default", False),
        ("", "-.md", (), "default", False),
    ],
)
def test_the_type_is_the_property_or_guessed_from_tag_name_and_folder(
    yaml: str, path: str, tags: Sequence[str], kind: str, guessed: bool
) -> None:
    meta = described(yaml, path, tags=tags)

    assert (meta.type, meta.type_guessed) == (kind, guessed)


def test_area_and_project_are_properties_or_tags() -> None:
    from_properties = described("area: '[[Areas/Work.md#now|W]]'\nproject: [Scale, Garden]", tags=("area/other",))
    from_tags = described("tags: [Area/Mind/Net]", tags=("project/Scale", "area/second"))

    assert (from_properties.area, from_properties.project) == ("Work", "Scale")
    assert (from_tags.area, from_tags.project) == ("Mind/Net", "Scale")


@pytest.mark.parametrize(
    ("yaml", "people"),
    [
        ("people: ['[[People/Anna Schmidt|Anna]]', Ben, 5, '[Cem](cem.md)', ben]", ("Anna Schmidt", "Ben", "Cem")),
        ("people: '[[Anna]], [[Ben]]'", ("Anna", "Ben")),
        ("people: Anna", ("Anna",)),
        ("people:", ()),
        ("people: ['[[#Here]]', '']", ()),
    ],
)
def test_people_are_names(yaml: str, people: tuple[str, ...]) -> None:
    assert described(yaml).people == people


@pytest.mark.parametrize(
    ("yaml", "priority", "status"),
    [
        ("priority: 2\nstatus: done", 2, "done"),
        ("priority: 1.5\nstatus: 1", 1.5, "1"),
        ("priority: hoch\nstatus: '[[Active]]'", "hoch", "Active"),
        ("priority: [a]\nstatus:", "a", None),
    ],
)
def test_priority_is_a_number_or_text_and_status_text(yaml: str, priority: Json, status: str | None) -> None:
    meta = described(yaml)

    assert (meta.priority, meta.status) == (priority, status)


# --- dates -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2025-09-02", "2025-09-02T00:00:00Z"),
        (" 2025-9-2 ", "2025-09-02T00:00:00Z"),
        ("2025-09-02T10:05:07", "2025-09-02T10:05:07Z"),
        ("2025-09-02 10:05", "2025-09-02T10:05:00Z"),
        ("2025-09-02T10:05:07.123456Z", "2025-09-02T10:05:07Z"),
        ("2025-09-02T00:30:00+02:00", "2025-09-01T22:30:00Z"),
        ("2025-12-31T23:30:00-0100", "2026-01-01T00:30:00Z"),
        ("2025-09-02T10:05:07 +02", "2025-09-02T08:05:07Z"),
        ("02.09.2025", "2025-09-02T00:00:00Z"),
        ("2.9.2025, 8:05", "2025-09-02T08:05:00Z"),
        ("2025/09/02", "2025-09-02T00:00:00Z"),
        ("20250902", "2025-09-02T00:00:00Z"),
        ("2025-02-30", None),
        ("2025-13-01", None),
        ("2025-09-02T24:00:00", None),
        ("2025-09-02T10:00:60", None),
        ("2025-09-02T10:00-99:00", None),
        ("0001-01-01T00:00:00+05:00", None),
        ("9999-12-31T23:00:00-05:00", None),
        ("٢٠٢٥-٠٩-٠٢", None),
        ("2025-09", None),
        ("soon", None),
        ("", None),
    ],
)
def test_dates_become_utc(text: str, moment: str | None) -> None:
    assert utc(text) == moment


@given(st.one_of(st.text(), st.text(alphabet="0123456789-T:.+Z /")))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_moment_or_none(text: str) -> None:
    found = utc(text)

    assert found is None or utc(found) == found
    assert stamp(text) is None or len(text) >= 13


@pytest.mark.parametrize(
    ("yaml", "path", "created"),
    [
        ("created: 2025-01-01\ndate: 2025-02-02", "20250303-1200-x.md", "2025-01-01T00:00:00Z"),
        ("date: 2025-02-02\nerstellt: 01.03.2025", "a.md", "2025-02-02T00:00:00Z"),
        ("Erstellt: 01.03.2025 14:00", "a.md", "2025-03-01T14:00:00Z"),
        ("created: soon\ndate: '[[2025-02-02]]'", "a.md", "2025-02-02T00:00:00Z"),
        ("created: 20250102", "a.md", "2025-01-02T00:00:00Z"),
        ("", "20250303-1205-x.md", "2025-03-03T12:05:00Z"),
        ("", "20251303-1205-x.md", None),
        ("", "Tage/2025-04-04.md", "2025-04-04T00:00:00Z"),
        ("", "2025-04-04.md", None),
        ("", "a.md", None),
    ],
)
def test_created_is_a_property_the_stamp_of_the_name_or_the_day_of_a_daily_note(
    yaml: str, path: str, created: str | None
) -> None:
    assert described(yaml, path, daily=DailyNotes("Tage")).created_at == created


def test_updated_is_a_property_alone() -> None:
    assert described("updated: 2025-01-01T10:00:00+01:00").updated_at == "2025-01-01T09:00:00Z"
    assert described("modified:\naktualisiert: 02.01.2025").updated_at == "2025-01-02T00:00:00Z"
    assert described("", "20250303-1205-x.md").updated_at is None


def test_a_date_that_is_none_is_a_warning_with_its_line() -> None:
    assert codes(described("title: x\ncreated: soon")) == [("date-unclear", 3)]


@pytest.mark.parametrize(
    ("folder", "pattern", "path", "day"),
    [
        ("", "YYYY-MM-DD", "2024-05-01.md", "2024-05-01"),
        ("", "YYYY-MM-DD", "x/2024-05-01.md", None),
        ("", "YYYY-MM-DD", "2024-05-01 Mittwoch.md", None),
        ("", "YYYY-MM-DD", "2024-02-30.md", None),
        ("Journal/Täglich", "YYYY-MM-DD", "journal/täglich/2024-05-01.md", "2024-05-01"),
        ("Tage", "YYYY/MM/YYYY-MM-DD", "Tage/2024/05/2024-05-01.md", "2024-05-01"),
        ("Tage", "YYYY/MM/YYYY-MM-DD", "Tage/2024/06/2024-05-01.md", None),
        ("", "YYYY/MM-MMMM/YYYY-MM-DD-dddd", "2024/05-May/2024-05-01-Wednesday.md", "2024-05-01"),
        ("", "dddd, Do MMMM YYYY", "Wednesday, 1st May 2024.md", "2024-05-01"),
        ("", "[Tag] D. MMM YY", "Tag 1. März 24.md", "2024-03-01"),
        ("", "D. MMM YYYY", "1. Okt. 2024.md", "2024-10-01"),
        ("", "YYYYMMDD", "20240501.md", "2024-05-01"),
        ("", "YYYY-DDDD", "2024-060.md", "2024-02-29"),
        ("", "YYYY-DDD", "2023-366.md", None),
        ("", "gggg-[W]ww", "2024-W18.md", None),
        ("", "MM-DD", "05-01.md", None),
        ("", "YYYY.MM.DD \\D\\a\\y", "2024.05.01 Day.md", "2024-05-01"),
        ("", "", "2024-05-01.md", None),
    ],
)
def test_a_daily_note_has_the_date_of_its_path(folder: str, pattern: str, path: str, day: str | None) -> None:
    assert DailyNotes(folder, pattern).date(path) == day


@given(st.text(alphabet="YMDdoQWwgGHhmsaA[]\\-/. x", max_size=40), st.text(alphabet="0123456789-/ .May[]", max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_daily_format_can_be_asked(pattern: str, name: str) -> None:
    DailyNotes("", pattern).date(name)
    DailyNotes("", "dMMMM" * 30).date("a" * 200)


# --- the rest --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("yaml", "excluded"), [("index: false", "property"), ("Index: FALSE", "property"), ("index: true", None), ("index: no", None), ("index: 'false'", None), ("", None)])  # fmt: skip
def test_a_note_leaves_itself_out_by_a_false_index(yaml: str, excluded: str | None) -> None:
    assert described(yaml).excluded == excluded


def test_chunking_is_handed_through() -> None:
    assert described("chunking: {max: 300, keep_lists: true}").chunking == {"max": 300, "keep_lists": True}


def test_chunking_that_is_no_mapping_is_a_warning() -> None:
    meta = described("chunking: 300")

    assert (meta.chunking, codes(meta)) == ({}, [("chunking-invalid", 2)])


def test_an_invalid_head_is_a_warning_with_its_line_and_the_rest_is_guessed() -> None:
    meta = described('title: "open\ntags: [a]', "task-x.md", tags=("b",))

    assert (meta.title, meta.tags, meta.type) == ("task-x", ("b",), "task")
    assert codes(meta) == [("frontmatter-invalid", 2)]
    assert meta.problems[0].path == "task-x.md"


def test_an_invalid_head_is_told_with_what_is_lost_and_the_commonest_fault() -> None:
    (problem,) = described("title: Bees: a start").problems

    assert problem.message.startswith("the properties are ignored (title, tags, dates), only the text is read: ")
    assert "mapping values are not allowed" in problem.message
    assert 'needs quotes, as in `title: "Bees: a start"`' in problem.hint


@pytest.mark.parametrize("value", ["nein", "no", "off", "'false'", "0", "[false]"])
def test_an_index_that_is_neither_true_nor_false_is_told_how_to_leave_the_note_out(value: str) -> None:
    meta = described(f"Index: {value}")

    assert (meta.excluded, codes(meta)) == (None, [("index-unclear", 2)])
    assert meta.problems[0].hint == "write `Index: false` to leave the note out"


def test_text_between_two_rules_at_the_start_is_a_warning() -> None:
    assert codes(described("\nJust text")) == [("frontmatter-no-properties", 1)]
    assert codes(described("# a comment\n")) == []
    assert codes(described("{}")) == []


KEYS = st.sampled_from(
    ["title", "id", "type", "tags", "tag", "aliases", "Alias", "area", "project", "people", "priority", "status", "created",
     "date", "updated", "index", "chunking", "cssclass"]
)  # fmt: skip
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.sampled_from(["[[", "[[a|b]]", "![[#x]]", "a\tb", "#x", "2024-05-01"])),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=5,
)  # fmt: skip


@given(
    st.dictionaries(KEYS, VALUES), st.text(min_size=1), st.one_of(st.none(), st.text()), st.lists(st.text(min_size=1))
)
@settings(max_examples=300, deadline=None)
def test_no_properties_raise_and_all_texts_are_one_clean_line(
    properties: Json, path: str, heading: str | None, tags: list[str]
) -> None:
    text = f"---\n{json.dumps(properties)}\n---\n"

    meta = describe(parse_note(path, text), heading=heading, tags=tags, types=TYPES, daily=DailyNotes())

    texts = [meta.title, meta.type, meta.status, meta.area, meta.project, meta.declared_id, *meta.aliases, *meta.people]
    for shown in filter(None, texts):
        shown.encode("utf-8")
        assert not set(shown) & set("\r\n\t\0\u2028")
        assert shown == shown.strip()
    json.dumps(meta.chunking, allow_nan=False)
