"""What the title of a section says: whether it is one of those in a row, a date, or a time of day."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_MARKS = re.compile(r"[*_`~=\[\]]+")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")

_MONTH = (
    "jan(?:uary|uar)?|jänner|feb(?:ruary|ruar)?|mar(?:ch)?|märz|mrz|apr(?:il)?|may|mai|june?|juni|july?|juli|"
    "aug(?:ust)?|sept?(?:ember)?|okt(?:ober)?|oct(?:ober)?|nov(?:ember)?|de[cz](?:ember)?"
)
_WEEKDAY = (
    "mon(?:day|tag)?|tue(?:s(?:day)?)?|dienstag|wed(?:nesday)?|mittwoch|thu(?:rs(?:day)?)?|donnerstag|"
    "fri(?:day)?|freitag|sat(?:urday)?|samstag|sonnabend|sun(?:day)?|sonntag|mo|di|mi|do|fr|sa|so"
)
_DAY = (
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./]\s?\d{1,2}(?:[./]\s?(?:\d{2,4})?)?|\d{8}"
    rf"|\d{{1,2}}(?:\.|st|nd|rd|th)?\s(?:of\s)?(?:{_MONTH})\.?(?:,?\s\d{{4}})?"
    rf"|(?:{_MONTH})\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?"
    r"|\d{4}年\d{1,2}月\d{1,2}日|\d{1,2}月\d{1,2}日"
)
_DATE = re.compile(
    rf"(?:(?:{_WEEKDAY})\.?,?(?:\s|$))?(?:(?:the|den|der)\s)?(?:{_DAY})?(?:,?\s?\(?(?:{_WEEKDAY})\.?\)?)?"
)
_HOUR = r"\d{1,2}(?:[:.h]\d{2}){1,2}(?:\s?(?:uhr|h|[ap]\.?m\.?))?|\d{1,2}\s?(?:uhr|h|[ap]\.?m\.?)"
_TIME = re.compile(rf"(?:um\s|at\s|~\s?|ca\.\s)?(?:{_HOUR})(?:\s?(?:-|–|—|bis|to)\s?(?:{_HOUR}))?(?![\w.:])")


def plain_title(title: str) -> str:
    """The form in which titles are compared: NFC, no letter case, no marks, no signs at either end."""
    words = _MARKS.sub("", unicodedata.normalize("NFC", title)).split()
    return _EDGES.sub("", " ".join(words)).casefold()


def plain_titles(titles: Iterable[str]) -> frozenset[str]:
    return frozenset(plain for title in titles if (plain := plain_title(title)))


def is_date(title: str) -> bool:
    """Whether the whole title is a day: `2024-05-01`, `Mittwoch, 1. Mai 2024`, `Monday`."""
    plain = plain_title(title)
    return bool(plain) and _DATE.fullmatch(plain) is not None


def is_time(title: str) -> bool:
    """Whether the title begins with a time of day: `09:30`, `9 Uhr`, `14:00 Treffen`."""
    return _TIME.match(plain_title(title)) is not None
