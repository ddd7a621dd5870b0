"""A model's name on the Hugging Face hub -> its folder on this disk (edge: huggingface_hub, network where it must)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from mindnet_chunker.embedding.model_files import read_model
from mindnet_chunker.errors import ModelError

_SMALL = ["*.json", "*.txt", "*.model"]
_SAFE_WEIGHTS = ["*.safetensors"]
_OLD_WEIGHTS = ["pytorch_model*.bin", "*/pytorch_model*.bin"]
_TOKENIZERS = ["tokenizer.json", "vocab*", "*.model"]
_OTHER_COPIES = ["onnx/*", "openvino/*", "coreml/*", "gguf/*"]


def model_folder(name: str, *, weights: bool, say: Callable[[str], None]) -> Path:
    """The folder of the model: from the local cache without any request, downloaded only where it is not there.

    `weights`: without them only the small files are fetched. `say` is told before a download. Raises ModelError.
    """
    found = _cached(name)
    if found is not None and _complete(found, weights):
        return found
    say(f"downloading model `{name}` from the Hugging Face hub")
    folder = _download(name, _SMALL + (_SAFE_WEIGHTS if weights else []))
    if weights and not _complete(folder, weights):
        folder = _download(name, _SMALL + _OLD_WEIGHTS)
    return folder


def _cached(name: str) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    for file in ("modules.json", "config.json"):
        found = try_to_load_from_cache(name, file, cache_dir=_cache())
        if isinstance(found, str):
            return Path(found).parent
    return None


def _complete(folder: Path, weights: bool) -> bool:
    """Whether a download was finished, as far as the files tell."""
    try:
        files = read_model(folder)
    except ModelError:
        return False
    tokenizer = any(path for pattern in _TOKENIZERS for path in files.base.glob(pattern))
    return tokenizer and (bool(files.weights) or not weights)


def _cache() -> str | None:
    """Where sentence-transformers keeps its models if the user says so; None is the hub's own cache."""
    return os.environ.get("SENTENCE_TRANSFORMERS_HOME")


def _download(name: str, patterns: list[str]) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    try:
        return Path(snapshot_download(name, allow_patterns=patterns, ignore_patterns=_OTHER_COPIES, cache_dir=_cache()))
    except GatedRepoError as error:
        raise ModelError(
            f"model `{name}` is only given to those who have accepted its terms",
            hint=f"accept them at https://huggingface.co/{name}, run `hf auth login`, and try again",
        ) from error
    except RepositoryNotFoundError as error:
        raise ModelError(
            f"no model `{name}`: neither a folder here nor on the Hugging Face hub",
            hint="check the name; without `--model` the bundled English model is used",
        ) from error
    except Exception as error:  # the hub's client and what lies below it raise many kinds, all with one meaning here
        reason = (str(error).strip() or type(error).__name__).split("\n")[0]
        raise ModelError(
            f"model `{name}` is not on this disk and cannot be downloaded: {reason}",
            hint=f"go online once, or run `hf download {name} --local-dir FOLDER` elsewhere and give `--model FOLDER`",
        ) from error
