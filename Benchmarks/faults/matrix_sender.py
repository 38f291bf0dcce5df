"""A sender that never gives up: it dials again, joins again, and asks all the time whether the session can be used."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import time
from typing import Any

import wire
from lab import Host
from record import Record

Json = dict[str, Any]
NUMBERS = wire.QUIZ
"""The namespace of the numbered events."""
PROBE_EVERY = 0.025
DIAL_EVERY = 0.03
DIAL_TIMEOUT = 3.0
PING_EVERY = 5.0


class Sender(asyncio.Protocol):
    """One sender in one host, towards one address."""

    def __init__(self, name: str, host: Host, address: str, port: int, record: Record | None = None) -> None:
        self.name, self.host, self.address, self.port = name, host, address, port
        self.record = record or Record()
        self.app: Json | None = None
        self.media: Json | None = None
        self._joined: str | None = None
        self._frames = wire.Frames()
        self._transport: asyncio.Transport | None = None
        self._closed = asyncio.Event()
        self._request = 0
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._kinds: dict[int, tuple[str, float]] = {}
        self._changed = asyncio.Event()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._context.check_hostname = False
        self._context.verify_mode = ssl.CERT_NONE

    # MARK: Life

    async def run(self) -> None:
        """Keeps a connection until it is cancelled."""
        probing = asyncio.create_task(self._probe())
        try:
            while True:
                with contextlib.suppress(OSError, TimeoutError, ssl.SSLError):
                    await self._dial()
                    await self._closed.wait()
                await asyncio.sleep(DIAL_EVERY)
        finally:
            probing.cancel()
            if self._transport:
                self._transport.abort()

    async def _dial(self) -> None:
        self._closed.clear()
        with self.host.network():
            raw = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        raw.setblocking(False)
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(DIAL_TIMEOUT):
                await loop.sock_connect(raw, (self.address, self.port))
                await loop.create_connection(lambda: self, sock=raw, ssl=self._context, server_hostname="")
        except BaseException:
            raw.close()
            raise

    @property
    def is_connected(self) -> bool:
        return self._transport is not None

    @property
    def is_joined(self) -> bool:
        return self._transport is not None and self._joined is not None

    # MARK: asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._frames, self._joined, self.app = transport, wire.Frames(), None, None
        self.send(wire.CONNECTION, {"type": "CONNECT"}, wire.PLATFORM)
        self.ask("platform", wire.RECEIVER, {"type": "GET_STATUS"}, wire.PLATFORM)
        self._note()

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = self._joined = self.app = self.media = None
        self._kinds.clear()
        for future in self._waiting.values():
            future.cancel()
        self._waiting.clear()
        self._closed.set()
        self._note()

    def data_received(self, data: bytes) -> None:
        for message in self._frames.feed(data):
            self._receive(message)

    def _note(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    # MARK: Messages

    def send(self, namespace: str, body: Json, destination: str) -> None:
        if self._transport and not self._transport.is_closing():
            message = wire.Message("sender-0", destination, namespace, json.dumps(body))
            self._transport.write(wire.frame(message))

    def ask(self, kind: str, namespace: str, body: Json, destination: str) -> int:
        """Sends a request; `kind` says which answer is a good one."""
        self._request += 1
        self._kinds[self._request] = (kind, time.monotonic())
        self.send(namespace, body | {"requestId": self._request}, destination)
        return self._request

    async def answer(self, kind: str, namespace: str, body: Json, destination: str, seconds: float = 5) -> Json:
        """Asks, and waits for the answer."""
        number = self.ask(kind, namespace, body, destination)
        future = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        async with asyncio.timeout(seconds):
            return await future

    def _receive(self, message: wire.Message) -> None:
        now = time.monotonic()
        body = json.loads(message.payload)
        kind = body.get("type")
        if message.namespace == wire.HEARTBEAT:
            if kind == "PING":
                self.send(wire.HEARTBEAT, {"type": "PONG"}, message.source)
        elif message.namespace == wire.CONNECTION:
            if kind == "CLOSE" and message.source == self._joined:
                self.record.closes.append(now)
                self._joined = self.app = self.media = None
        elif message.namespace == NUMBERS:
            if "n" in body:
                self.record.events.append((now, body["n"]))
        else:
            self._learn(message, body, now)
        self._note()

    def _learn(self, message: wire.Message, body: Json, now: float) -> None:
        number = body.get("requestId", 0)
        asked, since = self._kinds.pop(number, ("", 0.0))
        if message.namespace == wire.RECEIVER and body.get("type") == "RECEIVER_STATUS":
            applications = body["status"].get("applications") or []
            self.app = applications[0] if applications else None
            self._join()
        if message.namespace == wire.MEDIA and body.get("type") == "MEDIA_STATUS":
            self.media = body["status"][0] if body["status"] else None
        if asked == "availability" and "APP_AVAILABLE" in (body.get("availability") or {}).values():
            self.record.good("platform", since, now)
        if asked == "media" and (self.media or {}).get("playerState") in ("PLAYING", "BUFFERING"):
            self.record.good("media", since, now)
            self.record.session(self.app, self.media)
        if future := self._waiting.pop(number, None):
            if not future.done():
                future.set_result(body)

    def _join(self) -> None:
        transport = self.app["transportId"] if self.app else None
        if transport == self._joined:
            return
        self._joined = transport
        self.media = None
        if transport:
            self.send(wire.CONNECTION, {"type": "CONNECT"}, transport)

    # MARK: Asking

    async def _probe(self) -> None:
        pinged, turn = 0.0, 0
        while True:
            await asyncio.sleep(PROBE_EVERY)
            if not self._transport:
                continue
            if len(self._kinds) > 2000:
                self._kinds.clear()
            turn += 1
            if self._joined:
                self.ask("media", wire.MEDIA, {"type": "GET_STATUS"}, self._joined)
            elif turn % 4 == 0:
                self.ask("status", wire.RECEIVER, {"type": "GET_STATUS"}, wire.PLATFORM)
            if turn % 2:
                self.ask("availability", wire.RECEIVER, {"type": "GET_APP_AVAILABILITY", "appId": [wire.MEDIA_APP]},
                         wire.PLATFORM)
            if time.monotonic() - pinged > PING_EVERY:
                pinged = time.monotonic()
                self.send(wire.HEARTBEAT, {"type": "PING"}, wire.PLATFORM)
