"""Cast messages as bytes: a length, then the eight fields that senders and devices use."""

from __future__ import annotations

import struct
from dataclasses import dataclass

CONNECTION = "urn:x-cast:com.google.cast.tp.connection"
HEARTBEAT = "urn:x-cast:com.google.cast.tp.heartbeat"
RECEIVER = "urn:x-cast:com.google.cast.receiver"
MEDIA = "urn:x-cast:com.google.cast.media"
MULTIZONE = "urn:x-cast:com.google.cast.multizone"
SETUP = "urn:x-cast:com.google.cast.setup"
NEAR_ECHO = "urn:x-cast:com.example.near"
"""Echoed by gateway A itself."""
FAR_ECHO = "urn:x-cast:com.example.far"
"""Echoed by what stands behind a relay: gateway B or the scripted device."""
ASK = "urn:x-cast:com.example.ask"
"""Answered by the back end of gateway A."""
QUIZ = "urn:x-cast:com.example.quiz"
"""Repeated by gateway A to every sender of the app."""

PLATFORM = "receiver-0"
EVERYBODY = "*"
MEDIA_APP = "CC1AD845"
QUIZ_APP = "ABCD1234"
LARGEST_BODY = 65536


class Malformed(Exception):
    """What came is no Cast message."""


@dataclass(slots=True)
class Message:
    source: str
    destination: str
    namespace: str
    payload: str | bytes


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def frame(message: Message) -> bytes:
    """The message with its length before it. Zero-valued enums are written, since receivers demand them."""
    is_text = isinstance(message.payload, str)
    body = b"\x08\x00" + b"".join(
        _field(number, text.encode())
        for number, text in ((2, message.source), (3, message.destination), (4, message.namespace))
    )
    if is_text:
        body += b"\x28\x00" + _field(6, message.payload.encode())
    else:
        body += b"\x28\x01" + _field(7, message.payload)
    return struct.pack(">I", len(body)) + body


def _read_varint(body: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(body) and shift < 64:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise Malformed("a number that does not end")


def parse(body: bytes) -> Message:
    texts: dict[int, bytes] = {}
    at = 0
    while at < len(body):
        tag, at = _read_varint(body, at)
        if tag & 7 == 0:
            _, at = _read_varint(body, at)
        elif tag & 7 == 2:
            length, at = _read_varint(body, at)
            if at + length > len(body):
                raise Malformed("a field that is cut off")
            texts[tag >> 3] = body[at : at + length]
            at += length
        else:
            raise Malformed(f"wire type {tag & 7}")
    try:
        source, destination, namespace = (texts[number].decode() for number in (2, 3, 4))
        payload: str | bytes = texts[6].decode() if 6 in texts else texts.get(7, b"")
    except (KeyError, UnicodeDecodeError) as error:
        raise Malformed(f"field {error}") from error
    return Message(source, destination, namespace, payload)


class Frames:
    """Cuts what arrives into messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        self._buffer += data
        messages = []
        at = 0
        while len(self._buffer) - at >= 4:
            (length,) = struct.unpack_from(">I", self._buffer, at)
            if length > LARGEST_BODY:
                raise Malformed(f"a frame of {length} bytes")
            if len(self._buffer) - at - 4 < length:
                break
            messages.append(parse(bytes(self._buffer[at + 4 : at + 4 + length])))
            at += 4 + length
        del self._buffer[:at]
        return messages
