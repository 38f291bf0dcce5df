"""The API of a running gateway, over HTTP by its own OpenAPI document, and its events as a stream of server-sent events."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

Json = dict[str, Any]
PATIENCE = 20.0
"""Seconds until something that has to happen has not."""


class Refusal(Exception):
    """An operation that was refused."""

    def __init__(self, operation: str, status: int, problem: Json) -> None:
        super().__init__(f"{operation}: {status} {json.dumps(problem)}")
        self.status, self.problem = status, problem
        self.code = problem.get("code")


class Api:
    """Calls operations over HTTP. The routes are those that the gateway's own document has."""

    def __init__(self, port: int, token: str | None = None) -> None:
        self.port, self.token = port, token
        self._routes: dict[str, tuple[str, str, dict[str, str]]] = {}

    def fetch(self, method: str, path: str, body: object = None, headers: Json | None = None) -> tuple[int, Json, bytes]:
        """One request as it is; the answer's status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE * 2)
        try:
            sent = dict(headers or {})
            if self.token:
                sent.setdefault("Authorization", f"Bearer {self.token}")
            if body is not None:
                sent["Content-Type"] = "application/json"
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def document(self) -> Json:
        status, _, body = self.fetch("GET", "/openapi.json")
        if status != 200:
            raise AssertionError(f"/openapi.json: {status}")
        return dict(json.loads(body))

    def _route(self, operation: str) -> tuple[str, str, dict[str, str]]:
        if not self._routes:
            for path, methods in self.document()["paths"].items():
                for method, about in methods.items():
                    if isinstance(about, dict) and "operationId" in about:
                        places = {p["name"]: p["in"] for p in about.get("parameters", []) if "name" in p}
                        self._routes[about["operationId"]] = (method.upper(), path, places)
        return self._routes[operation]

    def call(self, operation: str, /, wait: float | None = None, idempotency_key: str | None = None, **values: Any) -> tuple[int, Json]:
        """Calls an operation; the status and the body of the answer, whatever they are."""
        method, path, places = self._route(operation)
        query: list[tuple[str, str]] = [] if wait is None else [("wait", str(wait))]
        body: Json = {}
        for name, value in values.items():
            if places.get(name) == "path":
                path = path.replace("{" + name + "}", quote(str(value), safe=""))
            elif places.get(name) == "query":
                for one in value if isinstance(value, list) else [value]:
                    query.append((name, one if isinstance(one, str) else json.dumps(one)))
            else:
                body[name] = value
        if query:
            path += "?" + urlencode(query, quote_via=quote)
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        has_body = method not in ("GET", "DELETE")
        status, _, answer = self.fetch(method, path, body if has_body else None, headers)
        return status, dict(json.loads(answer)) if answer else {}

    def do(self, operation: str, /, **values: Any) -> Json:
        """Calls an operation that has to succeed."""
        status, body = self.call(operation, **values)
        if status >= 300:
            raise Refusal(operation, status, body)
        return body

    def refused(self, operation: str, code: str, status: int, /, **values: Any) -> Json:
        """Calls an operation that has to be refused with a code and a status; gives the problem."""
        seen, body = self.call(operation, **values)
        if (seen, body.get("code")) != (status, code):
            raise AssertionError(f"{operation} answered {seen} {json.dumps(body)[:400]} and not {status} {code}")
        return body

    def events(self, *types: str, namespaces: tuple[str, ...] = (), devices: tuple[str, ...] = (), since: str = "") -> Events:
        """The stream; `since` is a position (`BOOT.SEQ`) from which on events are wanted that were told already."""
        return Events(self, types, namespaces, devices, since)


class Events:
    """Reads the stream of events on a thread, until the `with` block ends."""

    def __init__(self, api: Api, types: tuple[str, ...], namespaces: tuple[str, ...], devices: tuple[str, ...],
                 since: str) -> None:
        query = [("type", t) for t in types] + [("namespace", n) for n in namespaces] + [("device", d) for d in devices]
        query += [("from", since)] if since else []
        self._path = "/api/v1/events" + ("?" + urlencode(query) if query else "")
        self._api = api
        self._news = threading.Condition()
        self.frames: list[Json] = []
        """All that came, snapshots and bookkeeping too."""
        self._is_over = False

    def __enter__(self) -> Events:
        self._connection = http.client.HTTPConnection("127.0.0.1", self._api.port, timeout=PATIENCE * 6)
        headers = {"Authorization": f"Bearer {self._api.token}"} if self._api.token else {}
        self._connection.request("GET", self._path, headers=headers)
        # The answer says that the connection ends with it: the client lets go of the socket then.
        self._socket = self._connection.sock
        self._answer = self._connection.getresponse()
        if self._answer.status != 200:
            raise AssertionError(f"{self._path}: {self._answer.status} {self._answer.read()!r}")
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        self.wait(lambda frame: frame.get("frame") == "synced", "the stream is synced")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._is_over = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(2)
        self._thread.join(PATIENCE)
        self._connection.close()

    def _read(self) -> None:
        try:
            for line in self._answer:
                if line.startswith(b"data:"):
                    frame = json.loads(line[5:])
                    with self._news:
                        self.frames.append(frame)
                        self._news.notify_all()
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            pass
        with self._news:
            self._is_over = True
            self._news.notify_all()

    def snapshot(self) -> list[Json]:
        return [frame for frame in self.frames if frame.get("frame") == "snapshot"]

    def told(self, kind: str | None = None) -> list[Json]:
        """The events so far, of a type or all."""
        with self._news:
            return [frame for frame in self.frames if "frame" not in frame and kind in (None, frame["type"])]

    def mark(self) -> int:
        """A place in what has come, behind which `wait` can look."""
        with self._news:
            return len(self.frames)

    def wait(self, fits: Callable[[Json], bool], what: str, since: int = 0) -> Json:
        """Waits for a frame that fits, among those that came and those that come."""
        found: list[Json] = []

        def look() -> bool:
            found[:] = [frame for frame in self.frames[since:] if fits(frame)][:1]
            return bool(found) or self._is_over

        with self._news:
            self._news.wait_for(look, timeout=PATIENCE)
            if not found:
                seen = [frame.get("type", frame.get("frame")) for frame in self.frames[since:]][-12:]
                raise AssertionError(f"no event: {what}; seen last: {seen}")
            return found[0]

    def event(self, kind: str, since: int = 0, **data: Any) -> Json:
        """Waits for an event of a type whose data have these members, and gives the frame."""

        def fits(frame: Json) -> bool:
            return (frame.get("type") == kind and "frame" not in frame
                    and all(frame.get("data", {}).get(key) == value for key, value in data.items()))

        return self.wait(fits, f"{kind} {data or ''}", since)
