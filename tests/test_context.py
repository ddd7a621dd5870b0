"""The context of a chunk: its heading path, within its limits."""

from __future__ import annotations

from chunk_notes import Cut, real_counter, row_of, sentences

from mindnet_chunker.chunking.context import Contexts
from mindnet_chunker.records import HeadingRef

DEEP = "# T\n\n## A\n\nEins.\n\n### B\n\nZwei.\n\n#### C\n\n##### D\n\nDrei.\n"
PATH = (HeadingRef(0, "Titel"), HeadingRef(2, "A"), HeadingRef(3, "B"))
NONE = frozenset[int]()


def contexts(max_tokens: int = 450, aliases: tuple[str, ...] = (), **keys: object) -> Contexts:
    return Contexts(row_of(**keys), aliases, real_counter(), max_tokens)


def test_the_context_is_the_heading_path_from_the_title_down() -> None:
    assert contexts().of(PATH, NONE).text == "Titel > A > B"


def test_the_headings_that_the_text_begins_with_are_left_out() -> None:
    cut = Cut(DEEP)

    assert [chunk.context for chunk in cut.chunks] == ["", "T > A"]
    assert [chunk.text.split("\n")[0] for chunk in cut.chunks] == ["# T", "### B"]


def test_a_run_of_headings_that_opens_the_text_is_left_out_whole() -> None:
    cut = Cut("# T\n\n## A\n\n### B\n\nText.\n")

    assert [chunk.context for chunk in cut.chunks] == [""]
    assert [heading.text for heading in cut.chunks[0].headings] == ["T", "A", "B"]


def test_later_chunks_of_a_section_have_its_heading_in_the_context() -> None:
    cut = Cut(f"## A\n\n{sentences(60)}\n", title="T")

    assert cut.chunks[0].context == "T"
    assert {chunk.context for chunk in cut.chunks[1:]} == {"T > A"}


def test_the_path_ends_after_context_depth_levels() -> None:
    assert contexts(context_depth=2).of(PATH, NONE).text == "Titel > A"
    assert contexts(context_depth=0).of(PATH, NONE).text == ""


def test_title_and_none() -> None:
    assert contexts(context="title").of(PATH, NONE).text == "Titel"
    assert contexts(context="title").of(PATH, frozenset({0})).text == ""
    assert contexts(context="none").of(PATH, NONE).text == ""


def test_aliases_stand_in_brackets_behind_the_title() -> None:
    made = contexts(aliases=("Anders", "Noch\nanders"), context_aliases=True)

    assert made.of(PATH, NONE).text == "Titel (Anders, Noch anders) > A > B"
    assert made.of(PATH, frozenset({0})).text == "Anders, Noch anders > A > B"
    assert contexts(aliases=("Anders",)).of(PATH, NONE).text == "Titel > A > B"


def test_over_a_third_of_max_aliases_go_first_then_outer_levels() -> None:
    limit = 3 * real_counter().count("Titel > A > B")

    made = contexts(limit, aliases=("Ein sehr langer zweiter Name",), context_aliases=True)
    assert made.of(PATH, NONE).text == "Titel > A > B"
    assert contexts(limit - 3).of(PATH, NONE).text == "A > B"


def test_the_last_level_is_cut_at_words_and_a_word_at_characters() -> None:
    long = (HeadingRef(0, "Ein Titel aus sehr vielen einzelnen Wörtern"),)
    word = (HeadingRef(0, "a" * 5000),)

    cut = contexts(18).of(long, NONE)
    assert cut.tokens <= 6
    assert long[0].text.startswith(f"{cut.text} ")
    assert 0 < contexts(18).of(word, NONE).characters <= 6 * 16


def test_white_space_in_titles_becomes_one_blank_and_empty_headings_are_passed_over() -> None:
    path = (HeadingRef(0, "Eins |\tzwei\ndrei"), HeadingRef(2, ""), HeadingRef(3, "B"))

    assert contexts().of(path, NONE).text == "Eins | zwei drei > B"


def test_the_path_of_a_chunk_is_what_its_texts_share() -> None:
    cut = Cut("## A\n\nEins.\n\n#### B\n\nZwei.\n\n#### C\n\nDrei.\n", title="T")

    assert cut.paths == [["A"]]
    assert cut.chunks[0].context == "T"
