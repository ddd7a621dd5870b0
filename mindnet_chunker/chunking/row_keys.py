"""What each key of a row of types.yaml may hold, and what to say where it holds something else.

Every reader takes (key, value as written) and returns the value of the `NoteType` field of that name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from mindnet_chunker.errors import TypeTableError

STRATEGIES = ("structure", "h3_aware", "h2_paragraph_split", "paragraph", "sliding_window")
BLOCK_KINDS = ("list", "table", "code", "quote", "callout", "math", "html")
CHUNK_KINDS = ("text", *BLOCK_KINDS, "canvas", "links")
_CODES = (  # ISO 639-1: those that language detection has profiles for
    "af ar bg bn ca cs cy da de el en es et fa fi fr gu he hi hr hu id it ja kn ko lt lv mk ml mr "
    "ne nl no pa pl pt ro ru sk sl so sq sv sw ta te th tl tr uk ur vi zh"
)
LANGUAGES = tuple(_CODES.split())
SMALLEST_MAX = 16  # tokens: below it not even a heading path and a few words fit

Reader = Callable[[str, Any], Any]


def shown(value: Any) -> str:
    """A value as a message names it."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    text = f"[{', '.join(map(str, value))}]" if isinstance(value, (list, tuple)) else str(value)
    if isinstance(value, Mapping):
        text = "{" + ", ".join(map(str, value)) + "}"
    text = " ".join(text[:200].split())
    return f"`{text if len(text) <= 60 else text[:59] + '…'}`"


def suggest(word: str, allowed: Collection[str]) -> str:
    """A hint for a word that is not allowed: the nearest one, and all of them."""
    near = get_close_matches(word[:40].lower(), allowed, n=1)
    every = "one of: " + ", ".join(allowed)
    return f"did you mean `{near[0]}`? {every}" if near else every


def read_settings(value: Any) -> dict[str, Any]:
    """The reserved row `settings`: `weights` and `languages`, each only where given."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise TypeTableError(f"`settings` is {shown(value)}", hint="write `weights:` and `languages:` below it")
    found: dict[str, Any] = {}
    for key, given in value.items():
        if key not in ("weights", "languages"):
            raise TypeTableError(
                f"unknown key {shown(key)}", line=given.line, hint=suggest(key, ("weights", "languages"))
            )
        if key == "weights":
            found[key] = _weights(given.value, given.line)
        else:
            found[key] = _languages(given.value, given.line)
    return found


def _weights(value: Any, line: int) -> dict[str, float]:
    if not isinstance(value, dict):
        raise TypeTableError(f"`weights` is {shown(value)}", line=line, hint="write `text: 1` and so on below it")
    weights = {}
    for kind, given in value.items():
        if kind not in CHUNK_KINDS:
            raise TypeTableError(f"unknown kind {shown(kind)}", line=given.line, hint=suggest(kind, CHUNK_KINDS))
        if not _is_number(given.value) or given.value < 0:
            what = f"the weight of `{kind}` is {shown(given.value)}"
            raise TypeTableError(what, line=given.line, hint="a number from 0 (never a hit) upwards")
        weights[kind] = float(given.value)
    return weights


def _languages(value: Any, line: int) -> tuple[str, ...]:
    try:
        codes: tuple[str, ...] = _names(LANGUAGES)("languages", value)
    except TypeTableError as error:
        raise TypeTableError(error.what, line=line, hint=error.hint) from None
    if not codes:
        raise TypeTableError("`languages` is empty", line=line, hint="name at least one: [de, en]")
    return codes


def _fault(key: str, value: Any, hint: str) -> TypeTableError:
    return TypeTableError(f"`{key}` is {shown(value)}", hint=hint)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _count(least: int) -> Reader:
    def read(key: str, value: Any) -> int:
        if not _is_whole(value) or value < least:
            raise _fault(key, value, f"a whole number from {least} upwards")
        return int(value)

    return read


def _pair(least: int) -> Reader:
    def read(key: str, value: Any) -> tuple[int, int]:
        hint = f"a whole number from {least} upwards, or two: [low, high]"
        both = value if isinstance(value, (list, tuple)) else [value, value]
        if len(both) != 2 or not all(_is_whole(item) and item >= least for item in both):
            raise _fault(key, value, hint)
        if both[0] > both[1]:
            raise _fault(key, value, "the lower number comes first: [low, high]")
        return (int(both[0]), int(both[1]))

    return read


def _flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _fault(key, value, "one of: true, false")
    return value


def _choice(*allowed: str) -> Reader:
    def read(key: str, value: Any) -> str:
        if value not in allowed:
            raise _fault(key, value, suggest(str(value), allowed))
        return str(value)

    return read


def _names(allowed: Collection[str]) -> Reader:
    def read(key: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise _fault(key, value, f"a list: [{', '.join(list(allowed)[:2])}]")
        for item in value:
            if item not in allowed:
                raise TypeTableError(f"`{key}` names {shown(item)}", hint=suggest(str(item), allowed))
        return _unique(value)

    return read


def _titles(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise _fault(key, value, "a list of headings: [Related, Siehe auch]")
    if (wrong := next((item for item in value if isinstance(item, (list, dict)) or item in (None, "")), 0)) != 0:
        raise TypeTableError(f"`{key}` names {shown(wrong)}", hint="headings as text: [Related, Siehe auch]")
    return _unique(str(item).strip() for item in value)


def _levels(key: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)) or not all(_is_whole(item) and 1 <= item <= 6 for item in value):
        raise _fault(key, value, "a list of heading levels from 1 to 6: [2, 3]")
    return tuple(sorted(set(value)))


def _unique(items: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))


READERS: Mapping[str, Reader] = {
    "target": _pair(0),
    "max": _count(SMALLEST_MAX),
    "overlap": _pair(0),
    "min": _count(0),
    "strategy": _choice(*STRATEGIES),
    "split_levels": _levels,
    "merge_sections": _choice("never", "small", "target"),
    "bundle_dates": _flag,
    "keep_lists": _flag,
    "isolate": _names(BLOCK_KINDS),
    "isolate_intro": _flag,
    "isolate_sections": _titles,
    "link_sections": _titles,
    "skip_sections": _titles,
    "skip_before_heading": _flag,
    "oversize": _choice("keep", "split"),
    "context": _choice("path", "title", "none"),
    "context_depth": _count(0),
    "context_aliases": _flag,
    "list_items": _pair(1),
    "overlap_sentences": _count(0),
    "fail_on_broken_fence": _flag,
    "fail_on_content_loss": _flag,
}
