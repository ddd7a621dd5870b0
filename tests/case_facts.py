"""Facts about a vault and its runs: one function each, named as in the case files, which yields what is wrong."""

from __future__ import annotations

import codecs
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from case_runs import Step
from case_vault import Json
from chunk_notes import real_counter

from mindnet_chunker.chunking.wording import embedding_text
from mindnet_chunker.records import Record, nfc

TRACE = re.compile(r"Traceback \(most recent call last\)|panicked at |Fatal Python error")
Wrong = Iterator[str]


def folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text.replace("\r\n", "\n"))


def show(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else f"{text[:140]} ... {text[-40:]}"


def same(one: Json, other: Json) -> bool:
    """As JSON: 5 is 5.0, but 1 is not true."""
    return one == other and json.dumps(one, sort_keys=True).count("true") == json.dumps(other, sort_keys=True).count(
        "true"
    )


def holds(chunk: Record, text: str) -> bool:
    return folded(text) in folded(chunk["text"])


# --- the run ---------------------------------------------------------------------------------------------------------


def must_not_crash(want: bool, step: Step) -> Wrong:
    """A crash in this process ends the test by itself."""
    for ran in {id(ran): ran for each in step.steps for ran in (each.ran, *each.at_once)}.values():
        if ran.exit_code not in (0, 1, 2, 143) or TRACE.search(ran.stderr):
            yield f"expected no crash, got exit code {ran.exit_code}: {ran.stderr[-300:]}"


no_traceback = must_not_crash


def exit_code(want: int, step: Step) -> Wrong:
    if step.ran.exit_code != want:
        yield f"expected exit code {want}, got {step.ran.exit_code}: {step.ran.stderr[-300:]}"


def one_run_exit_code(want: int, step: Step) -> Wrong:
    codes = sorted(ran.exit_code for ran in step.at_once)
    if codes != [0, want]:
        yield f"expected one run to end with 0 and one with {want}, got {codes}"


def both_exit_code(want: int, step: Step) -> Wrong:
    codes = [ran.exit_code for ran in step.at_once]
    if codes != [want, want]:
        yield f"expected both runs to end with {want}, got {codes}"


def exit_code_fits_report(want: bool, step: Step) -> Wrong:
    """0 without failed notes, 1 with some, each named on standard error; 2: nothing was written."""
    if step.report is None:
        if step.ran.exit_code != 2:
            yield f"expected a report of a run that ends with {step.ran.exit_code}, got none"
        return
    failed = step.report["notes"]["failed"]
    if step.ran.exit_code != int(failed > 0):
        yield f"expected exit code {int(failed > 0)} with {failed} failed notes, got {step.ran.exit_code}"
    for error in step.report["errors"]:
        if error["path"] not in step.ran.stderr:
            yield f"expected {error['path']} on standard error, got {step.ran.stderr[-300:]}"


def max_seconds(want: float, step: Step) -> Wrong:
    if step.ran.seconds > want:
        yield f"expected at most {want} s, got {step.ran.seconds:.1f}"


def max_memory_mb(want: float, step: Step) -> Wrong:
    if not 0 < step.ran.memory_mb <= want:
        yield f"expected at most {want} MB, got {step.ran.memory_mb:.0f}"


def vault_unchanged(want: bool, step: Step) -> Wrong:
    if harmed := [path for each in step.steps for path in each.harmed]:
        yield f"expected an unchanged vault, got changes in {show(harmed)}"


def ndjson_valid(want: bool, step: Step) -> Wrong:
    def reject(constant: str) -> Json:
        raise ValueError(f"{constant} is no JSON")

    assert step.printed
    for number, line in enumerate(step.printed.lines, 1):
        try:
            value = json.loads(line.decode("utf-8"), parse_constant=reject)
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate cannot be stored
        except ValueError as wrong:
            yield f"expected JSON in line {number}, got {line[:80]!r} ({wrong})"


def output_must_not_contain(want: Sequence[str], step: Step) -> Wrong:
    assert step.printed
    yield from (f"expected no {text!r} in the output, got it" for text in want if text.encode() in step.printed.stdout)


def report_lines_ok(want: bool, step: Step) -> Wrong:
    assert step.validated
    if step.validated.exit_code not in (0, 1):
        yield f"expected `validate` to end with 0 or 1, got {step.validated.exit_code}: {step.validated.stderr[-300:]}"
    for line in step.validated.stdout.decode().splitlines():
        if not re.fullmatch(r".+:\d+: \S+ \S.*", line):
            yield f"expected `path:line: CODE message`, got {line!r}"


def warning_mentions(want: Sequence[str], step: Step) -> Wrong:
    for text in want:
        if text not in step.warnings:
            yield f"expected a warning that mentions {text!r}, got {step.warnings[-300:]!r}"


def warning_mentions_any(want: Sequence[str], step: Step) -> Wrong:
    if not any(text in step.warnings.lower() for text in want):
        yield f"expected a warning that mentions one of {want}, got {step.warnings[-300:]!r}"


def warning_not_mentions(want: Sequence[str], step: Step) -> Wrong:
    for text in want:
        if re.search(rf"(?<![\w/.-]){re.escape(text)}(?!\w)", step.warnings):
            yield f"expected no warning about {text!r}, got one"


# --- text ------------------------------------------------------------------------------------------------------------


def text_must_contain(want: Sequence[str], step: Step) -> Wrong:
    for text in want:
        if not any(holds(chunk, text) for chunk in step.chunks):
            yield f"expected {text!r} in a chunk, got it in none of {len(step.chunks)}"


chunks_not_split = text_must_contain


def text_must_not_contain(want: Sequence[str], step: Step) -> Wrong:
    for text in want:
        if holders := [chunk["chunk_id"] for chunk in step.chunks if text in chunk["text"] or holds(chunk, text)]:
            yield f"expected {text!r} in no chunk, got it in {show(holders)}"


def text_count(want: Mapping[str, int], step: Step) -> Wrong:
    for text, count in want.items():
        if (got := sum(holds(chunk, text) for chunk in step.chunks)) != count:
            yield f"expected {text!r} in {count} chunks, got it in {got}"


def lines_not_split(want: Sequence[str], step: Step) -> Wrong:
    lines = {line for chunk in step.chunks for line in folded(chunk["text"]).split("\n")}
    yield from (f"expected the line {line!r} whole, got it nowhere" for line in want if folded(line) not in lines)


def chunks_with(want: Mapping[str, Json], step: Step) -> Wrong:
    for chunk in step.chunks:
        whole = folded(f"{chunk['context']}\n\n{chunk['text']}")
        missing = [text for text in want["also_contain"] if folded(text) not in whole]
        if folded(want["text"]) in whole and missing:
            yield f"expected {missing} too in {chunk['chunk_id']}, got {show(whole)}"


def chunk_must_not_start_with(want: Sequence[str], step: Step) -> Wrong:
    for chunk in step.chunks:
        if folded(chunk["text"]).startswith(tuple(map(folded, want))):
            yield f"expected another start of {chunk['chunk_id']}, got {show(chunk['text'][:40])}"


def char_total(want: Mapping[str, Json], step: Step) -> Wrong:
    got = sum(folded(chunk["text"]).count(folded(want["char"])) for chunk in step.chunks_of(want["note"]))
    if got < want["count_min"]:
        yield f"expected {want['char']!r} at least {want['count_min']} times, got {got}"


def coverage(want: str, step: Step) -> Wrong:
    """Every word of every body, in order: repeated text (overlap, headers) between them does no harm."""
    for path in step.notes:
        chunks, body = step.chunks_of(path), _body(decoded(step, path))
        shown = iter(_words("\n".join(" ".join([*_titles(chunk), chunk["text"]]) for chunk in chunks)))
        missing = next((word for word in _words(body) if word not in shown), None)
        if missing is not None:
            yield f"expected all words of {path} in order, got none for {missing!r}"
        parts = folded(body).split()
        kept = {word for chunk in chunks for word in folded(chunk["text"]).split()}
        if glued := (kept - set(parts)) & {one + two for one, two in pairwise(parts)}:
            yield f"expected the blanks of {path} to be kept, got {show(sorted(glued))}"


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", folded(text))


def _body(text: str) -> str:
    head = re.match(r"---\r?\n(?:.*?\r?\n)??---[ \t]*(?:\r?\n|\Z)", text, re.DOTALL)
    return text[head.end() :] if head else text


def decoded(step: Step, path: str) -> str:
    content = next(content for name, content in step.files.items() if nfc(name) == nfc(path))
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return content.decode("utf-16" if wide else "utf-8", "replace").removeprefix("\ufeff")


# --- chunks ----------------------------------------------------------------------------------------------------------


def chunk_count_min(want: int, step: Step) -> Wrong:
    if len(step.chunks) < want:
        yield f"expected at least {want} chunks, got {len(step.chunks)}"


def chunk_count_max(want: int, step: Step) -> Wrong:
    if len(step.chunks) > want:
        yield f"expected at most {want} chunks, got {len(step.chunks)}"


def no_blank_chunks(want: bool, step: Step) -> Wrong:
    for chunk in step.chunks:
        if not re.sub(r"[\s\u200b-\u200f\u2060\ufeff]", "", chunk["text"]):
            yield f"expected text in every chunk, got the blank {chunk['chunk_id']}"


def max_tokens_per_chunk(want: int, step: Step) -> Wrong:
    """By a real encode of what is embedded."""
    counter = real_counter()
    for chunk in step.chunks:
        real = counter.encode_count(embedding_text(chunk["context"], chunk["text"])) + counter.specials
        if chunk["embedding_tokens"] != real:
            yield f"expected {real} tokens of {chunk['chunk_id']} as encoded, got {chunk['embedding_tokens']}"
        if real > want:
            yield f"expected at most {want} tokens, got {real} in {chunk['chunk_id']}"


def sections(want: Sequence[Mapping[str, Json]], step: Step) -> Wrong:
    """The headings above a text; a title that is no heading may stand in front."""
    for section in want:
        got = []
        for chunk in step.chunks_of(section["note"]):
            if holds(chunk, section["contains"]):
                above = _heading_path(chunk, section["contains"])
                got += [above, above[1:]] if above[:1] == [chunk["note_title"]] else [above]
        if section["path"] not in got:
            yield f"expected {section['contains']!r} under {section['path']}, got {got[:1]}"


def _heading_path(chunk: Record, text: str) -> list[str]:
    """The chunk's `header_path`, continued by the headings that stand in the chunk before the text."""
    path = [(heading["level"], heading["text"]) for heading in chunk["header_path"]]
    before = re.sub(r"(?ms)^(```|~~~).*?(^\1$|\Z)", "", folded(chunk["text"]).partition(folded(text))[0])
    for marks, title in re.findall(r"^(#{1,6})[ \t]+(.+)$", before, re.MULTILINE):
        path = [(level, name) for level, name in path if level < len(marks)] + [(len(marks), title)]
    return [name for _, name in path]


def _titles(chunk: Record) -> list[str]:
    return [heading["text"] for heading in chunk["header_path"]]


def headings_not(want: Sequence[str], step: Step) -> Wrong:
    found = {title for chunk in step.chunks for title in (*_titles(chunk), *chunk["section_path"].split("/"))}
    found |= {heading["text"] for note in step.of("note") for heading in note["headings"]}
    yield from (f"expected no heading {text!r}, got one" for text in want if text in found)


def heading_findable(want: Sequence[str], step: Step) -> Wrong:
    for text in want:
        if not any(text in _titles(chunk) or holds(chunk, text) for chunk in step.chunks):
            yield f"expected the heading {text!r} in a chunk or its path, got none"


def offsets_exact(want: bool, step: Step) -> Wrong:
    """The slice of the file without the note's exclusions is the own text without what was added."""
    for chunk in step.placed_chunks:
        holes = [(hole["char_start"], hole["char_end"]) for hole in step.record_of(chunk["path"])["exclusions"]]
        added = [(part["at"], part["at"] + len(part["text"])) for part in chunk["added"]]
        held = _without(decoded(step, chunk["path"]), chunk["char_start"], chunk["char_end"], holes)
        own = _without(chunk["text"], chunk["own_start"], len(chunk["text"]), added)
        if own != held:
            yield f"expected the slice of {chunk['chunk_id']} to be its own text: {show(own)} is not {show(held)}"


def _without(text: str, start: int, end: int, holes: Iterable[tuple[int, int]]) -> str:
    """`text[start:end]` without the holes, each run of white space taken as one."""
    out = {place for low, high in holes for place in range(low, high)}
    return " ".join(nfc("".join(text[place] for place in range(start, end) if place not in out)).split())


def lines(want: Mapping[str, Mapping[str, int]], step: Step) -> Wrong:
    for path, places in want.items():
        for text, line in places.items():
            spans = [(c["line_start"], c["line_end"]) for c in step.chunks_of(path) if holds(c, text)]
            if not any(start <= line <= end for start, end in spans):
                yield f"expected {text!r} in lines that include {line}, got {spans}"


def unique_ids(want: bool, step: Step) -> Wrong:
    for kind, name in (("chunk", "chunk_id"), ("chunk", "point_id"), ("note", "note_id"), ("edge", "edge_id")):
        counts = Counter(record[name] for record in step.of(kind))
        if twice := [value for value, count in counts.items() if count > 1]:
            yield f"expected each `{name}` once, got more of {show(twice)}"
