"""Rule 7: what a chunk repeats from before its cut."""

from __future__ import annotations

from chunk_notes import Cut, row_of, sentences


def test_the_overlap_is_whole_sentences_within_the_range() -> None:
    cut = Cut(sentences(60))

    for before, chunk in zip(cut.chunks, cut.chunks[1:], strict=False):
        repeated = chunk.text[: chunk.own_start].strip()
        assert repeated.startswith("Satz") and repeated.endswith(".")
        assert before.text.endswith(repeated)
        assert 30 <= chunk.overlap_tokens <= 60
        assert cut.text[chunk.overlap_start : chunk.span.start].strip() == repeated


def test_the_overlap_begins_at_a_paragraph_where_one_fits_the_range() -> None:
    paragraphs = [sentences(3, words=10, start=3 * n) for n in range(40)]
    cut = Cut("\n\n".join(paragraphs))

    assert all(chunk.text[: chunk.own_start].strip() in paragraphs for chunk in cut.chunks[1:])


def test_no_overlap_where_the_nearest_sentence_alone_is_longer() -> None:
    cut = Cut(sentences(40, words=60))

    assert [chunk.overlap_tokens for chunk in cut.chunks] == [0] * len(cut.chunks)


def test_an_overlap_of_nothing_means_none() -> None:
    assert not any(chunk.overlap_tokens for chunk in Cut(sentences(60), row_of(overlap=0)).chunks)


def test_no_overlap_across_headings_of_any_level() -> None:
    deep = "\n\n".join(f"#### Punkt {n}\n\n{sentences(9)}" for n in range(12))
    cut = Cut(f"## A\n\n{sentences(4)}\n\n{deep}\n")

    assert all(chunk.overlap_tokens == 0 for chunk in cut.chunks if chunk.text.startswith("####"))


def test_a_list_repeats_the_item_before_if_it_is_short() -> None:
    short = "\n".join(f"- Punkt {n} {'Wort ' * 10}".strip() for n in range(60))
    long = "\n".join(f"- Punkt {n} {'Wort ' * 60}".strip() for n in range(20))

    assert all(chunk.text[: chunk.own_start].count("- Punkt") == 1 for chunk in Cut(short).chunks[1:])
    assert not any(chunk.overlap_tokens for chunk in Cut(long).chunks)


def test_no_overlap_from_or_into_code_and_tables() -> None:
    code = "```\n" + "x = 1\n" * 90 + "```"
    cut = Cut(f"{sentences(12)}\n\n{code}\n\n{sentences(12)}\n")

    assert not any(chunk.overlap_tokens for chunk in cut.chunks)


def test_overlap_gives_way_where_it_would_push_a_chunk_past_max() -> None:
    row = row_of(max=60, target=[50, 60], overlap=[20, 40], min=0)
    cut = Cut(sentences(50, words=10), row)

    assert all(chunk.embedding_tokens <= 60 for chunk in cut.chunks)


def test_the_own_text_alone_holds_the_links_of_a_chunk() -> None:
    cut = Cut(sentences(60))

    assert [chunk.span.start for chunk in cut.chunks[1:]] >= [chunk.span.end for chunk in cut.chunks[:-1]]
