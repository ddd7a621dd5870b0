"""Properties of a note -> texts, names, tags and aliases, with a warning for every form the app does not support."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mindnet_chunker.records import Frontmatter, Json, Problem, nfc

# Tabs, line ends and other signs that would break a line of output or hide in it.
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")
LINK = re.compile(
    r"!?\[\[(?P<path>[^\[\]|#\n]*+)(?:#(?P<subpath>[^\[\]|\n]*+))?(?:\|(?P<alias>[^\[\]\n]*+))?\]\]"
    r"|\[(?P<text>[^\[\]\n]++)\]\([^()\s]*+\)"
)
TAG_BREAK = re.compile(r"[\x00-\x1f\x7f-\x9f\s\u2000-\u206F\u2E00-\u2E7F'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\]")
BETWEEN_TAGS = re.compile(r"[\s,]+")
PLAIN_ENTRY = re.compile(r"[^\W\d_][\w /-]*")  # needs no quotes in a list
SHOWN_LIST = 80  # characters of a hint


def one_line(text: str) -> str:
    """NFC, outer blanks gone, every run of control signs (tabs and line ends too) a blank."""
    return nfc(CONTROL.sub(" ", text)).strip()


def is_tag(text: str) -> bool:
    """Whether the app takes `#text` as one tag."""
    return bool(text) and TAG_BREAK.search(text) is None and not (text.isascii() and text.isdigit())


def tag_keys(tags: Iterable[str]) -> tuple[str, ...]:
    """What tags are filtered by: lower case, every ancestor before what it holds (`area`, `area/mindnet`)."""
    keys: dict[str, None] = {}
    for tag in tags:
        parts = [part for part in nfc(tag.lower()).split("/") if part]
        for count in range(1, len(parts) + 1):
            keys["/".join(parts[:count])] = None
    return tuple(keys)


def is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def union(*groups: Iterable[str]) -> tuple[str, ...]:
    """All texts in order; of those that differ in case only, the first."""
    first: dict[str, str] = {}
    for group in groups:
        for text in group:
            first.setdefault(text.lower(), text)
    return tuple(first.values())


@dataclass(slots=True)
class Properties:
    """The properties of one note, looked up without regard to case; `problems` grows as they are read."""

    path: str
    frontmatter: Frontmatter
    problems: list[Problem] = field(default_factory=list)
    _keys: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self._keys = {}
        for key in self.frontmatter.fields:
            self._keys.setdefault(key.strip().lower(), []).append(key)

    def key(self, name: str) -> str | None:
        """The key of that name as it is written, the first of several."""
        return next(iter(self._keys.get(name, ())), None)

    def line(self, name: str) -> int | None:
        return self.frontmatter.lines.get(self.key(name) or "")

    def value(self, name: str) -> Json:
        key = self.key(name)
        return None if key is None else self.frontmatter.fields[key]

    def text(self, name: str) -> str | None:
        """A text as one line, a number or boolean as it is written; of a list the first. None where there is none."""
        value = self.value(name)
        if isinstance(value, list):
            value = next((entry for entry in value if isinstance(entry, str)), None)
        if isinstance(value, str):
            return one_line(value) or None
        return None if value is None else self.frontmatter.written.get(self.key(name) or "")

    def name(self, name: str) -> str | None:
        """A text; where it links to notes, the name of the first."""
        text = self.text(name)
        return None if text is None else next(names_in(text), None)

    def names(self, name: str) -> tuple[str, ...]:
        """The texts of a list or of a single value, each link as the name of its note."""
        value = self.value(name)
        values = value if isinstance(value, list) else [value]
        texts = (one_line(entry) for entry in values if isinstance(entry, str))
        return union(found for text in texts if text for found in names_in(text))

    def aliases(self) -> tuple[str, ...]:
        found: list[str] = []
        for key in self._lists("alias", "aliases"):
            value = self.frontmatter.fields[key]
            found += [
                one_line(entry) for entry in (value if isinstance(value, list) else [value]) if isinstance(entry, str)
            ]
        return tuple(alias for alias in found if alias)

    def tags(self) -> tuple[str, ...]:
        """Property tags without `#`, spelled as first written."""
        found: list[str] = []
        for key in self._lists("tag", "tags"):
            value = self.frontmatter.fields[key]
            entries = BETWEEN_TAGS.split(value) if isinstance(value, str) else value if isinstance(value, list) else []
            dropped = []
            for entry in entries:
                tag = nfc(entry.strip().removeprefix("#").rstrip("/")) if isinstance(entry, str) else ""
                if is_tag(tag):
                    found.append(tag)
                elif entry is not None and entry != "":
                    dropped.append(one_line(str(entry))[:40])
            if dropped:
                self.warn("tag-dropped", key, f"no tags: {', '.join(f'`{text}`' for text in dropped[:5])}")
        return union(found)

    def check_classes(self) -> None:
        """Warn of forms of `cssclasses` that the app does not support; nothing else is done with them."""
        for _ in self._lists("cssclass", "cssclasses"):
            pass

    def _lists(self, singular: str, plural: str) -> Iterator[str]:
        """The keys of a property that should be a list."""
        for key in self.frontmatter.fields:
            name = key.strip().lower()
            if name == singular:
                self.warn("property-singular", key, f"`{key}` is read as `{plural}`", hint=f"rename it to `{plural}`")
            elif name == plural and not isinstance(self.frontmatter.fields[key], list | None):
                self.warn("property-no-list", key, f"`{key}` is no list", hint=self._as_list(key, plural))
            if name in (singular, plural):
                yield key

    def _as_list(self, key: str, plural: str) -> str:
        """How what is no list is written as one."""
        value = self.frontmatter.fields[key]
        if not isinstance(value, str) or not value.strip():
            return "write it as a list"
        parts = BETWEEN_TAGS.split(value.strip()) if plural == "tags" else [one_line(value)]
        shown = ", ".join(_in_list(part.removeprefix("#") if plural == "tags" else part) for part in parts if part)
        return f"write it as a list: `{key}: [{shown}]`" if len(shown) <= SHOWN_LIST else "write it as a list"

    def warn(self, code: str, key: str, message: str, hint: str = "") -> None:
        line = self.frontmatter.lines.get(key)
        self.problems.append(Problem(code=code, message=message, path=self.path, line=line, hint=hint))


def _in_list(text: str) -> str:
    """As an entry of a YAML list in brackets."""
    return text if PLAIN_ENTRY.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def names_in(text: str) -> Iterator[str]:
    """The names of the notes that a text links to; the text itself where it links to none."""
    links = [one_line(_name(link)) for link in LINK.finditer(text)]
    yield from (name for name in links or [text] if name)


def plain(text: str) -> str:
    """The text as it is shown: links replaced by their display text."""
    return one_line(LINK.sub(_display, text))


def _name(link: re.Match[str]) -> str:
    if link["text"] is not None:
        return link["text"]
    name = link["path"].strip().rpartition("/")[2]
    return name[:-3] if name.lower().endswith(".md") else name


def _display(link: re.Match[str]) -> str:
    if link["text"] is not None:
        return link["text"]
    return link["alias"] or _name(link) or link["subpath"] or ""
