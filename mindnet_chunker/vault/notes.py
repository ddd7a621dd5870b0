"""Text -> `Note`: id, type, title, tags, aliases, dates by the knowledge design."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import accumulate

from mindnet_chunker.records import Frontmatter, Note, NoteMeta, Problem, nfc
from mindnet_chunker.vault.daily import DailyNotes
from mindnet_chunker.vault.dates import stamp, utc
from mindnet_chunker.vault.frontmatter import read_frontmatter, split_head
from mindnet_chunker.vault.identity import assign_ids
from mindnet_chunker.vault.properties import Properties, is_number, names_in, one_line, plain, tag_keys, union

__all__ = ["assign_ids", "declared_id", "describe", "line_table", "parse_note", "tag_keys"]

DEFAULT_TYPE = "default"
CREATED = ("created", "date", "erstellt")
UPDATED = ("updated", "modified", "aktualisiert")

LINE_END = re.compile(r"\r\n|\r|\n")
STAMP = re.compile(r"[0-9]{8}-[0-9]{4}-")
NUMBERED_FOLDER = re.compile(r"[0-9]+[_ -]+(.+)")  # `10_concepts`

MEND_HEAD = 'mend the line; the commonest fault: a value with `: ` or ` #` needs quotes, as in `title: "Bees: a start"`'
PRIVATE = re.compile(r"^index[ \t]*:[ \t]*(?:false|False|FALSE)[ \t]*(?:#.*)?$", re.M)


def line_table(text: str) -> tuple[int, ...]:
    """The offset of every line. Lines end at CRLF, LF or a lone CR; behind the last end an empty line begins."""
    if "\r" not in text:
        return tuple(accumulate((len(line) + 1 for line in text.split("\n")[:-1]), initial=0))
    return (0, *(end.end() for end in LINE_END.finditer(text)))


def parse_note(path: str, text: str) -> Note:
    """`text` has no byte order mark. Never raises: what is wrong with the head is in `frontmatter.error`."""
    frontmatter, body_start = read_frontmatter(text)
    return Note(path=path, text=text, frontmatter=frontmatter, body_start=body_start, line_starts=line_table(text))


def declared_id(frontmatter: Frontmatter) -> str | None:
    """The property `id` where it is text or a number (`0017` is 17); whether it is unique is for `assign_ids` to say."""
    properties = Properties("", frontmatter)
    value = properties.value("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return properties.text("id") if isinstance(value, str | float) else None


def describe(
    note: Note, *, heading: str | None, tags: Sequence[str], types: Container[str], daily: DailyNotes | None = None
) -> NoteMeta:
    """What the note says of itself. Never raises: what cannot be read is a problem and counts as not said.

    `heading` is the text of an H1 that is the first block, `tags` the inline tags in order, `types` the rows there are.
    """
    properties = Properties(note.path, note.frontmatter)
    problems = properties.problems
    problems += _head_problems(note)
    all_tags = union(properties.tags(), (nfc(tag) for tag in tags))
    aliases = properties.aliases()
    properties.check_classes()
    name = one_line(_stem(note.path))
    title, title_from = _title(properties, heading, name)
    kind, guessed = _type(properties, all_tags, note.path, types)
    daily_date = daily.date(note.path) if daily else None
    created = _date(properties, CREATED) or stamp(name) or (utc(daily_date) if daily_date else None)
    priority = properties.value("priority")
    chunking = properties.value("chunking")
    if chunking is not None and not isinstance(chunking, dict):
        properties.warn("chunking-invalid", properties.key("chunking") or "", "`chunking` is no mapping and not used")
        chunking = None
    return NoteMeta(
        declared_id=declared_id(note.frontmatter),
        title=title,
        title_from=title_from,
        type=kind,
        type_guessed=guessed,
        tags=all_tags,
        aliases=aliases,
        status=properties.name("status"),
        area=properties.name("area") or _tagged(all_tags, "area"),
        project=properties.name("project") or _tagged(all_tags, "project"),
        priority=priority if is_number(priority) else properties.name("priority"),
        people=properties.names("people"),
        created_at=created,
        updated_at=_date(properties, UPDATED),
        excluded="property" if _is_private(note, properties) else None,
        chunking=chunking or {},
        problems=tuple(problems),
    )


def _is_private(note: Note, properties: Properties) -> bool:
    """`index: false`; also where the head cannot be read as a whole: a slip elsewhere must not make a note public."""
    value = properties.value("index")
    if note.frontmatter.error is not None:
        return PRIVATE.search(note.text, 0, note.body_start) is not None
    if value is not None and not isinstance(value, bool):
        key = properties.key("index") or "index"
        shown = one_line(str(value))[:40]
        message = f"`{key}` is neither true nor false, so the note is not left out: `{shown}`"
        properties.warn("index-unclear", key, message, f"write `{key}: false` to leave the note out")
    return value is False


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name.lower().endswith(".md") else name


def _head_problems(note: Note) -> list[Problem]:
    head = note.frontmatter
    if head.error is not None:
        message = f"the properties are ignored (title, tags, dates), only the text is read: {head.error}"
        return [
            Problem(code="frontmatter-invalid", message=message, path=note.path, line=head.error_line, hint=MEND_HEAD)
        ]
    if not head.present or head.fields or not _says_something(note):
        return []
    message = "the block between the `---` lines holds no properties and is left out"
    hint = "put a blank line before the first `---` if it is text"
    return [Problem(code="frontmatter-no-properties", message=message, path=note.path, line=1, hint=hint)]


def _says_something(note: Note) -> bool:
    """Whether a head without properties holds more than comments and `{}`."""
    start, end, _ = split_head(note.text) or (0, 0, 0)
    lines = (line.strip() for line in LINE_END.split(note.text[start:end]))
    return any(line not in ("", "{}", "...") and not line.startswith("#") for line in lines)


def _title(properties: Properties, heading: str | None, name: str) -> tuple[str, str]:
    """The title and where it comes from."""
    written = plain(properties.text("title") or "")
    if written:
        return written, "title"
    from_heading = one_line(heading or "")
    return (from_heading, "heading") if from_heading else (name, "name")


def _type(properties: Properties, tags: Sequence[str], path: str, types: Container[str]) -> tuple[str, bool]:
    """The type, and whether it was guessed. A row's name is met without regard to case."""
    if written := properties.name("type"):
        return (written.lower() if written.lower() in types else written), False
    if tagged := _tagged(tags, "type"):
        kind = tagged.partition("/")[0]
        return (kind.lower() if kind.lower() in types else kind), True
    for candidate in _type_candidates(path.lower()):
        if candidate != DEFAULT_TYPE and candidate in types:
            return candidate, True
    return DEFAULT_TYPE, False


def _type_candidates(path: str) -> Iterator[str]:
    """What the names of file and folders may say: `20250902-1015-task-slug`, `task-slug`, `10_tasks/`."""
    *folders, name = path.split("/")
    name = STAMP.sub("", name, count=1) if STAMP.match(name) else name
    ends = [place for place, sign in enumerate(name) if sign == "-"]
    yield from (name[:end] for end in reversed(ends))
    for folder in reversed(folders):
        if numbered := NUMBERED_FOLDER.fullmatch(folder):
            yield numbered[1].removesuffix("s")
            yield numbered[1]


def _tagged(tags: Sequence[str], name: str) -> str | None:
    """The rest of the first tag `name/...`."""
    prefix = f"{name}/"
    return next((tag[len(prefix) :] for tag in tags if tag.lower().startswith(prefix)), None)


def _date(properties: Properties, keys: Sequence[str]) -> str | None:
    """The first of the properties that holds a date, in UTC."""
    for key in keys:
        text = properties.text(key)
        if text is None:
            continue
        if found := utc(next(names_in(text), "")):
            return found
        written = properties.key(key) or key
        properties.warn("date-unclear", written, f"`{written}` is no date: `{text[:40]}`", "write it as `YYYY-MM-DD`")
    return None
