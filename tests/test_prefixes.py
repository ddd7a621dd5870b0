"""The prefixes that models want, known by name or said by the model."""

from __future__ import annotations

import pytest

from mindnet_chunker.embedding.prefixes import Prefixes, family_of, own_prefixes, prefixes_for

WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
SEARCH = "Represent this sentence for searching relevant passages: "


@pytest.mark.parametrize(
    ("name", "query", "passage", "languages"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: ", "multilingual"),
        ("intfloat/e5-base-v2", "query: ", "passage: ", "en"),
        ("intfloat/multilingual-e5-large-instruct", WEB_SEARCH + " ", "", "multilingual"),
        ("intfloat/e5-mistral-7b-instruct", WEB_SEARCH + " ", "", "multilingual"),
        ("BAAI/bge-small-en-v1.5", SEARCH, "", "en"),
        ("BAAI/bge-m3", "", "", "multilingual"),
        ("thenlper/gte-base", "", "", "en"),
        ("Alibaba-NLP/gte-multilingual-base", "", "", "multilingual"),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: ", "en"),
        ("nomic-ai/nomic-embed-text-v2-moe", "search_query: ", "search_document: ", "multilingual"),
        ("Snowflake/snowflake-arctic-embed-s", SEARCH, "", "en"),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", "", "multilingual"),
        ("Qwen/Qwen3-Embedding-0.6B", WEB_SEARCH, "", "multilingual"),
        ("google/embeddinggemma-300m", "task: search result | query: ", "title: none | text: ", "multilingual"),
        ("sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "", "", "multilingual"),
        ("sentence-transformers/LaBSE", "", "", "multilingual"),
        ("all-MiniLM-L6-v2", "", "", "en"),
    ],
)
def test_a_known_name_says_what_the_model_wants(name: str, query: str, passage: str, languages: str) -> None:
    family = family_of(name)

    assert family is not None
    assert (*family.prefixes, family.languages) == (query, passage, languages)


def test_an_unknown_name_says_nothing() -> None:
    assert family_of("my-notes-model") is None
    assert prefixes_for("my-notes-model", {}, None) == Prefixes("", "")


def test_the_model_s_own_prompts_win_over_what_its_name_says() -> None:
    own = {"query": "frage: ", "document": "text: "}

    assert prefixes_for("intfloat/e5-base-v2", own, None) == Prefixes("frage: ", "text: ")


def test_empty_prompts_as_every_saved_model_has_them_do_not_hide_a_known_name() -> None:
    assert prefixes_for("e5-base-v2", {"query": "", "document": ""}, None) == Prefixes("query: ", "passage: ")


def test_a_passage_prompt_goes_by_three_names() -> None:
    assert own_prefixes({"passage": "p: "}, None) == Prefixes("", "p: ")
    assert own_prefixes({"corpus": "c: "}, None) == Prefixes("", "c: ")


def test_a_default_prompt_stands_for_what_is_not_named() -> None:
    assert own_prefixes({"both": "b: ", "query": "q: "}, "both") == Prefixes("q: ", "b: ")


def test_prompts_that_are_no_text_are_passed_over() -> None:
    assert own_prefixes({"query": None, "document": 3}, ["x"]) is None
