"""Rules 5 and 6 of the cut: what stays whole, what stays together, and how sizes are chosen."""

from __future__ import annotations

import re

import pytest
from chunk_notes import Cut, row_of, sentences

CODE = "```python\n" + "".join(f"def f{n}(x):\n    return x + {n}\n\n\n" for n in range(150)) + "```"
SMALL = {"max": 64, "target": [38, 51], "overlap": 0, "min": 0}


def table(rows: int) -> str:
    head = "| Bezeichnung | Maß | Platz |\n|---|---|---|\n"
    return head + "\n".join(f"| Teil {n} | {n} mm | Lager {n} |" for n in range(rows))


def items(count: int, words: int = 6) -> str:
    return "\n".join(f"- Punkt {n} {' '.join(['Wort'] * words)}" for n in range(count))


# --- code and tables --------------------------------------------------------------------------------------------------


def test_a_code_block_that_fits_lies_whole_in_a_chunk_with_other_blocks() -> None:
    cut = Cut("Davor.\n\n```sh\n# kein Kopf\nls\n```\n\nDanach.\n")

    assert cut.texts == ["Davor.\n\n```sh\n# kein Kopf\nls\n```\n\nDanach."]
    assert cut.chunks[0].flags == ("has_code", "sparse")


def test_code_over_max_is_kept_alone_with_its_heading_and_lead_in() -> None:
    cut = Cut(f"## A\n\n{sentences(5)}\n\n#### Skript\n\nSo geht es:\n\n{CODE}\n\n{sentences(3)}\n")

    chunk = cut.holding("def f30")
    assert chunk.text == f"#### Skript\n\nSo geht es:\n\n{CODE}".replace("\n\n\n", "\n\n")
    assert {"oversize", "windowed", "has_code"} <= set(chunk.flags)


def test_a_block_id_after_a_kept_table_stays_with_it() -> None:
    cut = Cut(f"{table(60)}\n\n^lager\n\nEnde.\n")

    assert cut.texts[0].endswith("\n\n^lager")
    assert cut.texts[1] == "Ende."


def test_split_code_is_cut_at_function_starts_with_fences_closed_and_opened_again() -> None:
    cut = Cut(f"Das Skript:\n\n{CODE}\n", row_of(oversize="split"))

    assert len(cut.chunks) > 2
    for chunk in cut.chunks:
        assert chunk.text.count("```") == 2
        assert chunk.embedding_tokens <= 450
    assert all(text.startswith("```python\ndef ") for text in cut.texts[1:])
    assert [[one.why for one in chunk.added] for chunk in cut.chunks[1:-1]] == [["fence_open", "fence_close"]] * (
        len(cut.chunks) - 2
    )


def test_what_was_added_stands_where_it_says() -> None:
    cut = Cut(f"{CODE}\n\n{table(90)}\n", row_of(oversize="split", max=128, target=[60, 100]))

    added = [(chunk, one) for chunk in cut.chunks for one in chunk.added]
    assert {one.why for _, one in added} == {"fence_open", "fence_close", "table_header"}
    assert all(chunk.text[one.at : one.at + len(one.text)] == one.text for chunk, one in added)


def test_fences_in_a_quote_are_opened_again_with_its_mark() -> None:
    quoted = "\n".join(f"> {line}" for line in CODE.split("\n"))
    cut = Cut(f"{quoted}\n", row_of(oversize="split"))

    assert all(text.startswith("> ```python\n") and text.endswith("\n> ```") for text in cut.texts)


def test_a_code_line_over_max_is_cut_and_flagged() -> None:
    cut = Cut(f"```\n{'x = 1; ' * 400}\n```\n", row_of(oversize="split"))

    assert len(cut.chunks) > 1
    assert all("cut_line" in chunk.flags for chunk in cut.chunks)


def test_a_split_table_is_cut_between_rows_with_its_header_repeated() -> None:
    cut = Cut(f"# Lager\n\n{table(300)}\n\nEnde der Tabelle.\n", row_of(oversize="split"))

    assert len(cut.chunks) > 5
    for chunk in cut.chunks[1:]:
        assert "| Bezeichnung | Maß | Platz |" in chunk.text
    rows = [line for text in cut.texts for line in text.split("\n") if line.startswith("| Teil")]
    assert rows == table(300).split("\n")[2:]


def test_a_header_that_takes_over_half_of_max_is_not_repeated() -> None:
    head = "| " + " | ".join(f"Spalte{n}" for n in range(20)) + " |\n|" + "---|" * 20 + "\n"
    cut = Cut(
        head + "\n".join("| " + " | ".join("x" * 20) + " |" for _ in range(20)), row_of(oversize="split", **SMALL)
    )

    assert not any(chunk.added for chunk in cut.chunks)


def test_a_row_over_max_is_cut_at_its_cells_and_flagged() -> None:
    row = "| " + " | ".join(f"{n}.120,00 Euro" for n in range(60)) + " |"
    cut = Cut(f"| A | B |\n|---|---|\n{row}\n", row_of(oversize="split", **SMALL))

    pieces = [text for text in cut.texts if "Euro" in text]
    assert len(pieces) > 5
    assert all(piece.endswith("|") for piece in pieces)
    assert all("cut_row" in chunk.flags for chunk in cut.chunks if "Euro" in chunk.text)


def test_the_summary_of_a_table_is_its_header_and_two_rows_as_plain_text() -> None:
    cut = Cut("| **Name** | Link |\n|---|---|\n| `a \\| b` | [[Ziel\\|dort]] |\n| x | [y](z.md) |\n| q | r |\n")

    assert cut.chunks[0].kind == "table"
    assert cut.chunks[0].summary == "Name | Link\na | b | dort\nx | y"


def test_the_kind_is_that_of_the_block_that_owns_most_tokens() -> None:
    cut = Cut(
        "## A\n\nKurz.\n\n> Ein langes Zitat, das mehr Wörter hat.\n\n## B\n\n$$\nx = y\n$$\n\n## C\n\n<div>\nHallo\n</div>\n"
    )

    assert [chunk.kind for chunk in cut.chunks] == ["quote", "math", "html"]


def test_flags_say_what_is_in_a_chunk() -> None:
    cut = Cut("- [ ] Aufgabe mit $x$\n\n> | a | b |\n> |---|---|\n> | 1 | 2 |\n\n`kein Block`\n", row_of(min=0))

    assert cut.chunks[0].flags == ("has_table", "has_math", "has_tasks")


# --- lists ------------------------------------------------------------------------------------------------------------


def test_a_list_that_fits_its_chunk_stays_whole() -> None:
    cut = Cut(f"{sentences(15)}\n\n{items(20)}\n\n{sentences(15)}\n")

    assert items(20) in cut.holding("Punkt 0 ").text


@pytest.mark.parametrize("count", [40, 41, 43, 47, 60])
def test_a_list_over_max_is_cut_between_items_into_parts_of_five_to_eight(count: int) -> None:
    cut = Cut(items(count, words=12), row_of(max=250, target=[120, 200], overlap=0))

    parts = [len(re.findall(r"^- Punkt", text, re.MULTILINE)) for text in cut.texts]
    assert sum(parts) == count
    assert all(5 <= part <= 8 for part in parts)
    assert all("list_cut" in chunk.flags for chunk in cut.chunks)


def test_where_items_are_too_long_the_last_part_has_fewer() -> None:
    cut = Cut(items(12, words=19), row_of(max=250, target=[120, 200], overlap=0))

    assert [len(re.findall(r"^- Punkt", text, re.MULTILINE)) for text in cut.texts] == [5, 5, 2]


def test_list_items_says_how_many_items_a_part_has() -> None:
    cut = Cut(items(60), row_of(list_items=[2, 3]))

    assert {len(re.findall(r"^- Punkt", text, re.MULTILINE)) for text in cut.texts} <= {2, 3}


def test_nested_items_stay_with_their_parent() -> None:
    nested = "\n".join(f"- Punkt {n} {'Wort ' * 20}\n    - Kind {n} {'Wort ' * 10}" for n in range(30))
    cut = Cut(nested, row_of(overlap=0))

    assert len(cut.chunks) > 3
    assert all(text.startswith("- Punkt") for text in cut.texts)


def test_keep_lists_keeps_a_list_whole_past_the_target() -> None:
    text = f"{sentences(8)}\n\n{items(15)}\n\n{sentences(8)}\n"
    row = {"max": 250, "target": [60, 90], "overlap": 0}

    assert items(15) in Cut(text, row_of(keep_lists=True, **row)).holding("Punkt 0 ").text


def test_an_item_over_max_is_cut_like_text_and_flagged() -> None:
    cut = Cut(f"- {sentences(60)}\n- Kurz.\n")

    assert len(cut.chunks) > 2
    assert all("cut_item" in chunk.flags for chunk in cut.chunks[:-1])
    assert all(text.startswith(("Satz", "- ")) for text in cut.texts)


# --- quotes, lead-ins, examples ---------------------------------------------------------------------------------------


def test_a_quote_stays_whole_where_it_fits_and_else_is_cut_at_its_paragraphs() -> None:
    paragraph = f"> {sentences(9)}"
    cut = Cut(f"{sentences(8)}\n\n{paragraph}\n>\n{paragraph}\n>\n{paragraph}\n", row_of(overlap=0))

    assert len(cut.chunks) > 1
    assert all(text.split("> ")[1].startswith("Satz 0 ") for text in cut.texts)


def test_a_sentence_that_begins_a_line_of_a_cut_quote_keeps_its_mark() -> None:
    quote = "\n".join(f"> {sentences(1, words=30, start=n)}" for n in range(40))

    assert all(text.startswith("> Satz") for text in Cut(quote, row_of(overlap=0)).texts)


@pytest.mark.parametrize("lead", ["Dazu braucht man diese Dinge:", "Die Werkzeuge im Überblick."])
@pytest.mark.parametrize("block", [items(12), "```\nls\ncd\n```", table(12)], ids=["list", "code", "table"])
@pytest.mark.parametrize("before", range(9, 20))
def test_the_lead_in_stays_with_what_it_introduces(lead: str, block: str, before: int) -> None:
    cut = Cut(f"{sentences(before)}\n\n{lead}\n\n{block}\n\n{sentences(14)}\n")

    first_line = block.split("\n", maxsplit=1)[0]
    assert f"{lead}\n\n{first_line}" in cut.holding(lead).text


def test_the_last_sentence_of_a_paragraph_is_a_lead_in_only_with_a_colon() -> None:
    cut = Cut(f"{sentences(14)} Es sind diese:\n\n{items(20)}\n", row_of(overlap=0))

    assert "Es sind diese:\n\n- Punkt 0" in cut.texts[1]


def test_the_lead_in_of_a_list_over_max_stays_with_its_first_part() -> None:
    cut = Cut(f"{sentences(10)}\n\nDiese Punkte:\n\n{items(80)}\n")

    assert "Diese Punkte:\n\n- Punkt 0" in cut.holding("Diese Punkte:").text


@pytest.mark.parametrize("before", range(8, 18))
def test_a_summary_and_the_example_right_after_it_stay_together(before: int) -> None:
    cut = Cut(f"{sentences(before)}\n\nZusammenfassung: {sentences(3)}\n\nBeispiel: {sentences(3)}\n\n{sentences(9)}\n")

    assert "\n\nBeispiel:" in cut.holding("Zusammenfassung:").text


@pytest.mark.parametrize("before", range(8, 18))
def test_the_example_of_a_summary_may_stand_under_a_heading_of_its_own(before: int) -> None:
    parts = f"#### Fazit\n\n{sentences(3)}\n\n#### Beispiel\n\n{sentences(3)}\n\n#### Rest\n\n{sentences(9)}\n"
    cut = Cut(f"{sentences(before)}\n\n{parts}")

    assert "#### Beispiel" in cut.holding("#### Fazit").text


# --- sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", range(20, 120, 7))
def test_sizes_come_near_the_target_and_no_dwarf_is_left_at_the_end(count: int) -> None:
    cut = Cut(sentences(count))

    assert all(200 <= chunk.embedding_tokens <= 450 for chunk in cut.chunks)


def test_paragraph_borders_are_preferred_to_sentence_borders() -> None:
    cut = Cut("\n\n".join(sentences(4, start=4 * n) for n in range(20)), row_of(overlap=0))

    assert all(re.match(r"Satz \d*[02468] ", text) for text in cut.texts)
    assert all(int(text.split()[1]) % 4 == 0 for text in cut.texts)


def test_many_small_blocks_are_packed_together() -> None:
    cut = Cut("\n\n".join(f"Zeile {n}." for n in range(500)))

    assert all(chunk.embedding_tokens > 150 for chunk in cut.chunks)


def test_the_work_grows_with_the_length_of_a_section_alone() -> None:
    small, large = Cut(sentences(400)), Cut(sentences(1600))

    assert 3.5 * len(small.chunks) <= len(large.chunks) <= 4.5 * len(small.chunks)
