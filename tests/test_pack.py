"""Rules 1 to 4, 8 and 9 of the cut: nothing lost, never past `max`, never inside a sentence, headings."""

from __future__ import annotations

import re

import pytest
from chunk_notes import Cut, real_counter, row_of, sentences

from mindnet_chunker.chunking.pack import fails
from mindnet_chunker.chunking.wording import embedding_text

FOUR = "# Bienen\n\nEin Vorwort.\n\n## Frühjahr\n\nIm Mai blüht der Raps.\n\n### Futter\n\nEs ist knapp.\n\n## Herbst\n\nEs wird kalt.\n"


# --- rule 1: nothing is lost ------------------------------------------------------------------------------------------


def test_every_word_is_in_one_chunk_in_order() -> None:
    text = f"# T\n\n{sentences(80)}\n\n- a\n- b\n\n> q\n\n```\ncode\n```\n"

    cut = Cut(text)

    assert " ".join(cut.texts).split() == text.split()


def test_comments_are_exclusions_and_in_no_chunk() -> None:
    cut = Cut("Davor %%geheim%% danach.\n\n<!-- verborgen -->\n\nEnde.\n")

    assert [chunk.text for chunk in cut.chunks] == ["Davor  danach.\n\nEnde."]
    assert [exclusion.reason for exclusion in cut.exclusions] == ["comment", "comment"]


def test_the_data_of_a_data_address_counts_nothing_and_is_left_out() -> None:
    cut = Cut(f"Vor dem Bild.\n\n![Skizze](data:image/png;base64,{'QUJD' * 50_000})\n\nNach dem Bild.\n")

    (chunk,) = cut.chunks
    assert "![Skizze](data:image/png;base64,)" in chunk.text
    assert chunk.embedding_tokens < 60


@pytest.mark.parametrize("text", ["", "   \n\n\t\n", "%% nur ein Kommentar %%\n", "---\ntitle: T\n---\n", "\u200b\n"])
def test_a_note_without_text_has_no_chunks(text: str) -> None:
    assert Cut(text).chunks == []


def test_a_lone_rule_is_text_too() -> None:
    assert Cut("---\n").texts == ["---"]


def test_a_part_of_nothing_but_left_out_text_makes_no_chunk() -> None:
    cut = Cut("## A\n\n%% nichts %%\n\n## B\n\nText.\n", row_of(skip_sections=["B"]))

    assert cut.texts == ["## A"]


def test_spans_begin_at_the_line_and_end_at_the_last_visible_character() -> None:
    cut = Cut("## A\n\n    x = 1\n\n## B\n\nText.   \n\n\n")

    assert [cut.text[slice(*chunk.span)] for chunk in cut.chunks] == ["## A\n\n    x = 1", "## B\n\nText."]


@pytest.mark.parametrize("line_end", ["\r\n", "\r", "\n"])
def test_line_ends_of_every_kind_give_the_same_chunks(line_end: str) -> None:
    text = FOUR + sentences(60)

    cut = Cut(text.replace("\n", line_end))

    assert [chunk.text for chunk in cut.chunks] == [chunk.text for chunk in Cut(text).chunks]


def test_mixed_line_ends_lose_nothing() -> None:
    text = "## A\r\n\r\nEins.\r\rZwei.\n\n- a\r\n- b\r- c\n"

    cut = Cut(text)

    assert " ".join(cut.texts).split() == text.split()


# --- rule 2: never past max -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("top", [16, 32, 64, 200, 450])
def test_no_chunk_passes_max_by_a_real_encode_with_context_overlap_and_special_tokens(top: int) -> None:
    row = row_of(max=top, target=[top * 6 // 10, top * 8 // 10], overlap=[top // 10, top // 5], min=0, oversize="split")
    text = f"# Ein Titel aus mehreren Wörtern\n\n## Abschnitt\n\n{sentences(40)}\n\n{sentences(20, words=40)}\n"

    cut = Cut(text, row)

    for chunk in cut.chunks:
        encoded = real_counter().encode_count(embedding_text(chunk.context, chunk.text)) + real_counter().specials
        assert encoded == chunk.embedding_tokens <= top


def test_a_long_unknown_word_is_bounded_by_its_characters() -> None:
    cut = Cut("a" * 20_000)

    assert max(len(embedding_text(chunk.context, chunk.text)) for chunk in cut.chunks) <= 450 * 16
    assert "".join(cut.texts) == "a" * 20_000


def test_the_context_takes_at_most_a_third_of_max() -> None:
    title = "Ein Titel " * 60
    cut = Cut(f"## Kopf {sentences(3)}\n\n{sentences(30)}\n", row_of(max=100, target=[50, 80]), title=title)

    assert max(real_counter().count(chunk.context) for chunk in cut.chunks) <= 33


def test_without_context_sizes_are_capped_at_the_window() -> None:
    cut = Cut(sentences(60), row_of(context="none"), window=100)

    assert max(chunk.embedding_tokens for chunk in cut.chunks) <= 100
    assert all("windowed" not in chunk.flags for chunk in cut.chunks)


def test_a_text_longer_than_the_window_is_flagged_windowed() -> None:
    cut = Cut(f"{sentences(12)}\n\n## B\n\nKurz.\n")

    assert ["windowed" in chunk.flags for chunk in cut.chunks] == [True, False]


def test_a_section_that_fits_max_stays_whole() -> None:
    cut = Cut(f"## A\n\n{sentences(16)}\n")

    assert len(cut.chunks) == 1
    assert 350 < cut.chunks[0].embedding_tokens <= 450


# --- rule 3: never inside a sentence ----------------------------------------------------------------------------------


def test_cuts_fall_between_sentences() -> None:
    cut = Cut(sentences(100))

    assert len(cut.chunks) > 4
    assert all(text.startswith("Satz") and text.endswith(".") for text in cut.texts)


def test_no_cut_after_an_abbreviation() -> None:
    unit = "Hier leben z. B. 12 Mio. Bienen bzw. ca. 4 Mrd. Halme, d. h. viel, vgl. Dr. Obermann am 14.2. (Freitag). "
    cut = Cut(unit * 60, row_of(max=64, target=[38, 51], overlap=0, min=0))

    assert all(text.startswith("Hier leben") for text in cut.texts)


def test_a_sentence_over_the_limit_is_cut_at_clauses_and_flagged() -> None:
    clause = "das Volk sammelt den ganzen Sommer hindurch Honig und Pollen ein, "
    cut = Cut(f"Der Imker weiß, {clause * 60}und so weiter.")

    assert len(cut.chunks) > 1
    assert all(text.endswith((",", ".")) for text in cut.texts)
    assert all("cut_sentence" in chunk.flags for chunk in cut.chunks)


def test_japanese_is_cut_at_its_own_stops_and_gets_no_blanks() -> None:
    unit = "「庭に梨の木がある」と彼女は言った。とても静かな朝だった！"
    cut = Cut(unit * 200, row_of(max=96, target=[57, 76], overlap=0, min=0, oversize="split"))

    assert "".join(cut.texts) == unit * 200
    assert not any(text.startswith(("」", "。", "！")) for text in cut.texts)


# --- rule 4: headings -------------------------------------------------------------------------------------------------


def test_second_and_third_level_headings_start_chunks() -> None:
    cut = Cut(FOUR)

    assert cut.paths == [[], ["Frühjahr"], ["Frühjahr", "Futter"], ["Herbst"]]
    assert cut.texts[0].startswith("# Bienen")


def test_deeper_headings_stay_with_their_text_in_the_chunk_above() -> None:
    cut = Cut("## A\n\nText.\n\n#### B\n\nMehr.\n\n## C\n\nEnde.\n")

    assert cut.texts == ["## A\n\nText.\n\n#### B\n\nMehr.", "## C\n\nEnde."]
    assert cut.paths == [["A"], ["C"]]


def test_split_levels_say_which_headings_start_chunks() -> None:
    cut = Cut("## A\n\nText.\n\n### B\n\nMehr.\n\n## C\n\nEnde.\n", row_of(split_levels=[2]))

    assert cut.texts == ["## A\n\nText.\n\n### B\n\nMehr.", "## C\n\nEnde."]


def test_a_heading_above_the_levels_that_split_ends_a_chunk_all_the_same() -> None:
    cut = Cut("### A\n\nEins.\n\n## B\n\nZwei.\n", row_of(split_levels=[3]))

    assert cut.paths == [["A"], ["B"]]


def test_an_opening_h1_with_the_titles_text_is_the_title_once() -> None:
    cut = Cut("# Gruß\n\nText.\n", title="Gruß")

    assert [[tuple(step) for step in chunk.headings] for chunk in cut.chunks] == [[(1, "Gruß")]]


def test_any_other_h1_starts_a_chunk_under_the_title() -> None:
    cut = Cut("# Eins\n\nIn eins.\n\n# Zwei\n\nIn zwei.\n", title="Das Ganze")

    assert [[tuple(step) for step in chunk.headings] for chunk in cut.chunks] == [
        [(0, "Das Ganze"), (1, "Eins")],
        [(0, "Das Ganze"), (1, "Zwei")],
    ]


def test_a_heading_without_text_goes_with_what_follows_it() -> None:
    cut = Cut("## A\n\n## B\n\nText.\n")

    assert cut.texts == ["## A\n\n## B\n\nText."]
    assert cut.paths == [["B"]]


def test_a_parent_heading_without_text_opens_the_chunk_of_its_first_child() -> None:
    cut = Cut("## Kontext\n\n### Beobachtung\n\nText.\n\n### Folgerung\n\nMehr.\n")

    assert cut.texts[0].startswith("## Kontext\n\n### Beobachtung")
    assert cut.paths == [["Kontext", "Beobachtung"], ["Kontext", "Folgerung"]]


def test_headings_and_long_blank_runs_make_no_blank_chunk() -> None:
    cut = Cut("# Oben\n## Mitte\n### Unten\n" + "\n" * 40 + "## Danach\n\n   \n\n\u3000\n\nEin Satz.\n\n## Letzte\n")

    assert cut.texts == ["# Oben\n## Mitte\n### Unten\n\n## Danach\n\nEin Satz.\n\n## Letzte"]
    assert cut.paths == [["Danach"]]


def test_a_heading_with_nothing_after_it_joins_the_chunk_before() -> None:
    cut = Cut("## A\n\nText.\n\n## Letzte\n")

    assert cut.texts == ["## A\n\nText.\n\n## Letzte"]
    assert cut.paths == [["A"]]


def test_a_last_heading_that_would_pass_max_is_a_chunk_of_its_own() -> None:
    row = row_of(max=40, target=[20, 30], overlap=0)
    cut = Cut(f"## A\n\n{' '.join(['Wort'] * 25)}.\n\n## Die letzte Überschrift\n", row)

    assert cut.texts[-1] == "## Die letzte Überschrift"
    assert cut.chunks[-1].flags == ("sparse", "headings_only") or cut.chunks[-1].flags == ("headings_only",)


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("## Related\n\n- [[A]]\n\n## Letzte\n", {}),
        ("## Definition\n\nText.\n\n## Letzte\n", {"isolate_sections": ["Definition"]}),
        ("Text.\n\n> Zitat.\n\n## Letzte\n", {"isolate": ["quote"]}),
        ("## A\n\n```\n" + "x = 1\n" * 200 + "```\n\n## Letzte\n", {}),
    ],
    ids=["links", "isolated section", "isolated block", "oversize"],
)
def test_a_last_heading_does_not_join_what_stands_alone(text: str, keys: dict[str, object]) -> None:
    cut = Cut(text, row_of(**keys))

    assert cut.texts[-1] == "## Letzte"
    assert "headings_only" in cut.chunks[-1].flags


def test_a_note_of_headings_only_is_one_chunk() -> None:
    cut = Cut("# A\n\n## B\n\n## C\n")

    assert cut.texts == ["# A\n\n## B\n\n## C"]
    assert "headings_only" in cut.chunks[0].flags


def test_a_rule_does_not_count_as_text_of_a_section() -> None:
    cut = Cut("## A\n\n---\n\n## B\n\nText.\n")

    assert cut.paths == [["B"]]


def test_a_heading_is_never_left_behind_at_a_cut() -> None:
    deep = "\n\n".join(f"#### Punkt {n}\n\n{sentences(3, start=n)}" for n in range(30))
    cut = Cut(f"## A\n\n{deep}\n")

    assert len(cut.chunks) > 3
    assert not any(re.search(r"#+ [^\n]*\Z", text) for text in cut.texts)


def test_cuts_fall_before_deeper_headings_where_sizes_allow() -> None:
    deep = "\n\n".join(f"#### Punkt {n}\n\n{sentences(4, start=n)}" for n in range(12))
    cut = Cut(f"## A\n\nKurzer Anfang.\n\n{deep}\n")

    assert all(text.startswith("#") for text in cut.texts)


def test_a_heading_over_max_is_cut_like_a_sentence() -> None:
    cut = Cut(f"## {'Wort ' * 300}\n\nText.\n", row_of(max=64, target=[30, 50], overlap=0))

    assert max(chunk.embedding_tokens for chunk in cut.chunks) <= 64
    assert "cut_sentence" in cut.chunks[0].flags


# --- rules 8 and 9 ----------------------------------------------------------------------------------------------------


def test_a_link_section_is_one_chunk_of_kind_links() -> None:
    cut = Cut("## A\n\nText.\n\n## Siehe auch:\n\n- [[B]]\n- [[C]]\n\n### Personen\n\n- [[D]]\n\n## E\n\nEnde.\n")

    assert [chunk.kind for chunk in cut.chunks] == ["text", "links", "text"]
    assert cut.texts[1].endswith("### Personen\n\n- [[D]]")


def test_a_link_section_over_max_is_cut_like_a_list() -> None:
    links = "\n".join(f"- [[Ein Ziel mit langem Namen {n}]]" for n in range(100))
    cut = Cut(f"## Related\n\n{links}\n")

    assert len(cut.chunks) > 1
    assert {chunk.kind for chunk in cut.chunks} == {"links"}
    assert all("list_cut" in chunk.flags and not chunk.overlap_tokens for chunk in cut.chunks)


def test_the_same_note_gives_the_same_chunks() -> None:
    text = FOUR + sentences(200) + "\n\n" + "\n".join(f"- Punkt {n} mit Text" for n in range(200))

    assert Cut(text).chunks == Cut(text).chunks


def test_an_edited_sentence_changes_only_chunks_of_its_section() -> None:
    parts = [f"## Teil {n}\n\n{sentences(40, start=40 * n)}" for n in range(6)]
    before = Cut("\n\n".join(parts))
    parts[3] = parts[3].replace("Satz 130 nennt", "Ein ganz anderer und viel längerer Satz, der neu ist, nennt")
    after = Cut("\n\n".join(parts))

    def other(cut: Cut) -> list[str]:
        return [chunk.text for chunk in cut.chunks if chunk.headings[-1].text != "Teil 3"]

    assert other(before) == other(after)


# --- what is left out, and problems -----------------------------------------------------------------------------------


def test_skipped_sections_are_left_out_with_what_is_below_them() -> None:
    cut = Cut(
        "## A\n\nText.\n\n## Anhang\n\nWeg.\n\n### Tief\n\nAuch weg.\n\n## B\n\nEnde.\n",
        row_of(skip_sections=["anhang"]),
    )

    assert cut.paths == [["A"], ["B"]]
    assert {exclusion.reason for exclusion in cut.exclusions} == {"skipped_section"}


def test_what_stands_before_the_first_heading_can_be_left_out() -> None:
    cut = Cut("Navigation.\n\n# A\n\nText.\n", row_of(skip_before_heading=True))

    assert cut.texts == ["# A\n\nText."]
    assert [exclusion.reason for exclusion in cut.exclusions] == ["before_heading"]


def test_a_note_without_headings_has_nothing_before_the_first_one() -> None:
    assert Cut("Nur Text.\n", row_of(skip_before_heading=True)).texts == ["Nur Text."]


def test_a_fence_that_is_never_closed_is_a_warning_and_fails_where_the_row_says_so() -> None:
    cut = Cut("Davor.\n\n```python\nx = 1\n")

    (problem,) = cut.problems
    assert (problem.code, problem.line) == ("broken-fence", 3)
    assert fails(cut.problems, row_of()) is None
    assert fails(cut.problems, row_of(fail_on_broken_fence=True)) == problem


@pytest.mark.parametrize("text", ["\u3000", "\u3000\u00a0\n", "\u2003Text.\n"])
def test_wide_blanks_are_blanks(text: str) -> None:
    assert [chunk.text.strip() for chunk in Cut(text).chunks] == [text.strip()] * bool(text.strip())
