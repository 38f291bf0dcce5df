"""Kills a running gateway with SIGKILL while readers follow its events, and starts it again.

    killed.py PROGRAM EVENTS

A reader on the WebSocket and one of server-sent events follow EVENTS events or more. Both learn that the gateway is gone, come back to the new one
with the position that they have had last, and are to be told `resync` with the new run and a whole snapshot, and then what happens. Says at
the end in one line of JSON what they had.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import sys
from typing import Any

from gateway_program import GatewayProgram
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

PATIENCE = 60
# A socket may have 64 calls without an answer, and sends 200 frames a second.
SOCKETS = 4
CALLS_AT_ONCE = 32


class Lost(Exception):
    """The gateway is gone."""


class SocketReader:
    """Follows the events on the WebSocket."""

    name = "websocket"

    def __init__(self, listen: str) -> None:
        self._url = f"ws://{listen}/api/v1/socket"
        self._socket: ClientConnection | None = None

    async def open(self, position: str | None) -> None:
        self._socket = await connect(self._url, max_queue=None, ping_interval=None)
        await self._socket.send(json.dumps({"id": 1, "subscribe": {"from": position} if position else {}}))
        answer = json.loads(await self._socket.recv())
        assert answer["result"] == {"subscribed": True}, answer

    async def frame(self) -> Any:
        assert self._socket
        try:
            return json.loads(await self._socket.recv())
        except ConnectionClosed:
            raise Lost from None


class StreamReader:
    """Follows the events as server-sent events, and says in `Last-Event-ID` what it has had."""

    name = "stream"

    def __init__(self, listen: str) -> None:
        self._host, port = listen.rsplit(":", 1)
        self._port = int(port)
        self._reader: asyncio.StreamReader | None = None
        self.last_id: str | None = None

    async def open(self, position: str | None) -> None:
        self._reader, self._writer = await asyncio.open_connection(self._host, self._port, limit=16 << 20)
        # What the stream itself gave as the position.
        position = position and self.last_id
        head = f"GET /api/v1/events HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
        self._writer.write((head + (f"Last-Event-ID: {position}\r\n" if position else "") + "\r\n").encode())
        answer = await self._reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 ") and b"text/event-stream" in answer, answer
        self._rest = b""

    async def _line(self) -> str:
        """The next line of the stream, taken out of the chunks that it comes in."""
        assert self._reader
        while b"\n" not in self._rest:
            try:
                size = int((await self._reader.readuntil(b"\r\n")).strip(), 16)
                self._rest += (await self._reader.readexactly(size + 2))[:-2]
            except (asyncio.IncompleteReadError, ConnectionError):
                raise Lost from None
            if size == 0:
                raise Lost
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    async def frame(self) -> Any:
        frame = None
        while True:
            line = await self._line()
            if line.startswith("data: "):
                frame = json.loads(line.removeprefix("data: "))
            elif line.startswith("id: "):
                self.last_id = line.removeprefix("id: ")
            elif not line and frame is not None:
                return frame


class Follower:
    """One reader, and what it has had."""

    def __init__(self, reader: SocketReader | StreamReader) -> None:
        self.reader = reader
        self.boot = ""
        self.seq = 0
        self.events = 0
        # Numbers that did not come, and those of them that were said to be stood for by a later event.
        self.missing = 0
        self.coalesced = 0

    async def follow(self, seq: int | None = None) -> None:
        """Takes what happens, each number once, up to a number or until the gateway is gone."""
        while seq is None or self.seq < seq:
            frame = await self.reader.frame()
            match frame.get("frame"):
                case None:
                    assert frame["boot"] == self.boot and frame["seq"] > self.seq, (self.seq, frame)
                    self.events += 1
                    self.missing += frame["seq"] - self.seq - 1
                    self.seq = frame["seq"]
                case "gap":
                    assert frame["from"] > self.seq, (self.seq, frame)
                    # Log events are lost; the other numbers up to there are said to be stood for by later events.
                    self.missing += frame["to"] - self.seq - frame["count"]
                    self.seq = frame["to"]
                case "coalesced":
                    self.coalesced += frame["count"]
                case "bookmark":
                    assert frame["seq"] == self.seq, (self.seq, frame)
                case _:
                    raise AssertionError(frame)

    async def begin(self) -> dict[str, Any]:
        """Begins, or comes back with the position that it has had last. Gives the snapshot, by resource."""
        old = self.boot
        await self.reader.open(f"{old}.{self.seq}" if old else None)
        hello = await self.reader.frame()
        assert hello["frame"] == "hello" and hello["boot"] != old, hello
        self.boot = hello["boot"]
        frame = await self.reader.frame()
        if old:
            assert frame == {"frame": "resync", "reason": "other_boot"}, frame
            frame = await self.reader.frame()
        snapshot: dict[str, Any] = {}
        while frame["frame"] == "snapshot":
            snapshot[f"{frame['seq']}"] = frame["type"]
            frame = await self.reader.frame()
        assert frame["frame"] == "synced", frame
        self.seq = frame["seq"]
        return snapshot


async def change(listen: str, calls: int) -> None:
    """Has the gateway change the volume of a device again and again."""
    async with connect(f"ws://{listen}/api/v1/socket", ping_interval=None) as socket:
        for begin in range(0, calls, CALLS_AT_ONCE):
            some = range(begin, min(begin + CALLS_AT_ONCE, calls))
            for number in some:
                level = 0.2 + 0.5 * (number % 2)
                await socket.send(json.dumps({"id": number, "call": "volume.set", "input": {"device": "hall", "level": level}}))
            for _ in some:
                await socket.recv()


def state(listen: str) -> dict[str, Any]:
    connection = http.client.HTTPConnection(listen, timeout=PATIENCE)
    connection.request("GET", "/api/v1/state")
    answer: dict[str, Any] = json.loads(connection.getresponse().read())
    connection.close()
    return answer


async def run(gateway: GatewayProgram, wanted: int) -> dict[str, Any]:
    listen = gateway.listen
    followers = [Follower(SocketReader(listen)), Follower(StreamReader(listen))]
    async with asyncio.timeout(PATIENCE):
        for follower in followers:
            await follower.begin()
    async with asyncio.timeout(4 * PATIENCE):
        async with asyncio.TaskGroup() as group:
            for follower in followers:
                group.create_task(follower.follow(wanted))
            # Each tells that it was sent, what came of it, and that it is done.
            for _ in range(SOCKETS):
                group.create_task(change(listen, wanted // SOCKETS // 2))
        newest = (await asyncio.to_thread(state, listen))["seq"]
        for follower in followers:
            await follower.follow(newest)
            # Every event came, or was said to be left out.
            assert follower.missing == follower.coalesced, (follower.missing, follower.coalesced)
    before = [follower.seq for follower in followers]

    async def until_lost(follower: Follower) -> None:
        try:
            await follower.follow()
        except Lost:
            return

    async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
        for follower in followers:
            group.create_task(until_lost(follower))
        await asyncio.to_thread(gateway.kill)
    await asyncio.to_thread(gateway.start)
    snapshots = []
    async with asyncio.timeout(PATIENCE):
        for follower in followers:
            old = follower.boot
            snapshots.append(await follower.begin())
            assert follower.boot != old
        whole = state(listen)
        assert {follower.boot for follower in followers} == {whole["boot"]}
        await change(listen, 2)
        newest = state(listen)["seq"]
        for follower in followers:
            await follower.follow(newest)
    # What a snapshot had, or an event told since, is all that there is.
    for snapshot in snapshots:
        types = set(snapshot.values())
        assert {"virtual_device.added", "plugin.ready"} <= types or {"receiver.status", "plugin.ready"} <= types, types
    return {
        "before": dict(zip([follower.reader.name for follower in followers], before)),
        "events": [follower.events for follower in followers], "snapshots": [len(snapshot) for snapshot in snapshots],
        "state": sum(len(values) for values in whole["resources"].values()),
    }


def main() -> None:
    with GatewayProgram(sys.argv[1]) as gateway:
        summary = asyncio.run(run(gateway, int(sys.argv[2])))
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
