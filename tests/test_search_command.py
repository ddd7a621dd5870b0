"""`search` as a person calls it: what is asked, what is printed, what is said."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from asked_vault import NOTES, asked_vault, made_up_vectors
from commands import Ran, quick_folder, run
from qdrant_stand_in import StandIn

from mindnet_chunker import terminal_hits
from mindnet_chunker.records import Record

Search = Callable[..., Ran]


@pytest.fixture(scope="module")
def asked() -> Iterator[tuple[Path, Path]]:
    with asked_vault() as places:
        yield places


@pytest.fixture
def search(asked: tuple[Path, Path]) -> Search:
    return lambda *words: run("search", *words, "--store", asked[1])


def hits(search: Search, *words: str) -> list[Record]:
    ran = search(*words, "--json")
    assert ran.exit_code == 0, ran.stderr
    return ran.records


def paths(search: Search, *words: str) -> list[str]:
    return [hit["path"] for hit in hits(search, *words)]


# --- answers ---------------------------------------------------------------------------------------------------------


def test_a_hit_is_one_line_of_json_with_the_documented_keys(search: Search) -> None:
    first = hits(search, "Wann schwärmen Bienen?", "--top", "1")[0]

    keys = "rank score ranks words note_id chunk_id path line_start line_end title section_path kind type tags text expanded"
    assert list(first) == keys.split()
    assert first["rank"] == 1
    assert first["title"] == "Bienen"
    assert first["tags"] == ["tiere/bienen"]
    assert first["expanded"] is None


def test_words_of_the_question_that_a_hit_holds_in_any_form_are_named(search: Search) -> None:
    assert hits(search, "Welche Biene schwärmt?", "--mode", "bm25")[0]["words"] == ["Biene"]


@pytest.mark.parametrize("question", ["strasse", "STRASSE", "Straße", "Str\u00adaße"])
def test_a_word_is_found_however_it_is_spelled(search: Search, question: str) -> None:
    assert paths(search, question, "--mode", "bm25") == ["Wetter.md"]


@pytest.mark.parametrize("question", ["m²", "m2", "café", "CAFÉ", "cafe\u0301"])
def test_compatible_signs_are_the_same(search: Search, question: str) -> None:
    assert paths(search, question, "--mode", "bm25") == ["Ort.md"]


def test_modes_answer_with_their_half_alone(search: Search) -> None:
    dense, bm25, fused = (hits(search, "Apfelbaum", "--mode", mode) for mode in ("dense", "bm25", "fused"))

    assert all(hit["ranks"]["bm25"] is None and hit["ranks"]["dense"] for hit in dense)
    assert all(hit["ranks"]["dense"] is None and hit["ranks"]["bm25"] for hit in bm25)
    assert {hit["path"] for hit in bm25} == {"Garten/Bienen & Co.md", "Garten/Obst.md"}
    assert len(fused) == 5


def test_link_sections_are_no_hits(search: Search) -> None:
    assert paths(search, "Wetter", "--mode", "bm25", "--path", "Garten") == []
    assert "links" not in {hit["kind"] for hit in hits(search, "Wetter", "--top", "50")}


def test_the_same_question_gives_the_same_lines(search: Search) -> None:
    assert search("Zwillinge", "--json").stdout == search("Zwillinge", "--json").stdout


def test_twins_are_in_the_order_of_their_ids(search: Search) -> None:
    first, second = hits(search, "Zwillinge", "--mode", "bm25")

    assert first["score"] == second["score"]
    assert {first["path"], second["path"]} == {"Zwilling 1.md", "Zwilling 2.md"}


# --- conditions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        (("--type", "concept"), {"Garten/Bienen & Co.md", "Garten/Obst.md"}),
        (("--tag", "#Tiere"), {"Garten/Bienen & Co.md"}),
        (("--area", "garten"), {"Garten/Bienen & Co.md"}),
        (("--path", "Garten"), {"Garten/Bienen & Co.md", "Garten/Obst.md"}),
        (("--path", "Garten/Obst"), {"Garten/Obst.md"}),
        (("--path", "leer.md"), set()),
        (("--since", "2025"), {"Garten/Bienen & Co.md"}),
        (("--until", "2024-10"), {"Garten/Obst.md"}),
        (("--type", "concept", "--since", "2025-05-02"), set()),
        (("--lang", "de", "--path", "Wetter"), {"Wetter.md"}),
    ],
)
def test_conditions_leave_out_what_does_not_meet_them(
    search: Search, condition: tuple[str, ...], found: set[str]
) -> None:
    assert set(paths(search, "Mai", "--mode", "dense", "--top", "50", *condition)) == found


def test_a_value_that_does_not_exist_is_one_line_with_the_nearest(search: Search) -> None:
    ran = search("Mai", "--type", "conzept")

    assert (ran.exit_code, ran.stdout) == (2, b"")
    assert ran.stderr == "error: nothing in the index has the type `conzept`\nhint: did you mean `concept`?\n"


# --- what stands around a hit ----------------------------------------------------------------------------------------


def test_a_hit_is_widened_to_its_section_of_the_file(search: Search) -> None:
    first = hits(search, "Korb", "--mode", "bm25", "--expand", "section")[0]

    assert first["expanded"] == "### Fang\n\nMan fängt ihn mit einem Korb."


def test_a_hit_is_widened_to_its_note(search: Search) -> None:
    first = hits(search, "Korb", "--mode", "bm25", "--expand", "note")[0]

    assert first["expanded"] == NOTES["Garten/Bienen & Co.md"].split("---\n")[2].strip("\n")


def test_a_hit_is_widened_to_what_its_note_links_to_and_what_links_to_it(search: Search) -> None:
    first = hits(search, "Kompott", "--mode", "bm25", "--expand", "links")[0]

    links = {(link["direction"], link["kind"], link["path"], link["heading"]) for link in first["expanded"]}
    assert links == {
        ("in", "references", "Garten/Bienen & Co.md", "Apfel"),
        ("in", "references", "Wetter.md", None),
        ("in", "related", "Wetter.md", None),
    }
    assert {link["title"] for link in first["expanded"]} == {"Bienen", "Wetter"}


def test_links_of_a_link_section_are_among_those_of_the_note(search: Search) -> None:
    first = hits(search, "Korb", "--mode", "bm25", "--expand", "links")[0]

    assert ("out", "Wetter.md", "link_section") in {
        (link["direction"], link["path"], link["origin"]) for link in first["expanded"]
    }


def test_a_link_to_a_note_that_does_not_exist_is_told_as_such(search: Search) -> None:
    link = hits(search, "Heu", "--mode", "bm25", "--expand", "links")[0]["expanded"][0]

    assert (link["resolved"], link["title"], link["path"]) == (False, "Nirgendwo", None)


def test_a_changed_file_is_said_and_answered_from_the_index(asked: tuple[Path, Path], search: Search) -> None:
    file = asked[0] / "Garten/Bienen & Co.md"
    file.write_text("Ganz anders.", encoding="utf-8")

    ran = search("Korb", "--mode", "bm25", "--expand", "section", "--json")

    file.write_text(NOTES["Garten/Bienen & Co.md"], encoding="utf-8")
    assert ran.records[0]["expanded"] == "### Fang\n\nMan fängt ihn mit einem Korb."
    assert ran.stderr == ("Garten/Bienen & Co.md is not as it was indexed: shown is what the index holds of it\n")


# --- for people ------------------------------------------------------------------------------------------------------


def test_without_a_terminal_hits_are_plain_lines(search: Search) -> None:
    ran = search("Korb", "--mode", "bm25", "--why", "--expand", "section")

    assert ran.stdout.decode().split("\n")[1:] == [
        "   Man fängt ihn mit einem Korb.",
        "   Garten/Bienen & Co.md:16-18",
        "   obsidian://open?vault=Mein%20Garten&file=Garten%2FBienen%20%26%20Co",
        "   BM25 rank 1; words: Korb",
        "   | ### Fang",
        "   |",
        "   | Man fängt ihn mit einem Korb.",
        "",
    ]
    assert ran.stdout.decode().startswith("1. Bienen > Schwarm > Fang  ")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Korb", "words: Korb"),
        ("Schwarm Korb", "words: Korb; only in its title and headings: Schwarm"),
        ("Schwarm", "words only in its title and headings: Schwarm"),
        ("Xylophon", "no word of the question"),
    ],
)
def test_words_that_stand_above_a_hit_alone_are_told_as_such(search: Search, question: str, words: str) -> None:
    told = search(question, "--mode", "fused", "--top", "50", "--why").stdout.decode()

    hit = told[told.index("Bienen > Schwarm > Fang") :].split("\n")
    assert hit[4].split("; ", 1)[1] == words


def test_on_a_terminal_hits_are_a_table_with_links(search: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    from rich import console

    monkeypatch.setattr(terminal_hits, "on_terminal", lambda: True)
    monkeypatch.setattr(console.Console, "is_terminal", True)
    monkeypatch.setenv("COLUMNS", "90")

    shown = search("Korb", "--mode", "bm25", "--expand", "links").stdout.decode()

    assert "Bienen > Schwarm > Fang" in shown
    assert "obsidian://open?vault=Mein%20Garten&file=Garten%2FBienen%20%26%20Co" in shown
    assert "-> references: Obst > Apfel, Wetter" in shown
    assert max(map(len, shown.split("\n"))) < 400


def test_signs_that_steer_a_terminal_are_shown_as_escapes() -> None:
    hit = terminal_hits.Shown(
        rank=1, score=0.5, heading="a\x1b[2Jb", sentence="c\rd", words=(), place="e\nf", link="obsidian://x"
    )

    assert terminal_hits.plain_lines(hit) == ["1. a\\x1b[2Jb  0.500", "   c\\rd", "   e\\nf", "   obsidian://x"]


def test_no_hits_is_a_line_and_no_failure(search: Search) -> None:
    ran = search("Xylophonkonzert", "--mode", "bm25")

    assert (ran.exit_code, ran.stdout, ran.stderr) == (0, b"", "no hits\n")


def test_no_hits_for_want_of_dates_says_so(search: Search, asked: tuple[Path, Path]) -> None:
    told = {
        words: search(*words, "--mode", "bm25").stderr
        for words in (
            ("Heu", "--until", "2025"),
            ("Quitten", "--since", "2025"),
            ("Mai", "--since", "2026"),
            ("Xylophonkonzert", "--since", "2025"),
        )
    }

    assert [said.split(" (")[0] for said in told.values()] == [
        "no hits: none of the notes that answer has a date",
        "no hits\n",
        "no hits\n",
        "no hits\n",
    ]
    assert search("Heu", "--path", "Ort.md", "--since", "2025").stderr.startswith("no hits: none of the notes that")


def test_no_hits_in_an_index_without_dates_says_so() -> None:
    with made_up_vectors(), quick_folder() as folder:
        (folder / "vault").mkdir()
        (folder / "vault" / "Bees.md").write_text("Bees dance.\n", encoding="utf-8")
        assert run(folder / "vault", "--store", folder / "store").exit_code == 0

        ran = run("search", "bees", "--since", "2025", "--store", folder / "store")

    assert ran.stderr.startswith("no hits: no note in the index has a date (a property `created` or `date`, ")


@pytest.mark.parametrize("question", ["", "  ", "\n\t"])
def test_an_empty_question_is_refused(search: Search, question: str) -> None:
    ran = search(question)

    assert ran.exit_code == 2
    assert ran.stderr.startswith("error: the question is empty\nhint: ")


@pytest.mark.parametrize("question", ["?", "…", "\ud800", "#", "[MASK]", "a" * 5000])
def test_any_question_is_answered(search: Search, question: str) -> None:
    assert search(question, "--json").exit_code == 0


def test_another_model_is_refused_in_one_line(search: Search) -> None:
    for mode in ("bm25", "fused"):
        ran = search("Korb", "--model", "intfloat/multilingual-e5-small", "--mode", mode)

        assert ran.exit_code == 2
        assert ran.stderr.split("\n")[0].endswith(
            "the vectors were made by `all-MiniLM-L6-v2`, not by `intfloat/multilingual-e5-small`"
        )


def test_the_own_model_may_be_named(search: Search) -> None:
    assert paths(search, "Korb", "--model", "sentence-transformers/all-MiniLM-L6-v2", "--mode", "bm25") == [
        "Garten/Bienen & Co.md"
    ]


def test_without_an_index_the_way_to_one_is_said(tmp_path: Path) -> None:
    ran = run("search", "Korb", "--store", tmp_path / "none")

    assert ran.exit_code == 2
    assert "nothing is indexed here yet" in ran.stderr
    assert not (tmp_path / "none").exists()


def test_words_alone_load_no_model(asked: tuple[Path, Path]) -> None:
    words = ["search", "Korb", "--mode", "bm25", "--json", "--store", str(asked[1])]

    heavy = {"torch", "sentence_transformers", "transformers", "qdrant_client", "tokenizers", "markdown_it"}
    assert not modules_after(words) & heavy


def modules_after(words: list[str]) -> set[str]:
    """What a command that succeeds has imported when it ends."""
    script = (
        "import atexit, json, sys; atexit.register(lambda: print(json.dumps(list(sys.modules)), file=sys.stderr));"
        f"sys.argv = ['mindnet-chunk', *{words!r}]; from mindnet_chunker.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{")
    return {name.split(".")[0] for name in json.loads(done.stderr)}


# --- a server --------------------------------------------------------------------------------------------------------


def test_a_server_gives_the_same_hits_ties_included(asked: tuple[Path, Path], tmp_path: Path) -> None:
    vault, store = asked
    with StandIn(tmp_path) as server:
        ran = run(vault, "--qdrant-url", server.url)
        assert ran.exit_code == 0, ran.stderr
        for mode in ("fused", "dense", "bm25"):
            for question in ("Zwillinge", "Mai Apfelbaum", "derselbe Satz über den Mai"):
                words = ("search", question, "--mode", mode, "--top", "20", "--json", "--expand", "links")

                assert run(*words, "--qdrant-url", server.url).stdout == run(*words, "--store", store).stdout
