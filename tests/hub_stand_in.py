"""A loopback stand-in for the Hugging Face hub that offers one model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

REVISION = "a" * 40


@contextmanager
def hub_with(name: str, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve the folder's files as model `name`; yields the address and the paths that were asked for."""
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, *, body: bool) -> None:
            path = self.path.split("?")[0]
            asked.append(path)
            if path.startswith(f"/api/models/{name}/tree/"):
                tree = [
                    {"type": "file", "path": file, "size": len(text), "oid": "0" * 40} for file, text in files.items()
                ]
                self.send(200, json.dumps(tree).encode(), body)
            elif path.startswith(f"/api/models/{name}"):
                siblings = [{"rfilename": file} for file in files]
                found = {
                    "id": name,
                    "modelId": name,
                    "sha": REVISION,
                    "siblings": siblings,
                    "private": False,
                    "tags": [],
                }
                self.send(200, json.dumps(found).encode(), body)
            elif (file := path.removeprefix(f"/{name}/resolve/{REVISION}/")) in files:
                self.send(200, files[file], body)
            else:
                self.send(404, b"{}", body, {"X-Error-Code": "RepoNotFound"})

        def send(self, status: int, content: bytes, body: bool, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            etag = hashlib.sha256(content).hexdigest()
            for key, value in {"ETag": f'"{etag}"', "X-Repo-Commit": REVISION, **(headers or {})}.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if body:
                self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
