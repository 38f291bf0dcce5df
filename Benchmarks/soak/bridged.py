"""Bridges in the soak: a back end and a broker, what goes there and comes from there, and what befalls them.

The programs and the judgement are those of `Benchmarks/bridgekills`; gateway A is not killed here, so all that it was told counts.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import secrets
import signal
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

KILLS = Path(__file__).resolve().parents[1] / "bridgekills"
sys.path.append(str(KILLS))

import wire
from configs import Bridged
from faults import Bag, Weather
from flows import CHAT, CastSender, Requester, Subscriber, call_orders, end_tasks
from judge import Book, Chat, Orders
from ledger import Ledger
from processes import Child, is_listening
from refusing_broker import RefusingBroker
from sender import BOUND, tls_context
from wire import Message

ENDLESS = 1 << 40
RATE = 20.0
"""Messages that a sender says in a second."""
ORDER_RATE = 5.0
DRAIN = 100.0
"""Seconds after the last fault within which everything has arrived: the gateway comes back to a broker after 75 s at most."""
FAULTS = ("broker killed", "broker frozen", "broker refuses messages", "broker refuses connections", "back end killed",
          "back end frozen", "back end 500", "back end 429", "back end hangs", "both killed", "app ended")


class BridgedPrograms:
    """Mosquitto, the back end, and a device whose app takes orders."""

    def __init__(self, folder: Path, ports: Bridged, certificate: Path, key: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.ports = ports
        self.mode = folder / "mode.json"
        self.set_mode()
        self.backend_ledger, self.app_ledger = folder / "backend.ledger", folder / "app.ledger"
        self.config = folder / "mosquitto.conf"
        self.broker = Child("broker", ["mosquitto", "-c", str(self.config)], folder)
        self.backend = Child("backend", [sys.executable, str(KILLS / "backend.py"), str(ports.backend), ports.secret,
                                         str(self.backend_ledger), str(self.mode)], folder)
        self.device = Child("tv", [sys.executable, str(KILLS / "app_device.py"), str(ports.tv), str(certificate), str(key),
                                   str(self.app_ledger)], folder)
        self.refusing = RefusingBroker(ports.broker, ports.mosquitto)

    def set_mode(self, **mode: Any) -> None:
        new = self.mode.with_suffix(".new")
        new.write_text(json.dumps(mode))
        new.rename(self.mode)

    async def run(self) -> None:
        """Starts them, and returns when each can be reached."""
        self.config.write_text(
            f"listener {self.ports.mosquitto} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {self.folder}/\nautosave_interval 300\nautosave_on_changes true\n"
            "max_inflight_messages 0\nmax_queued_messages 0\nset_tcp_nodelay true\n" + ("user root\n" if os.geteuid() == 0 else ""))
        for child, port in ((self.broker, self.ports.mosquitto), (self.backend, self.ports.backend), (self.device, self.ports.tv)):
            await child.start()
            await self.until_listening(child, port)
        await self.refusing.begin()

    async def until_listening(self, child: Child, port: int) -> None:
        until = time.monotonic() + 20
        while not await is_listening(port):
            if time.monotonic() > until:
                raise RuntimeError(f"{child.name} did not start: see {child.error_log}")
            await asyncio.sleep(0.05)


class Asker:
    """Asks the back end something through a channel with `reply`; an answer or a refusal is owed within the deadline and some."""

    def __init__(self, port: int, ledger: Ledger) -> None:
        self.port, self.ledger = port, ledger

    async def run(self) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                await self._connected()
            await asyncio.sleep(0.5)

    async def _connected(self) -> None:
        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", self.port, ssl=tls_context()), 5)
        frames, transport, asked, number = wire.Frames(), "", 0.0, 100
        try:
            self._send(writer, wire.CONNECTION, {"type": "CONNECT", "origin": {}})
            self._send(writer, wire.RECEIVER, {"type": "LAUNCH", "appId": wire.QUIZ_APP, "requestId": 1})
            while True:
                data = b""
                with contextlib.suppress(TimeoutError):
                    data = await asyncio.wait_for(reader.read(65536), 0.2)
                    if not data:
                        return
                for message in frames.feed(data):
                    if message.namespace == wire.HEARTBEAT and '"PING"' in str(message.payload):
                        self._send(writer, wire.HEARTBEAT, {"type": "PONG"})
                    elif message.namespace == wire.RECEIVER and not transport:
                        apps = (json.loads(message.payload).get("status") or {}).get("applications") or []
                        if apps and apps[0]["appId"] == wire.QUIZ_APP:
                            transport = apps[0]["transportId"]
                            self._send(writer, wire.CONNECTION, {"type": "CONNECT", "origin": {}}, transport)
                    elif message.namespace == wire.ASK:
                        body = json.loads(message.payload)
                        if not asked or body.get("requestId") != number:
                            self.ledger.breach("a reply that was not asked for", str(body)[:120])
                            continue
                        kind = "answered" if body.get("type") == "ANSWER" else "refused"
                        if kind == "answered" and body.get("n") != number:
                            self.ledger.breach("the reply to another question", str(body)[:120])
                        self.ledger.answered(f"reply {kind}", time.monotonic() - asked)
                        asked = 0.0
                if asked and time.monotonic() - asked > BOUND:
                    self.ledger.breach("no reply", f"{number} after {BOUND:.0f} s")
                    return
                if transport and not asked:
                    number, asked = number + 1, time.monotonic()
                    self._send(writer, wire.ASK, {"requestId": number, "n": number}, transport)
                    await asyncio.sleep(0.1)
        finally:
            writer.close()

    @staticmethod
    def _send(writer: asyncio.StreamWriter, namespace: str, body: dict[str, Any], target: str = wire.PLATFORM) -> None:
        writer.write(wire.frame(Message("sender-7", target, namespace, json.dumps(body))))


class BridgedPlayer:
    """Senders, callers and clients of MQTT that use the bridges, and what becomes of their messages."""

    def __init__(self, programs: BridgedPrograms, ledger: Ledger) -> None:
        self.programs, self.ports, self.ledger = programs, programs.ports, ledger
        self.subscriber = Subscriber(self.ports.mosquitto)
        self.book = Book("")
        self.phase = 0
        self.totals: dict[str, int] = {}
        from world import Tail

        self.tails = [Tail(programs.backend_ledger, self._backend_has),
                      Tail(programs.app_ledger, lambda line: self.book.order_arrived(line["at"], line["body"]))]
        self._listening: asyncio.Task[None] | None = None

    def _backend_has(self, line: dict[str, Any]) -> None:
        if not line["signed"]:
            self.ledger.breach("a request without a right signature", str(line["id"]))
        elif line["status"] == 200 and line["body"]["data"].get("namespace") == CHAT:
            self.book.chat_arrived("back end", line["at"], line["id"], line["body"]["data"]["json"])

    async def begin(self) -> None:
        """Subscribes, and has the broker write that down."""
        self._listening = asyncio.create_task(self.subscriber.client.run())
        await asyncio.wait_for(self.subscriber.client.ready.wait(), 20)
        self.programs.broker.signal(signal.SIGUSR1)

    async def run(self, rest: asyncio.Event) -> None:
        self.phase += 1
        self.book = self.subscriber.book = book = Book(f"phase {self.phase}")
        senders = []
        for name, port in (("wall", self.ports.wall), ("booth", self.ports.booth)):
            chat = book.chats[f"{name}/{self.phase}"] = Chat(f"{name}/{self.phase}")
            senders.append(CastSender(port, chat, ENDLESS, RATE))
        holding = [asyncio.create_task(sender.run()) for sender in senders]
        by_api, by_mqtt = Orders(f"api-keep/{self.phase}"), Orders(f"mqtt-ask/{self.phase}")
        book.orders |= {by_api.name: by_api, by_mqtt.name: by_mqtt}
        requester = Requester(self.subscriber.client, "tv", by_mqtt, ENDLESS, ORDER_RATE, asks=True, gateway="soak-a")
        self.subscriber.requesters = [requester]
        flows: list[Coroutine[None, None, None]] = [
            call_orders(self.ports.admin, "tv", by_api, ENDLESS, ORDER_RATE, asks=False), requester.run(),
            Asker(self.ports.booth, self.ledger).run()]
        tasks = [asyncio.create_task(flow) for flow in flows]
        reading = asyncio.create_task(self._read())
        try:
            await rest.wait()
            for sender in senders:
                sender.count = 0
            # What was under way when the callers ended was not answered, and does not count.
            for task in tasks:
                task.cancel()
            until = time.monotonic() + DRAIN
            while time.monotonic() < until and not (book.is_complete([]) and self._has_all(book)):
                await asyncio.sleep(0.1)
        finally:
            await end_tasks([*tasks, *holding])
            reading.cancel()
        for task in (*tasks, *holding):
            if not task.cancelled() and (trouble := task.exception()):
                raise trouble
        self._judge(book)

    async def _read(self) -> None:
        while True:
            for tail in self.tails:
                tail.read()
            await asyncio.sleep(0.05)

    @staticmethod
    def _has_all(book: Book) -> bool:
        """Whether the last connections of the senders are heard to the end; the gateway lives, so all of it counts."""
        return all(
            not chat.connections or chat.turns in heard.first for chat in book.chats.values() for heard in chat.heard.values())

    def _judge(self, book: Book) -> None:
        outcome = book.outcome([])
        for fault in outcome.faults:
            self.ledger.breach("bridge", f"{book.name}: {fault}")
        if not self._has_all(book):
            self.ledger.breach("bridge", f"{book.name}: what a sender said last has not arrived within {DRAIN:.0f} s")
        for way, figures in outcome.parts.items():
            for what, count in (("sent", figures.sent), ("taken", figures.taken), ("arrived", figures.arrived),
                                ("doubled", figures.duplicates), ("lost", figures.lost), ("out of order", figures.out_of_order)):
                self.ledger.note(f"bridge {way}: {what}", count)


class BridgedWeather(Weather):
    """What befalls the broker, the back end, and the app that takes orders."""

    def __init__(self, programs: BridgedPrograms, player: BridgedPlayer, seed: str, ledger: Ledger,
                 pause: tuple[float, float]) -> None:
        super().__init__("bridges", seed, ledger, pause)
        self.programs, self.player = programs, player
        self.bag = Bag(FAULTS, self.rng)

    async def strike(self) -> str:
        what = self.bag.draw()
        self.ledger.event(f"bridges: {what}")
        programs, seconds = self.programs, self.rng.uniform(1, 5)
        victims = [child for child, word in ((programs.broker, "broker"), (programs.backend, "back end"))
                   if what == "both killed" or what.startswith(word)]
        if "killed" in what:
            for child in victims:
                child.signal(signal.SIGKILL)
            for child in victims:
                await child.ended(10)
            await asyncio.sleep(seconds)
            for child in victims:
                await child.start()
        elif "frozen" in what:
            victims[0].freeze()
            await asyncio.sleep(seconds)
            victims[0].thaw()
        elif what.startswith("broker refuses"):
            if what.endswith("messages"):
                programs.refusing.puback = 0x97
            else:
                programs.refusing.connack = 0x88
                programs.refusing.hang_up()
            await asyncio.sleep(seconds)
            programs.refusing.puback = programs.refusing.connack = 0
        elif what == "app ended":
            programs.device.signal(signal.SIGUSR1)
        else:
            programs.set_mode(**{"back end 500": {"status": 500}, "back end 429": {"status": 429, "after": 2},
                                 "back end hangs": {"hang": True}}[what])
            await asyncio.sleep(seconds)
            programs.set_mode()
        await programs.until_listening(programs.broker, programs.ports.mosquitto)
        await programs.until_listening(programs.backend, programs.ports.backend)
        await asyncio.wait_for(self.player.subscriber.client.ready.wait(), 20)
        self.ledger.event("bridges: undone")
        return what


def secret() -> str:
    """A secret for webhooks."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def outbox_size(state: Path) -> int:
    """The bytes of the outbox's files."""
    return sum(path.stat().st_size for path in state.glob("outbox.db*"))
