"""Vectors of real models: the bundled one, and small random ones of other shapes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tiny_model import build_byte_level_model, build_static_model, build_tiny_model

from mindnet_chunker import index_vault, open_store
from mindnet_chunker.embedding.choose import choose_model
from mindnet_chunker.embedding.embedder import EmbeddingText, without_direction
from mindnet_chunker.embedding.model import SentenceEmbedder
from mindnet_chunker.errors import ModelError

GOLD = Path(__file__).parent.parent / "vault_fixtures" / "gold"
TEXTS = [
    "Der Hund läuft über die Straße.",
    "A note about windows.\n\n- one\n- two",
    "",
    "東京大学 and more",
    "word " * 120,
    "x",
    "A longer text about ovens, pans and bread. " * 12,
]


def texts(*given: str) -> list[EmbeddingText]:
    return [EmbeddingText(text) for text in given]


def reference(folder: Path, given: list[str], prompt: str = "") -> NDArray[np.float32]:
    """Vectors of sentence-transformers itself, one text at a time, at unit length."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    rows = np.stack([model.encode(text, prompt=prompt, show_progress_bar=False) for text in given])
    found: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


@pytest.fixture(scope="module")
def bundled() -> SentenceEmbedder:
    return SentenceEmbedder(choose_model(), device="cpu", precision="fp32")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., SentenceEmbedder]:
    def make(**shape: object) -> SentenceEmbedder:
        folder = build_tiny_model(tmp_path_factory.mktemp("tiny"), **shape)  # type: ignore[arg-type]
        return SentenceEmbedder(choose_model(str(folder)), device="cpu", precision="fp32")

    return make


def test_vectors_are_those_of_sentence_transformers(bundled: SentenceEmbedder) -> None:
    vectors = bundled.embed(texts(*TEXTS))

    assert vectors.dtype == np.float32
    assert np.abs(vectors - reference(bundled.choice.folder, TEXTS)).max() < 1e-3


def test_vectors_depend_neither_on_order_nor_on_company(bundled: SentenceEmbedder) -> None:
    together = bundled.embed(texts(*TEXTS))
    backwards = bundled.embed(texts(*TEXTS[::-1]))[::-1]
    alone = np.concatenate([bundled.embed(texts(text)) for text in TEXTS])

    assert np.abs(together - backwards).max() < 1e-3
    assert np.abs(together - alone).max() < 1e-3


def test_bf16_gives_nearly_the_same_vectors_at_unit_length(bundled: SentenceEmbedder) -> None:
    fast = SentenceEmbedder(bundled.choice, device="cpu", precision="bf16")

    vectors = fast.embed(texts(*TEXTS))

    assert (vectors * bundled.embed(texts(*TEXTS))).sum(axis=1).min() > 0.999
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5


def test_an_end_past_the_window_changes_the_vector(bundled: SentenceEmbedder) -> None:
    start = "The first part tells about bread and ovens. " * 40

    near, far = bundled.embed(texts(start + "Bread needs salt. " * 30, start + "The tango is a dance. " * 30))

    question = bundled.embed_query("tango dance")
    assert float(far @ question) > float(near @ question) + 0.1


def test_a_long_text_is_the_weighted_mean_of_its_windows(tiny: Callable[..., SentenceEmbedder]) -> None:
    embedder = tiny(window=16)
    context = "the\n\n"
    first, last = "note words and the note hello\n\n", "words hello and note the words and note"

    whole = embedder.embed([EmbeddingText(context + first + last, len(context))])[0]

    rows = embedder.embed(texts(context + first.strip(), context + last))
    mean = rows[0] * 6 + rows[1] * 8
    assert embedder.counts.windows == 2
    assert np.abs(whole - mean / np.linalg.norm(mean)).max() < 1e-4


def test_special_tokens_in_a_text_are_text(bundled: SentenceEmbedder) -> None:
    marked, spelled = bundled.embed(texts("The [MASK] of it", "The [ mask ] of it"))

    assert float(marked @ spelled) > 0.9999


@pytest.mark.parametrize("pooling", ["mean", "cls", "max", "lasttoken", "weightedmean", ("mean", "max")])
def test_a_model_of_another_shape_is_used_as_it_is(
    tiny: Callable[..., SentenceEmbedder], pooling: str | tuple[str, ...]
) -> None:
    embedder = tiny(dim=32, pooling=pooling)
    given = ["hello the note", "a", "the words and words"]

    vectors = embedder.embed(texts(*given))

    assert vectors.shape == (3, 32 if isinstance(pooling, str) else 64)
    assert np.abs(vectors - reference(embedder.choice.folder, given)).max() < 1e-3


def test_a_model_of_bytes_reads_any_sign_in_windows(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(choose_model(str(build_byte_level_model(tmp_path))), device="cpu", precision="fp32")
    short = ["hello note", "東京 é"]

    vectors = embedder.embed([*texts(*short), EmbeddingText("Titel\n\n" + "東京 🙂 ist groß. " * 9, 7)])

    assert embedder.window == 32
    assert np.abs(vectors[:2] - reference(embedder.choice.folder, short)).max() < 1e-3
    assert embedder.counts.windows > 9
    assert np.linalg.norm(vectors[2]) == pytest.approx(1)


def test_a_table_of_token_vectors_is_a_model_too(tmp_path: Path) -> None:
    embedder = SentenceEmbedder(choose_model(str(build_static_model(tmp_path / "static"))), device="cpu")
    given = ["hello the note", "words and words"]

    vectors = embedder.embed(texts(*given, ""))

    assert (embedder.choice.pooling, embedder.dim) == ("static", 24)
    assert (vectors[:2] * reference(embedder.choice.folder, given)).sum(axis=1).min() > 0.999
    assert without_direction(vectors) == [2]


def test_prefixes_of_the_model_are_put_before_questions_and_passages(tiny: Callable[..., SentenceEmbedder]) -> None:
    embedder = tiny(prompts={"query": "ask: ", "document": "note: "})

    passage, question = embedder.embed(texts("hello"))[0], embedder.embed_query("hello")

    expected = reference(embedder.choice.folder, ["note: hello", "ask: hello"])
    assert np.abs(np.stack([passage, question]) - expected).max() < 1e-3


def test_a_prefix_that_the_model_leaves_out_of_the_mean_is_left_out(tiny: Callable[..., SentenceEmbedder]) -> None:
    embedder = tiny(prompts={"document": "note: "}, include_prompt=False)

    vectors = embedder.embed(texts("hello the words"))

    expected = reference(embedder.choice.folder, ["hello the words"], prompt="note: ")
    assert np.abs(vectors - expected).max() < 1e-3


def test_a_text_without_direction_is_told_by_its_row(tiny: Callable[..., SentenceEmbedder]) -> None:
    embedder = tiny()
    embedder.embed(texts("load"))
    model = embedder._ready().model
    encode = model.encode
    broken = {"bad": np.nan, "empty": 0.0}
    model.encode = lambda given, **options: (
        encode(given, **options) * np.array([[broken.get(text, 1.0)] for text in given])
    )

    vectors = embedder.embed(texts("good", "bad", "fine", "empty"))

    assert without_direction(vectors) == [1, 3]
    assert np.isfinite(vectors).all()


def test_counts_say_what_was_embedded(tiny: Callable[..., SentenceEmbedder]) -> None:
    embedder = tiny(window=16)
    told: list[int] = []

    embedder.embed(texts("the note", "the " * 20), progress=told.append)

    assert embedder.counts == (2, 4 + 12 + 12, 2)
    assert sum(told) == 28


def test_no_texts_need_no_model() -> None:
    embedder = SentenceEmbedder(choose_model())

    assert embedder.embed([]).shape == (0, 384)
    assert embedder._loading is None


def test_a_question_may_hold_bytes_that_are_no_text(tiny: Callable[..., SentenceEmbedder]) -> None:
    assert tiny().embed_query("caf\udce9").shape == (48,)


def test_an_error_in_the_background_is_raised_where_the_model_is_needed(tmp_path: Path) -> None:
    folder = build_tiny_model(tmp_path)
    choice = choose_model(str(folder))
    (folder / "model.safetensors").write_bytes(b"broken")
    embedder = SentenceEmbedder(choice, device="cpu")

    embedder.start_loading()

    with pytest.raises(ModelError, match="cannot be loaded"):
        embedder.embed_query("hello")


def test_a_device_that_is_not_there_is_an_error_with_a_hint() -> None:
    embedder = SentenceEmbedder(choose_model(), device="nonsense")

    with pytest.raises(ModelError) as caught:
        embedder.embed_query("hello")

    assert "--device" in caught.value.hint


def test_an_unknown_precision_is_refused() -> None:
    with pytest.raises(ModelError, match="unknown precision `fp8`"):
        SentenceEmbedder(choose_model(), precision="fp8")


def test_files_that_lie_about_the_dimension_are_refused(tmp_path: Path) -> None:
    folder = build_tiny_model(tmp_path)
    config = folder / "1_Pooling" / "config.json"
    choice = choose_model(str(folder))
    config.write_text(config.read_text("utf-8").replace('max_tokens": false', 'max_tokens": true'), encoding="utf-8")

    with pytest.raises(ModelError, match="have 96 numbers, its files say 48"):
        SentenceEmbedder(choice, device="cpu").embed_query("hello")


def test_loading_and_embedding_are_silent_and_ask_no_network() -> None:
    script = (
        "import os, socket\n"
        "def refuse(*args): raise SystemExit('network')\n"
        "socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse\n"
        "from mindnet_chunker.embedding.choose import choose_model\n"
        "from mindnet_chunker.embedding.embedder import EmbeddingText\n"
        "from mindnet_chunker.embedding.model import SentenceEmbedder\n"
        "embedder = SentenceEmbedder(choose_model(), device='cpu')\n"
        "embedder.start_loading()\n"
        "embedder.embed([EmbeddingText('word ' * 2000), EmbeddingText('[MASK]')])\n"
        "if hasattr(os, 'fork') and os.fork() == 0: os._exit(0)\n"
    )
    environment = {key: value for key, value in os.environ.items() if key != "TOKENIZERS_PARALLELISM"}

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_two_new_stores_of_one_vault_hold_equal_vectors(bundled: SentenceEmbedder, tmp_path: Path) -> None:
    stored = []
    for threads in (1, 2):
        embedder = SentenceEmbedder(bundled.choice, device="cpu", precision="fp32", threads=threads)
        assert index_vault(GOLD, store=tmp_path / str(threads), embedder=embedder).exit_code == 0
        with open_store(store=tmp_path / str(threads)) as index:
            points = index.store.scroll("chunks", index.vault, with_vectors=True)
            stored.append({point.id: point.vectors.dense for point in points if point.vectors})

    assert len(stored[0]) > 30
    assert stored[0].keys() == stored[1].keys()
    assert all(np.array_equal(vector, stored[1][chunk]) for chunk, vector in stored[0].items())
