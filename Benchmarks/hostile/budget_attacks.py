#!/usr/bin/env python3
"""Everything at once that peers can do to make a gateway keep memory. A process of its own, for budget.py and the soak.

    budget_attacks.py JSON

JSON: {"cast": [PORT...], "app": [PORT, APP], "http": [PORT...], "https": [PORT...], "api": PORT, "token": TOKEN, "connections": N}; what is
missing is not attacked. Prints what it did as JSON when standard input ends.
"""

from __future__ import annotations

import collections
import contextlib
import json
import os
import random
import resource
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from castwire import CONNECT, CONNECTION, PING, PONG, context, frame, request

QUIZ = "urn:x-cast:com.example.quiz"
TLS = context()
PROCESSES = 4
# A head of 15.5 kB without an end, within what a listener takes.
HEAD = b"GET /api/v1/state HTTP/1.1\r\nHost: localhost\r\n" + b"".join(
    b"X-Line-%02d: %s\r\n" % (number, b"x" * 155) for number in range(90))
HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-"
counts: collections.Counter[str] = collections.Counter()
over = threading.Event()


def addresses(first: int, count: int) -> list[str]:
    return [f"127.0.{first}.{number}" for number in range(1, count + 1)]


def dial(address: str, port: int, *, tls: bool, receive_buffer: int | None = None) -> socket.socket:
    made = socket.socket()
    try:
        if receive_buffer:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        made.settimeout(5)
        made.bind((address, 0))
        made.connect(("127.0.0.1", port))
        return TLS.wrap_socket(made) if tls else made
    except BaseException:
        made.close()
        raise


def is_open(made: socket.socket) -> bool:
    """Whether the other end has left the connection open; what it has said is read, 4 kB at a time."""
    made.setblocking(False)
    try:
        return bool(made.recv(4096))
    except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
        return True
    except OSError:
        return False


class Holder(threading.Thread):
    """Holds so many connections open, and makes each anew that is closed."""

    def __init__(self, name: str, count: int, make: Callable[[int], socket.socket], keep: bytes = b"", *, reads: bool = True) -> None:
        super().__init__(daemon=True)
        self.label, self.count, self.make, self.keep, self.reads = name, count, make, keep, reads
        self.held: list[socket.socket] = []

    def run(self) -> None:
        number = 0
        looked = time.monotonic()
        while not over.is_set():
            if len(self.held) < self.count:
                number += 1
                try:
                    self.held.append(self.make(number))
                    counts[f"{self.label}: made"] += 1
                except (OSError, EOFError):
                    counts[f"{self.label}: refused"] += 1
                    over.wait(0.02)
            else:
                over.wait(0.2)
            if time.monotonic() - looked > 2:
                looked = time.monotonic()
                self.look()
        for made in self.held:
            made.close()

    def look(self) -> None:
        counts[f"{self.label}: most"] = max(counts[f"{self.label}: most"], len(self.held))
        for made in list(self.held):
            alive = is_open(made) if self.reads else True
            if alive and self.keep:
                try:
                    made.setblocking(False)
                    made.send(self.keep)
                except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    pass
                except OSError:
                    alive = False
            if not alive:
                counts[f"{self.label}: ended"] += 1
                made.close()
                self.held.remove(made)


def unfinished(port: int, origins: list[str], data: bytes, *, tls: bool) -> Callable[[int], socket.socket]:
    def make(number: int) -> socket.socket:
        made = dial(origins[number % len(origins)], port, tls=tls)
        made.sendall(data)
        return made
    return make


def connects(ports: list[int], origins: list[str]) -> Callable[[int], socket.socket]:
    """A Cast connection with 250 CONNECTs as long as they may be."""
    def make(number: int) -> socket.socket:
        made = dial(origins[number % len(origins)], ports[number % len(ports)], tls=True)
        agent = "x" * (1400 if number % 2 else 3500)
        made.sendall(b"".join(
            frame(CONNECTION, {"type": "CONNECT", "userAgent": agent}, source=f"{'s' * 240}-{index}") for index in range(250)))
        return made
    return make


def idle_senders(ports: list[int], origins: list[str]) -> Callable[[int], socket.socket]:
    def make(number: int) -> socket.socket:
        made = dial(origins[number % len(origins)], ports[number % len(ports)], tls=True)
        made.sendall(CONNECT)
        return made
    return make


def deaf_senders(ports: list[int], origins: list[str]) -> Callable[[int], socket.socket]:
    """Senders that ask without end and read no answer."""
    def make(number: int) -> socket.socket:
        made = dial(origins[number % len(origins)], ports[number % len(ports)], tls=True, receive_buffer=4096)
        made.sendall(CONNECT)
        made.setblocking(False)
        with contextlib.suppress(BlockingIOError, ssl.SSLWantWriteError, ssl.SSLWantReadError):
            for index in range(400):
                made.send(request("GET_STATUS", index + 1))
        return made
    return make


def half_body(port: int, token: str, origins: list[str]) -> Callable[[int], socket.socket]:
    """A known caller whose body of 1 MiB lacks its last byte."""
    def make(number: int) -> socket.socket:
        made = dial(origins[number % len(origins)], port, tls=True)
        made.sendall(
            f"POST /api/v1/devices/screen-1/messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {1 << 20}\r\n\r\n".encode())
        made.sendall(b" " * ((1 << 20) - 1))
        return made
    return make


def event_stream(port: int, token: str, origins: list[str]) -> Callable[[int], socket.socket]:
    """A known reader of events that reads nothing."""
    def make(number: int) -> socket.socket:
        made = dial(origins[number % len(origins)], port, tls=True, receive_buffer=4096)
        made.sendall(
            f"GET /api/v1/events?namespace={QUIZ}&type=* HTTP/1.1\r\nHost: localhost\r\n"
            f"Authorization: Bearer {token}\r\n\r\n".encode())
        return made
    return make


def web_socket(port: int, token: str, origins: list[str]) -> Callable[[int], socket.socket]:
    def make(number: int) -> socket.socket:
        made = dial(origins[number % len(origins)], port, tls=True, receive_buffer=4096)
        made.sendall(
            f"GET /api/v1/socket HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n".encode())
        text = json.dumps({"id": 1, "subscribe": {"topics": [{"type": "*"}, {"namespace": QUIZ}]}}).encode()
        made.sendall(b"\x81" + bytes([0x80 | 126]) + struct.pack(">H", len(text)) + bytes(4) + text)
        return made
    return make


class Speaker(threading.Thread):
    """An app's sender whose messages of 36 kB all readers of events are told of."""

    def __init__(self, port: int, app: str) -> None:
        super().__init__(daemon=True)
        self.port, self.app = port, app

    def run(self) -> None:
        while not over.is_set():
            try:
                self.speak()
            except (OSError, EOFError, ValueError):
                counts["messages: interrupted"] += 1
                over.wait(0.5)

    def bodies(self, made: socket.socket) -> Iterator[bytes]:
        buffer = b""
        while True:
            while len(buffer) >= 4 and len(buffer) >= 4 + (length := struct.unpack_from(">I", buffer)[0]):
                yield buffer[4 : 4 + length]
                buffer = buffer[4 + length :]
            data = made.recv(65536)
            if not data:
                raise EOFError
            buffer += data

    def speak(self) -> None:
        made = dial("127.0.250.1", self.port, tls=True)
        with contextlib.closing(made):
            made.sendall(CONNECT + request("LAUNCH", 1, appId=self.app))
            transport = None
            for body in self.bodies(made):
                start = body.find(b"{")
                if b"RECEIVER_STATUS" not in body or start < 0:
                    continue
                status: Any = json.loads(body[start:])["status"]
                transport = next((a["transportId"] for a in status.get("applications", []) if a["appId"] == self.app), None)
                if transport:
                    break
            made.sendall(frame(CONNECTION, {"type": "CONNECT"}, destination=str(transport)))
            text = {"text": "x" * 36_000}
            while not over.is_set():
                made.settimeout(5)
                made.sendall(PING + frame(QUIZ, text, destination=str(transport)))
                counts["messages: sent"] += 1
                over.wait(0.01)
                if not is_open(made):
                    return


def attacks(target: dict[str, Any]) -> Iterator[threading.Thread]:
    most = int(target.get("connections", 1000))
    cast, token = target.get("cast", []), target.get("token", "")
    api = target.get("api")
    if api:
        for part in range(3):
            yield Holder(f"API heads {part}", most // 3, unfinished(api, addresses(10 + part, 2), HEAD, tls=True), b"X")
    for port in target.get("https", []):
        yield Holder("HTTPS halves", most // 4, unfinished(port, addresses(20, 16), HEAD, tls=True), b"x")
    for port in target.get("http", []):
        yield Holder("HTTP halves", most // 4, unfinished(port, addresses(21, 16), HALF, tls=False), b"x")
    if cast:
        yield Holder("CONNECTs", most // 2, connects(cast, addresses(30, 5)), PING + PONG)
        yield Holder("idle senders", most // 2, idle_senders(cast, addresses(31, 24)), PING + PONG)
        yield Holder("deaf senders", most // 8, deaf_senders(cast, addresses(32, 8)), reads=False)
        yield Holder("TCP alone", most // 4, unfinished(cast[0], addresses(33, 8), b"", tls=False))
    if api and token:
        yield Holder("bodies", most // 8, half_body(api, token, addresses(40, 2)))
        yield Holder("event streams", 128, event_stream(api, token, addresses(41, 4)), reads=False)
        yield Holder("WebSockets", 64, web_socket(api, token, addresses(42, 4)), reads=False)
    if "app" in target:
        yield Speaker(*target["app"])


def share_out() -> None:
    """Has the work done by several processes, since one of Python uses one processor."""
    parts = [
        subprocess.Popen([sys.executable, __file__, sys.argv[1], str(part)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for part in range(PROCESSES)]
    with contextlib.suppress(OSError):
        sys.stdin.read()
    for part in parts:
        assert part.stdin
        part.stdin.close()
    for part in parts:
        assert part.stdout
        counts.update(json.loads(part.stdout.read() or "{}"))
        part.wait()
    print(json.dumps(counts), flush=True)


def main() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(20_000, hard), hard))
    if len(sys.argv) == 2:
        return share_out()
    threads = list(attacks(json.loads(sys.argv[1])))[int(sys.argv[2]) :: PROCESSES]
    random.shuffle(threads)
    for thread in threads:
        thread.start()
    with contextlib.suppress(OSError):
        sys.stdin.read()
    over.set()
    for thread in threads:
        thread.join(10)
    print(json.dumps(counts), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
