"""What is cut together: merging, days, isolated sections and blocks."""

from __future__ import annotations

from chunk_notes import Cut, row_of, sentences

THREE = "## A\n\nEins hier.\n\n## B\n\nZwei hier.\n\n### C\n\nDrei hier.\n\n## D\n\nVier hier.\n"


def test_sections_are_not_merged_by_default() -> None:
    assert Cut(THREE).paths == [["A"], ["B"], ["B", "C"], ["D"]]


def test_merging_to_the_target_joins_neighbours_under_their_common_ancestor() -> None:
    cut = Cut(THREE, row_of(merge_sections="target"))

    assert cut.paths == [[]]
    assert cut.texts == [THREE.strip()]
    assert "sparse" not in cut.chunks[0].flags


def test_merging_stops_at_the_target() -> None:
    parts = "\n\n".join(f"## Teil {n}\n\n{sentences(5, start=n)}" for n in range(9))
    cut = Cut(parts, row_of(merge_sections="target"))

    assert 1 < len(cut.chunks) < 9
    assert all(chunk.embedding_tokens <= 350 for chunk in cut.chunks)
    assert all(text.startswith("## Teil") for text in cut.texts)


def test_sections_of_different_parents_are_not_merged() -> None:
    text = f"## A\n\n{sentences(14)}\n\n### A1\n\n{sentences(14)}\n\n### A2\n\nKurz.\n\n## B\n\n{sentences(14)}\n"
    cut = Cut(text, row_of(merge_sections="small"))

    assert cut.paths == [["A"], ["A"], ["B"]]
    assert cut.texts[1].endswith("### A2\n\nKurz.")


def test_small_merging_joins_only_while_a_group_is_under_min() -> None:
    text = f"## A\n\nKurz.\n\n## B\n\nAuch kurz.\n\n## C\n\n{sentences(8)}\n\n## D\n\n{sentences(8)}\n\n## E\n\nEnde.\n"
    cut = Cut(text, row_of(merge_sections="small", min=16))

    assert [text.count("## ") for text in cut.texts] == [2, 1, 2]


def test_the_introduction_of_a_section_merges_with_its_children() -> None:
    cut = Cut("# T\n\nVorwort.\n\n## A\n\nText.\n", row_of(merge_sections="target"))

    assert len(cut.chunks) == 1


def test_link_sections_are_never_merged() -> None:
    cut = Cut("## A\n\nText.\n\n## Related\n\n- [[B]]\n\n## C\n\nMehr.\n", row_of(merge_sections="target"))

    assert [chunk.kind for chunk in cut.chunks] == ["text", "links", "text"]


def test_the_sections_of_a_day_go_together() -> None:
    text = "## 2024-05-01\n\n### 09:30\n\nKaffee.\n\n### 14 Uhr\n\nRegen.\n\n## 2024-05-02\n\n### 08:00\n\nSonne.\n"
    cut = Cut(text, row_of(bundle_dates=True))

    assert cut.paths == [["2024-05-01"], ["2024-05-02", "08:00"]]


def test_times_under_a_title_that_is_a_date_are_one_day() -> None:
    cut = Cut(
        "Guten Morgen.\n\n## 9:30\n\nKaffee.\n\n## 14:00\n\nRegen.\n", row_of(bundle_dates=True), title="2024-05-01"
    )

    assert len(cut.chunks) == 1


def test_a_day_goes_together_up_to_the_target() -> None:
    entries = "\n\n".join(f"### {hour}:00\n\n{sentences(6)}" for hour in range(8, 16))
    cut = Cut(f"## 1. Mai 2024\n\n{entries}\n", row_of(bundle_dates=True))

    assert len(cut.chunks) > 1
    assert all(chunk.embedding_tokens <= 350 for chunk in cut.chunks)


def test_sections_of_one_day_with_other_titles_stay_apart() -> None:
    cut = Cut("## 2024-05-01\n\n### 09:30\n\nA.\n\n### Stimmung\n\nB.\n", row_of(bundle_dates=True))

    assert cut.paths == [["2024-05-01", "09:30"], ["2024-05-01", "Stimmung"]]


def test_an_isolated_section_merges_with_nothing() -> None:
    text = "## Definition:\n\nEin Begriff.\n\n## B\n\nText.\n\n## C\n\nMehr.\n"
    cut = Cut(text, row_of(merge_sections="target", isolate_sections=["definition"]))

    assert [text.count("## ") for text in cut.texts] == [1, 2]


def test_the_introduction_is_isolated_where_no_named_section_is() -> None:
    row = row_of(merge_sections="target", isolate_intro=True, isolate_sections=["Definition"])

    assert len(Cut("# T\n\nEin Begriff.\n\n## B\n\nText.\n", row).chunks) == 2
    assert len(Cut("# T\n\nEin Vorwort.\n\n## Definition\n\nText.\n", row).chunks) == 2
    assert len(Cut("# T\n\nVorwort.\n\n### B\n\nText.\n", row).chunks) == 1


def test_an_isolated_block_is_a_chunk_of_its_own_without_overlap() -> None:
    text = f"## Buch\n\n{sentences(3)}\n\n> Ein Zitat.\n\n{sentences(3)}\n\n> Noch eins.\n"
    cut = Cut(text, row_of(isolate=["quote"]))

    assert [chunk.kind for chunk in cut.chunks] == ["text", "quote", "text", "quote"]
    assert cut.texts[1] == "> Ein Zitat."
    assert all(chunk.overlap_tokens == 0 for chunk in cut.chunks)


def test_a_heading_goes_with_an_isolated_block_that_follows_it() -> None:
    cut = Cut("## Buch\n\n> Ein Zitat.\n\nText dazu.\n", row_of(isolate=["quote"]))

    assert cut.texts == ["## Buch\n\n> Ein Zitat.", "Text dazu."]


def test_the_line_that_names_the_source_stays_with_an_isolated_quote() -> None:
    cut = Cut("> Ein Zitat.\n\n— [[Ein Buch]], S. 12\n\nText dazu.\n", row_of(isolate=["quote"]))

    assert cut.texts == ["> Ein Zitat.\n\n— [[Ein Buch]], S. 12", "Text dazu."]


def test_a_named_section_deep_inside_a_group_is_a_group_of_its_own() -> None:
    text = "## A\n\nText.\n\n#### Related\n\n- [[B]]\n\n#### C\n\nMehr.\n\n#### D\n\nEnde.\n"
    cut = Cut(text)

    assert [chunk.kind for chunk in cut.chunks] == ["text", "links", "text"]
    assert cut.texts[2] == "#### C\n\nMehr.\n\n#### D\n\nEnde."


def test_only_blocks_of_the_note_itself_are_isolated() -> None:
    cut = Cut("> Davor.\n>\n> - a\n> - b\n>\n> Danach.\n\nText.\n", row_of(isolate=["list"]))

    assert len(cut.chunks) == 1
