"""One request, repeated while that can help: when, how often, how long; and what an answer that is no success means.

It stands between qdrant-client and its HTTP library, so that every call is covered by it.
"""

from __future__ import annotations

import random
import ssl
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from mindnet_chunker.errors import StoreError

if TYPE_CHECKING:
    import httpx

PASSING = {408, 429, 500, 502, 503, 504}  # states of the server that may be over soon
FIRST_TRIES, TRIES = 4, 8  # of one request; few as long as the server has never answered
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 8.0  # seconds; doubled from try to try
LONG_PAUSE = 5.0  # seconds; longer ones are told
PATIENCE = 3  # timeouts that one request may take with all its repeats; one as long as the server has never answered

Send = Callable[["httpx.Request"], "httpx.Response"]


class RefusedError(StoreError):
    """The server answered, and the answer is no."""

    def __init__(self, status: int, what: str, *, where: str, hint: str) -> None:
        super().__init__(what, where=where, hint=hint)
        self.status = status


class Transport:
    """A middleware of qdrant-client: sends a request until it succeeds, or raises a StoreError of one line."""

    def __init__(
        self,
        server: str,
        timeout: float,
        *,
        secret: str | None,
        warn: Callable[[str], None],
        sleep: Callable[[float], None],
    ) -> None:
        """`server`: its URL, for messages; `timeout`: seconds for one try; `secret`: never shown."""
        self._server = server
        self._timeout = timeout
        self._secret = secret
        self._warn = warn
        self._sleep = sleep
        self._met = False  # whether the server has ever answered

    def __call__(self, request: httpx.Request, send: Send) -> httpx.Response:
        began = time.monotonic()
        for number, pause in enumerate(pauses()):
            end = began + self._timeout * (PATIENCE if self._met else 1)
            seconds = max(0.001, min(self._timeout, end - time.monotonic()))
            request.extensions["timeout"] = dict.fromkeys(("connect", "read", "write", "pool"), seconds)
            fault, wait = self._try(request, send)
            if not isinstance(fault, StoreError):
                return fault
            pause = pause if wait is None else wait
            last = number + 1 >= (TRIES if self._met else FIRST_TRIES)
            if pause < 0 or last or time.monotonic() + pause >= end:
                raise fault
            if pause >= LONG_PAUSE:
                self._warn(f"{fault.what}; trying again in {pause:.0f} s")
            self._sleep(pause)
        raise AssertionError

    def _try(self, request: httpx.Request, send: Send) -> tuple[httpx.Response | StoreError, float | None]:
        """The answer, or a fault and the seconds that the server wants to be left alone; -1: forever."""
        from qdrant_client.http.exceptions import ResponseHandlingException

        try:
            response = send(request)
        except ResponseHandlingException as error:
            fault, passing = self._broken(error.source)
            return fault, None if passing else -1
        self._met = True
        if response.is_success:
            return response, None
        if response.status_code not in PASSING:
            return self._refusal(response), -1
        wait = retry_after(response.headers.get("Retry-After"))
        return self._refusal(response, "" if wait is None else f"; it asks to be left alone for {wait:.0f} s"), wait

    def _broken(self, error: Exception) -> tuple[StoreError, bool]:
        """What a request without an answer means, and whether it may be over soon."""
        import httpx

        reason = one_line(str(error)) or type(error).__name__
        if (fault := _tls_fault(error)) is not None:
            reason = one_line(getattr(fault, "verify_message", "") or str(fault))
            hint = "name the file of the authority that signed its certificate with `--ca-cert FILE`"
            if not isinstance(fault, ssl.SSLCertVerificationError):
                hint = "see that the server speaks https on this port, or use `http://`"
            return StoreError(f"no secure connection: {reason}", where=self._server, hint=hint), False
        if isinstance(error, httpx.TimeoutException):
            what = f"the Qdrant server did not answer within {self._timeout:g} s"
            hint = "see that it is running and the URL is right, or give it more time with `--timeout SECONDS`"
            return StoreError(what, where=self._server, hint=hint), True
        passing = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError | httpx.ProxyError)
        what = f"the connection to the Qdrant server broke: {reason}"
        if isinstance(error, httpx.ConnectError):
            what = f"the Qdrant server cannot be reached: {reason}"
        return StoreError(what, where=self._server, hint="see that it is running and the URL is right"), passing

    def _refusal(self, response: httpx.Response, more: str = "") -> RefusedError:
        status = response.status_code
        reason = self._reason(response) + more
        what, hint = f"the Qdrant server answers {status}: {reason}", "see what the server's log says"
        if status == 401:
            hint = "give the server's key by the environment variable `QDRANT_API_KEY`"
            what = f"the Qdrant server does not accept the key: {reason}"
        elif status == 403:
            what, hint = f"the key does not allow this: {reason}", "use a key that may write"
        elif status == 404:
            hint = "see that the URL is right, and that nobody removed the collections meanwhile"
        elif status in (301, 302, 303, 307, 308, 405):
            hint = "see that the URL is right: scheme, host, port and path"
        elif status in PASSING:
            hint = "repeat the run later"
        return RefusedError(status, what, where=self._server, hint=hint)

    def _reason(self, response: httpx.Response) -> str:
        """What the server says about its refusal, in one line."""
        try:
            reason = response.json()["status"]["error"]
        except (ValueError, KeyError, TypeError):
            is_page = "html" in response.headers.get("content-type", "")
            reason = "" if is_page else response.text
        reason = one_line(str(reason)) or response.reason_phrase or "no reason given"
        return reason.replace(self._secret, "***") if self._secret else reason


def pauses() -> Iterator[float]:
    """Seconds to wait between tries, without end: growing, and never twice the same, so that clients scatter."""
    longest = FIRST_PAUSE
    while True:
        yield longest * random.uniform(0.5, 1)
        longest = min(2 * longest, LONGEST_PAUSE)


def retry_after(value: str | None) -> float | None:
    """Seconds, from a `Retry-After` of seconds or with a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def one_line(text: str) -> str:
    """The first line that says something, short, without signs that are not to be printed."""
    line = next((line for line in text.split("\n") if line.strip()), "").strip()
    return "".join(sign if sign.isprintable() else " " for sign in line)[:300]


def _tls_fault(error: BaseException | None) -> ssl.SSLError | None:
    """The TLS error at the bottom of an error, unless it is only a connection that ended early."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ssl.SSLError) and not isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None
