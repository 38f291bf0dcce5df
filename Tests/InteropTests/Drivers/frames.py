"""Compares what a running gateway tells with its AsyncAPI document: records frames of the WebSocket and of the stream of server-sent events
while operations run, and validates each against the schema of its message.

    frames.py PROGRAM

A frame that fits no message, or more than one, is a fault. Says at the end in one line of JSON how many frames of which messages came.
"""

from __future__ import annotations

import asyncio
import collections
import http.client
import json
import sys
import threading
from typing import Any

from gateway_program import GatewayProgram
from jsonschema import Draft202012Validator
from websockets.asyncio.client import ClientConnection, connect

PATIENCE = 30
HALL = {"device": "hall"}
# Each with the events that follow; a relayed device has its own.
CALLS: list[dict[str, Any]] = [
    {"call": "volume.set", "input": HALL | {"level": 0.25}},
    {"call": "media.load", "input": HALL | {"app": "CC1AD845", "url": "http://127.0.0.1/film.mp4", "content_type": "video/mp4"}},
    {"call": "handler.disable", "input": {"name": "media"}},
    {"call": "handler.enable", "input": {"name": "media"}},
    {"call": "volume.set", "input": {"device": "wall", "level": 0.5}, "wait": 0, "idempotency_key": "one"},
    {"call": "media.seek", "input": HALL | {"position": -1}},
    {"call": "no.such"},
]
EXPECTED = {"receiver.status", "media.status", "request.changed", "frame.hello", "frame.resync", "frame.synced"}


class Document:
    """The messages of the document, and what of them came."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.seen: collections.Counter[str] = collections.Counter()
        self._validators: dict[str, Draft202012Validator] = {}
        for name, message in document["components"]["messages"].items():
            schema = message["payload"] | {"components": document["components"]}
            Draft202012Validator.check_schema(schema)
            self._validators[name] = Draft202012Validator(schema)

    def target(self, reference: str) -> Any:
        """What a reference leads to."""
        place: Any = self._document
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]
        return place

    def names(self, references: list[dict[str, str]]) -> list[str]:
        """Messages of an operation, whose references lead to the channel's, and from there to the components."""
        return [self.target(reference["$ref"])["$ref"].rsplit("/", 1)[1] for reference in references]

    def told(self, operation: str) -> list[str]:
        return self.names(self._document["operations"][operation]["messages"])

    def replies(self, operation: str) -> list[str]:
        return self.names(self._document["operations"][operation]["reply"]["messages"])

    def check(self, frame: Any, names: list[str]) -> str:
        """Finds the one message among these that a frame is."""
        found = [name for name in names if self._validators[name].is_valid(frame)]
        if len(found) != 1:
            close = [name for name in names if isinstance(frame, dict) and name in (frame.get("type"), f"frame.{frame.get('frame')}")]
            faults = [fault.message for name in close for fault in self._validators[name].iter_errors(frame)]
            raise SystemExit(f"fits {found or 'no message'}: {json.dumps(frame)}: {faults}")
        self.seen[found[0]] += 1
        return found[0]


class Stream:
    """Reads the stream of server-sent events on a thread of its own, until it is closed."""

    def __init__(self, listen: str, query: str = "", position: str | None = None) -> None:
        self._connection = http.client.HTTPConnection(listen, timeout=PATIENCE)
        self._connection.request("GET", f"/api/v1/events{query}", headers={"Last-Event-ID": position} if position else {})
        self._response = self._connection.getresponse()
        assert self._response.status == 200, self._response.status
        assert self._response.headers["Content-Type"] == "text/event-stream"
        self.frames: list[tuple[str | None, Any]] = []
        self._wanted = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        event = None
        for line in self._response:
            text = line.decode().rstrip("\n")
            if text.startswith("event: "):
                event = text.removeprefix("event: ")
            elif text.startswith("data: "):
                with self._wanted:
                    self.frames.append((event, json.loads(text.removeprefix("data: "))))
                    self._wanted.notify_all()
            elif not text:
                event = None

    def wait(self, seq: int) -> list[tuple[str | None, Any]]:
        """All frames, as soon as the event of a number is among them."""
        with self._wanted:
            if not self._wanted.wait_for(lambda: any(frame.get("seq", 0) >= seq for _, frame in self.frames), PATIENCE):
                raise SystemExit(f"the event {seq} did not come on the stream")
            return list(self.frames)


async def exchange(
    socket: ClientConnection, document: Document, frames: list[dict[str, Any]], expected: frozenset[str] = frozenset()
) -> int:
    """Sends frames and checks all that comes, until each is answered and the expected events were seen.

    Returns the number of the newest event."""
    verbs: dict[int, str] = {}
    newest = 0
    told = document.told("tell")
    for number, frame in enumerate(frames):
        verb = next(name for name in ("call", "subscribe", "unsubscribe") if name in frame)
        frame = {"id": number} | frame
        document.check(frame, [verb])
        verbs[number] = verb
        await socket.send(json.dumps(frame))
        while number in verbs:
            newest = max(newest, await take(socket, document, verbs, told))
    while not document.seen.keys() >= expected:
        newest = max(newest, await take(socket, document, verbs, told))
    return newest


async def take(socket: ClientConnection, document: Document, verbs: dict[int, str], told: list[str]) -> int:
    async with asyncio.timeout(PATIENCE):
        frame = json.loads(await socket.recv())
    if "result" in frame or "problem" in frame:
        document.check(frame, document.replies(verbs.pop(frame["id"])))
        return 0
    name = document.check(frame, told)
    return int(frame["seq"]) if not name.startswith("frame.") and "frame" not in frame else 0


async def sockets(url: str, document: Document) -> int:
    async with connect(url) as socket:
        await exchange(socket, document, [{"subscribe": {"from": "0.1"}}])
        newest = await exchange(socket, document, CALLS, frozenset(EXPECTED))
        newest = max(newest, await exchange(socket, document, [{"unsubscribe": True}]))
        await socket.send("[]")
        document.check(json.loads(await socket.recv()), ["problem"])
    return newest


def main() -> None:
    with GatewayProgram(sys.argv[1]) as gateway:
        connection = http.client.HTTPConnection(gateway.listen, timeout=PATIENCE)
        connection.request("GET", "/asyncapi.json")
        served = json.loads(connection.getresponse().read())
        connection.close()
        document = Document(served)
        stream = Stream(gateway.listen, position="0.1")
        newest = asyncio.run(sockets(f"ws://{gateway.listen}/api/v1/socket", document))
        told = document.told("stream")
        frames = stream.wait(newest)
        for event, frame in frames:
            document.check(frame, told)
            if event != frame.get("frame"):
                raise SystemExit(f"'event: {event}' before {frame}")
    print(json.dumps({"frames": document.seen.total(), "streamed": len(frames), "messages": document.seen}))


if __name__ == "__main__":
    main()
