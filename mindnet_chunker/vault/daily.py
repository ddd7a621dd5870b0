"""Where daily notes lie and how they are named: the date that a path says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from mindnet_chunker.records import nfc

DEFAULT_FORMAT = "YYYY-MM-DD"
MAX_FORMAT = 200  # characters; a longer format is not read

MONTHS = (
    ("january", "januar", "jänner", "jan"), ("february", "februar", "feb"), ("march", "märz", "mar", "mär", "mrz"),
    ("april", "apr"), ("may", "mai"), ("june", "juni", "jun"), ("july", "juli", "jul"), ("august", "aug"),
    ("september", "sept", "sep"), ("october", "oktober", "oct", "okt"), ("november", "nov"),
    ("december", "dezember", "dec", "dez"),
)  # fmt: skip
MONTH_NUMBERS = {name: number for number, names in enumerate(MONTHS, 1) for name in names}

# What each sign of a moment.js format stands for. The quantifiers are possessive: no format can make them slow.
TOKENS = {
    "YYYY": r"(?P<year>[0-9]{4})", "YY": r"(?P<short_year>[0-9][0-9])", "Y": r"(?P<year>[0-9]{4})",
    **dict.fromkeys(("MMMM", "MMM"), r"(?P<month_name>[^\W\d_]++\.?+)"),
    "MM": r"(?P<month>[0-9][0-9])", "Mo": r"(?P<month>[0-9]{1,2}+)(?:st|nd|rd|th|\.)", "M": r"(?P<month>[0-9]{1,2}+)",
    "DDDD": r"(?P<year_day>[0-9]{3})", "DDD": r"(?P<year_day>[0-9]{1,3}+)",
    "DD": r"(?P<day>[0-9][0-9])", "Do": r"(?P<day>[0-9]{1,2}+)(?:st|nd|rd|th|\.)", "D": r"(?P<day>[0-9]{1,2}+)",
    **dict.fromkeys(("dddd", "ddd", "dd"), r"[^\W\d_]++\.?+"),
    **dict.fromkeys(("d", "e", "E", "Q"), r"[0-9]"),
    **dict.fromkeys(("GGGG", "gggg"), r"[0-9]{4}"),
    **dict.fromkeys(("WW", "ww", "GG", "gg", "HH", "hh", "mm", "ss", "kk"), r"[0-9][0-9]"),
    **dict.fromkeys(("W", "w", "H", "h", "m", "s", "k"), r"[0-9]{1,2}+"),
    **dict.fromkeys(("A", "a"), r"[AaPp][Mm]"),
}  # fmt: skip
SIGNS = re.compile(r"\[([^\[\]]*)\]|\\(.)|(" + "|".join(sorted(TOKENS, key=len, reverse=True)) + ")|(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DailyNotes:
    """The app's settings: `folder` is vault-relative without outer slashes, `format` a moment.js pattern."""

    folder: str = ""
    format: str = DEFAULT_FORMAT
    _pattern: re.Pattern[str] | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pattern", _compile(self.format))

    def date(self, path: str) -> str | None:
        """`YYYY-MM-DD` if the note lies in the folder and its name, with subfolders, fits the format; else None."""
        prefix = f"{nfc(self.folder)}/" if self.folder else ""
        if self._pattern is None or not path.lower().startswith(prefix.lower()):
            return None
        found = self._pattern.fullmatch(path[len(prefix) :].rpartition(".")[0])
        return _date(found.groupdict()) if found else None


def _compile(pattern: str) -> re.Pattern[str] | None:
    if not pattern or len(pattern) > MAX_FORMAT:
        return None
    parts = []
    for number, (literal, escaped, token, other) in enumerate(SIGNS.findall(nfc(pattern.strip("/")))):
        part = TOKENS[token] if token else re.escape(literal or escaped or other)
        parts.append(re.sub(r"\(\?P<(\w+)>", rf"(?P<\1_{number}>", part) if token else part)
    return re.compile("".join(parts), re.IGNORECASE)


def _date(groups: Mapping[str, str]) -> str | None:
    """The date of the parts of a name; None where a part is missing, impossible, or says two things."""
    found: dict[str, set[int]] = {}
    for group, text in groups.items():
        name = group.rpartition("_")[0]
        if name == "month_name":
            found.setdefault("month", set()).add(MONTH_NUMBERS.get(text.lower().rstrip("."), 0))
        elif name == "short_year":
            found.setdefault("year", set()).add(int(text) + (1900 if int(text) > 68 else 2000))
        else:
            found.setdefault(name, set()).add(int(text))
    if any(len(values) > 1 for values in found.values()):
        return None
    part = {name: values.pop() for name, values in found.items()}
    try:
        if "year_day" in part:
            day = date(part["year"], 1, 1) + timedelta(days=part["year_day"] - 1)
            return day.isoformat() if day.year == part["year"] else None
        return date(part["year"], part["month"], part["day"]).isoformat()
    except (KeyError, ValueError, OverflowError):
        return None
