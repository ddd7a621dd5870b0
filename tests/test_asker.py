"""Which model answers from an index, and how it is asked."""

from __future__ import annotations

from typing import Any

import pytest
from memory_store import MemoryStore

from mindnet_chunker.embedding.choose import choose_model
from mindnet_chunker.errors import MindnetError, ModelError, UsageError
from mindnet_chunker.index.generations import StoreMeta
from mindnet_chunker.index.store import Model
from mindnet_chunker.records import Record
from mindnet_chunker.runs.asker import Asker
from mindnet_chunker.runs.embedder import ChunkEmbedder
from mindnet_chunker.runs.options import EmbedOptions
from mindnet_chunker.runs.places import OpenIndex


def an_index(model: Model, vault: Record | None = None) -> OpenIndex:
    meta = StoreMeta(generation="g", model=model, vaults={"v": vault or {}})
    return OpenIndex(vault="v", store=MemoryStore("g", model), meta=meta, place="/the/store")


def a_model(**about: Any) -> Model:
    return Model(name="mine", dim=4, identity="0", about={"languages": "en", "sparse": "de", **about})


def refused(kind: type[MindnetError], made_by: Model, **how: Any) -> MindnetError:
    with pytest.raises(kind) as caught:
        Asker(an_index(made_by), **how).query("Was?", "fused")
    return caught.value


def bundled() -> Model:
    return ChunkEmbedder(choose_model(), EmbedOptions(), "de").model


def test_the_model_that_made_the_vectors_answers_under_its_own_name() -> None:
    Asker(an_index(bundled())).check_model()
    Asker(an_index(bundled()), model="all-minilm-l6-v2").check_model()


def test_a_model_whose_folder_is_gone_is_not_looked_for_elsewhere() -> None:
    error = refused(ModelError, a_model(folder="/no/such/folder"))

    assert str(error) == "/no/such/folder: the model `mine`, which made the vectors, is not there any more"
    assert "--model DIR" in error.hint


def test_a_model_that_has_changed_since_is_refused() -> None:
    model = bundled()
    changed = Model(name=model.name, dim=model.dim, identity="other", about=model.about)

    error = refused(ModelError, changed)

    assert error.what == "the model `all-MiniLM-L6-v2` is not as it was when it made the vectors"
    assert "index the vault again" in error.hint


def test_another_model_is_refused_without_being_looked_for() -> None:
    error = refused(UsageError, a_model(), model="intfloat/e5-small")

    assert str(error) == "/the/store: the vectors were made by `mine`, not by `intfloat/e5-small`"


def test_the_folder_of_another_model_is_refused() -> None:
    folder = choose_model().folder

    error = refused(UsageError, a_model(), model=str(folder))

    assert error.what.startswith("the vectors were made by `mine`, not by `")


def test_a_question_gets_the_prefix_of_the_index_or_the_one_given() -> None:
    choice = choose_model(query_prefix="frage: ")
    index = an_index(ChunkEmbedder(choice, EmbedOptions(), "de").model)

    assert Asker(index)._embedder.choice.query_prefix == "frage: "
    assert Asker(index, query_prefix="q: ")._embedder.choice.query_prefix == "q: "


def test_the_model_is_loaded_once_for_all_questions_of_a_program() -> None:
    index = an_index(bundled())

    assert Asker(index)._embedder is Asker(index)._embedder
    assert Asker(index)._embedder is not Asker(index, query_prefix="q: ")._embedder


def test_words_are_asked_for_without_a_model() -> None:
    query = Asker(an_index(a_model(folder="/no/such/folder"))).query("Die Straße", "bm25")

    assert query.dense is None
    assert query.sparse is not None
    assert len(query.sparse.indices) == 1  # `die` is a stop word of the index's language


def test_an_index_that_does_not_say_weights_leaves_out_link_sections() -> None:
    assert Asker(an_index(a_model())).weights == {"links": 0.0}
    assert Asker(an_index(a_model(), {"weights": {"code": 0.5}})).weights == {"code": 0.5}
