"""A back end for webhooks, which keeps what it gets."""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from api import PATIENCE
from standardwebhooks import Webhook, WebhookVerificationError

Json = dict[str, Any]
SECRET = "whsec_" + base64.b64encode(os.urandom(32)).decode()


class BackEnd:
    """Listens while the `with` block lasts; verifies each signature."""

    def __init__(self) -> None:
        self.got: list[Json] = []
        self.paths: list[str] = []
        self.answer: Json | None = None
        self.is_genuine = True
        self.refused = 0
        self._refusals = 0
        self._news = threading.Condition()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                owner.take(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]

    def __enter__(self) -> BackEnd:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def refuse_next(self) -> None:
        self._refusals = 1

    def take(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers["content-length"]))
        status, answer = 200, b""
        with self._news:
            try:
                Webhook(SECRET).verify(body, {k.lower(): v for k, v in request.headers.items()})
            except WebhookVerificationError:
                self.is_genuine = False
            if self._refusals:
                self._refusals -= 1
                self.refused += 1
                status = 500
            else:
                self.got.append(json.loads(body))
                self.paths.append(request.path)
                if self.answer is not None:
                    answer = json.dumps(self.answer).encode()
            self._news.notify_all()
        request.send_response(status)
        request.send_header("content-type", "application/json")
        request.send_header("content-length", str(len(answer)))
        request.end_headers()
        request.wfile.write(answer)

    def wait(self, look: Callable[[list[Json]], object], what: str) -> None:
        """Waits until what came has something in it."""
        with self._news:
            if not self._news.wait_for(lambda: bool(look(self.got)), timeout=PATIENCE):
                raise AssertionError(f"the back end did not get {what}; it got {[m.get('type') for m in self.got]}")
