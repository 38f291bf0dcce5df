"""What befalls the devices behind the relays, and the configuration of gateway A."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Callable

import configs
import wire
from configs import Ports
from lab import NETWORK, Host
from ledger import Ledger
from logs import LogReader
from processes import Gateway, ScriptedProcess, is_listening
from sender import Device, Gone, Sender

RETURN = 10.0
"""Seconds after its return within which a device can be reached through the relay."""
MISCHIEF = ("late", "freeze", "crash", "reset", "hang up", "close", "noise", "oversize", "cut", "strangers", "nonsense",
            "deep", "storm")


class Bag:
    """Deals every kind once in random order, then again."""

    def __init__(self, kinds: tuple[str, ...], rng: random.Random) -> None:
        self.kinds, self.rng, self.left = kinds, rng, list[str]()

    def draw(self) -> str:
        if not self.left:
            self.left = self.rng.sample(self.kinds, len(self.kinds))
        return self.left.pop()


async def until_online(device: Device, ledger: Ledger, what: str) -> None:
    """Waits until the device behind a relay answers: while it is out of reach no app is available."""
    began = time.monotonic()
    while True:
        sender = Sender(f"probe.{time.monotonic_ns()}", device, ledger)
        try:
            await sender.open()
            sender.connect()
            answer = await sender.ask(
                "probe", wire.RECEIVER, {"type": "GET_APP_AVAILABILITY", "appId": [wire.MEDIA_APP]},
                accepts=frozenset({"GET_APP_AVAILABILITY"}))
            sender.close()
        except Gone:
            answer = None
        seconds = time.monotonic() - began
        if ((answer or {}).get("availability") or {}).get(wire.MEDIA_APP) == "APP_AVAILABLE":
            ledger.answered("reachable again", seconds)
            return
        if seconds > RETURN:
            ledger.breach("not reachable again", f"{device.name} {seconds:.1f} s after {what}")
            return
        await asyncio.sleep(0.1)


async def _all_online(devices: list[Device], ledger: Ledger, what: str) -> None:
    await asyncio.gather(*(until_online(device, ledger, what) for device in devices))


class Weather:
    """Does something to one of the processes, waits, and begins again."""

    relays: list[Device] = []
    """The virtual devices that suffer from it."""

    def __init__(self, name: str, seed: str, ledger: Ledger, pause: tuple[float, float]) -> None:
        self.name = name
        self.rng = random.Random(f"{seed}/{name}")
        self.ledger = ledger
        self.pause = pause

    async def run(self, rest: asyncio.Event) -> None:
        while True:
            try:
                async with asyncio.timeout(self.rng.uniform(*self.pause)):
                    await rest.wait()
                return
            except TimeoutError:
                await self._strike()

    async def _strike(self) -> None:
        for device in self.relays:
            device.outages.begin()
        what = await self.strike()
        for device in self.relays:
            device.outages.end()
        self.ledger.note(f"{self.name}: {what}")

    async def strike(self) -> str:
        raise NotImplementedError


class FarWeather(Weather):
    """Gateway B is killed, frozen, and both."""

    def __init__(self, gateway: Gateway, relays: list[Device], log: LogReader, seed: str, ledger: Ledger,
                 pause: tuple[float, float]) -> None:
        super().__init__("gateway B", seed, ledger, pause)
        self.gateway, self.relays, self.log = gateway, relays, log
        self.bag = Bag(("kill", "freeze", "blink", "freeze and kill"), self.rng)

    async def strike(self) -> str:
        what = self.bag.draw()
        self.ledger.event(f"gateway B: {what}")
        if "freeze" in what or what == "blink":
            self.gateway.freeze()
            await asyncio.sleep(self.rng.uniform(0.2, 2) if what == "blink" else self.rng.uniform(3, 7))
            if what != "freeze and kill":
                self.gateway.thaw()
        if "kill" in what:
            await self.gateway.kill()
            self.log.read(may_be_cut=True)
            await asyncio.sleep(self.rng.uniform(0.2, 4))
            await self.gateway.run()
        self.ledger.event("gateway B is back")
        await _all_online(self.relays, self.ledger, f"'{what}' of gateway B")
        return what


class SouthWeather(Weather):
    """Every twenty seconds, what befalls a device and its network: the device is killed, frozen or moved, its link is cut."""

    EVERY = 20.0

    def __init__(self, gateway: Gateway, host: Host, relays: list[Device], log: LogReader, seed: str, ledger: Ledger, *,
                 is_found: bool) -> None:
        """`is_found` says that gateway A finds the device wherever it is."""
        super().__init__("south", seed, ledger, (0, 0))
        self.gateway, self.host, self.relays, self.log, self.is_found = gateway, host, relays, log, is_found
        self.bag = Bag(("kill", "freeze", "move", "link", "blink"), self.rng)
        self.home = host.address

    async def run(self, rest: asyncio.Event) -> None:
        due = time.monotonic()
        while True:
            due = max(due + self.EVERY, time.monotonic())
            try:
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + due - time.monotonic()):
                    await rest.wait()
                return
            except TimeoutError:
                await self._strike()

    async def strike(self) -> str:
        what = self.bag.draw()
        self.ledger.event(f"south: {what}")
        if what == "kill":
            await self.gateway.kill()
            self.log.read(may_be_cut=True)
            await asyncio.sleep(self.rng.uniform(0.2, 4))
            await self.gateway.run()
        elif what == "freeze":
            self.gateway.freeze()
            await asyncio.sleep(self.rng.uniform(1, 7))
            self.gateway.thaw()
        elif what == "move":
            self.host.move(f"{NETWORK}.{self.rng.randrange(50, 200)}")
            if not self.is_found:
                await asyncio.sleep(self.rng.uniform(0.5, 4))
                self.host.move(self.home)
        else:
            self.host.cable(False)
            await asyncio.sleep(0.2 if what == "blink" else self.rng.uniform(2, 8))
            self.host.cable(True)
        self.ledger.event("south: undone")
        await _all_online(self.relays, self.ledger, f"'{what}' in the south")
        return what


class ScriptedWeather(Weather):
    """The scripted device does everything that a device should not."""

    def __init__(self, device: ScriptedProcess, relays: list[Device], seed: str, ledger: Ledger,
                 pause: tuple[float, float]) -> None:
        super().__init__("scripted device", seed, ledger, pause)
        self.device, self.relays = device, relays
        self.bag = Bag(MISCHIEF, self.rng)

    async def strike(self) -> str:
        what = self.bag.draw()
        self.ledger.event(f"scripted device: {what}")
        if what == "late":
            await self.device.order(what, **{"seconds": self.rng.uniform(0.3, 2.5), "for": 4})
            await asyncio.sleep(5)
        elif what == "freeze":
            self.device.freeze()
            await asyncio.sleep(self.rng.uniform(1, 6))
            self.device.thaw()
        elif what == "crash":
            await self.device.order(what)
            if await self.device.ended(10) is None:
                raise RuntimeError("the scripted device does not crash")
            await asyncio.sleep(self.rng.uniform(0.2, 3))
            await self.device.run()
        else:
            await self.device.order(what)
        await _all_online(self.relays, self.ledger, f"'{what}' of the scripted device")
        return what


class Reloads(Weather):
    """Gateway A is told to read its configuration again: with one device more, without it, and a broken one."""

    def __init__(self, gateway: Gateway, ports: Ports, log: LogReader, seed: str, ledger: Ledger,
                 pause: tuple[float, float]) -> None:
        super().__init__("reload", seed, ledger, pause)
        self.gateway, self.ports, self.log = gateway, ports, log
        self.bag = Bag(("more", "less", "broken"), self.rng)
        self.has_extra = False

    async def strike(self) -> str:
        what = self.bag.draw()
        self.ledger.event(f"reload: {what}")
        if what == "broken":
            self.log.expected_errors = {"reload", "config"}
            self.gateway.config.write_text("version: 1\nvirtual_devices: [{name: broken}]\n")
            self.gateway.signal(signal.SIGHUP)
            await asyncio.sleep(1)
            self.log.read()
            self.log.expected_errors = set()
            if not self.gateway.is_alive:
                self.ledger.breach("ended by a broken configuration", "gateway A")
        else:
            self.has_extra = what == "more"
        self.gateway.config.write_text(configs.gateway_a(self.ports, extra=self.has_extra))
        self.gateway.signal(signal.SIGHUP)
        wanted = self.has_extra
        await self._until(lambda listens: listens == wanted, f"'extra' {'listens' if wanted else 'is gone'}")
        return what

    async def _until(self, is_right: Callable[[bool], bool], what: str) -> None:
        deadline = time.monotonic() + RETURN
        while not is_right(await is_listening(self.ports.extra)):
            if time.monotonic() > deadline:
                self.ledger.breach("a reload without effect", f"not within {RETURN:.0f} s: {what}")
                return
            await asyncio.sleep(0.1)
