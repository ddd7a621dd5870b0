"""Which language a chunk is in: its script, then a vote of function words, then langdetect."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from mindnet_chunker.chunking.function_words import WORDS
from mindnet_chunker.chunking.verbatim import verbatim_spans

UNKNOWN = "und"
_FEWEST = 8  # letters below which a note has no language
_OWN = 40  # letters from which a chunk has a language of its own
_SAMPLE = 1_000  # characters of prose that vote
_DETECTED = 400  # characters of prose that langdetect sees
_HEAD = 20_000  # characters of a note that are read first

# Letters of these scripts say more each than Latin ones do; the first language is the script's if none is configured.
_LETTERS: Mapping[str, tuple[str, int, tuple[str, ...]]] = {
    "kana": ("\u3041-\u30ff\u31f0-\u31ff\uff66-\uff9f", 2, ("ja",)),
    "han": ("\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff", 3, ("zh",)),
    "hangul": ("\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e", 2, ("ko",)),
    "thai": ("\u0e01-\u0e5b", 1, ("th",)),
    "arabic": ("\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\ufb50-\ufdff\ufe70-\ufefc", 1, ("ar", "fa", "ur")),
    "hebrew": ("\u05d0-\u05f4", 1, ("he",)),
    "cyrillic": ("\u0400-\u052f", 1, ("ru", "uk", "bg", "mk")),
    "greek": ("\u0370-\u03ff\u1f00-\u1fff", 1, ("el",)),
    "devanagari": ("\u0904-\u0963", 1, ("hi", "mr", "ne")),
}
_SCRIPTS = {name: (re.compile(f"[{letters}]"), weight, codes) for name, (letters, weight, codes) in _LETTERS.items()}
_OTHER = re.compile(f"[{''.join(letters for letters, _, _ in _LETTERS.values())}]+")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_WORD = re.compile(r"[^\W\d_]+'?")  # `l'` and `dell'` are words, too
_SYNTAX = re.compile(
    r"!\[\[[^\[\]\n]*+\]\]"  # embeds
    r"|\[\[[^\[\]\n|]*+(?:\||\]\])"  # wikilinks: an alias stays
    r"|\]\([^()\s]*+\)|%%(?:[^%]|%(?!%))*+%%|<[/!A-Za-z][^<>]*+>|(?<!\S)[#^][^\s#]++|\[![\w-]++\]|\b\w++::|&\w++;"
)
REMEMBERED = 1024  # texts


class Languages:
    """Tells the configured languages apart, the same way in every run.

    Other scripts than Latin decide alone, whether their language is configured or not.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        self._languages = tuple(dict.fromkeys(languages))
        scripted = {code for _, _, codes in _SCRIPTS.values() for code in codes}
        self._latin = tuple(code for code in self._languages if code not in scripted)
        self._votes: defaultdict[str, list[str]] = defaultdict(list)
        if all(code in WORDS for code in self._latin):  # else those without a list would always lose
            for code in self._latin:
                for word in WORDS[code]:
                    self._votes[word].append(code)
        self._factories: dict[tuple[str, ...], Any] = {}
        self._detected = lru_cache(REMEMBERED)(self._detect)  # a note and its only chunk are the same text

    def of(self, text: str, default: str | None = None) -> str:
        """ISO 639-1, or `und`. `text` is Markdown; what is too short for a verdict has the `default` of its note."""
        default = None if default == UNKNOWN else default
        prose = _sample(text)
        script, weight = _script(prose)
        if script != "latin":
            return self._of_script(script, prose) if weight >= _FEWEST else default or UNKNOWN
        if weight < (_OWN if default else _FEWEST):
            return default or UNKNOWN
        if len(self._latin) < 2:
            return self._latin[0] if self._latin else UNKNOWN
        return self._voted(prose) or self._detected(prose, self._latin) or default or UNKNOWN

    def _of_script(self, script: str, prose: str) -> str:
        codes = _SCRIPTS[script][2]
        known = tuple(code for code in self._languages if code in codes)
        if len(known) > 1:
            return self._detected(prose, known) or known[0]
        return known[0] if known else codes[0]

    def _voted(self, prose: str) -> str | None:
        """The language whose small words are clearly ahead."""
        counts: Counter[str] = Counter()
        for word, times in Counter(_WORD.findall(prose.lower().replace("’", "'"))).items():
            for code in self._votes.get(word, ()):
                counts[code] += times
        (first, most), (_, second) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
        return first if most - second >= max(2, most // 4) else None

    def _detect(self, prose: str, codes: tuple[str, ...]) -> str | None:
        from langdetect.lang_detect_exception import LangDetectException

        detector = self._factory(tuple(sorted(codes))).create()
        detector.append(prose[:_DETECTED].lower())  # it skips words in capitals
        try:
            found = str(detector.detect())
        except LangDetectException:
            return None
        return None if found == "unknown" else found[:2]

    def _factory(self, codes: tuple[str, ...]) -> Any:
        from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
        from langdetect.utils.lang_profile import LangProfile

        if codes not in self._factories:
            factory = DetectorFactory()
            factory.set_seed(0)
            for index, code in enumerate(codes):
                path = Path(PROFILES_DIRECTORY, "zh-cn" if code == "zh" else code)
                profile = LangProfile(**json.loads(path.read_text(encoding="utf-8")))
                factory.add_profile(profile, index, len(codes))
            self._factories[codes] = factory
        return self._factories[codes]


def note_language(languages: Languages, body: str) -> str:
    """The language of a whole note, which its short chunks take over."""
    return languages.of(body)


def markdown_prose(text: str) -> str:
    """The text without code, math, addresses, link targets, tags, comments and HTML."""
    pieces = []
    done = 0
    for start, end in verbatim_spans(text):
        pieces.append(text[done:start])
        done = end
    pieces.append(text[done:])
    return _SYNTAX.sub(" ", " ".join(pieces))


def _sample(text: str) -> str:
    prose = markdown_prose(text[:_HEAD]).strip()
    if len(prose) < _DETECTED and len(text) > _HEAD:
        prose = markdown_prose(text).strip()
    return prose[:_SAMPLE]


def _script(prose: str) -> tuple[str, int]:
    """The script that carries most of the text, and its letters, weighted."""
    weights = {"latin": len(_LATIN.findall(prose))}
    if not prose.isascii() and (others := "".join(_OTHER.findall(prose))):
        for name, (letters, weight, _) in _SCRIPTS.items():
            weights[name] = len(letters.findall(others)) * weight
        if weights["kana"]:  # Japanese is written in both
            weights["kana"], weights["han"] = weights["kana"] + weights["han"], 0
    name = max(weights, key=lambda script: weights[script])
    return name, weights[name]
