"""Texts -> vectors by a sentence-transformers model: one queue, sorted by length (edge: torch, sentence_transformers).

On a CPU each core takes batches of its own: threads that share one batch wait for each other after every operation. So
a vector does not depend on the number of threads either.
"""

from __future__ import annotations

import copy
import logging
import os
import platform
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from mindnet_chunker.embedding.batches import batches
from mindnet_chunker.embedding.choose import ModelChoice, check_weights
from mindnet_chunker.embedding.embedder import EmbedCounts, EmbeddingText
from mindnet_chunker.embedding.pieces import pieces_of
from mindnet_chunker.embedding.windows import fuse_windows
from mindnet_chunker.errors import ModelError

if TYPE_CHECKING:
    from mindnet_chunker.embedding.embedder import Vectors

PRECISIONS = ("auto", "fp32", "bf16")

# Read by the libraries when they are imported. torch and oneDNN keep what they compile for each length of text; of the
# thousand of each that they keep by themselves, memory grows by hundreds of megabytes in a run, and speed not at all.
ENVIRONMENT = {
    "LRU_CACHE_CAPACITY": "16",
    "ONEDNN_PRIMITIVE_CACHE_CAPACITY": "32",
    "TOKENIZERS_PARALLELISM": "false",  # else it warns when the process is forked later
}
_LIBRARIES = ("torch", "transformers", "sentence_transformers", "huggingface_hub", "sklearn")


@dataclass(frozen=True, slots=True)
class _Loaded:
    model: Any  # SentenceTransformer
    tokenizer: Any  # a copy of its own: the model's changes its truncation with every call
    workers: Executor  # each takes a batch at a time
    max_tokens: int  # of a batch
    max_texts: int


class SentenceEmbedder:
    """An `Embedder`; the model is loaded when the first vector is asked for, or by `start_loading`.

    `device`: None takes a GPU where there is one. `precision`: "auto" takes bf16 where the hardware computes in it.
    Raises ModelError where the model cannot be loaded or run.
    """

    def __init__(
        self,
        choice: ModelChoice,
        device: str | None = None,
        precision: str = "auto",
        threads: int | None = None,
    ) -> None:
        if precision not in PRECISIONS:
            raise ModelError(f"unknown precision `{precision}`", hint=f"one of {', '.join(PRECISIONS)}")
        self.choice = choice
        self.counts = EmbedCounts()
        self._device, self._precision, self._threads = device, precision, threads
        self._loading: Future[_Loaded] | None = None

    @property
    def name(self) -> str:
        return self.choice.name

    @property
    def dim(self) -> int:
        return self.choice.dim

    @property
    def window(self) -> int:
        return self.choice.window

    @property
    def identity(self) -> str:
        return self.choice.identity

    def start_loading(self) -> None:
        """Import and load in the background; an error is raised by the first call that needs the model."""
        if self._loading is None:
            self._loading = Future()
            Thread(target=self._load, args=(self._loading,), name="load-model").start()

    def embed(self, texts: Sequence[EmbeddingText], progress: Callable[[int], None] | None = None) -> Vectors:
        """See `Embedder.embed`."""
        return self._embed(texts, self.choice.passage_prefix, progress)

    def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`."""
        readable = text.encode("utf-8", "replace").decode()  # a command line may hold bytes that are no text
        vector: Vectors = self._embed([EmbeddingText(readable)], self.choice.query_prefix)[0]
        return vector

    def _embed(
        self, texts: Sequence[EmbeddingText], prefix: str, progress: Callable[[int], None] | None = None
    ) -> Vectors:
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        loaded = self._ready()
        pieces = list(pieces_of(texts, loaded.tokenizer, self.window, prefix))
        lengths = [piece.length for piece in pieces]
        rows: Vectors = np.zeros((len(pieces), self.dim), np.float32)
        planned = list(batches(lengths, max_tokens=loaded.max_tokens, max_texts=loaded.max_texts))
        texts_of = ([pieces[index].text for index in batch] for batch in planned)
        encode = partial(self._encode, loaded.model, prefix)
        for batch, vectors in zip(planned, loaded.workers.map(encode, texts_of), strict=True):
            rows[batch] = vectors
            if progress is not None:
                progress(sum(lengths[index] for index in batch))
        owners = [piece.owner for piece in pieces]
        windows = sum(count for count in np.bincount(owners).tolist() if count > 1)
        texts_before, tokens, windows_before = self.counts
        self.counts = EmbedCounts(texts_before + len(texts), tokens + sum(lengths), windows_before + windows)
        return fuse_windows(rows, owners, [piece.weight for piece in pieces], len(texts))

    def _encode(self, model: Any, prefix: str, texts: list[str]) -> Vectors:
        try:
            # The prefix goes by `prompt`: some models leave it out of the mean.
            found: Vectors = model.encode(texts, prompt=prefix, batch_size=len(texts), show_progress_bar=False)
        except (RuntimeError, MemoryError) as error:  # torch has no other errors
            raise ModelError(
                f"model `{self.name}` failed: {_first_line(error)}", hint="try `--device cpu` or `--precision fp32`"
            ) from error
        return found

    def _ready(self) -> _Loaded:
        if self._loading is None:
            self._loading = Future()
            self._load(self._loading)
        return self._loading.result()

    def _load(self, loading: Future[_Loaded]) -> None:
        try:
            loading.set_result(_load_model(self.choice, self._device, self._precision, self._threads))
        except BaseException as error:  # raised where the model is waited for
            loading.set_exception(error)


def _load_model(choice: ModelChoice, device: str | None, precision: str, threads: int | None) -> _Loaded:
    try:
        check_weights(choice)
        torch, model = _import_and_read(choice, device)
        kind = torch.device(model.device).type
        model.to(torch.bfloat16 if _takes_bf16(torch, kind, precision) else torch.float32)
        model.eval()
        with suppress(AttributeError):  # a table of token vectors reads any length
            model.max_seq_length = choice.window
        tokenizer = _own_tokenizer(model)
        dim = model.encode(["a"], prompt="", show_progress_bar=False).shape[-1]
    except ModelError:
        raise
    except Exception as error:  # whatever a library raises here, the model cannot be used
        remote = "trust_remote_code" in str(error)
        raise ModelError(
            f"model `{choice.name}` cannot be loaded: {_first_line(error)}",
            where=str(choice.folder),
            hint="it needs code of its own, which is not run here: choose another model"
            if remote
            else "check `--device`, or copy the model's folder again",
        ) from error
    if dim != choice.dim:
        raise ModelError(f"its vectors have {dim} numbers, its files say {choice.dim}", where=str(choice.folder))
    if kind == "cpu":
        count = threads or torch.get_num_threads()
        workers = ThreadPoolExecutor(count, "embed", initializer=torch.set_num_threads, initargs=(1,))
        return _Loaded(model, tokenizer, workers, max_tokens=1_024, max_texts=32)  # larger batches gain nothing there
    return _Loaded(model, tokenizer, ThreadPoolExecutor(1, "embed"), max_tokens=32_768, max_texts=512)


def _import_and_read(choice: ModelChoice, device: str | None) -> tuple[Any, Any]:
    """torch and the model, without a word on stdout or stderr and without a request to any network."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    warnings.filterwarnings("ignore", module=rf"({'|'.join(_LIBRARIES)})\b")
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.ERROR)
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    return torch, SentenceTransformer(str(choice.folder), device=device, local_files_only=True)


def _own_tokenizer(model: Any) -> Any:
    """A copy of the model's `tokenizers.Tokenizer` that cuts nothing off; for both, `[MASK]` in a text is text."""
    tokenizer = model.tokenizer
    backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
    if backend is not tokenizer:
        tokenizer.split_special_tokens = True
    backend.encode_special_tokens = True
    own = copy.deepcopy(backend)
    own.no_truncation()
    own.no_padding()
    return own


def _takes_bf16(torch: Any, device: str, precision: str) -> bool:
    if precision != "auto":
        return precision == "bf16"
    if device == "cuda":
        return bool(torch.cuda.get_device_capability()[0] >= 8)  # older ones only emulate it
    if device != "cpu" or not torch.backends.mkldnn.is_available():
        return False
    if not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        return False
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return True
    # Of these processors, the ones without bf16 instructions are "supported" by an emulation slower than fp32.
    native = (getattr(torch.cpu, name, None) for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported"))
    return any(supported is not None and supported() for supported in native)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).split("\n")[0]
