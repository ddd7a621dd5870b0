"""Questions with known answers: the figures, the file of questions, the command."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from math import log2
from pathlib import Path
from typing import Any

import pytest
from asked_vault import asked_vault
from commands import Ran, run
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.chunking.token_spans import token_finder
from mindnet_chunker.embedding.choose import choose_model
from mindnet_chunker.errors import UsageError
from mindnet_chunker.evaluate import Answer, Piece, TokenPlaces, figures, groups, locate, mean, read_questions
from mindnet_chunker.records import Span


def every(step: int, length: int = 4000) -> TokenPlaces:
    """A note of tokens that are `step` characters long."""
    return TokenPlaces([Span(start, start + step) for start in range(0, length, step)])


PLACES = {"a.md": every(1), "b.md": every(1)}


def piece(path: str, start: int, end: int) -> Piece:
    return Piece(path, Span(start, end), end - start)


def measured(ranking: Sequence[Piece], *answers: Answer, k: int = 10) -> dict[str, float]:
    return figures(ranking, [answers], PLACES, k)


def test_an_answer_found_at_once_is_full_marks() -> None:
    found = measured([piece("a.md", 0, 100)], Answer("a.md", 20, 80))

    assert set(found.values()) == {1.0}
    assert list(found) == ["nDCG@10", "Recall@10", "MRR@10", "R@250", "R@500", "R@1000", "R@2000", "R@avg"]


def test_an_answer_not_found_is_none() -> None:
    assert set(measured([piece("b.md", 0, 100)], Answer("a.md", 20, 80)).values()) == {0.0}
    assert set(measured([], Answer("a.md", 20, 80)).values()) == {0.0}


def test_gain_is_what_each_hit_adds_discounted_by_its_rank() -> None:
    ranking = [piece("b.md", 0, 50), piece("a.md", 0, 50), piece("a.md", 30, 50), piece("a.md", 50, 100)]

    found = measured(ranking, Answer("a.md", 20, 100))

    assert found["nDCG@10"] == pytest.approx(30 / 80 / log2(3) + 50 / 80 / log2(5))
    assert found["MRR@10"] == 1 / 4  # 30 of 80 characters are less than half


def test_only_the_first_k_hits_count_for_recall_and_rank() -> None:
    ranking = [piece("b.md", 0, 10), piece("a.md", 0, 100)]

    assert measured(ranking, Answer("a.md", 0, 100), k=1)["Recall@1"] == 0
    assert measured(ranking, Answer("a.md", 0, 100), k=2)["Recall@2"] == 1


def test_the_hit_that_passes_the_budget_is_cut_there() -> None:
    found = measured([piece("b.md", 0, 200), piece("a.md", 0, 100)], Answer("a.md", 0, 100))

    assert (found["R@250"], found["R@500"]) == (0.5, 1.0)
    assert found["R@avg"] == pytest.approx((0.5 + 1 + 1 + 1) / 4)


def test_a_token_retrieved_twice_is_paid_twice() -> None:
    ranking = [piece("b.md", 0, 125), piece("b.md", 0, 125), piece("a.md", 0, 100)]

    assert measured(ranking, Answer("a.md", 0, 100))["R@250"] == 0


def test_a_hit_without_a_place_is_paid_for_too() -> None:
    ranking = [Piece("board.canvas", None, 240), piece("a.md", 0, 100)]

    assert measured(ranking, Answer("a.md", 0, 100))["R@250"] == pytest.approx(0.1)


def test_one_long_hit_may_pass_several_budgets() -> None:
    found = measured([piece("a.md", 0, 3000)], Answer("a.md", 400, 600))

    assert [found[f"R@{budget}"] for budget in (250, 500, 1000, 2000)] == [0, 0.5, 1, 1]


def test_of_several_ways_to_answer_the_best_one_counts() -> None:
    ways = [[Answer("b.md", 0, 10)], [Answer("a.md", 0, 10)]]

    assert figures([piece("a.md", 0, 100)], ways, PLACES, 10)["MRR@10"] == 1


def test_tokens_that_share_a_character_with_a_stretch_are_in_it() -> None:
    places = TokenPlaces([Span(0, 4), Span(5, 9), Span(10, 14)])

    assert list(places.between(4, 5)) == []
    assert list(places.between(3, 10)) == [0, 1]
    assert list(places.between(0, 99)) == [0, 1, 2]


spans = st.tuples(st.sampled_from(["a.md", "b.md"]), st.integers(0, 900), st.integers(1, 300))


@given(st.lists(spans, max_size=8), st.lists(spans, min_size=1, max_size=3))
@settings(max_examples=100, deadline=None)
def test_figures_are_shares_and_rise_with_the_budget(hits: list[Any], answers: list[Any]) -> None:
    found = measured(
        [piece(path, start, start + size) for path, start, size in hits],
        *(Answer(path, start, start + size) for path, start, size in answers),
    )

    assert all(0 <= value <= 1.000001 for value in found.values())
    assert found["R@250"] <= found["R@500"] <= found["R@1000"] <= found["R@2000"]


def test_means_and_groups() -> None:
    questions = read_questions(
        json.dumps({"questions": [a_question(lang="de"), a_question(lang="en"), a_question(), a_question(lang="de")]}),
        "q",
    )

    assert groups(questions, "lang") == {"de": [0, 3], "en": [1], "-": [2]}
    assert mean([{"x": 1.0}, {"x": 0.0}]) == {"x": 0.5}


def test_tokens_of_a_text_are_found_in_it() -> None:
    find = token_finder(choose_model(weights=False).tokenizer_json)

    text = "Der  Schwärmer\n[MASK]"
    assert [text[slice(*span)] for span in find(text)][:2] == ["Der", "Sc"]
    assert len(find("wort " * 600)) >= 600  # more than any model reads at once


# --- the file of questions -------------------------------------------------------------------------------------------


def a_question(**more: Any) -> dict[str, Any]:
    return {"question": "Was?", "answers": [{"path": "a.md", "excerpt": "ein Satz"}], **more}


def test_questions_are_read_with_all_they_say() -> None:
    other = [{"path": "b.md", "char_start": 0, "char_end": 3}]
    found = read_questions(json.dumps({"questions": [a_question(id="q1", lang="de", or_answers=[other])]}), "q.json")[0]

    assert (found.id, found.text, found.about) == ("q1", "Was?", {"id": "q1", "lang": "de"})
    assert found.paths == {"a.md", "b.md"}
    texts = {"a.md": "Hier ein Satz.", "b.md": "abc"}
    assert locate(found, texts, "q.json") == [[Answer("a.md", 5, 13)], [Answer("b.md", 0, 3)]]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("{", "q.json:1: is no JSON: "),
        ("[]", "q.json: is no set of questions: "),
        ("{}", "q.json: is no set of questions: `questions` is missing"),
        ('{"questions": []}', "q.json: holds no questions"),
        ('{"questions": [{"question": "Was?"}]}', "q.json: is no set of questions: `answers` is missing"),
        (json.dumps({"questions": [a_question(answers=[{"path": "a.md"}])]}), "`excerpt` is missing"),
        (json.dumps({"questions": [a_question(answers=[{"path": "a.md", "char_start": 1}])]}), "`char_end` is missing"),
        (
            json.dumps({"questions": [a_question(answers=[{"path": "a.md", "char_start": "1", "char_end": 2}])]}),
            "question 1",
        ),
        (json.dumps({"questions": [a_question(answers=[])]}), "question 1 lacks a question or an answer"),
        (json.dumps({"questions": [a_question(question=" ")]}), "question 1 lacks a question or an answer"),
        (json.dumps({"questions": [a_question(answers="a.md")]}), "q.json: is no set of questions: "),
    ],
)
def test_a_file_that_is_no_set_of_questions_is_one_line(content: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_questions(content, "q.json")

    assert what in str(caught.value)
    assert caught.value.hint.startswith('allowed is {"questions"')


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        ({"path": "b.md", "excerpt": "x"}, "q.json: question `1`: the index has no unchanged note `b.md`"),
        ({"path": "a.md", "excerpt": "fehlt"}, "question `1`: the excerpt is 0 times in `a.md`: 'fehlt'"),
        ({"path": "a.md", "excerpt": "Satz"}, "question `1`: the excerpt is 2 times in `a.md`: 'Satz'"),
        ({"path": "a.md", "excerpt": " "}, "question `1`: the excerpt is 0 times in `a.md`: ' '"),
        ({"path": "a.md", "char_start": 4, "char_end": 99}, "question `1`: `a.md` has no characters 4 to 99"),
    ],
)
def test_an_answer_that_is_not_in_the_notes_names_its_question(answer: dict[str, Any], what: str) -> None:
    question = read_questions(json.dumps({"questions": [a_question(answers=[answer])]}), "q.json")[0]

    with pytest.raises(UsageError) as caught:
        locate(question, {"a.md": "Satz und Satz"}, "q.json")

    assert what in str(caught.value)


@given(st.text(max_size=60) | st.from_regex(r'\{"questions": ?\[.{0,20}\]\}', fullmatch=True))
@settings(max_examples=100, deadline=None)
def test_any_file_is_a_set_of_questions_or_an_error(content: str) -> None:
    try:
        assert read_questions(content, "q.json")
    except UsageError as error:
        assert error.where == "q.json"


# --- the command -----------------------------------------------------------------------------------------------------

QUESTIONS = {
    "questions": [
        {
            "id": "q1", "lang": "de", "question": "Womit fängt man den Schwarm? Mit einem Korb?",
            "answers": [{"path": "Garten/Bienen & Co.md", "excerpt": "Man fängt ihn mit einem Korb."}],
        },
        {
            "id": "q2", "lang": "en", "question": "Quitten",
            "answers": [{"path": "Garten/Obst.md", "excerpt": "Quitten brauchen länger."}],
        },
    ]
}  # fmt: skip


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Path, Path]]:
    with asked_vault() as places:
        yield places


def call(asked: tuple[Path, Path], questions: Any, *words: str) -> Ran:
    file = asked[1].parent / "questions.json"
    file.write_text(json.dumps(questions), encoding="utf-8")
    return run("eval", file, "--store", asked[1], *words)


def test_dense_bm25_and_fused_stand_side_by_side(asked: tuple[Path, Path]) -> None:
    found = call(asked, QUESTIONS, "--json").records[0]

    assert found["questions"] == 2
    assert list(found["figures"]) == ["fused", "dense", "bm25"]
    assert found["figures"]["bm25"]["R@avg"] == 1.0
    assert found["figures"]["bm25"]["Recall@10"] == 1.0
    assert {value: part["questions"] for value, part in found["by"]["lang"].items()} == {"de": 1, "en": 1}


def test_for_people_the_figures_are_tables(asked: tuple[Path, Path]) -> None:
    shown = call(asked, QUESTIONS, "--k", "3").stdout.decode().split("\n")

    assert shown[0] == "2 questions"
    assert shown[1].split() == ["nDCG@3", "Recall@3", "MRR@3", "R@250", "R@500", "R@1000", "R@2000", "R@avg"]
    assert [line.split()[0] for line in shown[2:5]] == ["fused", "dense", "bm25"]
    assert "lang de: 1 question" in shown


def test_an_answer_that_is_not_there_stops_before_anything_is_asked(asked: tuple[Path, Path]) -> None:
    wrong = {"questions": [a_question(answers=[{"path": "Wetter.md", "excerpt": "Es schneit."}])]}

    ran = call(asked, wrong)

    assert (ran.exit_code, ran.stdout) == (2, b"")
    assert "question `1`: the excerpt is 0 times in `Wetter.md`: 'Es schneit.'" in ran.stderr


def test_a_missing_file_of_questions_is_one_line(asked: tuple[Path, Path]) -> None:
    ran = run("eval", asked[1].parent / "none.json", "--store", asked[1])

    assert ran.exit_code == 2
    assert "none.json: cannot be read: No such file or directory" in ran.stderr
