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


def build_static_model(folder: Path, *, dim: int = 24) -> Path:
    """A table of random token vectors without a transformer."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import BertWordPieceTokenizer, Tokenizer

    words = BertWordPieceTokenizer({word: number for number, word in enumerate(VOCABULARY)})
    table = StaticEmbedding(Tokenizer.from_str(words.to_str()), embedding_dim=dim)
    SentenceTransformer(modules=[table], device="cpu").save(str(folder))
    return folder


def build_byte_level_model(folder: Path, *, dim: int = 32, window: int = 32) -> Path:
    """A RoBERTa whose tokens are single bytes: signs take several tokens, and words begin with their blank."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import RobertaConfig, RobertaModel

    marks = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    signs = [*marks, *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(models.BPE({sign: number for number, sign in enumerate(signs)}, [], unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer.add_special_tokens(marks)
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=len(signs),
        hidden_size=dim,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=2 * dim,
        max_position_embeddings=window + 2,
        pad_token_id=1,
    )
    RobertaModel(config).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 10**30, **names}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
