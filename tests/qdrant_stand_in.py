"""A stand-in for a Qdrant server, on 127.0.0.1 alone: HTTP(S) from the standard library, Qdrant Edge behind it.

It can be told to fail in the ways that servers, proxies and networks do.
"""

from __future__ import annotations

import json
import re
import socket
import ssl
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from urllib.parse import parse_qsl, urlsplit

from stand_in_engine import READS, AnswerError, Engine

CLIENT_VERSION = metadata.version("qdrant-client")
MAX_BODY = 32 << 20  # bytes
OPEN_TO_ALL = ("/", "/healthz", "/readyz", "/livez")


@dataclass(slots=True, kw_only=True)
class Fault:
    """What goes wrong with the next requests that match."""

    path: str = ""  # a pattern that is searched in "METHOD /path"
    skip: int = 0  # matching requests that go well before
    times: int = 1
    delay: float = 0.0  # seconds
    status: int | None = None  # the answer, instead of doing what was asked for
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # of the answer, whatever was done
    drop: Literal["before", "after"] | None = None  # the connection ends before or after the change is made
    update: str | None = None  # status of the update in an answer of success; nothing is done

    def hits(self, request: str) -> bool:
        if not self.times or not re.search(self.path, request):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times -= 1
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A request that came in."""

    method: str
    path: str  # as sent, without the query
    query: dict[str, str]
    body: Any
    size: int  # of the body, in bytes
    headers: dict[str, str]  # names in lower case


class StandIn:
    """Use as a context; `url` is where it listens."""

    def __init__(
        self,
        folder: Path,
        *,
        key: str | None = None,
        read_only_key: str | None = None,
        certificate: tuple[Path, Path] | None = None,
        version: str = CLIENT_VERSION,
        strict: bool = True,
        keeps_metadata: bool = True,
        prefix: str = "",
        max_body: int = MAX_BODY,
        too_large: int = 400,
    ) -> None:
        """`too_large`: the status that answers a larger body; proxies say 413."""
        self.engine = Engine(folder, version=version, strict=strict, keeps_metadata=keeps_metadata)
        self.key, self.read_only_key, self.prefix, self.max_body = key, read_only_key, prefix, max_body
        self.too_large = too_large
        self.faults: list[Fault] = []
        self.seen: list[Seen] = []
        self.lock = threading.Lock()  # the engine has one caller at a time
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stand_in = self
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self._server.server_port}{prefix}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        self.engine.close()

    def fail(self, **how: Any) -> Fault:
        """From now on, see `Fault`."""
        fault = Fault(**how)
        self.faults.append(fault)
        return fault

    def requests(self, pattern: str = "") -> list[Seen]:
        """Those that came in and match, in order."""
        return [one for one in self.seen if re.search(pattern, f"{one.method} {one.path}")]

    def access(self, method: str, path: str, headers: dict[str, str]) -> None:
        """Raise AnswerError unless the key allows this."""
        if self.key is None or path in OPEN_TO_ALL:
            return
        key = headers.get("api-key") or headers.get("authorization", "").removeprefix("Bearer ")
        if not key:
            raise AnswerError(401, "Must provide an API key or an Authorization bearer token")
        if key == self.key:
            return
        if key != self.read_only_key:
            raise AnswerError(401, "Invalid API key or JWT")
        if method != "GET" and not (method == "POST" and path.rsplit("/", 1)[-1] in READS):
            raise AnswerError(403, "Forbidden: Global write access is required")


class _Server(ThreadingHTTPServer):
    stand_in: StandIn
    daemon_threads = True
    request_queue_size = 128  # of five, the default, some are turned away where many ask at once on a busy machine

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def handle_any(self) -> None:
        stand_in = self.server.stand_in
        parts = urlsplit(self.path)
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with stand_in.lock:
            body: Any = None
            with suppress(ValueError):
                body = json.loads(content)
            query = dict(parse_qsl(parts.query))
            one = Seen(method=self.command, path=parts.path, query=query, body=body, size=len(content), headers=headers)
            stand_in.seen.append(one)
            request = f"{self.command} {parts.path}"
            fault = next((fault for fault in stand_in.faults if fault.hits(request)), Fault(times=0))
        time.sleep(fault.delay)
        if fault.drop == "before":
            self._hang_up()
            return
        status, answer = self._answer(one, content, fault)
        if fault.drop == "after":
            self._hang_up()
            return
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **fault.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = handle_any  # noqa: N815

    def _answer(self, one: Seen, content: bytes, fault: Fault) -> tuple[int, bytes]:
        stand_in = self.server.stand_in
        path = one.path.removeprefix(stand_in.prefix) or "/"
        try:
            if fault.status is not None:
                raise AnswerError(fault.status, "told to fail")
            if not one.path.startswith(stand_in.prefix):
                raise AnswerError(404, "no such page")
            stand_in.access(one.method, path, one.headers)
            if one.size > stand_in.max_body:
                what = f"JSON payload ({one.size} bytes) is larger than allowed (limit: {stand_in.max_body} bytes)."
                raise AnswerError(stand_in.too_large, f"Payload error: {what}")
            if content and one.body is None:
                raise AnswerError(400, "Format error in JSON body: expected value")
            if path == "/":
                version = {"title": "qdrant - vector search engine", "version": stand_in.engine.version}
                return 200, fault.body or json.dumps(version).encode()
            with stand_in.lock:
                if fault.update:
                    update = {"operation_id": 1, "status": fault.update}
                    result = [update] if path.endswith("/batch") else update
                else:
                    result = stand_in.engine.answer(one.method, path, one.query, one.body)
            answer = {"result": result, "status": "ok", "time": 0.0}
            return 200, json.dumps(answer).encode() if fault.body is None else fault.body
        except AnswerError as refusal:
            if refusal.status == 401:  # in words, as the server does
                return 401, refusal.error.encode()
            answer = {"status": {"error": refusal.error}, "time": 0.0}
            return refusal.status, json.dumps(answer).encode() if fault.body is None else fault.body

    def _hang_up(self) -> None:
        self.close_connection = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
            "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", str(key), "-out", str(certificate),
        ],
        check=True,
        capture_output=True,
    )  # fmt: skip
    return certificate, key
