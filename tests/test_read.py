"""A folder and its settings: which files are notes, what is left out, what is not here."""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindnet_chunker.errors import SkippedFileError, UnreadableError, UsageError
from mindnet_chunker.vault import files
from mindnet_chunker.vault.daily import DailyNotes
from mindnet_chunker.vault.decode import decode, take
from mindnet_chunker.vault.read import Vault, find_root, lone_file, read_file, scan, vault_path

Write = Callable[[dict[str, str | bytes]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files below a vault folder, which has an empty `.obsidian`."""

    def written(texts: dict[str, str | bytes]) -> Path:
        vault = tmp_path / "vault"
        (vault / ".obsidian").mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            path = vault / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return vault

    return written


def notes(vault: Vault) -> list[str]:
    return [file.path for file in vault.notes]


def excluded(vault: Vault) -> dict[str, str]:
    return {file.path: file.excluded for file in (*vault.notes, *vault.canvases) if file.excluded}


def test_notes_boards_and_all_other_files_are_told_apart(write: Write) -> None:
    vault = scan(
        write({"b.md": "", "a/c.MD": "", "x.canvas": "{}", "y.base": "", "z.png": b"", "b.md.tmp": "", "m": ""})
    )

    assert notes(vault) == ["a/c.MD", "b.md"]
    assert [file.path for file in vault.canvases] == ["x.canvas"]
    assert vault.paths == ("a/c.MD", "b.md", "b.md.tmp", "m", "x.canvas", "y.base", "z.png")
    assert (vault.name, vault.scope, vault.problems) == ("vault", "", ())


def test_hidden_names_are_skipped_at_any_depth(write: Write) -> None:
    vault = scan(
        write({"a/.git/x.md": "", ".trash/y.md": "", "a/.z.md": "", "node_modules/ok.md": "", ".obsidian/o.md": ""})
    )

    assert vault.paths == ("node_modules/ok.md",)


def test_a_folder_inside_a_vault_is_a_scope(write: Write) -> None:
    root = write({"a/one.md": "", "ab/two.md": "", "three.md": ""})

    vault = scan(root / "a")

    assert (vault.root, vault.scope) == (root, "a")
    assert {file.path: file.in_scope for file in vault.notes} == {
        "a/one.md": True,
        "ab/two.md": False,
        "three.md": False,
    }


def test_a_folder_without_settings_is_a_vault_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "plain" / "sub").mkdir(parents=True)
    (tmp_path / "plain" / "sub" / "a.md").write_text("")

    vault = scan(tmp_path / "plain")

    assert (vault.root, vault.name, notes(vault)) == (tmp_path / "plain", "plain", ["sub/a.md"])


def test_the_nearest_settings_make_the_root(write: Write) -> None:
    root = write({"inner/.obsidian/app.json": "{}", "inner/deep/a.md": ""})

    assert find_root(root / "inner" / "deep" / "a.md") == root / "inner"
    assert find_root(root / "inner" / "deep" / ".." / "..") == root


def test_a_path_is_called_as_the_vault_calls_it(write: Write, tmp_path: Path) -> None:
    root = write({"a/b.md": ""})
    (tmp_path / "link").symlink_to(root)

    assert vault_path(root / "a" / "b.md", root) == "a/b.md"
    assert vault_path(tmp_path / "link" / "a", root) == "a"
    assert vault_path(root, root) == ""
    assert vault_path(root / ".hidden", root) == ".hidden"
    assert vault_path(tmp_path, root) is None


def test_a_vault_behind_a_link_is_read(write: Write, tmp_path: Path) -> None:
    write({"a/b.md": ""})
    (tmp_path / "inbox").symlink_to(tmp_path / "vault" / "a")

    vault = scan(tmp_path / "inbox")

    assert (vault.scope, notes(vault)) == ("a", ["a/b.md"])


@pytest.mark.parametrize("name", ["missing", "a.md"])
def test_what_is_no_folder_is_an_error_of_usage(write: Write, name: str) -> None:
    with pytest.raises(UsageError, match=name):
        scan(write({"a.md": ""}) / name)


# --- names -----------------------------------------------------------------------------------------------------------


def test_a_decomposed_name_is_shown_composed_and_opened_as_it_is(write: Write) -> None:
    root = write({"U\u0308/u\u0308.md": "Text."})

    (note,) = scan(root).notes

    assert note.path == "Ü/ü.md"
    assert read_file(note)[1] == "Text."


def test_a_name_that_is_no_utf_8_is_shown_with_a_replacement(write: Write) -> None:
    root = os.fsencode(write({"good.md": ""}))
    for name, text in ((b"caf\xe9.md", b"one"), (b"caf\xe8.md", b"two")):
        Path(os.fsdecode(root + b"/" + name)).write_bytes(text)

    found = {note.path: read_file(note)[1] for note in scan(Path(os.fsdecode(root))).notes}

    assert found == {"caf\ufffd (2).md": "one", "caf\ufffd.md": "two", "good.md": ""}


def test_two_forms_of_one_name_stay_two_notes(write: Write) -> None:
    root = write({"u\u0308.md": "decomposed", "ü.md": "composed", "ü (2).md": "taken"})

    found = {note.path: read_file(note)[1] for note in scan(root).notes}

    assert found == {"ü.md": "composed", "ü (2).md": "taken", "ü (3).md": "decomposed"}


def test_names_may_hold_line_ends_and_begin_with_a_dash(write: Write) -> None:
    assert notes(scan(write({"new\nline.md": "", "-rf.md": "", "$HOME `x`.md": ""}))) == [
        "$HOME `x`.md",
        "-rf.md",
        "new\nline.md",
    ]


def test_the_order_of_the_file_system_does_not_matter(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write({f"{folder}/{name}.md": "" for folder in ("a", "b/c", "d") for name in ("x", "y", "u\u0308", "ü")})
    before = scan(root)
    real = os.scandir

    class Shuffled:
        def __init__(self, place: bytes) -> None:
            with real(place) as entries:
                self.entries = list(entries)
            random.Random(3).shuffle(self.entries)

        def __enter__(self) -> Iterator[os.DirEntry[bytes]]:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None: ...

        def close(self) -> None: ...

    monkeypatch.setattr(os, "scandir", Shuffled)

    assert scan(root) == before


# --- links and what is away ------------------------------------------------------------------------------------------


def test_links_are_not_followed(write: Write, tmp_path: Path) -> None:
    root = write({"a/note.md": ""})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text("secret")
    (root / "secret.md").symlink_to(tmp_path / "outside" / "secret.md")
    (root / "twin.md").symlink_to(root / "a" / "note.md")
    (root / "loop").symlink_to(root)
    (root / "self.md").symlink_to(root / "self.md")
    (root / "out").symlink_to(tmp_path / "outside")

    vault = scan(root)

    assert vault.paths == ("a/note.md",)
    assert [problem.path for problem in vault.problems] == ["loop", "out", "secret.md", "self.md", "twin.md"]


def test_with_the_option_a_link_to_a_folder_outside_is_followed_once(write: Write, tmp_path: Path) -> None:
    root = write({"a/note.md": ""})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "shared.md").write_text("shared")
    (tmp_path / "outside" / "back").symlink_to(root)
    (tmp_path / "outside" / "above").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "a")
    (root / "out").symlink_to(tmp_path / "outside")

    vault = scan(root, follow_links=True)

    assert vault.paths == ("a/note.md", "out/shared.md")
    assert [problem.path for problem in vault.problems] == ["loop", "out/above", "out/back"]


def test_a_placeholder_of_a_sync_service_is_a_note_that_is_away(write: Write) -> None:
    vault = scan(
        write({"a/.Far.md.icloud": b"bplist", ".Both.md.icloud": b"", "Both.md": "here", ".pic.png.icloud": b""})
    )

    assert {note.path: note.away for note in vault.notes} == {"Both.md": False, "a/Far.md": True}
    assert vault.paths == ("Both.md", "a/Far.md", "pic.png")
    with pytest.raises(SkippedFileError, match="not on this machine"):
        read_file(vault.notes[1])


def test_a_folder_that_cannot_be_listed_is_away_with_all_it_holds(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = write({"good.md": "", "closed/x.md": "", "closed/deep/y.md": ""})
    real = os.scandir

    def refuse(place: bytes | Path) -> object:
        if os.fsencode(place).endswith(b"/closed"):
            raise PermissionError(13, "Permission denied")
        return real(place)

    monkeypatch.setattr(os, "scandir", refuse)
    vault = scan(root, exclude=["closed/x.md"])

    assert notes(vault) == ["good.md"]
    assert vault.away_folders == ("closed",)
    assert [vault.is_away(path) for path in ("closed/x.md", "closed/deep/y.md", "closed.md", "good.md")] == [
        True,
        True,
        False,
        False,
    ]
    assert [(problem.code, problem.path) for problem in vault.problems] == [("unreadable", "closed")]
    with pytest.raises(UnreadableError):
        scan(root / "closed")


# --- settings and options --------------------------------------------------------------------------------------------


def test_ignore_filters_are_prefixes_or_expressions_without_regard_to_case(write: Write) -> None:
    filters = ["archive/", "/draft.*\\.md/", "Überschrift"]
    root = write({
        ".obsidian/app.json": json.dumps({"userIgnoreFilters": filters, "newLinkFormat": 5}),
        "Archive/a.md": "", "x/Archive/b.md": "", "x/My Draft 2.md": "", "überschrift 1.md": "", "c.md": "", "Archive/k.canvas": "",
    })  # fmt: skip

    assert excluded(scan(root)) == {
        "Archive/a.md": "filter",
        "Archive/k.canvas": "filter",
        "x/My Draft 2.md": "filter",
        "überschrift 1.md": "filter",
    }


@pytest.mark.parametrize("entry", ["/(/", "/(a+)+$/", "/(a|b)*c/", "/(?:x?){40}/", "/[z-a]/", "/a{9999999999}/"])
def test_an_expression_that_cannot_be_used_is_a_problem(write: Write, entry: str) -> None:
    root = write({".obsidian/app.json": json.dumps({"userIgnoreFilters": [entry]}), f"{'a' * 40}b.md": ""})

    vault = scan(root)

    assert excluded(vault) == {}
    assert [(problem.code, problem.path) for problem in vault.problems] == [("settings-invalid", ".obsidian/app.json")]


@pytest.mark.parametrize("entry", ["//", "", "/(?<year>\\d{4})-x/", "/(?<!q)[(+*)]+z/", "/(\\.excalidraw)?\\.zip$/"])
def test_odd_but_usable_filters_are_no_problem(write: Write, entry: str) -> None:
    vault = scan(write({".obsidian/app.json": json.dumps({"userIgnoreFilters": [entry]}), "a.md": ""}))

    assert (excluded(vault), vault.problems) == ({}, ())


def test_templates_are_left_out_but_on_request(write: Write) -> None:
    root = write({".obsidian/templates.json": '{"folder": "/Vorlagen/"}', "vorlagen/x/t.md": "", "Vorlagen alt.md": ""})

    assert excluded(scan(root)) == {"vorlagen/x/t.md": "template"}
    assert excluded(scan(root, include_templates=True)) == {}
    assert len(scan(root).paths) == 2


@pytest.mark.parametrize("folder", ["", "/", " ", ".", None])
def test_no_templates_folder_leaves_out_nothing(write: Write, folder: str | None) -> None:
    assert excluded(scan(write({".obsidian/templates.json": json.dumps({"folder": folder}), "a.md": ""}))) == {}


@pytest.mark.parametrize(
    "text", ["{", "[]", "null", '{"userIgnoreFilters": "x"}', '{"userIgnoreFilters": [1]}', "[" * 50_000]
)
def test_broken_settings_are_a_problem_and_the_defaults_hold(write: Write, text: str) -> None:
    vault = scan(write({".obsidian/app.json": text, "a.md": ""}))

    assert excluded(vault) == {}
    assert [problem.path for problem in vault.problems] == [".obsidian/app.json"]


def test_daily_notes_have_their_folder_and_format_from_the_settings(write: Write) -> None:
    assert scan(write({})).settings.daily == DailyNotes("", "YYYY-MM-DD")

    texts: dict[str, str | bytes] = {".obsidian/daily-notes.json": b'\xef\xbb\xbf{"folder": "Tage/", "format": ""}'}

    assert scan(write(texts)).settings.daily == DailyNotes("Tage", "YYYY-MM-DD")


@pytest.mark.parametrize(
    ("glob", "path", "out"),
    [
        ("Archive", "x/archive/y/a.md", True),
        ("Archive/", "Archive/a.md", True),
        ("Archive/**", "Archive/y/a.md", True),
        ("Archive/**", "x/Archive/a.md", False),
        ("archive.md/", "Archive.md", False),
        ("*.draft.md", "x/A.DRAFT.md", True),
        ("a?.md", "ab.md", True),
        ("[ab].md", "x/b.md", True),
        ("/b.md", "b.md", True),
        ("/b.md", "a/b.md", False),
        ("./a/b.md", "a/b.md", True),
        ("a/*/b.md", "a/x/b.md", True),
        ("a/*/b.md", "a/x/y/b.md", False),
        ("a/**/b.md", "a/b.md", True),
        ("a/**/b.md", "a/x/y/b.md", True),
        ("**/b.md", "a/x/b.md", True),
        ("**", "a.md", True),
        ("a/**", "a.md", False),
        ("u\u0308.md", "Ü.md", True),
        ("", "a.md", False),
        ("/", "a.md", False),
        ("[", "a.md", False),
        ("*a" * 60 + "b", "a" * 200 + ".md", False),
        ("/".join(["**/a"] * 40), "/".join("a" * 30) + ".md", False),
    ],
)
def test_exclude_globs_leave_out_files_and_whole_folders(write: Write, glob: str, path: str, out: bool) -> None:
    vault = scan(write({path: ""}), exclude=[glob])

    assert excluded(vault) == ({vault.paths[0]: "option"} if out else {})


def test_a_glob_that_fits_no_file_of_the_vault_is_told_once(write: Write) -> None:
    root = write({"Work/a.md": "", "Work/b.png": b"", "Home/c.md": ""})
    exclude = ["*.draft.md", "a.md", "*.draft.md", "Home", "*.png", "drafts/*.md"]

    for folder in (root, root / "Work"):  # globs are those of the whole vault, whatever part of it is indexed
        problems = scan(folder, exclude=exclude).problems

        assert [(problem.code, problem.message) for problem in problems] == [
            ("exclude-unmatched", "`--exclude *.draft.md` fits no file of the vault"),
            (
                "exclude-unmatched",
                "`--exclude drafts/*.md` fits no file of the vault; "
                "a glob with a slash inside begins at the vault's top folder",
            ),
        ]


# --- one file --------------------------------------------------------------------------------------------------------


def test_a_file_gives_the_hash_of_its_bytes_and_its_text(write: Write) -> None:
    content = b"\xef\xbb\xbf# A\r\nB\xc3\xbc\r"
    (note,) = scan(write({"a.md": content})).notes

    assert read_file(note) == (hashlib.sha256(content).hexdigest(), "# A\r\nBü\r", [])
    assert (note.size, note.away) == (len(content), False)


def test_a_file_that_is_too_large_is_skipped(write: Write) -> None:
    small, large = scan(write({"a.md": "x" * 10, "b.md": "x" * 11}), max_file_size=10).notes

    assert read_file(small)[1] == "x" * 10
    with pytest.raises(SkippedFileError, match=r"b\.md: has 11 bytes"):
        read_file(large)


def test_a_file_that_is_gone_or_is_a_link_by_now_is_skipped(write: Write, tmp_path: Path) -> None:
    root = write({"a.md": "x", "b.md": "y", "c.md": "z"})
    gone, link, pipe = scan(root).notes
    (tmp_path / "secret").write_text("secret")
    for name in ("a.md", "b.md", "c.md"):
        (root / name).unlink()
    (root / "b.md").symlink_to(tmp_path / "secret")
    os.mkfifo(root / "c.md")

    for note in (gone, link, pipe):
        with pytest.raises(SkippedFileError):
            read_file(note)


def test_a_file_that_changes_while_it_is_read_is_skipped(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write({"a.md": "before"})
    (note,) = scan(root).notes
    real = files._all

    def disturbed(opened: object, size: int) -> bytes:
        content = real(opened, size)  # type: ignore[arg-type]
        (root / "a.md").write_text("afterwards")
        return content

    monkeypatch.setattr(files, "_all", disturbed)

    with pytest.raises(SkippedFileError, match="changed while it was read"):
        read_file(note)


def test_a_file_without_permission_is_unreadable(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    (note,) = scan(write({"a.md": "x"})).notes

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)

    with pytest.raises(UnreadableError, match=r"a\.md: cannot be read: Permission denied"):
        read_file(note)


def test_a_file_named_by_the_user_may_be_a_link(write: Write, tmp_path: Path) -> None:
    root = write({"a.md": "text"})
    (tmp_path / "short.md").symlink_to(root / "a.md")

    assert read_file(lone_file(tmp_path / "short.md", "short.md"))[1] == "text"


# --- decoding --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbf", ""),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa"),
        ("\ufeffWeit 😀\n".encode("utf-16-le"), "Weit 😀\n"),
        ("\ufeffWeit\n".encode("utf-16-be"), "Weit\n"),
        (b"\xff\xfea\x00b", "a\ufffd"),
        (b"x" * 8192 + b"\0", "x" * 8192 + "\0"),
    ],
)
def test_one_mark_is_removed_and_utf_16_is_read(content: bytes, text: str) -> None:
    assert decode(content, "a.md") == (text, [])


@pytest.mark.parametrize(
    "content", [b"a\0b", b"\0", "Weit".encode("utf-16-le"), "\ufeffx".encode("utf-32-le"), b"\x00\x01lock"]
)
def test_content_with_nuls_is_no_text(content: bytes) -> None:
    with pytest.raises(SkippedFileError, match=r"a\.md: holds NUL"):
        decode(content, "a.md")


def test_what_is_no_utf_8_is_replaced_with_a_warning_that_names_the_line() -> None:
    text, problems = decode(b"one\r\ntwo\rthree \xff\xfe end\n", "a.md")

    assert text == "one\r\ntwo\rthree \ufffd\ufffd end\n"
    assert [(problem.code, problem.path, problem.line) for problem in problems] == [("encoding", "a.md", 3)]


@given(st.binary())
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_decoded_or_skipped(content: bytes) -> None:
    try:
        text, _ = decode(content, "a.md")
    except SkippedFileError:
        return

    text.encode("utf-8")


@given(st.text(st.characters()))
@settings(max_examples=200, deadline=None)
def test_any_text_is_taken_or_skipped(given_text: str) -> None:
    try:
        text, problems = take(given_text, "a.md")
    except SkippedFileError:
        assert "\0" in given_text
        return

    text.encode("utf-8")
    assert bool(problems) == any("\ud800" <= sign <= "\udfff" for sign in given_text)
