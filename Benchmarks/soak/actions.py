"""What senders do while they are connected. Every action waits for the answers that it is owed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

import wire
from sender import Json, Sender

STATUS = frozenset({"RECEIVER_STATUS"})
LAUNCHED = frozenset({"RECEIVER_STATUS", "LAUNCH_ERROR"})
MEDIA_STATUS = frozenset({"MEDIA_STATUS"})
LOADED = frozenset({"MEDIA_STATUS", "LOAD_FAILED", "LOAD_CANCELLED"})
REFUSED_APPS = ("AAAA0001", "AAAA0002", "FFFFFFFF")
"""Not allowed, cancelled, unknown."""


class Playbook:
    """One sender's actions, in the order of its own random numbers."""

    def __init__(self, sender: Sender, rng: random.Random) -> None:
        self.sender = sender
        self.rng = rng
        self.actions: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (6, self.status), (4, self.availability), (2, self.multizone), (2, self.setup), (2, self.unknown_request),
            (3, self.launch_refused), (5, self.launch), (8, self.load), (3, self.load_queue), (10, self.control),
            (5, self.queue), (6, self.volume), (8, self.echo), (6, self.repeat), (3, self.second_end),
            (2, self.stray), (3, self.burst), (2, self.freeze), (2, self.stop), (3, self.pipeline), (1, self.rejoin),
        ]

    async def act(self) -> None:
        weights = [weight for weight, _ in self.actions]
        _, action = self.rng.choices(self.actions, weights)[0]
        if not self.sender.is_connected(wire.PLATFORM):
            self.sender.connect()
        await action()

    # MARK: The platform

    async def status(self) -> None:
        await self.sender.ask("GET_STATUS", wire.RECEIVER, {"type": "GET_STATUS"}, accepts=STATUS,
                              as_text=self.rng.random() < 0.1)

    async def availability(self) -> None:
        # No other sender asks for this app, so the answer cannot be another sender's.
        own = f"{self.rng.getrandbits(32):08X}"
        asked = [own, wire.MEDIA_APP]

        def check(answer: Json) -> str | None:
            found = answer.get("availability")
            if answer.get("type") == "INVALID_REQUEST":
                return None
            if not isinstance(found, dict) or not set(found) <= set(asked):
                return f"asked {asked}, got {answer}"
            return None

        await self.sender.ask("GET_APP_AVAILABILITY", wire.RECEIVER, {"type": "GET_APP_AVAILABILITY", "appId": asked},
                              accepts=frozenset({"GET_APP_AVAILABILITY"}), check=check)

    async def multizone(self) -> None:
        await self.sender.ask("multizone GET_STATUS", wire.MULTIZONE, {"type": "GET_STATUS"},
                              accepts=frozenset({"MULTIZONE_STATUS"}))

    async def setup(self) -> None:
        await self.sender.ask("eureka_info", wire.SETUP, {"type": "eureka_info", "data": {"params": ["name", "version"]}},
                              accepts=frozenset({"eureka_info"}))

    async def unknown_request(self) -> None:
        await self.sender.ask("unknown request", wire.RECEIVER, {"type": "MAKE_COFFEE"})

    async def volume(self) -> None:
        change: Json = {"level": round(self.rng.random(), 2)} if self.rng.random() < 0.7 else {
            "muted": self.rng.random() < 0.5}
        await self.sender.ask("SET_VOLUME", wire.RECEIVER, {"type": "SET_VOLUME", "volume": change}, accepts=STATUS)

    async def launch(self) -> None:
        await self._launch(self.rng.choice((wire.MEDIA_APP, wire.MEDIA_APP, wire.QUIZ_APP)))

    async def launch_refused(self) -> None:
        app = self.rng.choice(REFUSED_APPS)
        await self.sender.ask("LAUNCH refused", wire.RECEIVER, {"type": "LAUNCH", "appId": app},
                              accepts=frozenset({"LAUNCH_ERROR"}))

    async def stop(self) -> None:
        body: Json = {"type": "STOP"}
        if self.sender.app and self.rng.random() < 0.8:
            body["sessionId"] = self.sender.app["sessionId"]
        await self.sender.ask("STOP", wire.RECEIVER, body, accepts=STATUS)

    async def _launch(self, app: str) -> str | None:
        """Launches an app and joins it; its transport id, or None when another sender was quicker."""

        def check(answer: Json) -> str | None:
            apps = (answer.get("status") or {}).get("applications") or []
            if answer.get("type") != "RECEIVER_STATUS" or [item.get("appId") for item in apps] == [app]:
                return None
            return f"launched {app}, got {answer}"

        answer = await self.sender.ask("LAUNCH", wire.RECEIVER, {"type": "LAUNCH", "appId": app},
                                       accepts=LAUNCHED, check=check)
        if not answer or answer["type"] != "RECEIVER_STATUS":
            return None
        transport = str(answer["status"]["applications"][0]["transportId"])
        self.sender.connect(transport)
        return transport

    async def _transport(self, app: str) -> str | None:
        """A virtual connection to an app: to the one that runs, or to one that is launched."""
        running = self.sender.app
        if running and running.get("appId") == app:
            transport = str(running["transportId"])
            self.sender.connect(transport)
            return transport
        return await self._launch(app)

    # MARK: Media

    async def load(self) -> None:
        transport = await self._transport(wire.MEDIA_APP)
        if transport is None:
            return
        name = self.rng.choice(("one", "two", "missing", "flaky"))
        media = {"contentId": f"http://192.0.2.1/{name}.mp4", "contentType": "video/mp4", "streamType": "BUFFERED",
                 "metadata": {"metadataType": 0, "title": f"{name} of {self.sender.name}"}}
        await self._media("LOAD", transport, {"media": media, "autoplay": self.rng.choice((True, True, False, "false")),
                                              "currentTime": self.rng.choice((0, 2.5))}, LOADED)

    async def load_queue(self) -> None:
        transport = await self._transport(wire.MEDIA_APP)
        if transport is None:
            return
        items = [{"media": {"contentId": f"http://192.0.2.1/{number}.mp3", "contentType": "audio/mpeg"}, "autoplay": True}
                 for number in range(self.rng.randint(2, 20))]
        await self._media("QUEUE_LOAD", transport, {
            "items": items, "startIndex": self.rng.randrange(len(items)),
            "repeatMode": self.rng.choice(("REPEAT_OFF", "REPEAT_ALL", "REPEAT_SINGLE"))}, LOADED)

    async def control(self) -> None:
        transport = await self._transport(wire.MEDIA_APP)
        if transport is None:
            return
        kind, body = self.rng.choice((
            ("PLAY", {}), ("PAUSE", {}), ("SEEK", {"currentTime": round(self.rng.random() * 5, 1)}), ("STOP", {}),
            ("SET_VOLUME", {"volume": {"level": 0.5}}), ("SET_PLAYBACK_RATE", {"playbackRate": 1.5}),
            ("GET_STATUS", {}), ("SEEK", {"relativeTime": -1, "resumeState": "PLAYBACK_PAUSE"})))
        await self._media(kind, transport, body, MEDIA_STATUS)

    async def queue(self) -> None:
        transport = await self._transport(wire.MEDIA_APP)
        if transport is None:
            return
        kind, body, accepts = self.rng.choice((
            ("QUEUE_UPDATE", {"jump": self.rng.choice((1, -1))}, LOADED),
            ("QUEUE_GET_ITEM_IDS", {}, frozenset({"QUEUE_ITEM_IDS"})),
            ("QUEUE_INSERT", {"items": [{"media": {"contentId": "http://192.0.2.1/new.mp3"}}]}, MEDIA_STATUS),
            ("QUEUE_UPDATE", {"shuffle": True}, MEDIA_STATUS)))
        await self._media(kind, transport, body, accepts)

    async def _media(self, kind: str, transport: str, body: Json, accepts: frozenset[str]) -> None:
        more: dict[str, Any] = {}
        if self.sender.media_session is not None and kind not in ("LOAD", "QUEUE_LOAD"):
            more["mediaSessionId"] = self.sender.media_session
        await self.sender.ask(f"media {kind}", wire.MEDIA, {"type": kind, **more, **body}, transport, accepts=accepts)

    # MARK: Custom namespaces

    async def echo(self) -> None:
        running = self.sender.app
        transport = str(running["transportId"]) if running else await self._transport(wire.QUIZ_APP)
        if transport is None:
            return
        self.sender.connect(transport)
        namespaces = [wire.NEAR_ECHO] + ([wire.FAR_ECHO] if self.sender.device.is_relay else [])
        for _ in range(self.rng.randint(1, 30)):
            self.sender.number(self.rng.choice(namespaces), transport, padding=self.rng.choice((0, 10, 3000)))
            if self.rng.random() < 0.2:
                await asyncio.sleep(0.005)
        await self.sender.echoed()

    async def repeat(self) -> None:
        transport = await self._transport(wire.QUIZ_APP)
        if transport is None:
            return
        for _ in range(self.rng.randint(1, 10)):
            if self.sender.is_connected(transport):
                self.sender.repeat(transport)
                await asyncio.sleep(self.rng.random() * 0.02)
        await self.status()

    # MARK: Unusual, and allowed

    async def second_end(self) -> None:
        """Another end on the same channel that uses the same request ids at the same time."""
        end = f"client-{self.rng.randint(1, 3)}"
        self.sender.connect(end=end)
        body = {"type": "GET_STATUS"}
        await self.sender.settled(
            self.sender.post("GET_STATUS", wire.RECEIVER, body, accepts=STATUS),
            self.sender.post("GET_STATUS", wire.RECEIVER, body, end=end, accepts=STATUS),
            self.sender.post("GET_STATUS", wire.RECEIVER, body, end=end, accepts=STATUS))
        if self.rng.random() < 0.5:
            self.sender.disconnect(wire.PLATFORM, end)

    async def stray(self) -> None:
        """A message to an app that is not there is answered with CLOSE."""
        transport = f"gone-{self.rng.getrandbits(32)}"
        await self.sender.ask("stray message", wire.MEDIA, {"type": "GET_STATUS"}, transport)

    async def burst(self) -> None:
        count = 40 if self.sender.device.is_relay else 200
        requests = [self.sender.post("GET_STATUS in a burst", wire.RECEIVER, {"type": "GET_STATUS"}, accepts=STATUS)
                    for _ in range(count)]
        await self.sender.settled(*requests)

    async def freeze(self) -> None:
        """Stops reading for a while, with answers under way."""
        requests = [self.sender.post("GET_STATUS before a freeze", wire.RECEIVER, {"type": "GET_STATUS"}, accepts=STATUS)
                    for _ in range(self.rng.randint(1, 30))]
        self.sender.pause()
        await asyncio.sleep(self.rng.uniform(0.5, 3))
        self.sender.resume()
        await self.sender.settled(*requests)

    async def pipeline(self) -> None:
        """Requests of several namespaces at once, with equal ids."""
        transport = await self._transport(wire.MEDIA_APP)
        if transport is None:
            return
        status = {"type": "GET_STATUS"}
        await self.sender.settled(
            self.sender.post("media GET_STATUS", wire.MEDIA, status, transport, accepts=MEDIA_STATUS),
            self.sender.post("GET_STATUS", wire.RECEIVER, status, accepts=STATUS),
            self.sender.post("multizone GET_STATUS", wire.MULTIZONE, status, accepts=frozenset({"MULTIZONE_STATUS"})),
            self.sender.post("media GET_STATUS", wire.MEDIA, status, transport, accepts=MEDIA_STATUS))

    async def rejoin(self) -> None:
        """Leaves the app that runs, without ending it."""
        if self.sender.app:
            self.sender.disconnect(str(self.sender.app["transportId"]))
        await self.status()
