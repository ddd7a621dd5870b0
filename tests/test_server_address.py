from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mindnet_chunker.errors import UsageError
from mindnet_chunker.index.server_store.address import (
    LONGEST_NAME,
    Address,
    checked_key,
    checked_name,
    default_name,
    masked,
    parse_address,
)

FAR = Address(https=False, host="qdrant.example.org", port=6333)
NEAR = Address(https=False, host="127.0.0.1", port=6333)
SAFE = Address(https=True, host="qdrant.example.org", port=443)


@pytest.mark.parametrize(
    ("url", "https", "host", "port", "prefix"),
    [
        ("https://qdrant.example.org", True, "qdrant.example.org", 443, ""),
        ("http://localhost", False, "localhost", 6333, ""),
        ("HTTP://LocalHost:80/", False, "localhost", 80, ""),
        (" https://a.b:6333/vectors/qdrant/ \n", True, "a.b", 6333, "/vectors/qdrant"),
        ("https://a.b//evil.example//x", True, "a.b", 443, "/evil.example/x"),
        ("http://[::1]:6333", False, "::1", 6333, ""),
        ("https://[2001:db8::1]/q", True, "2001:db8::1", 443, "/q"),
        ("https://bücher.example", True, "bücher.example", 443, ""),
    ],
)
def test_a_url_is_taken_apart(url: str, https: bool, host: str, port: int, prefix: str) -> None:
    assert parse_address(url) == Address(https=https, host=host, port=port, prefix=prefix)


def test_an_address_is_shown_as_a_url() -> None:
    assert str(parse_address("http://[::1]/x/")) == "http://[::1]:6333/x"
    assert str(parse_address("https://a.b")) == "https://a.b:443"


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost:6333", "//localhost", "grpc://localhost", "https://", "http:///x", "http://:6333",
        "http://a:b", "http://a:0", "http://a:65536", "http://a:-1", "http://a b", "http://a\tb", "http://a\\@b",
        "http://a/?x=1", "http://a/#x", "http://[::1", "http://a%2fb", "http://a<b",
    ],
)  # fmt: skip
def test_a_url_that_names_no_server_is_refused_with_a_hint(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(url)

    assert "\n" not in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    "url",
    [
        "https://user:S3CRET@host", "https://S3CRET@host", "https://:S3CRET@host:1/x", "user:S3CRET@host",
        "http://user:S3?CRET@host", "http://user:S3#CRET@host", "http://u:S3/CRET@host", "http://host?api-key=S3CRET",
        "http://host/x?a=b@S3CRET", "http://host#S3CRET", "http://S3CRET\x00@host", "ftp://a:S3CRET@host/@x",
    ],
)  # fmt: skip
def test_what_may_be_secret_in_a_url_is_refused_and_never_shown(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(url)

    shown = f"{caught.value} {caught.value.hint} {masked(url)}"
    assert "S3" not in shown
    assert "CRET" not in shown


@given(st.text(st.characters()))
@example("http://\ud800@\x1b[31m")
@settings(max_examples=300, deadline=None)
def test_any_text_is_an_address_or_refused_in_one_line(text: str) -> None:
    for url in (text, f"http://{text}", f"https://h/{text}"):
        try:
            address = parse_address(url)
        except UsageError as error:
            assert str(error).isprintable()
        else:
            assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("localhost.", True),
        ("qdrant.localhost", True), ("0.0.0.0", False), ("10.0.0.1", False), ("localhost.example.org", False),
        ("127.0.0.1.example.org", False), ("notlocalhost", False), ("2130706433", False),
    ],
)  # fmt: skip
def test_only_this_machine_is_loopback(host: str, near: bool) -> None:
    assert Address(https=False, host=host, port=1).is_loopback is near


@pytest.mark.parametrize(("address", "insecure"), [(SAFE, False), (NEAR, False), (FAR, True)])
def test_a_key_goes_where_nobody_can_read_it_or_where_the_user_wants_it(address: Address, insecure: bool) -> None:
    assert checked_key(" key\r\n", address, insecure=insecure) == "key"


def test_a_key_does_not_go_over_plain_http() -> None:
    with pytest.raises(UsageError, match="plain http") as caught:
        checked_key("S3CRET", FAR, insecure=False)

    assert "S3CRET" not in f"{caught.value} {caught.value.hint}"
    assert "--insecure" in caught.value.hint


@pytest.mark.parametrize("key", [None, "", " \n"])
def test_without_a_key_plain_http_is_fine(key: str | None) -> None:
    assert checked_key(key, FAR, insecure=False) is None


@pytest.mark.parametrize("key", ["two words", "a\nb", "schlüssel", "a\x7f"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(key: str) -> None:
    with pytest.raises(UsageError, match="QDRANT_API_KEY") as caught:
        checked_key(key, SAFE, insecure=False)

    assert key not in f"{caught.value} {caught.value.hint}"


def test_the_name_of_collections_is_that_of_the_vault() -> None:
    assert default_name("Mein Gärtchen") == "mindnet-Mein Gärtchen"


@given(st.text(st.characters(), max_size=300))
@example("a/b")
@example("a:b")
@example("\ud800")
@example("ä" * 200)
@example(" ")
@settings(max_examples=300, deadline=None)
def test_every_vault_has_a_name_for_its_collections_that_a_server_takes(vault: str) -> None:
    assert checked_name(default_name(vault)) == default_name(vault)


def test_two_vaults_have_two_names() -> None:
    assert len({default_name(vault) for vault in ("a/b", "a:b", "a-b", "ä" * 200, "ä" * 201)}) == 5


@pytest.mark.parametrize("name", ["", " ", "a/b", "a:b", "a\\b", "a?b", "a\nb", "x" * (LONGEST_NAME + 1), "\ud800"])
def test_a_name_that_no_server_takes_is_refused(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        checked_name(name)

    assert str(caught.value).isprintable()
