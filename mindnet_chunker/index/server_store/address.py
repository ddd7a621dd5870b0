"""Where a server is, from a URL and a key: parsed by ourselves, so that nothing secret is printed or sent in the clear."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from mindnet_chunker.errors import UsageError

PORTS = {"https": 443, "http": 6333}
LONGEST_NAME = 150  # bytes; the server's limit is 255, and a generation's name comes behind ours
EXAMPLE = "write it like `https://host`, `http://localhost:6333` or `https://host/path`"
KEY_VARIABLE = "QDRANT_API_KEY"

_HOST = re.compile(r"[^\s/\\?#@%\[\]<>\"'`|^{}]+")
_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f\ud800-\udfff]')  # what the server takes in no name


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A server that speaks HTTP. `str()` is its URL; it never holds a secret."""

    https: bool
    host: str  # an IPv6 address without brackets
    port: int
    prefix: str = ""  # path before all of the server's own, "/like/this"

    @property
    def authority(self) -> str:
        """The host as it stands in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def is_loopback(self) -> bool:
        """Whether nothing that is sent leaves this machine."""
        name = self.host.rstrip(".")
        try:
            return ip_address(name).is_loopback
        except ValueError:
            return name == "localhost" or name.endswith(".localhost")

    def __str__(self) -> str:
        return f"http{'s' * self.https}://{self.authority}:{self.port}{self.prefix}"


def parse_address(url: str) -> Address:
    """Without a port, https means 443 and http 6333. Raises UsageError; what could be a secret is not in it."""
    url = url.strip()
    if not url.isprintable() or " " in url:
        raise _bad_url("the server's URL holds a blank or a control sign", url)
    scheme, divider, _ = url.partition("://")
    if not divider or scheme.lower() not in PORTS:
        raise _bad_url("the server's URL does not begin with `https://` or `http://`", url)
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _bad_url("the server's URL cannot be understood", url) from error
    if "@" in parts.netloc:
        raise _bad_url(
            "the server's URL holds a name or a password", url, f"give the key by the environment: `{KEY_VARIABLE}`"
        )
    if "?" in url or "#" in url:
        raise _bad_url("the server's URL holds more than a path", url)
    if not _HOST.fullmatch(host) or port == 0:
        raise _bad_url("the server's URL names no host" if not host else "the server's URL cannot be understood", url)
    prefix = re.sub("/{2,}", "/", parts.path).rstrip("/")  # "//other" would be taken for another host
    https = parts.scheme == "https"
    return Address(https=https, host=host, port=port or PORTS[parts.scheme], prefix=prefix)


def checked_key(key: str | None, address: Address, *, insecure: bool) -> str | None:
    """The key as it may be sent to this address; None for a blank one. Raises UsageError without showing it."""
    key = (key or "").strip()
    if not key:
        return None
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UsageError(f"`{KEY_VARIABLE}` holds a sign that no key has", hint="copy the key again, in one line")
    if not (address.https or address.is_loopback or insecure):
        raise UsageError(
            f"the key would go to `{address.host}` over plain http, readable on the way",
            where=str(address),
            hint="use `https://`, or `--insecure` if you trust every network in between",
        )
    return key


def default_name(vault: str) -> str:
    """The collections' name for a vault: `mindnet-<vault id>`, made fit where the id holds what no name may hold."""
    name = f"mindnet-{vault}"
    fit = _FORBIDDEN.sub("-", name).rstrip()
    if len(fit.encode()) > LONGEST_NAME:
        fit = fit.encode()[: LONGEST_NAME - 9].decode("utf-8", "ignore")
    if fit == name:
        return name
    return f"{fit}-{hashlib.sha256(vault.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def checked_name(name: str) -> str:
    """The name for collections as the user gave it; raises UsageError if the server would not take it."""
    if not name.strip() or _FORBIDDEN.search(name) or len(name.encode()) > LONGEST_NAME:
        raise UsageError(
            f"`{name[:60]!a}` cannot be the name of collections",
            hint=f'`--collection` takes at most {LONGEST_NAME} bytes, none of `< > : " / \\ | ? *`',
        )
    return name


def _bad_url(what: str, url: str, hint: str = EXAMPLE) -> UsageError:
    return UsageError(what, where=masked(url), hint=hint)


def masked(url: str) -> str:
    """A URL without what may be secret in it: name and password, query, fragment."""
    scheme, divider, rest = url.partition("://") if "://" in url else ("", "", url)
    shown = re.split("[?#]", rest, maxsplit=1)[0]
    if "@" in rest:  # a password may hold any sign: with `?` or `#` about, no telling where it ends
        shown = "***@" + rest.rpartition("@")[2] if shown == rest else "***"
    return "".join(sign if sign.isprintable() else "?" for sign in scheme + divider + shown)[:200]
