"""A model's folder -> what it says of itself: window, dimension, pooling, prompts, files (edge: reads files)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindnet_chunker.errors import ModelError

UNLIMITED = 8_192  # tokens; the window of a model that names none

_SENTENCE_CONFIGS = (
    "sentence_bert_config.json",
    "sentence_roberta_config.json",
    "sentence_distilbert_config.json",
    "sentence_camembert_config.json",
    "sentence_albert_config.json",
    "sentence_xlm-roberta_config.json",
    "sentence_xlnet_config.json",
)
_HIDDEN_SIZES = ("hidden_size", "d_model", "dim", "n_embd", "embedding_size")
_POSITIONS = ("max_position_embeddings", "n_positions")
# Their position table begins after the padding token's id.
_PADDED_POSITIONS = {"roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "mpnet", "longformer", "data2vec-text"}
_NEED_CONFIG = {"Transformer", "Pooling", "Dense"}
_KEEP_DIMENSION = {"Normalize", "Dropout", "LayerNorm", "WeightedLayerPooling"}
# What decides about vectors; a README and other formats of the same weights do not.
_SMALL_FILES = {".json", ".txt", ".model", ".vocab", ".tiktoken", ".bpe"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """What a folder of sentence-transformers, or of a bare transformer, says about its model."""

    base: Path  # folder of the transformer and its tokenizer
    window: int  # tokens, special tokens included
    dim: int
    pooling: str  # "mean", "cls", "mean+max", ...; "static" where every token has one vector
    prompts: Mapping[str, object]
    default_prompt: object
    small: tuple[Path, ...]
    weights: tuple[Path, ...]


def is_model(folder: Path) -> bool:
    return (folder / "modules.json").is_file() or (folder / "config.json").is_file()


def weights_in(folder: Path) -> list[Path]:
    """The files with weights that torch loads, in this folder alone: safetensors where there are any."""
    return sorted(folder.glob("*.safetensors")) or sorted(folder.glob("pytorch_model*.bin"))


def read_model(folder: Path) -> ModelFiles:
    """Raises ModelError where the folder holds no model that we can use, OSError where it cannot be read."""
    if not is_model(folder):
        raise ModelError(
            "no model: neither `modules.json` nor `config.json` is here",
            where=str(folder),
            hint="give the folder that sentence-transformers saved, or the name of a model",
        )
    modules = _modules(folder)
    _check_complete(folder, modules)
    folders = list(dict.fromkeys([folder, *(folder / path for _, path in modules)]))
    base = folder / modules[0][1]
    config = _config(base)
    dim, pooling = _shape(folder, base, modules, config)
    settings = _json(folder / "config_sentence_transformers.json")
    if isinstance(shorter := settings.get("truncate_dim"), int) and 0 < shorter < dim:
        dim = shorter
    prompts = settings.get("prompts")
    return ModelFiles(
        base=base,
        window=_window(base, config),
        dim=dim,
        pooling=pooling,
        prompts=prompts if isinstance(prompts, dict) else {},
        default_prompt=settings.get("default_prompt_name"),
        small=tuple(path for each in folders for path in _small_files(each)),
        weights=tuple(path for each in folders for path in weights_in(each)),
    )


def _json(path: Path) -> dict[str, Any]:
    """An object; empty where the file is missing."""
    found = _any_json(path)
    return found if isinstance(found, dict) else {}


def _any_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError as error:
        raise ModelError("is no valid JSON", where=str(path), hint="copy the model's folder again") from error


def _modules(folder: Path) -> list[tuple[str, str]]:
    """Kind and subfolder of every module; a bare transformer gets the mean of its tokens, as sentence-transformers does."""
    listed = _any_json(folder / "modules.json")
    modules = [
        (str(entry.get("type", "")).rsplit(".", 1)[-1], str(entry.get("path", "")))
        for entry in (listed if isinstance(listed, list) else [])
        if isinstance(entry, dict)
    ]
    return modules or [("Transformer", "")]


def _check_complete(folder: Path, modules: Sequence[tuple[str, str]]) -> None:
    """A half copied model would load with other settings, or with random numbers for what is missing."""
    wanted = [folder / path / "config.json" for kind, path in modules if kind in _NEED_CONFIG]
    for _, path in modules:
        parts = _json(folder / path / "model.safetensors.index.json").get("weight_map", {})
        wanted += [folder / path / str(part) for part in sorted(set(parts.values()))]
    for file in wanted:
        if not file.is_file():
            raise ModelError(
                f"the model is incomplete: `{file.relative_to(folder)}` is missing",
                where=str(folder),
                hint="copy the whole folder again",
            )


def _config(base: Path) -> dict[str, Any]:
    config = _json(base / "config.json")
    nested = config.get("text_config")
    return {**config, **nested} if isinstance(nested, dict) else config


def _window(base: Path, config: Mapping[str, Any]) -> int:
    """As sentence-transformers would read it, and never more positions than the model has."""
    settings = next((found for name in _SENTENCE_CONFIGS if (found := _json(base / name))), {})
    declared = settings.get("max_seq_length")
    for key in ("processor_kwargs", "tokenizer_args"):
        if declared is None and isinstance(settings.get(key), dict):
            declared = settings[key].get("model_max_length")
    if declared is None:
        declared = _json(base / "tokenizer_config.json").get("model_max_length")
    positions = _first_int(config, _POSITIONS)
    if positions and config.get("model_type") in _PADDED_POSITIONS:
        padding = config.get("pad_token_id")
        positions -= 1 + (padding if isinstance(padding, int) else 1)
    limits = [limit for limit in (declared, positions) if isinstance(limit, int | float) and 0 < limit < 10**9]
    return int(min(limits, default=UNLIMITED))


def _first_int(values: Mapping[str, Any], keys: Sequence[str]) -> int | None:
    return next((values[key] for key in keys if isinstance(values.get(key), int)), None)


def _shape(folder: Path, base: Path, modules: Sequence[tuple[str, str]], config: Mapping[str, Any]) -> tuple[int, str]:
    """The dimension of the vectors, by following the modules, and how tokens are pooled."""
    dim: int | None = None
    pooling = ""
    for kind, path in modules:
        settings = _json(folder / path / "config.json")
        if kind == "Transformer":
            dim = _first_int(config, _HIDDEN_SIZES)
        elif kind == "StaticEmbedding":
            dim, pooling = _columns(weights_in(base)), "static"
        elif kind == "Pooling":
            modes = _pooling_modes(settings)
            dim, pooling = (dim or 0) * len(modes) or None, "+".join(modes)
        elif kind == "Dense":
            dim = _first_int(settings, ("out_features",))
        elif kind not in _KEEP_DIMENSION:
            raise ModelError(f"its part `{kind}` is not supported", where=str(folder), hint="choose a text model")
    if dim is None:
        raise ModelError("the size of its vectors cannot be read from its files", where=str(folder))
    if not pooling:  # a bare transformer
        architectures = config.get("architectures") or [""]
        pooling = "lasttoken" if str(architectures[0]).endswith("ForCausalLM") else "mean"
    return dim, pooling


def _pooling_modes(settings: Mapping[str, Any]) -> list[str]:
    named = settings.get("pooling_mode")
    if isinstance(named, str):
        return [named]
    if isinstance(named, list) and named:
        return [str(mode) for mode in named]
    switched = [key for key, on in settings.items() if key.startswith("pooling_mode_") and on]
    return [key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token") for key in switched] or [
        "mean"
    ]


def _columns(weights: Sequence[Path]) -> int | None:
    """The width of a table of token vectors, from the head of its safetensors file."""
    for path in weights:
        with suppress(OSError, ValueError, KeyError, IndexError, TypeError), path.open("rb") as file:
            head = json.loads(file.read(min(int.from_bytes(file.read(8), "little"), 1_000_000)))
            table = head.get("embedding.weight") or head["embeddings"]
            return int(table["shape"][1])
    return None


def _small_files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(path for path in folder.iterdir() if path.suffix in _SMALL_FILES and path.is_file())
