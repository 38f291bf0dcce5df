"""A sender that keeps account of every answer that it is owed."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import wire
from ledger import Ledger
from wire import Message

Json = dict[str, Any]
BOUND = 10.0
"""Seconds within which a live sender gets its answer."""


class Gone(Exception):
    """The sender's channel is closed."""


class Outages:
    """When faults were at work on the device behind a relay."""

    def __init__(self) -> None:
        self._is_on = False
        self._ended = 0.0

    def begin(self) -> None:
        self._is_on = True

    def end(self) -> None:
        self._is_on = False
        self._ended = time.monotonic()

    def touched(self, since: float) -> bool:
        """Whether one was there at some time since then."""
        return self._is_on or self._ended >= since


@dataclass(slots=True)
class Device:
    """A virtual device of gateway A."""

    name: str
    port: int
    is_relay: bool
    is_scripted: bool = False
    outages: Outages = field(default_factory=Outages)


@dataclass(slots=True)
class Request:
    action: str
    target: str
    sent: float
    answer: asyncio.Future[Json | None]
    accepts: frozenset[str]
    check: Callable[[Json], str | None] | None


@dataclass(slots=True)
class Numbers:
    """The numbered messages of one virtual connection in one echoed namespace."""

    outstanding: deque[int] = field(default_factory=deque)
    void: set[int] = field(default_factory=set)
    last: int = 0


def tls_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Sender(asyncio.Protocol):
    """One channel to a virtual device. Ends (source ids) are given with every message, since a channel has several."""

    context = tls_context()

    def __init__(self, name: str, device: Device, ledger: Ledger, first_id: int = 1) -> None:
        self.name = name
        self.device = device
        self.ledger = ledger
        self.is_open = False
        self.may_be_closed = False
        """True once the sender did something for which a gateway hangs up."""
        self.was_told_unavailable = False
        """True while the last answer did not say that the device has the app that it has: a relay whose device was away
        hangs up once the device is back, so that the sender asks again."""
        self.is_mute = False
        """True while the sender leaves PINGs unanswered."""
        self.app: Json | None = None
        self.media_session: int | None = None
        self.closed = asyncio.Event()
        self._first_id = first_id
        self._ids: dict[tuple[str, str], int] = {}
        self._pending: dict[tuple[str, str, Any], Request] = {}
        self._settled: dict[tuple[str, str, Any], str] = {}
        self._virtual: set[tuple[str, str]] = set()
        self._echoes: dict[tuple[str, str, str], Numbers] = {}
        self._echo_news = asyncio.Event()
        self._next_number = 0
        self._heard: dict[tuple[str, str], int] = {}
        self._left: set[str] = set()
        self._repeats: dict[str, tuple[str, int]] = {}
        self._frames = wire.Frames()
        self.transport: asyncio.Transport | None = None

    # MARK: The channel

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        began = time.monotonic()
        try:
            async with asyncio.timeout(BOUND):
                await loop.create_connection(lambda: self, "127.0.0.1", self.device.port, ssl=self.context)
        except (OSError, TimeoutError) as error:
            self.ledger.breach("no connection", f"{self} {type(error).__name__} {error}")
            raise Gone from error
        self.ledger.answered("connect", time.monotonic() - began)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.is_open = True

    def data_received(self, data: bytes) -> None:
        try:
            for message in self._frames.feed(data):
                self._receive(message)
        except wire.Malformed as error:
            self.ledger.breach("malformed message from the gateway", f"{self} {error}")
            self.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self.is_open = False
        if not self.may_be_closed and not self.was_told_unavailable:
            self.ledger.breach("a live sender was hung up", f"{self} {error or 'end of stream'}")
        for key, request in self._pending.items():
            self._settle(key, request, "closed")
        self._pending.clear()
        self._echo_news.set()
        self.closed.set()

    def close(self) -> None:
        """Says goodbye and hangs up."""
        if self.is_open and self.transport:
            for end, target in sorted(self._virtual):
                self.send(wire.CONNECTION, {"type": "CLOSE"}, target, end)
            self._virtual.clear()
            self.may_be_closed = True
            self.transport.close()

    def abort(self, *, by_reset: bool = False) -> None:
        """Hangs up without a word: FIN, or RST."""
        self.may_be_closed = True
        if self.transport and self.is_open:
            # One that is closing already may have let go of its socket.
            connection = None if self.transport.is_closing() else self.transport.get_extra_info("socket")
            if by_reset and connection is not None:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()

    def write(self, data: bytes) -> None:
        if not self.is_open or self.transport is None or self.transport.is_closing():
            raise Gone
        self.transport.write(data)

    def pause(self) -> None:
        """Stops reading, as a sender does whose machine is busy."""
        if self.is_open and self.transport:
            self.transport.pause_reading()

    def resume(self) -> None:
        if self.is_open and self.transport:
            self.transport.resume_reading()

    # MARK: Out

    def send(self, namespace: str, body: Json, target: str = wire.PLATFORM, end: str = "sender-0") -> None:
        self.write(wire.frame(Message(end, target, namespace, json.dumps(body, separators=(",", ":")))))

    def connect(self, target: str = wire.PLATFORM, end: str = "sender-0") -> None:
        """Opens a virtual connection, unless it stands."""
        if (end, target) not in self._virtual:
            self._virtual.add((end, target))
            self.send(wire.CONNECTION, {"type": "CONNECT", "origin": {}}, target, end)

    def disconnect(self, target: str, end: str = "sender-0") -> None:
        """Closes a virtual connection; what is still owed there is not owed any more."""
        if (end, target) in self._virtual:
            self.send(wire.CONNECTION, {"type": "CLOSE"}, target, end)
            self._left.add(target)
            self._forget(target, end, "left")

    def is_connected(self, target: str, end: str = "sender-0") -> bool:
        return (end, target) in self._virtual

    def post(
        self, action: str, namespace: str, body: Json, target: str = wire.PLATFORM, *, end: str = "sender-0",
        accepts: frozenset[str] = frozenset(), check: Callable[[Json], str | None] | None = None, as_text: bool = False,
    ) -> Request:
        """Sends a request and keeps account of its answer."""
        # Each namespace counts for itself, as some senders do, so equal ids are under way at once.
        number = self._ids.get((end, namespace), self._first_id)
        self._ids[end, namespace] = number + 1
        request_id: Any = f"{self.name}-{number}" if as_text else number
        id_key = "request_id" if namespace == wire.SETUP else "requestId"
        answer: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        request = Request(action, target, time.monotonic(), answer, accepts, check)
        self.send(namespace, {**body, id_key: request_id}, target, end)
        self._pending[end, namespace, request_id] = request
        return request

    async def settled(self, *requests: Request) -> list[Json | None]:
        """Waits for answers; None for what was ended by CLOSE, or by the end of the channel."""
        waiting = [request.answer for request in requests]
        oldest = min(request.sent for request in requests)
        await asyncio.wait(waiting, timeout=max(0.0, oldest + BOUND - time.monotonic()))
        late = [request for request in requests if not request.answer.done()]
        for key, request in list(self._pending.items()):
            if request in late:
                del self._pending[key]
                self._settled[key] = "overdue"
                self.ledger.breach("no answer", f"{self} {request.action} {key} to {request.target}")
        return [answer.result() if answer.done() else None for answer in waiting]

    async def ask(self, action: str, namespace: str, body: Json, target: str = wire.PLATFORM, **more: Any) -> Json | None:
        (answer,) = await self.settled(self.post(action, namespace, body, target, **more))
        if not self.is_open:
            raise Gone
        return answer

    def number(self, namespace: str, target: str, end: str = "sender-0", padding: int = 0) -> None:
        """Sends the next numbered message, which comes back."""
        self._next_number += 1
        body = {"from": self.name, "end": end, "n": self._next_number, "text": "x" * padding}
        self.send(namespace, body, target, end)
        self._echoes.setdefault((namespace, target, end), Numbers()).outstanding.append(self._next_number)

    def repeat(self, target: str) -> None:
        """Sends the next numbered message to every sender of the app; numbers begin anew with a virtual connection."""
        tag, number = self._repeats.get(target, (f"{self.name}#{len(self._settled)}#{len(self._repeats)}", 0))
        self._repeats[target] = (tag, number + 1)
        self.send(wire.QUIZ, {"from": tag, "n": number + 1}, target)

    async def echoed(self) -> None:
        """Waits until every numbered message is back."""
        deadline = time.monotonic() + BOUND
        while self.is_open and any(numbers.outstanding for numbers in self._echoes.values()):
            self._echo_news.clear()
            try:
                async with asyncio.timeout(deadline - time.monotonic()):
                    await self._echo_news.wait()
            except TimeoutError:
                for (namespace, target, end), numbers in self._echoes.items():
                    if numbers.outstanding and self._is_excused() and namespace == wire.FAR_ECHO:
                        self.ledger.note("echo lost in an outage", len(numbers.outstanding))
                    elif numbers.outstanding:
                        self.ledger.breach("no echo", f"{self} {namespace} {end}->{target} {list(numbers.outstanding)[:5]}")
                        numbers.void.update(numbers.outstanding)
                        numbers.outstanding.clear()
                return
        if not self.is_open:
            raise Gone

    def _is_excused(self) -> bool:
        """A message that needs no answer may be lost with the channel to the device."""
        return self.device.outages.touched(time.monotonic() - 2 * BOUND)

    # MARK: In

    def _receive(self, message: Message) -> None:
        if message.namespace == wire.HEARTBEAT:
            if not self.is_mute and self.is_open and '"PING"' in str(message.payload):
                self.send(wire.HEARTBEAT, {"type": "PONG"}, message.source, message.destination)
            return
        if message.namespace == wire.CONNECTION:
            if '"CLOSE"' in str(message.payload):
                self.ledger.note("CLOSE received")
                self._forget(message.source, message.destination, "close")
            return
        try:
            body = json.loads(message.payload)
            if not isinstance(body, dict):
                raise ValueError("no object")
        except (ValueError, RecursionError):
            kind = "unreadable message passed on from the scripted device"
            if self.device.is_scripted:
                self.ledger.note(kind)
            else:
                self.ledger.breach("unreadable message", f"{self} {message.namespace} {str(message.payload)[:80]}")
            return
        self._learn(message, body)
        if message.destination == wire.EVERYBODY:
            self._receive_broadcast(message, body)
        elif message.namespace in (wire.NEAR_ECHO, wire.FAR_ECHO):
            self._receive_echo(message, body)
        else:
            self._receive_answer(message, body)

    def _receive_broadcast(self, message: Message, body: Json) -> None:
        if body.get("requestId"):
            self.ledger.breach("an answer was sent to all", f"{self} {message.namespace} {str(body)[:120]}")
        # What was under way when this sender left an app may still come, and then there is a gap.
        if message.namespace != wire.QUIZ or message.source in self._left:
            return
        key = (message.source, str(body.get("from")))
        last, number = self._heard.get(key), body.get("n")
        if last is not None and number != last + 1:
            self.ledger.breach("a repeated message is out of order", f"{self} {key} {number} after {last}")
        self._heard[key] = number
        self.ledger.note("broadcast heard")

    def _receive_echo(self, message: Message, body: Json) -> None:
        where = (message.namespace, message.source, message.destination)
        number = body.get("n")
        if body.get("from") != self.name or body.get("end") != message.destination:
            self.ledger.breach("an echo for another sender", f"{self} {where} {str(body)[:80]}")
            return
        numbers = self._echoes.get(where, Numbers())
        if numbers.outstanding and numbers.outstanding[0] == number:
            numbers.outstanding.popleft()
            numbers.last = number
            self.ledger.note(f"echo {'near' if message.namespace == wire.NEAR_ECHO else 'far'}")
        elif number in numbers.void:
            numbers.void.discard(number)
            self.ledger.note("echo behind CLOSE")
        elif message.namespace == wire.FAR_ECHO and number in numbers.outstanding and self._is_excused():
            self.ledger.note("echo lost in an outage", numbers.outstanding.index(number))
            while numbers.outstanding.popleft() != number:
                pass
            numbers.last = number
        else:
            self.ledger.breach("echo lost, doubled or out of order",
                               f"{self} {where} got {number}, wanted {list(numbers.outstanding)[:3]}, last {numbers.last}")
            while numbers.outstanding and numbers.outstanding[0] <= number:
                numbers.outstanding.popleft()
        self._echo_news.set()

    def _receive_answer(self, message: Message, body: Json) -> None:
        request_id = body.get("request_id" if message.namespace == wire.SETUP else "requestId")
        if not request_id:
            return
        key = (message.destination, message.namespace, request_id)
        request = self._pending.pop(key, None)
        kind = str(body.get("responseType") or body.get("type"))
        if request is None:
            before = self._settled.get(key)
            if before in ("close", "left"):
                self.ledger.note("answer behind CLOSE")
            else:
                self.ledger.breach(
                    {"answered": "doubled answer", "overdue": "answer after the bound"}.get(before or "", "foreign answer"),
                    f"{self} {key} {kind} from {message.source}")
            return
        if message.source != request.target:
            self.ledger.breach("answer from the wrong end", f"{self} {key} {kind} from {message.source}")
        if kind not in request.accepts and kind not in ("INVALID_REQUEST", "INVALID_PLAYER_STATE"):
            self.ledger.breach("answer of the wrong type", f"{self} {request.action} {key} {kind}")
        if request.check and (fault := request.check(body)):
            self.ledger.breach("answer with the wrong content", f"{self} {request.action} {key} {fault}")
        if kind == "INVALID_REQUEST":
            self.ledger.note(f"INVALID_REQUEST {body.get('reason')}")
        self._settle(key, request, "answered", body)

    def _settle(self, key: tuple[str, str, Any], request: Request, how: str, body: Json | None = None) -> None:
        self._settled[key] = how
        if how == "answered":
            side = "relay" if self.device.is_relay else "local"
            self.ledger.answered(f"{request.action} ({side})", time.monotonic() - request.sent)
        elif not self.may_be_closed:
            self.ledger.note(f"request ended by {how}")
        if not request.answer.done():
            request.answer.set_result(body)

    def _forget(self, target: str, end: str, how: str) -> None:
        """A virtual connection is closed, and with it what was owed on it."""
        self._virtual.discard((end, target))
        for key, request in list(self._pending.items()):
            if key[0] == end and request.target == target:
                del self._pending[key]
                self._settle(key, request, how)
        for (_, source, peer), numbers in self._echoes.items():
            if (source, peer) == (target, end):
                numbers.void.update(numbers.outstanding)
                numbers.outstanding.clear()
        # A sender that left and came back counts anew, under a new name.
        if target in self._repeats:
            self._repeats[target] = (f"{self.name}#{time.monotonic_ns()}", 0)
        self._heard = {key: last for key, last in self._heard.items() if key[0] != target}
        self._echo_news.set()

    def _learn(self, message: Message, body: Json) -> None:
        if body.get("responseType") == "GET_APP_AVAILABILITY" and isinstance(body.get("availability"), dict):
            self.was_told_unavailable = body["availability"].get(wire.MEDIA_APP) != "APP_AVAILABLE"
        if body.get("type") == "RECEIVER_STATUS":
            apps = (body.get("status") or {}).get("applications") or []
            before = (self.app or {}).get("transportId")
            self.app = apps[0] if apps else None
            if (self.app or {}).get("transportId") != before:
                self.media_session = None
        elif body.get("type") == "MEDIA_STATUS":
            statuses = body.get("status") or []
            self.media_session = statuses[0].get("mediaSessionId") if statuses else None

    def __str__(self) -> str:
        return f"{self.name}@{self.device.name}"
