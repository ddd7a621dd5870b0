"""Words in common: the sparse vectors of the index and of a question."""

from __future__ import annotations

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.embedding.bm25 import LANGUAGES, Bm25Index
from mindnet_chunker.embedding.folding import fold


def found(question: str, text: str, language: str = "de") -> list[str]:
    index = Bm25Index(language)
    return index.matched(question, index.document(text).indices)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("strasse", "Die Straße"),
        ("STRASSE", "die Straße"),
        ("m²", "20 m2 groß"),
        ("ＦＵＬＬ", "full width"),
        ("Bücher", "Ein Buch"),
        ("Häuser", "das Haus"),
        ("cafe", "Café au lait"),
        ("ﬁnden", "finden"),
        ("Waschmaschinen", "Die Waschmaschine läuft"),
        ("foo", "foo_bar"),
        ("İstanbul", "istanbul"),
        ("C++", "C und C++"),
    ],
)
def test_a_word_is_found_however_it_is_written(question: str, text: str) -> None:
    assert found(question, text) == [question.rstrip("+")]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("东京", "我在东京大学读书"),
        ("大学", "我在东京大学读书"),
        ("学", "我在东京大学读书"),
        ("猫", "猫が好きです"),
        ("タワー", "東京タワーへ行きました"),
        ("한국어", "한국어를 공부합니다"),
        ("ไทย", "ภาษาไทยง่าย"),
    ],
)
def test_a_word_is_found_in_text_without_blanks(question: str, text: str) -> None:
    assert found(question, text) == [question]


def test_another_han_word_is_not_found() -> None:
    assert found("北海", "我在东京大学读书") == []


def test_composed_and_decomposed_signs_are_one() -> None:
    text = "Über die Bäume und Café"

    assert Bm25Index("en").document(unicodedata.normalize("NFD", text)) == Bm25Index("en").document(text)
    assert found(unicodedata.normalize("NFD", "Bäume"), "Baum", "de") == [unicodedata.normalize("NFD", "Bäume")]


def test_a_soft_hyphen_does_not_part_a_word() -> None:
    assert found("Straßenbahn", "Stra\u00adßen\u00adbahn") == ["Straßenbahn"]
    assert found("Stra\u00adßen\u00adbahn", "Straßenbahn") == ["Stra\u00adßen\u00adbahn"]


def test_the_language_s_stop_words_do_not_count() -> None:
    assert found("die Straße und der Hund", "und die der für über", "de") == []
    assert found("the dog and the street", "and the", "en") == []


def test_an_unknown_language_has_no_stop_words_and_no_stems() -> None:
    assert found("the running", "the run", "und") == ["the"]
    assert Bm25Index("und").identity == Bm25Index("").identity == "bm25-1-none"


def test_settings_of_another_language_have_another_identity() -> None:
    assert len({Bm25Index(language).identity for language in LANGUAGES}) == len(LANGUAGES)
    assert Bm25Index("nb").identity == Bm25Index("no").identity


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_engine_knows_the_language(language: str) -> None:
    assert Bm25Index(language).document("Tango 2024").indices


def test_a_word_that_comes_often_weighs_more() -> None:
    index = Bm25Index("de")
    once, often = index.document("Tango Kleid"), index.document("Tango Tango Tango Kleid")

    weight = dict(zip(often.indices, often.values, strict=True))
    (tango,) = index.question("Tango").indices
    (kleid,) = index.question("Kleid").indices
    assert weight[tango] > weight[kleid] > 0
    assert set(once.indices) == set(often.indices)


def test_every_word_of_a_question_weighs_the_same() -> None:
    assert set(Bm25Index("de").question("Tango Tango Kleid").values) == {1.0}


def test_words_are_named_as_the_question_writes_them() -> None:
    index = Bm25Index("de")

    assert set(index.words("Wo liegt die STRASSE?").values()) == {"liegt", "STRASSE"}


def test_text_without_words_has_an_empty_vector() -> None:
    assert Bm25Index("de").document("— 🙂 ***") == ((), ())
    assert Bm25Index("de").question("") == ((), ())


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec=None) | st.sampled_from("東京ผ่าẞİßﬁ\u0308\u0307\u00ad\ud800 "), max_size=60))
def test_any_text_gives_rising_indices_and_finds_itself(text: str) -> None:
    index = Bm25Index("de")

    document, question = index.document(text), index.question(text)

    assert list(document.indices) == sorted(set(document.indices))
    assert document.indices == question.indices
    assert len(document.indices) == len(document.values)
    assert all(value > 0 for value in document.values)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["", "en", "de", "fr"]))
def test_folding_does_not_depend_on_case_or_composition(text: str, language: str) -> None:
    assert fold(unicodedata.normalize("NFD", text), language) == fold(text, language)
    assert fold(text.casefold(), language) == fold(text, language)


def test_the_engine_is_loaded_with_the_first_vector_only() -> None:
    script = "import sys, mindnet_chunker.embedding.bm25 as b; b.Bm25Index('de'); print('qdrant_edge' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
