"""What a model is given for a text: the text where it fits, windows with its context where not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from mindnet_chunker.embedding.choose import choose_model
from mindnet_chunker.embedding.embedder import EmbeddingText
from mindnet_chunker.embedding.pieces import Piece, pieces_of
from mindnet_chunker.errors import ModelError

WINDOW = 32


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    made = Tokenizer.from_file(str(choose_model().tokenizer_json))
    made.no_truncation()
    made.no_padding()
    made.encode_special_tokens = True
    return made


def with_context(context: str, text: str) -> EmbeddingText:
    return EmbeddingText(f"{context}\n\n{text}", len(context) + 2)


def cut(tokenizer: Tokenizer, text: EmbeddingText, prefix: str = "") -> list[Piece]:
    return list(pieces_of([text], tokenizer, WINDOW, prefix))


def test_a_text_that_fits_is_given_whole(tokenizer: Tokenizer) -> None:
    text = with_context("Title", "Short text.")

    assert cut(tokenizer, text) == [Piece(0, text.text, 6, 6)]


def test_every_window_begins_with_the_context(tokenizer: Tokenizer) -> None:
    made = cut(tokenizer, with_context("Title > Part", "one two three. " * 12))

    assert len(made) == 2
    assert all(piece.text.startswith("Title > Part\n\none two three.") for piece in made)


def test_windows_weigh_as_much_as_their_own_tokens(tokenizer: Tokenizer) -> None:
    made = cut(tokenizer, with_context("Title", "word " * 50))

    assert sum(piece.weight for piece in made) == 50
    assert all(piece.length == piece.weight + 3 for piece in made)  # [CLS] title [SEP]


def test_a_long_context_leaves_half_the_window_and_loses_its_outer_levels(tokenizer: Tokenizer) -> None:
    made = cut(tokenizer, with_context("outer " * 40 + "> inner", "word " * 60))

    assert all(piece.text.startswith("outer") and "> inner\n\nword" in piece.text for piece in made)
    assert all(piece.weight == 15 for piece in made)


def test_a_long_context_without_text_is_still_embedded(tokenizer: Tokenizer) -> None:
    made = cut(tokenizer, with_context("level " * 60, ""))

    assert [piece.length for piece in made] == [17]


def test_the_prefix_counts_and_is_not_part_of_the_text(tokenizer: Tokenizer) -> None:
    made = cut(tokenizer, EmbeddingText("word " * 29), prefix="passage: ")

    assert [piece.text.split().count("word") for piece in made] == [15, 14]
    assert all(piece.length <= WINDOW and "passage" not in piece.text for piece in made)


def test_a_prefix_that_fills_the_window_is_refused(tokenizer: Tokenizer) -> None:
    with pytest.raises(ModelError, match="takes 28 of the 32 tokens"):
        cut(tokenizer, EmbeddingText("word " * 40), prefix="so " * 26)


def test_names_of_special_tokens_are_text(tokenizer: Tokenizer) -> None:
    assert cut(tokenizer, EmbeddingText("[MASK]"))[0].length == 5


def test_texts_are_numbered_across_slices(tokenizer: Tokenizer) -> None:
    texts = [EmbeddingText("word " * (40 if number % 300 == 0 else 1)) for number in range(700)]

    owners = [piece.owner for piece in pieces_of(texts, tokenizer, WINDOW)]

    assert sorted(set(owners)) == list(range(700))
    assert [owners.count(number) for number in (0, 300, 600, 699)] == [2, 2, 2, 1]


@settings(max_examples=150, deadline=None)
@given(
    st.text("XY ", max_size=60),
    st.text(st.sampled_from("abc defgh.\n東京é🙂[]#|`ﬁ\u0301"), max_size=400),
    st.sampled_from(["", "query: "]),
)
def test_no_window_is_too_long_and_nothing_of_the_text_is_lost(
    tokenizer: Tokenizer, context: str, text: str, prefix: str
) -> None:
    made = cut(tokenizer, with_context(context, text), prefix)

    assert made
    assert all(piece.length <= WINDOW for piece in made)
    assert all(piece.length == len(tokenizer.encode(prefix + piece.text)) for piece in made)
    own = "".join(piece.text.lstrip("XY \n") for piece in made)
    assert "".join(own.split()) == "".join(text.split())
