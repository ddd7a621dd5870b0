"""Options -> rules: the model that counts, the table of types, the languages."""

from __future__ import annotations

import os
from pathlib import Path

from mindnet_chunker.chunking.language import Languages
from mindnet_chunker.chunking.sizing import TypeTable, builtin_types_text, load_types
from mindnet_chunker.chunking.tokens import TokenCounter
from mindnet_chunker.embedding.choose import ModelChoice, choose_model
from mindnet_chunker.errors import UsageError
from mindnet_chunker.pipeline import Rules
from mindnet_chunker.runs.options import VaultOptions
from mindnet_chunker.vault.daily import DailyNotes

TYPES_FILE = "types.yaml"


def chosen_model(options: VaultOptions, *, weights: bool) -> ModelChoice:
    """The model that the options name. Its tokenizer is enough where nothing will be embedded."""
    name = None if options.model is None else os.fspath(options.model)
    return choose_model(name, query_prefix=options.query_prefix, passage_prefix=options.passage_prefix, weights=weights)


def type_table(options: VaultOptions, root: Path | None) -> tuple[TypeTable, str]:
    """The table of types and where it comes from: `--types`, else the vault's own over the built-in one."""
    texts = [("types.yaml", builtin_types_text())]
    own = root / TYPES_FILE if root and (root / TYPES_FILE).is_file() else None
    own = own if options.types is None else Path(options.types)
    if own is not None:
        try:
            texts.append((str(own), own.read_text(encoding="utf-8-sig")))
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "is no UTF-8 text"
            raise UsageError(
                f"cannot be read: {reason}", where=str(own), hint="`--types` takes a YAML file such as types.yaml"
            ) from None
    return load_types(texts), str(own) if own else "built-in"


def rules_for(
    options: VaultOptions, choice: ModelChoice, *, root: Path | None, vault: str, daily: DailyNotes | None = None
) -> tuple[Rules, str]:
    """The rules of a run and where its table of types comes from."""
    types, source = type_table(options, root)
    rules = Rules(
        vault=vault,
        types=types,
        counter=TokenCounter.from_file(choice.tokenizer_json),
        languages=Languages(types.settings.languages),
        window=choice.window,
        passage_prefix=choice.passage_prefix,
        daily=daily,
    )
    return rules, source
