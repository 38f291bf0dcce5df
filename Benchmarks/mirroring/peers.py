"""The two ends of a mirrored stream: a scripted Cast device that takes one, and a scripted sender that sends one.

By hand, a device that answers offers and says once a second what came:

    peers.py device FOLDER
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "soak"))

import wire
from wire import Frames, Message

Json = dict[str, Any]
WEBRTC = "urn:x-cast:com.google.cast.webrtc"
REMOTING = "urn:x-cast:com.google.cast.remoting"
MIRRORING, AUDIO_MIRRORING = "0F5096E8", "85CDB22F"
PATIENCE = 20.0
BUFFER = 4 << 20
"""Bytes that a socket keeps, as far as the kernel lets it."""


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that nothing trusts, and its key."""
    chain, key = folder / "mirroring.pem", folder / "mirroring.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=device", "-keyout", str(key), "-out", str(chain)],
        check=True, capture_output=True, timeout=60)
    return chain, key


class Datagrams:
    """A UDP socket and a thread that counts what comes to it."""

    def __init__(self, host: str, answer: Callable[[bytes], bytes | None] | None = None) -> None:
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
        self.socket.bind((host, 0))
        self.port: int = self.socket.getsockname()[1]
        self.packets = self.octets = 0
        self.peers: set[tuple[str, int]] = set()
        self.first: bytes = b""
        self._answer = answer
        self._news = threading.Condition()
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self) -> None:
        while True:
            try:
                data, peer = self.socket.recvfrom(65536)
            except OSError:
                return
            with self._news:
                self.packets += 1
                self.octets += len(data)
                self.first = self.first or data
                self.peers.add(peer[:2])
                self._news.notify_all()
            if self._answer and (reply := self._answer(data)) is not None:
                self.socket.sendto(reply, peer)

    @property
    def peer(self) -> tuple[str, int]:
        """Where everything came from."""
        (only,) = self.peers
        return only

    def until(self, packets: int, seconds: float = PATIENCE) -> bool:
        """Waits until so many have come; whether they have."""
        with self._news:
            return self._news.wait_for(lambda: self.packets >= packets, seconds)

    def close(self) -> None:
        self.socket.close()


class MirroringDevice:
    """A Cast device whose only apps are those for mirroring. It answers OFFER, and counts what comes by UDP."""

    def __init__(self, folder: Path, host: str = "127.0.0.1", answer: Callable[[bytes], bytes | None] | None = None) -> None:
        self.host = host
        self.datagrams = Datagrams(host, answer)
        self.app: Json | None = None
        self.offers: list[Json] = []
        self.rewrite: Callable[[Json], Json] = lambda message: message
        """What becomes of an ANSWER before it is sent."""
        self._channels: set[_Channel] = set()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(folder))
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        started = asyncio.run_coroutine_threadsafe(
            self._loop.create_server(lambda: _Channel(self), host, 0, ssl=context), self._loop)
        self._server = started.result(PATIENCE)
        self.port: int = self._server.sockets[0].getsockname()[1]

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._server.close)
        self._loop.call_soon_threadsafe(lambda: [channel.transport.close() for channel in self._channels])
        self.datagrams.close()

    def stop_app(self) -> None:
        """Ends the app, as a remote control does."""
        self._loop.call_soon_threadsafe(self._stop)

    @property
    def status(self) -> Json:
        status: Json = {"volume": {"level": 0.5, "muted": False, "controlType": "attenuation"}, "isActiveInput": True}
        if self.app:
            status["applications"] = [self.app]
        return {"type": "RECEIVER_STATUS", "status": status}

    def _announce(self) -> None:
        for channel in self._channels:
            channel.send(wire.RECEIVER, {**self.status, "requestId": 0}, wire.PLATFORM, wire.EVERYBODY)

    def _launch(self, app: str) -> None:
        if self.app and self.app["appId"] == app:
            return
        self._stop()
        session = str(uuid.uuid4())
        self.app = {
            "appId": app, "appType": "WEB", "universalAppId": app, "displayName": "Mirroring", "isIdleScreen": False,
            "namespaces": [{"name": WEBRTC}, {"name": REMOTING}], "sessionId": session, "transportId": session,
            "statusText": "Mirroring", "launchedFromCloud": False, "iconUrl": "", "senderConnected": True,
        }
        self._announce()

    def _stop(self) -> None:
        if self.app is None:
            return
        transport = self.app["transportId"]
        self.app = None
        for channel in self._channels:
            for end, local in sorted(channel.virtual):
                if local == transport:
                    channel.virtual.discard((end, local))
                    channel.send(wire.CONNECTION, {"type": "CLOSE"}, local, end)
        self._announce()

    def answer(self, offer: Json) -> Json:
        """The ANSWER to an OFFER: one stream of sound and one of pictures."""
        self.offers.append(offer)
        streams = offer["offer"].get("supportedStreams", [])
        chosen = [next((s for s in streams if s.get("codecName") == codec), None) for codec in ("opus", "vp8")]
        taken = [stream for stream in chosen if stream]
        return self.rewrite({
            "type": "ANSWER", "seqNum": offer["seqNum"], "result": "ok",
            "answer": {"castMode": "mirroring", "udpPort": self.datagrams.port,
                       "sendIndexes": [s["index"] for s in taken], "ssrcs": [s["ssrc"] + 1 for s in taken]}})

    def platform(self, body: Json) -> Json:
        kind = body.get("type")
        if kind == "GET_APP_AVAILABILITY":
            return {"responseType": kind, "availability": {
                app: "APP_AVAILABLE" if app in (MIRRORING, AUDIO_MIRRORING) else "APP_UNAVAILABLE" for app in body["appId"]}}
        if kind == "LAUNCH":
            if body.get("appId") not in (MIRRORING, AUDIO_MIRRORING):
                return {"type": "LAUNCH_ERROR", "reason": "NOT_FOUND"}
            self._launch(body["appId"])
        elif kind == "STOP":
            self._stop()
        elif kind not in ("GET_STATUS", "SET_VOLUME"):
            return {"type": "INVALID_REQUEST", "reason": "INVALID_COMMAND"}
        return self.status


class _Channel(asyncio.Protocol):
    def __init__(self, device: MirroringDevice) -> None:
        self.device = device
        self.virtual: set[tuple[str, str]] = set()
        self.frames = Frames()
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.device._channels.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.device._channels.discard(self)

    def data_received(self, data: bytes) -> None:
        for message in self.frames.feed(data):
            self.receive(message)

    def send(self, namespace: str, body: Json, source: str, destination: str) -> None:
        if not self.transport.is_closing():
            self.transport.write(wire.frame(Message(source, destination, namespace, json.dumps(body))))

    def receive(self, message: Message) -> None:
        if not isinstance(message.payload, str):
            return
        body = json.loads(message.payload)
        kind = body.get("type")
        app = self.device.app
        answer: Json | None = None
        if message.namespace == wire.HEARTBEAT:
            answer = {"type": "PONG"} if kind == "PING" else None
        elif message.namespace == wire.CONNECTION:
            if kind == "CONNECT" and message.destination in (wire.PLATFORM, (app or {}).get("transportId")):
                self.virtual.add((message.source, message.destination))
            elif kind == "CONNECT":
                answer = {"type": "CLOSE"}
            else:
                self.virtual.discard((message.source, message.destination))
        elif message.namespace == wire.RECEIVER:
            answer = self.device.platform(body)
        elif message.namespace == WEBRTC and kind == "OFFER":
            answer = self.device.answer(body)
        elif message.namespace == WEBRTC and kind == "GET_CAPABILITIES":
            answer = {"type": "CAPABILITIES_RESPONSE", "seqNum": body["seqNum"], "result": "ok",
                      "capabilities": {"mediaCaps": ["audio", "aac", "opus", "video", "vp8", "h264"]}}
        if answer is None:
            return
        if "requestId" in body:
            answer = {**answer, "requestId": body["requestId"]}
        self.send(message.namespace, answer, message.destination, message.source)


class MirroringSender:
    """A sender as far as a stream needs one: it launches the app, offers, and sends what it is told to."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        raw = socket.create_connection((host, port), timeout=PATIENCE)
        self._channel = context.wrap_socket(raw)
        self.host, self._frames, self._waiting, self._number = host, Frames(), [], 0
        self.datagrams = Datagrams(host)
        self.transport = ""
        self.say(wire.CONNECTION, {"type": "CONNECT", "origin": {}})

    def say(self, namespace: str, body: Json, destination: str = wire.PLATFORM) -> None:
        self._channel.sendall(wire.frame(Message("sender-0", destination, namespace, json.dumps(body))))

    def hear(self, test: Callable[[Json], bool]) -> Json:
        """The next message for which the test holds; answers PING meanwhile."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while self._waiting:
                message = self._waiting.pop(0)
                body = json.loads(message.payload)
                if message.namespace == wire.HEARTBEAT:
                    self.say(wire.HEARTBEAT, {"type": "PONG"}, message.source)
                elif test(body):
                    return body
            self._channel.settimeout(max(0.01, end - time.monotonic()))
            data = self._channel.recv(65536)
            if not data:
                raise ConnectionError("the device hung up")
            self._waiting += self._frames.feed(data)
        raise TimeoutError("nothing of the kind was said")

    def ask(self, body: Json) -> Json:
        self._number += 1
        number = self._number
        self.say(wire.RECEIVER, {**body, "requestId": number})
        return self.hear(lambda answer: answer.get("requestId") == number)

    def available(self, app: str = MIRRORING) -> bool:
        return self.ask({"type": "GET_APP_AVAILABILITY", "appId": [app]})["availability"].get(app) == "APP_AVAILABLE"

    def launch(self, app: str = MIRRORING) -> Json:
        """Launches the app and connects to it; what the device says."""
        answer = self.ask({"type": "LAUNCH", "appId": app})
        for running in answer.get("status", {}).get("applications", []):
            self.transport = running["transportId"]
            self.say(wire.CONNECTION, {"type": "CONNECT", "origin": {}}, self.transport)
        return answer

    def offer(self) -> Json:
        """Offers a stream; the ANSWER."""
        self._number += 1
        number = self._number
        self.say(WEBRTC, {"type": "OFFER", "seqNum": number, "offer": {"castMode": "mirroring", "supportedStreams": [
            {"index": 0, "type": "audio_source", "codecName": "opus", "ssrc": 5873, "rtpPayloadType": 127},
            {"index": 2, "type": "video_source", "codecName": "vp8", "ssrc": 78352, "rtpPayloadType": 96}]}}, self.transport)
        return self.hear(lambda answer: answer.get("type") == "ANSWER" and answer.get("seqNum") == number)

    def mirror(self) -> int:
        """Launches and offers; the port to send to."""
        self.launch()
        return self.offer()["answer"]["udpPort"]

    def stay(self) -> None:
        """Answers PING from now on, in a thread, and hears nothing else; a sender that is silent is hung up on."""

        def answer() -> None:
            while True:
                try:
                    self.hear(lambda _: False)
                except TimeoutError:
                    continue
                except OSError:
                    return

        threading.Thread(target=answer, daemon=True).start()

    def send(self, data: bytes, port: int) -> None:
        self.datagrams.socket.sendto(data, (self.host, port))

    def close(self) -> None:
        self._channel.close()
        self.datagrams.close()


def main() -> None:
    folder = Path(sys.argv[2])
    device = MirroringDevice(folder)
    print(f"listens on {device.port}, UDP {device.datagrams.port}", flush=True)
    while True:
        time.sleep(1)
        print(f"{device.datagrams.packets} datagrams, {device.datagrams.octets} bytes, from {device.datagrams.peers}", flush=True)


if __name__ == "__main__":
    main()
