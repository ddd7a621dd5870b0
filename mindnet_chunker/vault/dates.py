"""Dates as people write them -> UTC `YYYY-MM-DDTHH:MM:SSZ`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,]\d+)?)?"
ZONE = r"(?P<zone>[Zz]|[-+]\d\d(?::?\d\d)?)"
DATES = (
    r"(?P<year>\d{4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})",
    r"(?P<year>\d{4})/(?P<month>\d{1,2})/(?P<day>\d{1,2})",
    r"(?P<day>\d{1,2})\.[ ]?(?P<month>\d{1,2})\.[ ]?(?P<year>\d{4})",
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
)
MOMENTS = tuple(re.compile(rf"{date}(?:(?:[Tt]|,?[ ]+){TIME}(?:[ ]?{ZONE})?)?", re.ASCII) for date in DATES)
MAX_LENGTH = 64  # characters; a longer text is no date

STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(?=-|$)", re.ASCII)


def utc(text: str) -> str | None:
    """The moment that `text` names, None where it names none.

    Read are `2025-09-02`, `2025/09/02`, `02.09.2025` and `20250902`, with or without a time and a zone. A date alone is
    its midnight; without a zone the time is taken as it stands.
    """
    text = text.strip()
    if len(text) > MAX_LENGTH:
        return None
    for form in MOMENTS:
        if found := form.fullmatch(text):
            parts = [int(found[name] or 0) for name in ("year", "month", "day", "hour", "minute", "second")]
            return _utc(parts, found["zone"] or "Z")
    return None


def stamp(name: str) -> str | None:
    """The moment in a file name of the form `YYYYMMDD-HHMM-slug`."""
    found = STAMP.match(name)
    return _utc([int(part) for part in found.groups()], "Z") if found else None


def _utc(parts: Sequence[int], zone: str) -> str | None:
    offset = timedelta()
    if zone not in "Zz":
        digits = zone[1:].replace(":", "")
        offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    try:
        year, month, day, hour, minute, second = [*parts, 0][:6]
        local = timezone(-offset if zone[0] == "-" else offset)
        moment = datetime(year, month, day, hour, minute, second, tzinfo=local).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return moment.replace(tzinfo=None).isoformat(timespec="seconds") + "Z"
