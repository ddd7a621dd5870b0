"""Text -> sentence spans: sentencex proposes the cuts, the rules here take some back and add a few.

The safe mistake is not to cut. Nothing depends on the language of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mindnet_chunker.chunking import abbreviations as words
from mindnet_chunker.chunking.full_stops import FullStop, ends_sentence, looks_cut_short
from mindnet_chunker.chunking.sentence_mask import masked
from mindnet_chunker.records import Region, Span

_LONGEST_RUN = 2_000  # characters without a blank: sentencex is quadratic in them
_LONG_QUOTE = 300  # characters: shorter quotes and brackets stay whole, as sentencex leaves them

_MARKS = ".!?…؟۔।॥‼⁇⁈⁉"
_CLOSERS = "\"'”“»«›‹’‘)\\]}*_=~\t"
_OPENERS = " \"'“„»«›‹‘(\\[{*_=~¿¡–—\\-\t"
_EMOJI = "\U0001f000-\U0001faff\u2600-\u27bf\u2b50\u2b55\ufe0f\u200d"
_WIDE = "。！？｡．"
_RUN_OF_STOPS = re.compile(f"[{_MARKS}{_WIDE}][{_MARKS}{_WIDE}]*+")
_STOP = re.compile(
    rf"(?P<stop>[{_MARKS}]++)(?P<close>[{_CLOSERS}]*+(?:\[[\^@]?[^\]\s\[]{{1,40}}\])*+)"
    rf"(?P<emoji>(?: ?[{_EMOJI}]++(?= ))*+) ++"
    rf"|(?P<wide>[!?]*+[{_WIDE}]++[”’\"'」』）》】〉]*+|…++[」』]?(?=[\u3040-\u30ff\u4e00-\u9fff])) *+"
)
_NEXT = re.compile(rf"[{_OPENERS}]*+(.[\w'’]{{0,30}}+)", re.DOTALL)
_MARK = re.compile(r"[\s>*+\-\[\]]*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\\?")
_LABEL = re.compile(r"[\s>*+\-\[\]_]*([^\W\d_]+) (?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})")
_COUNTS = re.compile(r"[^:]{0,4}: 1\.|[^.]{0,6}1\. [^.]{0,90}[,;] 2\.")
_WORD = re.compile(r"\w")
_BLANKS = re.compile(r"[ \t]*+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_RUN = re.compile("[^ ]++")
_TRAILER = re.compile(r"\^[A-Za-z0-9-]+|#+[^\s#][^\s]*|(?:\[\^[^\]\s]+\])+")


def sentence_spans(text: str, start: int, end: int, regions: Sequence[Region] = ()) -> list[Span]:
    """The sentences of the prose `text[start:end]`, without the blanks between them, in order.

    `regions` (sorted) are never cut into. A line end is no boundary, a blank line is.
    """
    prose, breaks = masked(text, start, end, regions)
    spans = []
    for first, last in zip([0, *breaks], [*breaks, len(prose)], strict=True):
        paragraph = text[start + first : start + last]
        inner = (_line_start(paragraph, cut) for cut in _cuts(prose[first:last], paragraph))
        for from_, to in pairwise((0, *inner, last - first)):
            piece = paragraph[from_:to]
            if left := piece.lstrip():
                at = start + first + to - len(left)
                spans.append(Span(at, at + len(left.rstrip())))
    return spans


def _cuts(prose: str, text: str) -> Iterator[int]:
    runs = _RUN_OF_STOPS.finditer(prose)
    stops = [stop for run in runs if (stop := _STOP.match(prose, run.start())) is not None]
    if not stops or stops[0].end() == len(prose):
        return
    proposals = _proposals(prose)
    trailer = _trailer_start(prose, text)
    proposed = set(proposals)
    last = 0  # the cut before
    seen = 0  # up to here words were looked for
    wordy = False  # there are some since the cut before
    for match in stops:
        cut = match.end()
        if cut >= trailer:
            break
        if cut in proposed and _plain_end(prose, match):
            yield cut
            last = seen = cut
            wordy = False
            continue
        wordy = wordy or bool(_WORD.search(prose, seen, match.start()))
        seen = match.start()
        if not wordy or (match.start() - last < 20 and _is_mark(prose[last : match.start()])):
            continue
        if match["wide"] is not None:
            boundary = _wide_boundary(prose, match)
        else:
            boundary = ends_sentence(_full_stop(prose, match, last, proposals))
        if boundary:
            yield cut
            last = seen = cut
            wordy = False


def _is_mark(piece: str) -> bool:
    """Whether what stands before the stop only numbers what follows: `2.`, `- [ ] a.`, `Schritt 1.`."""
    if _MARK.fullmatch(piece):
        return True
    label = _LABEL.fullmatch(piece)
    return label is not None and label[1].lower() in words.LABELS


def _line_start(text: str, cut: int) -> int:
    """A cut before the first word of a line moves before the marks of a quote or the indent that begin the line."""
    at = cut
    while at and text[at - 1] in " \t>":
        at -= 1
    return at if at and text[at - 1] in "\n\r" else cut


def _plain_end(prose: str, match: re.Match[str]) -> bool:
    """A stop that nothing speaks against: right after an ordinary word, a blank, a capital letter."""
    at = match.start()
    word = prose[prose.rfind(" ", max(0, at - 40), at) + 1 : at]
    low = word.lower()
    return (
        len(low) > 2
        and word[1:].islower()
        and word.isalpha()
        and prose[match.end()].isupper()
        and prose[at + 1] == " "
        and low not in words.LISTED
        and not low.endswith("str")
        and not looks_cut_short(word)
    )


def _full_stop(prose: str, match: re.Match[str], last: int, proposals: list[int]) -> FullStop:
    at = bisect_left(proposals, match.end("stop"))
    blanks = _BLANKS.match(prose, match.end())
    proposed = at < len(proposals) and blanks is not None and proposals[at] <= blanks.end()
    if not proposed and at < len(proposals) and proposals[at] - (proposals[at - 1] if at else 0) > _LONG_QUOTE:
        proposed = True
    close = match["close"]
    in_bracket = False
    if ")" in close:
        opened = prose.rfind("(", max(last, match.start() - 400), match.start())
        in_bracket = opened > last and bool(prose[max(last, opened - 40) : opened].strip(" *_=~\t"))
    after = _NEXT.match(prose, match.end())
    return FullStop(
        mark=match["stop"],
        close=close,
        emoji=match["emoji"],
        before=prose[max(last, match.start() - 60) : match.start()],
        word=after[1].replace("’", "'") if after else "",
        counts=_COUNTS.match(prose, max(last, match.start() - 6), match.end() + 100) is not None,
        label=after is not None and prose.startswith(":", after.end()),
        dashed=prose[match.end()] in "–—-",
        proposed=proposed,
        in_bracket=in_bracket,
    )


def _wide_boundary(prose: str, match: re.Match[str]) -> bool:
    after = prose[match.end() : match.end() + 1]
    if match["wide"][0] == "．" and (after.isdigit() or (after.isalpha() and after.isascii())):
        return False
    return not (match["wide"][-1] in "」』）”’" and after in "とっ")


def _trailer_start(prose: str, text: str) -> int:
    """Where the tags, footnote marks and block id that end a paragraph begin: they belong to the sentence before."""
    trailer = end = len(prose)
    while True:
        while end and prose[end - 1] == " ":
            end -= 1
        at = prose.rfind(" ", 0, end) + 1
        if not end or not _TRAILER.fullmatch(text, at, end):
            return trailer
        trailer = end = at


def _proposals(prose: str) -> list[int]:
    from sentencex import get_sentence_boundaries

    return [
        offset + boundary["end_index"]
        for offset, piece in _stretches(prose)
        for boundary in get_sentence_boundaries("en", piece)
    ]


def _stretches(prose: str) -> Iterator[tuple[int, str]]:
    """What sentencex is given: all but the words that are too long for it; in those only wide stops count."""
    prose = _SURROGATE.sub("\ufffd", prose)  # no UTF-8 for it
    done = 0
    if len(prose) > _LONGEST_RUN and max(map(len, prose.split(" "))) > _LONGEST_RUN:
        for run in _RUN.finditer(prose):
            if run.end() - run.start() > _LONGEST_RUN:
                yield done, prose[done : run.start()]
                done = run.end()
    yield done, prose[done:]
