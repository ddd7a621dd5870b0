"""Small random models, saved as sentence-transformers and transformers save theirs."""

from __future__ import annotations

import json
from pathlib import Path

_SIGNS = [chr(code) for code in range(33, 127)]
_WORDS = ["the", "and", "note", "words", "hello", "##er", "##ing"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *_SIGNS, *(f"##{sign}" for sign in _SIGNS), *_WORDS]


def build_bare_model(folder: Path, *, dim: int = 48, window: int = 64, seed: int = 0) -> Path:
    """A two-layer BERT with random weights and a WordPiece tokenizer of single signs and a few words, without modules."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=dim,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=2 * dim,
        max_position_embeddings=window,
    )
    BertModel(config).save_pretrained(folder)
    vocabulary = {word: number for number, word in enumerate(VOCABULARY)}
    BertTokenizerFast(vocab=vocabulary, model_max_length=window).save_pretrained(folder)
    return folder


def build_tiny_model(
    folder: Path,
    *,
    dim: int = 48,
    window: int = 64,
    pooling: str | tuple[str, ...] = "mean",
    normalize: bool = False,
    prompts: dict[str, str] | None = None,
    include_prompt: bool = True,
    seed: int = 0,
) -> Path:
    """The same with pooling, as sentence-transformers saves it. A tuple of poolings makes the vectors longer."""
    from sentence_transformers import SentenceTransformer

    bare = build_bare_model(folder / "bare", dim=dim, window=window, seed=seed)
    saved = folder / "model"
    SentenceTransformer(str(bare), device="cpu", local_files_only=True, prompts=prompts).save(str(saved))
    pooling_config = {"embedding_dimension": dim, "pooling_mode": pooling, "include_prompt": include_prompt}
    (saved / "1_Pooling" / "config.json").write_text(json.dumps(pooling_config), encoding="utf-8")
    if normalize:
        modules = json.loads((saved / "modules.json").read_text(encoding="utf-8"))
        kind = "sentence_transformers.models.Normalize"
        modules.append({"idx": 2, "name": "2", "path": "2_Normalize", "type": kind})
        (saved / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    return saved
