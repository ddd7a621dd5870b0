"""A model without `tokenizer.json` -> one made by transformers from what it has (edge: transformers)."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from mindnet_chunker.errors import ModelError

_SOURCES = ("*.txt", "*.model", "*.json", "*.bpe", "*.tiktoken")


def converted_tokenizer(base: Path, cache: Path) -> Path:
    """A `tokenizer.json` that counts as the model's own tokenizer does, kept in `cache`. Raises ModelError."""
    target = cache / "tokenizers" / f"{_digest(base)}.json"
    if target.is_file():
        return target
    try:
        from transformers import AutoTokenizer

        tokenizer = AutoTokenizer.from_pretrained(str(base), local_files_only=True).backend_tokenizer
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f"{target.name}.{os.getpid()}")
        tokenizer.save(str(temporary))
        temporary.replace(target)
    except Exception as error:  # any failure of the library means that there is no tokenizer that can count
        raise ModelError(
            f"its tokenizer cannot be read: {str(error).strip().split(chr(10))[0]}",
            where=str(base),
            hint="a model needs a `tokenizer.json`, or files that transformers can make one of",
        ) from error
    return target


def _digest(base: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _SOURCES for path in base.glob(pattern)}):
        digest.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()
