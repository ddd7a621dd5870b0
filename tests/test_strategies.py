"""The four simpler strategies."""

from __future__ import annotations

import re

import pytest
from chunk_notes import Cut, row_of, sentences

from mindnet_chunker.chunking.sizing import NoteType

ALL = ("h3_aware", "h2_paragraph_split", "paragraph", "sliding_window")
NOTE = "# Note\n\nVorwort.\n\n## A\n\n### A1\n\nEins hier.\n\n### A2\n\nZwei hier.\n\n## B\n\nDrei hier.\n"


def row(strategy: str, low: int = 60, high: int = 100, **keys: object) -> NoteType:
    return row_of(**{"strategy": strategy, "target": [low, high], "overlap": 0, "min": 0, **keys})


def contexts(cut: Cut) -> list[str]:
    return [chunk.context for chunk in cut.chunks]


# --- labels -----------------------------------------------------------------------------------------------------------


def test_h3_aware_merges_neighbours_under_one_h2_and_joins_their_titles() -> None:
    cut = Cut(NOTE, row("h3_aware"))

    assert contexts(cut) == ["[Note]", "[A > A1 / A2]", "[B]"]
    assert cut.texts[1] == "## A\n\n### A1\n\nEins hier.\n\n### A2\n\nZwei hier."


def test_h3_aware_stops_merging_at_the_lower_end() -> None:
    text = f"## A\n\n### A1\n\n{sentences(5)}\n\n### A2\n\n{sentences(5)}\n"

    assert contexts(Cut(text, row("h3_aware", 60, 200))) == ["[A > A1]", "[A > A2]"]


def test_h2_paragraph_split_leaves_headings_out_and_labels_with_the_h2() -> None:
    cut = Cut(NOTE, row("h2_paragraph_split"))

    assert contexts(cut) == ["[Note]", "[A]", "[B]"]
    assert cut.texts == ["Vorwort.", "Eins hier.\n\nZwei hier.", "Drei hier."]
    assert [exclusion.reason for exclusion in cut.exclusions] == ["heading"] * 5


def test_paragraph_merges_the_paragraphs_of_the_whole_note() -> None:
    cut = Cut(NOTE, row("paragraph"))

    assert contexts(cut) == ["[Note]"]
    assert cut.texts == ["Vorwort.\n\nEins hier.\n\nZwei hier.\n\nDrei hier."]


def test_sliding_window_covers_the_whole_note_headings_included() -> None:
    cut = Cut(NOTE, row("sliding_window"))

    assert contexts(cut) == ["[Note]"]
    assert cut.texts == [NOTE.strip()]


def test_a_label_is_the_whole_context_and_none_with_context_none() -> None:
    assert contexts(Cut("Text.\n", row("paragraph", context="none"), title="T")) == [""]


# --- packing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ALL)
def test_chunks_are_whole_sentences_up_to_the_upper_end(strategy: str) -> None:
    cut = Cut(sentences(60), row(strategy))

    assert len(cut.chunks) > 5
    assert all(re.fullmatch(r"Satz .*\.", chunk.text, re.DOTALL) for chunk in cut.chunks)
    assert all(chunk.embedding_tokens <= 100 for chunk in cut.chunks)


@pytest.mark.parametrize("strategy", ALL)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_each_chunk_begins_with_the_last_sentences_of_the_one_before(strategy: str, count: int) -> None:
    cut = Cut(sentences(60), row(strategy, overlap_sentences=count))

    for before, chunk in zip(cut.chunks, cut.chunks[1:], strict=False):
        repeated = chunk.text[: chunk.own_start]
        assert repeated.count("Satz") == count
        assert before.text.endswith(repeated.strip())


def test_nothing_is_repeated_from_a_chunk_of_so_few_sentences() -> None:
    cut = Cut(sentences(12, words=60), row("paragraph", overlap_sentences=1))

    assert all(chunk.text.count("Satz") == 1 for chunk in cut.chunks)


def test_windows_move_on_by_one_sentence_at_least() -> None:
    cut = Cut(sentences(30), row("sliding_window", overlap_sentences=50))

    own = [text.count("Satz") for text in cut.texts]
    assert sum(own) == 30
    assert set(own[1:]) == {1}


def test_a_sentence_over_the_upper_end_is_a_chunk_alone() -> None:
    long = sentences(1, words=120, start=77)
    cut = Cut(f"{sentences(3)} {long} {sentences(3)}", row("paragraph", 40, 80))

    assert cut.holding("Satz 77").text == long


def test_a_sentence_over_max_is_cut_all_the_same() -> None:
    cut = Cut("und " * 900, row("paragraph"))

    assert max(chunk.embedding_tokens for chunk in cut.chunks) <= 450
    assert all("cut_sentence" in chunk.flags for chunk in cut.chunks)


@pytest.mark.parametrize("strategy", ALL)
def test_a_body_that_is_mostly_table_lines_is_never_cut(strategy: str) -> None:
    text = "Ein Satz.\n\n| a | b |\n|---|---|\n" + "\n".join(f"| Zeile {n} | {n} |" for n in range(100))
    cut = Cut(text, row(strategy, low=100, high=200))

    holders = [chunk for chunk in cut.chunks if "| Zeile" in chunk.text]
    assert len(holders) == 1
    assert "oversize" in holders[0].flags


@pytest.mark.parametrize("strategy", ALL)
def test_a_note_without_text_has_no_chunks(strategy: str) -> None:
    assert Cut("", row(strategy)).chunks == []
    assert Cut("%% nichts %%\n", row(strategy)).chunks == []
