"""A Cast device that misbehaves on command: a process of its own, so that it can be frozen and killed.

    scripted_device.py PORT CERTIFICATE KEY

It prints `ready`, then reads commands from standard input, one JSON object a line, and answers `state` with one:

    {"do": "late", "seconds": 1.5, "for": 5}    answers late for some time
    {"do": "reset"} {"do": "hang up"}           ends every channel by RST or FIN
    {"do": "close"}                             sends CLOSE to every virtual connection of a sender
    {"do": "noise"} {"do": "cut"} {"do": "oversize"}      sends what is no frame, and hangs up behind a half one
    {"do": "strangers"} {"do": "nonsense"} {"do": "deep"} {"do": "storm"}      sends frames that make no sense
    {"do": "crash"}                             ends at once
    {"do": "state"}                             says what is open
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
import ssl
import struct
import sys
import time
import uuid
from typing import Any

import wire
from wire import Message

Json = dict[str, Any]
IDLE_TIMEOUT = 2.0
APPS = {wire.MEDIA_APP: ("Default Media Receiver", [wire.MEDIA]), wire.QUIZ_APP: ("Quiz", [wire.QUIZ])}


class ScriptedDevice:
    """What all channels share: volume, the app, and the mischief of the moment."""

    def __init__(self) -> None:
        self.channels: set[Channel] = set()
        self.volume: Json = {"level": 0.5, "muted": False, "controlType": "attenuation", "stepInterval": 0.05}
        self.app: Json | None = None
        self.media: Json | None = None
        self.media_count = 0
        self.idle_since: float | None = None
        self.delay = 0.0
        self.delay_ends = 0.0
        self.without_connect: list[str] = []
        """Messages of senders that had no virtual connection: a relay's mistake."""

    @property
    def status(self) -> Json:
        status: Json = {"volume": self.volume, "isActiveInput": True, "isStandBy": False}
        if self.app:
            status["applications"] = [self.app]
        return status

    def broadcast(self, namespace: str, body: Json, source: str = wire.PLATFORM) -> None:
        for channel in self.channels:
            channel.send(namespace, body, source, wire.EVERYBODY)

    def announce(self) -> None:
        self.broadcast(wire.RECEIVER, {"type": "RECEIVER_STATUS", "requestId": 0, "status": self.status})

    def launch(self, app: str) -> None:
        if self.app and self.app["appId"] == app:
            return
        self.stop()
        name, namespaces = APPS[app]
        session = str(uuid.uuid4())
        self.app = {
            "appId": app, "appType": "WEB", "universalAppId": app, "displayName": name, "isIdleScreen": False,
            "namespaces": [{"name": text} for text in namespaces], "sessionId": session, "transportId": session,
            "statusText": name, "launchedFromCloud": False,
        }
        self.media = None
        self.idle_since = None
        self.announce()

    def stop(self) -> None:
        if self.app is None:
            return
        transport = self.app["transportId"]
        self.app = self.media = None
        for channel in self.channels:
            channel.close_all(transport)
        self.announce()

    def tick(self) -> None:
        """Ends an app that no sender holds, and a phase of lateness."""
        if self.delay and time.monotonic() > self.delay_ends:
            self.delay = 0
        held = self.app and any(
            target == self.app["transportId"] for channel in self.channels for _, target in channel.virtual)
        if self.app is None or held:
            self.idle_since = None
        elif self.idle_since is None:
            self.idle_since = time.monotonic()
        elif time.monotonic() - self.idle_since > IDLE_TIMEOUT:
            self.stop()

    def obey(self, order: Json) -> None:
        what = order["do"]
        if what == "state":
            senders = sorted({end for channel in self.channels for end, _ in channel.virtual if end != "sender-0"})
            print(json.dumps({"channels": len(self.channels), "senders": senders, "app": self.app is not None,
                              "without_connect": self.without_connect}), flush=True)
        elif what == "late":
            self.delay, self.delay_ends = order["seconds"], time.monotonic() + order["for"]
        elif what == "crash":
            os._exit(3)
        else:
            for channel in list(self.channels):
                channel.misbehave(what)


class Channel(asyncio.Protocol):
    def __init__(self, device: ScriptedDevice) -> None:
        self.device = device
        self.virtual: set[tuple[str, str]] = set()
        self.frames = wire.Frames()
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.device.channels.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.device.channels.discard(self)

    def data_received(self, data: bytes) -> None:
        for message in self.frames.feed(data):
            self.receive(message)

    def send(self, namespace: str, body: Json, source: str, destination: str) -> None:
        if not self.transport.is_closing():
            self.transport.write(wire.frame(Message(source, destination, namespace, json.dumps(body))))

    def close_all(self, target: str) -> None:
        for end, local in sorted(self.virtual):
            if local == target:
                self.virtual.discard((end, local))
                self.send(wire.CONNECTION, {"type": "CLOSE"}, local, end)

    def receive(self, message: Message) -> None:
        body = json.loads(message.payload)
        kind = body.get("type")
        pair = (message.source, message.destination)
        app = self.device.app
        if message.namespace == wire.HEARTBEAT:
            if kind == "PING":
                self.send(wire.HEARTBEAT, {"type": "PONG"}, message.destination, message.source)
        elif message.namespace == wire.CONNECTION:
            known = message.destination == wire.PLATFORM or (app and app["transportId"] == message.destination)
            if kind == "CONNECT" and known:
                self.virtual.add(pair)
            elif kind == "CONNECT":
                self.send(wire.CONNECTION, {"type": "CLOSE"}, message.destination, message.source)
            else:
                self.virtual.discard(pair)
        elif pair not in self.virtual:
            # A CLOSE from here and a message from there may cross, but only an app that has gone was closed.
            if message.destination == wire.PLATFORM and time.monotonic() > self.closed_until:
                self.device.without_connect.append(f"{pair} {message.namespace} {kind}")
            self.send(wire.CONNECTION, {"type": "CLOSE"}, message.destination, message.source)
        else:
            self.answer(message, body, kind)

    closed_until = 0.0

    def answer(self, message: Message, body: Json, kind: str | None) -> None:
        device = self.device
        answer: Json | None = None
        if message.namespace == wire.FAR_ECHO:
            answer = body
        elif message.namespace == wire.RECEIVER:
            answer = self.platform(body, kind)
        elif message.namespace == wire.MULTIZONE:
            answer = {"type": "MULTIZONE_STATUS", "status": {"devices": [], "isMultichannel": False}}
        elif message.namespace == wire.MEDIA:
            answer = self.media(body, kind)
        if answer is None:
            return
        if "requestId" in body:
            answer = {**answer, "requestId": body["requestId"]}
        if device.delay:
            asyncio.get_running_loop().call_later(device.delay, self.late, message, answer)
        else:
            self.send(message.namespace, answer, message.destination, message.source)

    def late(self, message: Message, answer: Json) -> None:
        if (message.source, message.destination) in self.virtual:
            self.send(message.namespace, answer, message.destination, message.source)

    def platform(self, body: Json, kind: str | None) -> Json:
        device = self.device
        if kind == "GET_APP_AVAILABILITY":
            return {"responseType": kind, "availability": {
                app: "APP_AVAILABLE" if app in APPS else "APP_UNAVAILABLE" for app in body["appId"]}}
        if kind == "LAUNCH":
            if body.get("appId") not in APPS:
                return {"type": "LAUNCH_ERROR", "reason": "NOT_FOUND"}
            device.launch(body["appId"])
        elif kind == "STOP":
            if body.get("sessionId") not in (None, (device.app or {}).get("sessionId")):
                return {"type": "INVALID_REQUEST", "reason": "INVALID_SESSION_ID"}
            device.stop()
        elif kind == "SET_VOLUME":
            device.volume = {**device.volume, **body["volume"]}
            device.announce()
        elif kind != "GET_STATUS":
            return {"type": "INVALID_REQUEST", "reason": "INVALID_COMMAND"}
        return {"type": "RECEIVER_STATUS", "status": device.status}

    def media(self, body: Json, kind: str | None) -> Json:
        device = self.device
        if device.app is None or device.app["appId"] != wire.MEDIA_APP:
            return {"type": "INVALID_REQUEST", "reason": "INVALID_COMMAND"}
        if kind in ("LOAD", "QUEUE_LOAD"):
            device.media_count += 1
            device.media = {"mediaSessionId": device.media_count, "playerState": "PLAYING", "playbackRate": 1,
                            "currentTime": 0, "supportedMediaCommands": 15, "volume": {"level": 1, "muted": False}}
        elif kind == "QUEUE_GET_ITEM_IDS":
            return {"type": "QUEUE_ITEM_IDS", "itemIds": [1, 2, 3]}
        elif kind == "STOP":
            device.media = None
        status: Json = {"type": "MEDIA_STATUS", "status": [device.media] if device.media else []}
        if kind != "GET_STATUS":
            device.broadcast(wire.MEDIA, {**status, "requestId": 0}, device.app["transportId"])
        return status

    # MARK: Mischief

    def misbehave(self, what: str) -> None:
        write = self.transport.write
        if what == "reset":
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.transport.abort()
        elif what == "hang up":
            self.transport.close()
        elif what == "close":
            self.closed_until = time.monotonic() + 5
            for end, local in sorted(self.virtual):
                if end != "sender-0":
                    self.virtual.discard((end, local))
                    self.send(wire.CONNECTION, {"type": "CLOSE"}, local, end)
        elif what == "noise":
            write(random.randbytes(3000))
        elif what == "oversize":
            write(struct.pack(">I", 70000) + b"\x08\x00" * 35000)
        elif what == "cut":
            write(wire.frame(Message(wire.PLATFORM, "*", wire.RECEIVER, "{}"))[:30])
            self.transport.close()
        elif what == "strangers":
            for name in ("sender-cw999999", "sender-cw0", "nobody", "receiver-0"):
                self.send(wire.RECEIVER, {"type": "RECEIVER_STATUS", "requestId": 7, "status": {}}, wire.PLATFORM, name)
        elif what == "nonsense":
            for payload in ('{"type":"RECEIVER_STATUS","status":', "[1,2,3]", '"text"', "", b"\x00\xff\xfe"):
                write(wire.frame(Message(wire.PLATFORM, "*", wire.RECEIVER, payload)))
                write(wire.frame(Message("gone", "*", wire.MEDIA, payload)))
        elif what == "deep":
            deep = '{"type":"RECEIVER_STATUS","status":' + "[" * 20000 + "]" * 20000 + "}"
            write(wire.frame(Message(wire.PLATFORM, "*", wire.RECEIVER, deep)))
        elif what == "storm":
            for _ in range(300):
                self.device.announce()


async def main() -> None:
    port, certificate, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    device = ScriptedDevice()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Channel(device), "127.0.0.1", port, ssl=context)
    commands = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    print("ready", flush=True)
    reading = asyncio.ensure_future(commands.readline())
    async with server:
        while True:
            await asyncio.wait([reading], timeout=0.2)
            device.tick()
            if reading.done():
                if not (line := reading.result()):
                    return
                device.obey(json.loads(line))
                reading = asyncio.ensure_future(commands.readline())


if __name__ == "__main__":
    asyncio.run(main())
