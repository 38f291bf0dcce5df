"""MQTT 5 as far as the drivers need it: packets as bytes, and a client that comes back by itself."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, PINGRESP, DISCONNECT = 1, 2, 3, 4, 8, 9, 12, 13, 14
KEEP_ALIVE = 30
SESSION_EXPIRY = 3600
# The sizes of properties: 1, 2 and 4 bytes, `v` for a variable length, `s` for text or bytes, `p` for a pair of texts.
_KINDS: dict[int, str] = {
    0x01: "1", 0x02: "4", 0x03: "s", 0x08: "s", 0x09: "s", 0x0B: "v", 0x11: "4", 0x12: "s", 0x13: "2", 0x15: "s",
    0x16: "s", 0x17: "1", 0x18: "4", 0x19: "1", 0x1A: "s", 0x1C: "s", 0x1F: "s", 0x21: "2", 0x22: "2", 0x23: "2",
    0x24: "1", 0x25: "1", 0x26: "p", 0x27: "4", 0x28: "1", 0x29: "1", 0x2A: "1",
}


@dataclass(slots=True)
class Publication:
    """What a PUBLISH has of interest here."""

    topic: str
    payload: bytes
    qos: int = 1
    packet: int = 0
    is_retained: bool = False
    user: dict[str, str] = field(default_factory=dict)
    response_topic: str = ""
    correlation: bytes = b""
    expiry: int = 0


def varint(value: int) -> bytes:
    out = bytearray()
    while True:
        out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return struct.pack(">H", len(data)) + data


def packet(kind: int, flags: int, body: bytes) -> bytes:
    return bytes([kind << 4 | flags]) + varint(len(body)) + body


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def read_text(data: bytes, at: int) -> tuple[bytes, int]:
    (length,) = struct.unpack_from(">H", data, at)
    return data[at + 2 : at + 2 + length], at + 2 + length


def read_properties(data: bytes, at: int) -> tuple[list[tuple[int, bytes | int | tuple[bytes, bytes]]], int]:
    length, at = read_varint(data, at)
    end = at + length
    found: list[tuple[int, bytes | int | tuple[bytes, bytes]]] = []
    while at < end:
        kind, at = read_varint(data, at)
        match _KINDS[kind]:
            case "s":
                value, at = read_text(data, at)
                found.append((kind, value))
            case "p":
                name, at = read_text(data, at)
                value, at = read_text(data, at)
                found.append((kind, (name, value)))
            case "v":
                number, at = read_varint(data, at)
                found.append((kind, number))
            case size:
                found.append((kind, int.from_bytes(data[at : at + int(size)], "big")))
                at += int(size)
    return found, end


def publish(message: Publication) -> bytes:
    properties = bytearray()
    if message.expiry:
        properties += b"\x02" + struct.pack(">I", message.expiry)
    if message.response_topic:
        properties += b"\x08" + text(message.response_topic)
    if message.correlation:
        properties += b"\x09" + text(message.correlation)
    for name, value in message.user.items():
        properties += b"\x26" + text(name) + text(value)
    body = text(message.topic)
    if message.qos:
        body += struct.pack(">H", message.packet)
    return packet(PUBLISH, message.qos << 1, body + varint(len(properties)) + bytes(properties) + message.payload)


def read_publish(flags: int, body: bytes) -> Publication:
    topic, at = read_text(body, 0)
    found = Publication(topic.decode(), b"", qos=flags >> 1 & 3, is_retained=bool(flags & 1))
    if found.qos:
        (found.packet,) = struct.unpack_from(">H", body, at)
        at += 2
    properties, at = read_properties(body, at)
    for kind, value in properties:
        if kind == 0x26 and isinstance(value, tuple):
            found.user[value[0].decode()] = value[1].decode()
        elif kind == 0x08 and isinstance(value, bytes):
            found.response_topic = value.decode()
        elif kind == 0x09 and isinstance(value, bytes):
            found.correlation = value
    found.payload = body[at:]
    return found


def puback(number: int, reason: int = 0) -> bytes:
    return packet(PUBACK, 0, struct.pack(">H", number) + (bytes([reason, 0]) if reason else b""))


class Packets:
    """Cuts what arrives into packets: kind, flags, body, and the bytes as they came."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, int, bytes, bytes]]:
        self._buffer += data
        found = []
        at = 0
        while len(self._buffer) - at >= 2:
            with contextlib.suppress(IndexError):
                length, begin = read_varint(self._buffer, at + 1)
                if begin + length <= len(self._buffer):
                    whole = bytes(self._buffer[at : begin + length])
                    found.append((whole[0] >> 4, whole[0] & 15, whole[begin - at :], whole))
                    at = begin + length
                    continue
            break
        del self._buffer[:at]
        return found


class Client:
    """A client with a session that the broker keeps. What comes is acknowledged when its handler has returned.

    It has the socket to itself: transports of asyncio give up reading when they cannot write any more, and with that what a broker had sent
    before it was killed, and will not send again.
    """

    def __init__(self, name: str, port: int, topics: list[str], received: Callable[[Publication], None]) -> None:
        self.name, self.port, self.topics, self.received = name, port, topics, received
        self.ready = asyncio.Event()
        """Set while the subscriptions stand."""
        self._socket: socket.socket | None = None
        self._out = bytearray()
        self._can_write = False
        self._packet = 0

    async def run(self) -> None:
        """Connects again and again until it is cancelled."""
        while True:
            with contextlib.suppress(OSError, TimeoutError), socket.socket() as self._socket:
                await self._connected(self._socket)
            await asyncio.sleep(0.02)

    async def _connected(self, link: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        link.setblocking(False)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await loop.sock_connect(link, ("127.0.0.1", self.port))
        self._out.clear()
        self._can_write = True
        properties = b"\x11" + struct.pack(">I", SESSION_EXPIRY)
        body = text("MQTT") + b"\x05\x00" + struct.pack(">H", KEEP_ALIVE) + varint(len(properties)) + properties
        filters = b"".join(text(topic) + b"\x01" for topic in self.topics)
        self._write(packet(CONNECT, 0, body + text(self.name)) + packet(SUBSCRIBE, 2, b"\x00\x01\x00" + filters))
        packets = Packets()
        ping = loop.call_later(KEEP_ALIVE / 2, self._ping)
        try:
            while data := await loop.sock_recv(link, 1 << 18):
                for kind, flags, content, _ in packets.feed(data):
                    if kind == CONNACK and content[1]:
                        return
                    if kind == SUBACK:
                        self.ready.set()
                    elif kind == PINGRESP:
                        ping.cancel()
                        ping = loop.call_later(KEEP_ALIVE / 2, self._ping)
                    elif kind == PUBLISH:
                        message = read_publish(flags, content)
                        self.received(message)
                        if message.qos:
                            self._write(puback(message.packet))
        finally:
            ping.cancel()
            loop.remove_writer(link)
            self._can_write = False
            self.ready.clear()

    def _ping(self) -> None:
        self._write(packet(PINGREQ, 0, b""))

    def _write(self, data: bytes) -> None:
        """Writes what can be written, now or later. What was read before an error is read all the same."""
        if not self._can_write or not self._socket:
            return
        self._out += data
        try:
            del self._out[: self._socket.send(self._out)]
        except BlockingIOError:
            pass
        except OSError:
            self._out.clear()
            self._can_write = False
        loop = asyncio.get_running_loop()
        if self._out:
            loop.add_writer(self._socket, self._write, b"")
        else:
            loop.remove_writer(self._socket)

    def publish(self, message: Publication) -> bool:
        """Sends with QoS 1; false while there is no connection."""
        if not self._can_write or not self.ready.is_set():
            return False
        self._packet = self._packet % 65000 + 2
        message.packet = self._packet
        self._write(publish(message))
        return True
