"""A scripted screen that can be restarted, moved and given another certificate, and a guest's phone at an address of its own.

Both speak TLS and Cast by hand: what matters is whose certificate the phone sees, and what becomes of its connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

from api import PATIENCE
from gateway import free_port

sys.path.append(str(Path(__file__).resolve().parents[2] / "Benchmarks" / "soak"))

from wire import CONNECTION, HEARTBEAT, PLATFORM, RECEIVER, Frames, Message, frame

Json = dict[str, Any]


def _certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate that nothing trusts, and its key."""
    chain, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(chain)],
        check=True, capture_output=True, timeout=60)
    return chain, key


class _Channel(asyncio.Protocol):
    """One connection to a screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen, self._frames = screen, Frames()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._screen.channels.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self._screen.channels.discard(self)

    def data_received(self, data: bytes) -> None:
        for message in self._frames.feed(data):
            self._answer(message, json.loads(message.payload) if isinstance(message.payload, str) else {})

    def say(self, whom: str, namespace: str, payload: Json) -> None:
        self.transport.write(frame(Message(PLATFORM, whom, namespace, json.dumps(payload))))

    def _answer(self, message: Message, asked: Json) -> None:
        kind, request = asked.get("type"), asked.get("requestId", 0)
        if message.namespace == HEARTBEAT and kind == "PING":
            self.say(message.source, HEARTBEAT, {"type": "PONG"})
        elif message.namespace != RECEIVER:
            return
        elif kind == "GET_STATUS":
            self.say(message.source, RECEIVER, self._screen.status(request))
        elif kind in ("LAUNCH", "STOP"):
            self._screen.app = asked["appId"] if kind == "LAUNCH" else None
            self.say(message.source, RECEIVER, self._screen.status(request))
            for channel in self._screen.channels:
                channel.say("*", RECEIVER, self._screen.status(0))
        else:
            self.say(message.source, RECEIVER, {"requestId": request, "type": "INVALID_REQUEST", "reason": "INVALID_COMMAND"})


class Screen:
    """A device that has one app at a time and answers heartbeats, status, launch and stop; it runs in the `with` block."""

    def __init__(self, folder: Path, name: str, host: str = "127.0.0.1", port: int = 0) -> None:
        self.folder, self.name, self.host, self.port = folder, name, host, port or free_port()
        self.app: str | None = None
        self.channels: set[_Channel] = set()
        self._count = 0
        self._server: asyncio.Server | None = None
        self._loop = asyncio.new_event_loop()
        self.identity = ""
        """The hash of its certificate."""
        self.renew()

    def renew(self) -> None:
        """Takes another certificate from the next start on."""
        self._count += 1
        chain, key = _certificate(self.folder, f"{self.name}-{self._count}")
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(chain, key)
        self.identity = hashlib.sha256(ssl.PEM_cert_to_DER_cert(chain.read_text())).hexdigest()

    def __enter__(self) -> Screen:
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)
        self._loop.close()

    def start(self) -> None:
        """Is switched on."""
        self._on_loop(self._listen())

    def stop(self) -> None:
        """Is switched off: no sender can connect, connections end, and no app runs when it is on again."""
        self._on_loop(self._hang_up())

    def _on_loop(self, work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)

    async def _listen(self) -> None:
        self._server = await self._loop.create_server(lambda: _Channel(self), self.host, self.port, ssl=self._context)

    async def _hang_up(self) -> None:
        if self._server:
            self._server.close()
        for channel in list(self.channels):
            channel.transport.abort()
        self.app = None

    def status(self, request: int) -> Json:
        """A RECEIVER_STATUS."""
        apps = [] if self.app is None else [{
            "appId": self.app, "appType": "WEB", "displayName": self.app, "iconUrl": "", "isIdleScreen": False, "launchedFromCloud": False,
            "namespaces": [{"name": "urn:x-cast:com.example.screen"}], "sessionId": f"session-{self.app}", "statusText": "",
            "transportId": f"session-{self.app}", "universalAppId": self.app}]
        return {"requestId": request, "type": "RECEIVER_STATUS", "status": {
            "applications": apps, "isActiveInput": True, "isStandBy": False, "userEq": {},
            "volume": {"controlType": "attenuation", "level": 0.5, "muted": False, "stepInterval": 0.05}}}


class Phone:
    """A sender at an address, connected to a port of the gateway; it has seen the certificate of a device that answered its ping."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = socket.create_connection(("127.0.0.1", port), PATIENCE, source_address=(address, 0))
        try:
            self._channel = context.wrap_socket(connection)
            self._frames = Frames()
            self._requests = 0
            self.identity = hashlib.sha256(self._channel.getpeercert(True) or b"").hexdigest()
            self._say(PLATFORM, CONNECTION, {"type": "CONNECT"})
            self.ping()
        except OSError:
            connection.close()
            raise

    def _say(self, whom: str, namespace: str, payload: Json) -> None:
        self._channel.sendall(frame(Message("sender-0", whom, namespace, json.dumps(payload))))

    def _until(self, fits: Callable[[Message], bool]) -> Message:
        while True:
            data = self._channel.recv(4096)
            if not data:
                raise ConnectionError("the connection has ended")
            for message in self._frames.feed(data):
                if fits(message):
                    return message

    def ping(self) -> None:
        """Asks the device whether it is there, and waits for its answer."""
        self._say(PLATFORM, HEARTBEAT, {"type": "PING"})
        self._until(lambda message: message.namespace == HEARTBEAT)

    def ask(self, **request: Any) -> Json:
        """Asks the platform; its answer."""
        self._requests += 1
        self._say(PLATFORM, RECEIVER, request | {"requestId": self._requests})
        answer = self._until(lambda m: m.namespace == RECEIVER and json.loads(m.payload).get("requestId") == self._requests)
        return dict(json.loads(answer.payload))

    def until_cut(self) -> float:
        """Waits for the end of the connection; how many seconds that took."""
        began = time.monotonic()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            self._until(lambda _: False)
        return time.monotonic() - began

    def close(self) -> None:
        self._channel.close()


@contextlib.contextmanager
def phone(port: int, address: str = "127.0.0.1") -> Iterator[Phone]:
    made = Phone(port, address)
    try:
        yield made
    finally:
        made.close()


def refused(port: int, address: str = "127.0.0.1") -> bool:
    """Whether a phone is turned away at once."""
    try:
        Phone(port, address).close()
    except TimeoutError:
        return False
    except OSError:
        return True
    return False


def until_connected(port: int, address: str = "127.0.0.1") -> Phone:
    """A phone that tries again and again, until the device behind the gateway answers."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return Phone(port, address)
        except OSError as error:
            if time.monotonic() > end:
                raise AssertionError(f"no phone is connected: {error}") from error
            time.sleep(0.01)
