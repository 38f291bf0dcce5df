"""What sends and what listens: Cast senders, callers of the API, requests over MQTT, and a subscriber."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import time
from collections.abc import Iterable
from typing import Any

import mqtt5
import wire
from app_device import APP, CHAT, ORDERS
from judge import Book, Chat, Orders
from mqtt5 import Publication
from sender import tls_context
from wire import Message

Json = dict[str, Any]
PATIENCE = 3.0
"""Seconds after which a request is repeated that got no answer."""
WINDOW = 16
"""Requests over MQTT that one stream has under way."""
PAUSE = 0.03


async def end_tasks(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancels tasks until they have ended: `asyncio.wait_for` swallows a cancellation that comes with what it waits for."""
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=1)


class CastSender:
    """One sender of a virtual device: launches the app, joins it, and says numbered messages until each has arrived somewhere.

    A connection that is lost is made anew, and what has not arrived anywhere by then is said once more, in new turns. It stays until it is
    cancelled, since an app without senders ends.
    """

    context: ssl.SSLContext = tls_context()

    def __init__(self, port: int, chat: Chat, count: int, rate: float) -> None:
        self.port, self.chat, self.count, self.rate = port, chat, count, rate
        self.done = asyncio.Event()
        """Set when every number has arrived somewhere."""

    def _arrived(self) -> int:
        """So many of the numbers have come through: each connection says them in order."""
        return max(heard.largest for heard in self.chat.heard.values())

    async def run(self) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                await self._connected()
            await asyncio.sleep(PAUSE)

    async def _connected(self) -> None:
        reader, writer = await asyncio.wait_for(
            asyncio.open_connection("127.0.0.1", self.port, ssl=self.context), 5)
        speaking: asyncio.Task[None] | None = None
        try:
            self._send(writer, wire.CONNECTION, {"type": "CONNECT", "origin": {}})
            self._send(writer, wire.RECEIVER, {"type": "GET_STATUS", "requestId": 1})
            frames = wire.Frames()
            transport = ""
            launched = 0.0
            while True:
                if self._arrived() >= self.count:
                    self.done.set()
                try:
                    data = await asyncio.wait_for(reader.read(65536), 0.2)
                except TimeoutError:
                    data = b""
                    if writer.is_closing():
                        return
                else:
                    if not data:
                        return
                for message in frames.feed(data):
                    if message.namespace == wire.HEARTBEAT and '"PING"' in str(message.payload):
                        self._send(writer, wire.HEARTBEAT, {"type": "PONG"})
                    if message.namespace == wire.CONNECTION and '"CLOSE"' in str(message.payload) and message.source == transport:
                        return
                    if message.namespace != wire.RECEIVER:
                        continue
                    apps = (json.loads(message.payload).get("status") or {}).get("applications") or []
                    if transport and transport not in [app.get("transportId") for app in apps]:
                        return
                    if apps and not transport and apps[0]["appId"] == APP:
                        transport = str(apps[0]["transportId"])
                        self._send(writer, wire.CONNECTION, {"type": "CONNECT", "origin": {}}, transport)
                        speaking = asyncio.create_task(self._speak(writer, transport))
                if not transport and time.monotonic() - launched > 1:
                    launched = time.monotonic()
                    self._send(writer, wire.RECEIVER, {"type": "LAUNCH", "appId": APP, "requestId": 2})
        finally:
            if speaking:
                speaking.cancel()
            writer.close()

    async def _speak(self, writer: asyncio.StreamWriter, transport: str) -> None:
        first = self.chat.turns + 1
        self.chat.connections.append(range(first, first))
        number, began, said = self._arrived(), time.monotonic(), 0
        while number < self.count and not writer.is_closing():
            due = int((time.monotonic() - began) * self.rate) + 1
            while said < due and number < self.count:
                said, number, turn = said + 1, number + 1, self.chat.turns + 1
                self.chat.turns = turn
                self.chat.connections[-1] = range(first, turn + 1)
                self._send(writer, CHAT, {"s": self.chat.name, "n": number, "t": turn}, transport)
            with contextlib.suppress(ConnectionError):
                await writer.drain()
            await asyncio.sleep(0.01)

    @staticmethod
    def _send(writer: asyncio.StreamWriter, namespace: str, body: Json, target: str = wire.PLATFORM) -> None:
        if not writer.is_closing():
            writer.write(wire.frame(Message("sender-1", target, namespace, json.dumps(body, separators=(",", ":")))))


class Caller:
    """Calls the API on one connection, one call after the other."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Json) -> tuple[int, Json]:
        """The status and the answer; OSError when there is none."""
        try:
            return await asyncio.wait_for(self._post(path, json.dumps(body).encode()), 15)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
            self.close()
            raise OSError(str(error)) from error

    async def _post(self, path: str, body: bytes) -> tuple[int, Json]:
        if not self._streams:
            self._streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self._streams
        writer.write(f"POST /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\ncontent-type: application/json\r\n"
                     f"content-length: {len(body)}\r\n\r\n".encode() + body)
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        answer = await reader.readexactly(int(headers["content-length"]))
        if headers.get("connection", "").lower() == "close":
            self.close()
        return int(head[0].split()[1]), json.loads(answer) if answer else {}

    def close(self) -> None:
        if self._streams:
            self._streams[1].close()
        self._streams = None


async def call_orders(port: int, device: str, orders: Orders, count: int, rate: float, *, asks: bool) -> None:
    """Has the gateway send numbered orders to the app, each until it is confirmed: by the app when `asks`, else by the gateway."""
    caller = Caller(port)
    began = time.monotonic()
    number = 1
    while number <= count:
        await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
        orders.turns += 1
        turn = orders.turns
        orders.commands[str(turn)] = [turn]
        body: Json = {"namespace": ORDERS, "json": {"s": orders.name, "n": number, "t": turn}}
        if asks:
            body["answer_within"] = 5
        try:
            status, answer = await caller.post(f"/devices/{device}/messages", body)
        except OSError:
            await asyncio.sleep(PAUSE)
            continue
        if status == 200:
            if answer.get("answer") or answer.get("kept"):
                orders.confirmed.add(str(turn))
            else:
                orders.said[str(turn)] = time.monotonic()
            number += 1
        else:
            code = str(answer.get("code") or answer.get("error") or status)
            orders.refusals[code] = orders.refusals.get(code, 0) + 1
            await asyncio.sleep(PAUSE)
    caller.close()


class Requester:
    """Sends numbered orders over MQTT, several at once, and repeats under the same `id` what is not answered."""

    def __init__(
        self, client: mqtt5.Client, device: str, orders: Orders, count: int, rate: float, *, asks: bool,
        gateway: str = "gw1"
    ) -> None:
        self.gateway = gateway
        self.client, self.device, self.orders, self.count, self.rate, self.asks = client, device, orders, count, rate, asks
        self.waiting: dict[int, tuple[float, int]] = {}
        """When the request of a number was sent last, and how often it was refused."""
        self.done: set[int] = set()
        self.news = asyncio.Event()

    def answered(self, message: Publication) -> None:
        # `STREAM/NUMBER/REFUSALS`
        command = message.correlation.decode()
        name, number, _ = command.rsplit("/", 2)
        if name != self.orders.name or int(number) not in self.waiting:
            return
        answer = json.loads(message.payload)
        if answer["ok"]:
            result = answer["result"]
            if result.get("answer") or result.get("kept"):
                self.orders.confirmed.add(command)
            else:
                self.orders.said[command] = time.monotonic()
            del self.waiting[int(number)]
            self.done.add(int(number))
        else:
            code = str(answer["error"]["code"])
            self.orders.refusals[code] = self.orders.refusals.get(code, 0) + 1
            # It was not carried out, and is another command when it is sent again.
            self.waiting[int(number)] = (time.monotonic() - PATIENCE + PAUSE, self.waiting[int(number)][1] + 1)
        self.news.set()

    async def run(self) -> None:
        number = 0
        began = time.monotonic()
        while len(self.done) < self.count:
            now = time.monotonic()
            due = min(self.count, int((now - began) * self.rate) + 1)
            for late in sorted(late for late, (sent, _) in self.waiting.items() if now - sent >= PATIENCE):
                self._send(late)
            while number < due and len(self.waiting) < WINDOW and self.client.ready.is_set():
                number += 1
                self._send(number)
            self.news.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.news.wait(), PAUSE)

    def _send(self, number: int) -> None:
        refused = self.waiting.get(number, (0.0, 0))[1]
        turn = self.orders.turns + 1
        payload: Json = {"payload": {"s": self.orders.name, "n": number, "t": turn}}
        if self.asks:
            payload["answer_within"] = 5
        topic = f"castway/{self.gateway}/device/{self.device}/msg/tx/{ORDERS.removeprefix('urn:x-cast:')}"
        command = f"{self.orders.name}/{number}/{refused}"
        message = Publication(
            topic, json.dumps(payload).encode(), user={"id": command}, response_topic=f"answers/{self.orders.name}",
            correlation=command.encode(), expiry=10)
        if self.client.publish(message):
            self.orders.turns = turn
            self.orders.commands.setdefault(command, []).append(turn)
            self.waiting[number] = (time.monotonic(), refused)
        elif number not in self.waiting:
            self.waiting[number] = (0.0, 0)


class Subscriber:
    """Hears what is published for back ends, and the answers to requests."""

    def __init__(self, port: int) -> None:
        self.book: Book | None = None
        self.requesters: list[Requester] = []
        self.client = mqtt5.Client(
            "listener", port, [f"castway/+/device/+/msg/rx/{CHAT.removeprefix('urn:x-cast:')}", "answers/#"], self._heard)

    def _heard(self, message: Publication) -> None:
        if message.topic.startswith("answers/"):
            for requester in self.requesters:
                requester.answered(message)
            return
        body = json.loads(message.payload)
        if self.book:
            if message.user.get("id") != body["id"]:
                self.book.faults.append(f"the id of the property is {message.user}, that of the body {body['id']}")
            self.book.chat_arrived("broker", time.monotonic(), body["id"], body["payload"])
