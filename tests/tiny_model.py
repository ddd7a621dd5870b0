"""Small random models, saved as sentence-transformers and transformers save theirs."""

from __future__ import annotations

import json
from pathlib import Path

_SIGNS = [chr(code) for code in range(33, 127)]
_WORDS = ["the", "and", "note", "words", "hello", "##er", "##ing"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *_SIGNS, *(f"##{sign}" for sign in _SIGNS), *_WORDS]

_POOLING_KEYS = {  # as all versions of the library read them
    "cls": "pooling_mode_cls_token",
    "mean": "pooling_mode_mean_tokens",
    "max": "pooling_mode_max_tokens",
    "weightedmean": "pooling_mode_weightedmean_tokens",
    "lasttoken": "pooling_mode_lasttoken",
}


def build_bare_model(folder: Path, *, dim: int = 48, window: int = 64, seed: int = 0) -> Path:
    """A two-layer BERT with random weights and a WordPiece tokenizer of single signs and a few words, without modules."""
    import torch
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel
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
    BertWordPieceTokenizer(vocabulary).save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": window}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
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
    poolings = (pooling,) if isinstance(pooling, str) else pooling
    settings = {_POOLING_KEYS[mode]: mode in poolings for mode in _POOLING_KEYS}
    settings |= {"word_embedding_dimension": dim, "include_prompt": include_prompt}
    (saved / "1_Pooling" / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    if normalize:
        modules = json.loads((saved / "modules.json").read_text(encoding="utf-8"))
        kind = "sentence_transformers.models.Normalize"
        modules.append({"idx": 2, "name": "2", "path": "2_Normalize", "type": kind})
        (saved / "modules.json").write_text(json.dumps(modules), encoding="utf-8")
    return saved
