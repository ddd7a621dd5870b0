"""What is known of models by their names: the prefixes they want, and the language they are made for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Prefixes(NamedTuple):
    """What a model wants before a question and before a passage."""

    query: str = ""
    passage: str = ""


class Family(NamedTuple):
    pattern: re.Pattern[str]  # searched in the lower-case name
    prefixes: Prefixes
    languages: str | None  # "en", another code, "multilingual"; None: the name does not say


def _family(pattern: str, languages: str | None, query: str = "", passage: str = "") -> Family:
    return Family(re.compile(pattern), Prefixes(query, passage), languages)


_SEARCH = "Represent this sentence for searching relevant passages: "
_WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"

# The first that fits counts. From the models' cards.
_FAMILIES = (
    _family(r"\be5-.*-instruct", "multilingual", _WEB_SEARCH + " "),
    _family(r"\bmultilingual-e5-", "multilingual", "query: ", "passage: "),
    _family(r"\be5-(small|base|large)", "en", "query: ", "passage: "),
    _family(r"\bbge-m3", "multilingual"),
    _family(r"\bbge-.*-en", "en", _SEARCH),
    _family(r"\bbge-.*-zh", "zh", "为这个句子生成表示以用于检索相关文章："),
    _family(r"\bgte-qwen", "multilingual", _WEB_SEARCH + " "),
    _family(r"\bgte-multilingual", "multilingual"),
    _family(r"\bgte-.*-zh", "zh"),
    _family(r"\bgte-(tiny|small|base|large|modernbert|micro)", "en"),
    _family(r"\bnomic-embed-text-v2", "multilingual", "search_query: ", "search_document: "),
    _family(r"\bnomic-embed-text|\bmodernbert-embed", "en", "search_query: ", "search_document: "),
    _family(r"\barctic-embed-.*-v2", "multilingual", "query: "),
    _family(r"\barctic-embed-", "en", _SEARCH),
    _family(r"\bmxbai-embed-large|\buae-large", "en", _SEARCH),
    _family(r"\bmxbai-embed-", "en"),
    _family(
        r"\bjina-embeddings-v3",
        "multilingual",
        "Represent the query for retrieving evidence documents: ",
        "Represent the document for retrieval: ",
    ),
    _family(r"\bjina-embeddings-v2-.*-(code|en)$", "en"),
    _family(r"\bqwen3-embedding", "multilingual", _WEB_SEARCH),
    _family(r"\bembeddinggemma", "multilingual", "task: search result | query: ", "title: none | text: "),
    _family(
        r"\binstructor-(base|large|xl)",
        "en",
        "Represent the question for retrieving supporting documents: ",
        "Represent the document for retrieval: ",
    ),
    _family(r"multilingual|\blabse", "multilingual"),
    _family(r"\b(all|multi-qa|msmarco|paraphrase)-(minilm|mpnet|distilbert|distilroberta|albert|bert)", "en"),
    _family(r"\bgtr-t5|\bsentence-t5|\bstatic-retrieval-mrl-en|\bpotion-(base|retrieval)|\bgranite-.*-english", "en"),
)

# Names of prompts in config_sentence_transformers.json that stand for a passage, as sentence-transformers looks them up.
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


def family_of(name: str) -> Family | None:
    """The first family that a hub name or a folder's name belongs to."""
    return next((family for family in _FAMILIES if family.pattern.search(name.lower())), None)


def own_prefixes(prompts: Mapping[str, object], default: object) -> Prefixes | None:
    """The prefixes that a model's own config gives, None where it gives none: saving a model writes empty ones."""
    texts = {key: text for key, text in prompts.items() if isinstance(text, str)}
    usual = texts.get(default, "") if isinstance(default, str) else ""
    passage = next((texts[key] for key in _PASSAGE_PROMPTS if key in texts), usual)
    found = Prefixes(texts.get("query", usual), passage)
    return found if any(found) else None


def prefixes_for(name: str, prompts: Mapping[str, object], default: object) -> Prefixes:
    """The model's own prefixes, else those that its name is known to want."""
    family = family_of(name)
    return own_prefixes(prompts, default) or (family.prefixes if family else Prefixes())
