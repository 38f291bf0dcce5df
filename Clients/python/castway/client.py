"""The connection to a gateway. Operations are in `operations.py`, which is made from the gateway's own catalogue."""

from __future__ import annotations

import hashlib
import http.client
import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from .operations import JSON_KEYS, OPERATIONS, Operations

Input = dict[str, Any]


class Problem(Exception):
    """The gateway's refusal (RFC 9457). `code` is what to compare; `errors` names each fault of an input."""

    def __init__(self, status: int, body: Input) -> None:
        self.status = status
        self.code: str = body.get("code", "unknown")
        self.detail: str = body.get("detail", "")
        self.errors: list[dict[str, str]] = body.get("errors", [])
        self.members = body
        super().__init__(f"{self.code}: {self.detail}")


@dataclass(frozen=True)
class Frame:
    """One frame of the stream of events. `kind` is `event` for what happened, `snapshot` for what held at the beginning, and
    otherwise a mark: `hello`, `synced`, `coalesced`, `gap` (events were lost), `resync` (a new snapshot follows)."""

    kind: str
    body: Input
    position: str | None

    @property
    def type(self) -> str | None:
        """What happened, such as `media.status`; None for marks."""
        return self.body.get("type")

    @property
    def device(self) -> str | None:
        return self.body.get("device")

    @property
    def data(self) -> Input:
        return self.body.get("data") or {}


class Castway(Operations):
    """A gateway. Its methods may be called from several threads; each call has a connection to itself, kept for the next.

    `url` is `http://HOST:PORT`, `https://HOST:PORT` or `unix:/path/of/admin.sock`. Of a gateway that made its own certificate
    `fingerprint` says the SHA-256 of it, or `cafile` names a file with it. `timeout` is how many seconds an answer may take.
    """

    def __init__(
        self, url: str = "http://127.0.0.1:8480", *, token: str | None = None, fingerprint: str | None = None,
        cafile: str | None = None, timeout: float = 30,
    ) -> None:
        self._parts = urlsplit(url)
        if self._parts.scheme not in ("http", "https", "unix") or not (self._parts.hostname or self._parts.path):
            raise ValueError(f"no address of a gateway: {url}")
        self._token = token
        self._timeout = timeout
        self._fingerprint = (fingerprint or "").replace(":", "").lower()
        self._tls = ssl.create_default_context(cafile=cafile) if self._parts.scheme == "https" else None
        if self._tls and self._fingerprint:
            self._tls.check_hostname = False
            self._tls.verify_mode = ssl.CERT_NONE
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()
        self._routes: dict[str, tuple[str, str]] = dict(OPERATIONS)
        self._json_keys: dict[str, frozenset[str]] = dict(JSON_KEYS)
        super().__init__(self)

    def __enter__(self) -> Castway:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections that no call uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def call(
        self, name: str, /, *, wait: float | None = None, idempotency_key: str | None = None, **values: Any
    ) -> Input:
        """Has the gateway do an operation by its name; the operations of plugins are looked up in its document."""
        method, path = self._routes.get(name) or self._look_up(name)
        values = {key.removesuffix("_"): value for key, value in values.items() if value is not None}
        parts = [part[1:-1] if part.startswith("{") else None for part in path.split("/")]
        missing = [part for part in parts if part and values.get(part) in (None, "")]
        if missing:
            raise TypeError(f"{name} takes {', '.join(missing)}")
        written = [quote(_text(values.pop(key)), safe="") if key else part for key, part in zip(parts, path.split("/"))]
        written_as_json = self._json_keys.get(name, frozenset())
        query = {}
        if method in ("GET", "DELETE"):
            query = {key: json.dumps(value) if key in written_as_json else _text(value) for key, value in values.items()}
        if wait is not None:
            query["wait"] = _text(wait)
        uri = "/".join(written) + (f"?{urlencode(query)}" if query else "")
        body = None if method in ("GET", "DELETE") else json.dumps(values).encode()
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self._ask(method, uri, body, headers)

    def state(self) -> Input:
        """The latest value of everything, with the position in the stream of events that it belongs to."""
        return self._ask("GET", "/api/v1/state")

    def events(
        self, *types: str, device: str | Iterable[str] = (), namespace: str | Iterable[str] = (), after: str | None = None
    ) -> Iterator[Frame]:
        """Follows events, for ever: a connection that is lost is made again, and nothing between is missed, or a frame says so.

        `types` and `device` may have `*`; without any, everything comes but the messages of apps, whose namespaces have to be
        named. `after` is the `position` of a frame to go on from. A refusal ends it with a `Problem`.
        """
        devices = [device] if isinstance(device, str) else list(device)
        namespaces = [namespace] if isinstance(namespace, str) else list(namespace)
        query = urlencode({"type": types, "device": devices, "namespace": namespaces}, doseq=True)
        pause = 1.0
        while True:
            try:
                for frame in self._stream(f"/api/v1/events{'?' + query if query else ''}", after):
                    after, pause = frame.position or after, 1.0
                    if frame.kind not in ("bookmark", "end"):
                        yield frame
            except (OSError, http.client.HTTPException):
                pass
            except Problem as problem:
                if problem.status not in (429, 503):
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 30)

    # What follows is how bytes come and go.

    def _stream(self, uri: str, after: str | None) -> Iterator[Frame]:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": after} if after else {})
        connection = self._connect()
        try:
            response = self._send(connection, "GET", uri, None, headers)
            if response.status != 200:
                raise Problem(response.status, _object(response.read()))
            kind, data, position = "event", "", None
            for line in response:
                field, _, value = line.decode().rstrip("\r\n").partition(":")
                value = value.removeprefix(" ")
                if field == "event":
                    kind = value
                elif field == "data":
                    data += value
                elif field == "id":
                    position = value
                elif not field and not value:
                    if data or position:
                        yield Frame(kind if data else "bookmark", json.loads(data or "{}"), position)
                    kind, data, position = "event", "", None
        finally:
            connection.close()

    def _ask(self, method: str, uri: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Input:
        connection = self._take()
        try:
            response = self._send(connection, method, uri, body, headers or {})
            answer = _object(response.read())
        except BaseException:
            connection.close()
            raise
        with self._lock:
            self._idle.append(connection)
        if response.status >= 400:
            raise Problem(response.status, answer)
        return answer

    def _send(
        self, connection: http.client.HTTPConnection, method: str, uri: str, body: bytes | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        connection.request(method, uri, body, headers)
        return connection.getresponse()

    def _take(self) -> http.client.HTTPConnection:
        """A connection that the gateway has not closed in the meantime: such a one can be read."""
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if connection.sock and not select.select([connection.sock], [], [], 0)[0]:
                    return connection
                connection.close()
        return self._connect()

    def _connect(self) -> http.client.HTTPConnection:
        parts = self._parts
        if parts.scheme == "unix":
            connection = http.client.HTTPConnection("localhost", timeout=self._timeout)
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.settimeout(self._timeout)
            connection.sock.connect(parts.path)
        elif self._tls:
            connection = http.client.HTTPSConnection(
                parts.hostname or "", parts.port or 443, timeout=self._timeout, context=self._tls
            )
            connection.connect()
            self._check(connection)
        else:
            connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=self._timeout)
        return connection

    def _check(self, connection: http.client.HTTPConnection) -> None:
        if not self._fingerprint or not isinstance(connection.sock, ssl.SSLSocket):
            return
        found = hashlib.sha256(connection.sock.getpeercert(binary_form=True) or b"").hexdigest()
        if found != self._fingerprint:
            connection.close()
            raise ssl.SSLCertVerificationError(f"the gateway's certificate has the fingerprint {found}")

    def _look_up(self, name: str) -> tuple[str, str]:
        document = self._ask("GET", "/openapi.json")
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if "operationId" in operation:
                    self._routes[operation["operationId"]] = (method.upper(), path)
                    parameters = operation.get("parameters", [])
                    keys = frozenset(key["name"] for key in parameters if "content" in key)
                    self._json_keys[operation["operationId"]] = keys
        if name not in self._routes:
            raise AttributeError(f"the gateway has no operation '{name}'")
        return self._routes[name]


def _text(value: Any) -> str:
    """A value as it stands in a path or a query."""
    return value if isinstance(value, str) else json.dumps(value)


def _object(body: bytes) -> Input:
    try:
        value = json.loads(body or b"{}")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"code": "no_json", "detail": body[:200].decode(errors="replace")}
