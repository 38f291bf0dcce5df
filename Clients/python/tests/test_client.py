"""What the client does with answers, without a gateway. In `Clients/python`: `python3 -m unittest discover tests`."""

from __future__ import annotations

import hashlib
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

from castway import Castway, Problem


class Handler(BaseHTTPRequestHandler):
    """Answers what a test has prepared, in order, and keeps what it was asked."""

    protocol_version = "HTTP/1.1"
    answers: ClassVar[list[tuple[int, str, bytes]]] = []
    asked: ClassVar[list[tuple[str, str, dict[str, str], bytes]]] = []

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.asked.append((self.command, self.path, dict(self.headers), body))
        status, kind, text = self.answers.pop(0)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if kind == "text/event-stream":
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, format: str, *values: Any) -> None:
        pass


class ClientTests(unittest.TestCase):
    def setUp(self) -> None:
        Handler.answers, Handler.asked = [], []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def prepare(self, *answers: tuple[int, str, bytes]) -> None:
        Handler.answers.extend(answers)

    def json(self, text: bytes = b"{}", status: int = 200) -> tuple[int, str, bytes]:
        return (status, "application/json", text)

    def test_keys_stand_in_path_query_and_body(self) -> None:
        self.prepare(self.json(), self.json(status=201))
        with Castway(self.url, token="cwt_1") as gateway:
            gateway.session.end(session=7, stop=True)
            gateway.session.start(device="a b", idempotency_key="k1")
        (method, path, headers, _), (other, _, more, body) = Handler.asked
        self.assertEqual((method, path), ("DELETE", "/api/v1/sessions/7?stop=true"))
        self.assertEqual(headers["Authorization"], "Bearer cwt_1")
        self.assertEqual((other, body), ("POST", b'{"device": "a b"}'))
        self.assertEqual(more["Idempotency-Key"], "k1")
        self.assertEqual(more["Content-Type"], "application/json")

    def test_keys_that_take_any_json_are_json_in_a_query(self) -> None:
        self.prepare(self.json(), self.json())
        with Castway(self.url) as gateway:
            gateway.queue.remove(device="tv", items=[3], custom_data="5")
            gateway.queue.remove(device="tv", items=[3], custom_data={"a": 1})
        text, mapping = (path for _, path, _, _ in Handler.asked)
        self.assertTrue(text.endswith("custom_data=%225%22"), text)
        self.assertTrue(mapping.endswith("custom_data=%7B%22a%22%3A+1%7D"), mapping)

    def test_paths_are_encoded_and_may_not_be_empty(self) -> None:
        self.prepare(self.json())
        with Castway(self.url) as gateway:
            gateway.plugin.get(plugin="a/b ü")
            with self.assertRaises(TypeError):
                gateway.plugin.get(plugin="")
        self.assertEqual([path for _, path, _, _ in Handler.asked], ["/api/v1/plugins/a%2Fb%20%C3%BC"])

    def test_refusals_are_problems(self) -> None:
        body = b'{"status":422,"code":"invalid_input","detail":"1 problem","errors":[{"pointer":"/device"}]}'
        self.prepare(self.json(body, status=422), (502, "text/html", b"<h1>proxy</h1>"))
        with Castway(self.url) as gateway:
            with self.assertRaises(Problem) as refused:
                gateway.session.start(device="x")
            with self.assertRaises(Problem) as strange:
                gateway.sessions.list()
        self.assertEqual((refused.exception.status, refused.exception.code), (422, "invalid_input"))
        self.assertEqual(refused.exception.errors, [{"pointer": "/device"}])
        self.assertEqual((strange.exception.status, strange.exception.code), (502, "no_json"))

    def test_operations_of_plugins_are_looked_up(self) -> None:
        document = b'{"paths":{"/api/v1/quiz/ask":{"post":{"operationId":"quiz.ask"}}}}'
        self.prepare(self.json(document), self.json(b'{"asked":true}'), self.json(document))
        with Castway(self.url) as gateway:
            self.assertEqual(gateway.call("quiz.ask", question="why", wait=0), {"asked": True})
            with self.assertRaises(AttributeError):
                gateway.call("quiz.sak")
        self.assertEqual([path for _, path, _, _ in Handler.asked][1], "/api/v1/quiz/ask?wait=0")

    def test_events_go_on_where_they_were_cut(self) -> None:
        first = (
            b'retry: 1000\n\nevent: hello\ndata: {"frame":"hello"}\n\nevent: snapshot\ndata: {"type":"media.status"}\n\n'
            b'data: {"type":"media.status","device":"hall","data":{"a":1}}\nid: b.4\n\n: bookmark\nid: b.9\n\n'
        )
        second = b'event: gap\ndata: {"frame":"gap","count":2}\nid: b.12\n\ndata: {"type":"x"}\nid: b.13\n\n'
        self.prepare(
            (200, "text/event-stream", first), self.json(b'{"code":"unavailable"}', status=503),
            (200, "text/event-stream", second), self.json(b'{"code":"unauthorized"}', status=401),
        )
        pauses: list[float] = []
        with mock.patch("castway.client.time.sleep", pauses.append), Castway(self.url) as gateway:
            frames = []
            with self.assertRaises(Problem):
                for frame in gateway.events("media.*", "x", device="hall"):
                    frames.append((frame.kind, frame.type, frame.position))
        self.assertEqual(
            frames,
            [
                ("hello", None, None), ("snapshot", "media.status", None), ("event", "media.status", "b.4"),
                ("gap", None, "b.12"), ("event", "x", "b.13"),
            ],
        )
        self.assertEqual(Handler.asked[0][1], "/api/v1/events?type=media.%2A&type=x&device=hall")
        self.assertEqual([headers.get("Last-Event-ID") for _, _, headers, _ in Handler.asked], [None, "b.9", "b.9", "b.13"])
        self.assertEqual(pauses, [1.0, 2.0, 1.0])

    def test_a_connection_that_was_closed_is_not_used(self) -> None:
        self.prepare(self.json(), self.json())
        with Castway(self.url) as gateway:
            gateway.sessions.list()
            (kept,) = gateway._idle
            kept.sock.shutdown(2)
            gateway.sessions.list()
        self.assertEqual(len(Handler.asked), 2)

    def test_a_certificate_is_known_by_its_fingerprint(self) -> None:
        if not shutil.which("openssl"):
            self.fail("openssl is missing")
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = Path(folder, "key.pem"), Path(folder, "certificate.pem")
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                 "/CN=castway", "-days", "2", "-keyout", str(key), "-out", str(certificate)],
                check=True, capture_output=True,
            )
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            der = ssl.PEM_cert_to_DER_cert(certificate.read_text())
        url = self.url.replace("http:", "https:")
        right = hashlib.sha256(der).hexdigest().upper()
        self.prepare(self.json(b'{"sessions":[]}'))
        pairs = ":".join(right[place:place + 2] for place in range(0, 64, 2))
        with Castway(url, fingerprint=pairs) as gateway:
            self.assertEqual(gateway.sessions.list(), {"sessions": []})
        for wrong in ({"fingerprint": "00" * 32}, {}):
            with Castway(url, **wrong) as gateway, self.assertRaises(ssl.SSLCertVerificationError):
                gateway.sessions.list()
        self.assertEqual(len(Handler.asked), 1)

    def test_addresses(self) -> None:
        for url in ("127.0.0.1:8480", "ftp://x", "http://"):
            with self.assertRaises(ValueError):
                Castway(url)


if __name__ == "__main__":
    unittest.main()
