"""A relay between the gateway and a device that writes down every message: what the gateway really says."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from api import PATIENCE
from gateway import free_port

sys.path.append(str(Path(__file__).resolve().parents[2] / "Benchmarks" / "soak"))

import wire
from wire import Frames, Message

Json = dict[str, Any]


class Wiretap:
    """Listens like the device, passes all messages on both ways, and keeps them in their order."""

    def __init__(self, folder: Path, device: int) -> None:
        self.port, self._device = free_port(), device
        certificate, key = folder / "tap.pem", folder / "tap.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=device", "-keyout", str(key), "-out", str(certificate)],
            check=True, capture_output=True, timeout=60)
        self._server_side = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._server_side.load_cert_chain(certificate, key)
        self._client_side = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._client_side.check_hostname, self._client_side.verify_mode = False, ssl.CERT_NONE
        self._news = threading.Condition()
        self.messages: list[tuple[str, Message]] = []
        self._writers: set[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = set()
        self.withheld: set[str] = set()
        """Types of messages that are kept from the other end: that end is silent."""
        self._is_cut = False
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._on_loop(self._listen())

    def _on_loop(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, ssl=self._server_side)

    async def _serve(self, near: asyncio.StreamReader, to_near: asyncio.StreamWriter) -> None:
        try:
            if self._is_cut:
                return
            far, to_far = await asyncio.open_connection("127.0.0.1", self._device, ssl=self._client_side)
            pair = (to_near, to_far)
            self._writers.add(pair)
            try:
                await asyncio.wait(
                    [asyncio.create_task(self._pass(near, to_far, "to_device")),
                     asyncio.create_task(self._pass(far, to_near, "to_gateway"))], return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._writers.discard(pair)
                to_far.transport.abort()
        except OSError:
            pass
        finally:
            to_near.transport.abort()

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, way: str) -> None:
        frames = Frames()
        with contextlib.suppress(OSError, wire.Malformed):
            while data := await source.read(65536):
                for message in frames.feed(data):
                    with self._news:
                        self.messages.append((way, message))
                        self._news.notify_all()
                    if kind_of(message) not in self.withheld:
                        sink.write(wire.frame(message))
                await sink.drain()

    def cut(self) -> None:
        """Ends every channel, and lets none in until `mend`: the device is out of reach."""
        self._is_cut = True
        self._on_loop(self._abort())

    async def _abort(self) -> None:
        for pair in list(self._writers):
            for writer in pair:
                writer.transport.abort()

    def mend(self) -> None:
        self._is_cut = False

    def say(self, message: Message) -> None:
        """Says something to the gateway as if the device had said it."""
        self._on_loop(self._say(wire.frame(message)))

    async def _say(self, data: bytes) -> None:
        for to_near, _ in self._writers:
            to_near.write(data)

    def mark(self) -> int:
        with self._news:
            return len(self.messages)

    def sent(self, kind: str, since: int = 0, way: str = "to_device", fits: Callable[[Json], bool] = lambda _: True) -> Json:
        """Waits for a JSON message of a type, by its payload."""
        return json.loads(str(self.message(kind, since, way, fits).payload))

    def message(self, kind: str, since: int = 0, way: str = "to_device",
                fits: Callable[[Json], bool] = lambda _: True, wait: float = PATIENCE) -> Message:
        found: list[Message] = []

        def look() -> bool:
            found[:] = [m for m in self._of(kind, since, way) if fits(json.loads(str(m.payload)))][:1]
            return bool(found)

        with self._news:
            if not self._news.wait_for(look, timeout=wait):
                kinds = [kind_of(message) for w, message in self.messages[since:] if w == way][-10:]
                raise AssertionError(f"the wire has no {kind} {way}; it has {kinds}")
        return found[0]

    def count(self, kind: str, since: int = 0, way: str = "to_device") -> int:
        with self._news:
            return len(self._of(kind, since, way))

    def _of(self, kind: str, since: int, way: str) -> list[Message]:
        return [m for w, m in self.messages[since:] if w == way and kind_of(m) == kind]


def kind_of(message: Message) -> str | None:
    """The type of a JSON message; None for others."""
    try:
        body = json.loads(message.payload) if isinstance(message.payload, str) else None
    except ValueError:
        return None
    return body.get("type") if isinstance(body, dict) else None
