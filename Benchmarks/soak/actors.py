"""Senders that come, act, and go in all the ways in which senders go."""

from __future__ import annotations

import asyncio
import random
import struct
import time

import wire
from actions import STATUS, Playbook
from configs import SENDER_TIMEOUT
from ledger import Ledger
from sender import BOUND, Device, Gone, Sender

FAREWELLS = {"close": 6, "reset": 3, "fin": 2, "mid-frame reset": 2, "mid-frame fin": 1, "silence": 1, "garbage": 1}
"""How often a sender leaves in which way."""


class Actor:
    """A person with a remote control: one sender after the other."""

    def __init__(self, name: str, devices: list[Device], ledger: Ledger, seed: str) -> None:
        self.name = name
        self.devices = devices
        self.ledger = ledger
        self.seed = seed
        self.generation = 0

    async def run(self, rest: asyncio.Event) -> None:
        """Acts until it is time to rest."""
        while not rest.is_set():
            self.generation += 1
            # Every sender has its own random numbers, so one that is cut short does not change the next one's.
            rng = random.Random(f"{self.seed}/{self.name}/{self.generation}")
            await self._live(rng, rest)
            await asyncio.sleep(rng.uniform(0, 0.5))

    async def _live(self, rng: random.Random, rest: asyncio.Event) -> None:
        device = rng.choice(self.devices)
        first_id = 1 if rng.random() < 0.5 else rng.randrange(1, 1_000_000)
        sender = Sender(f"{self.name}.{self.generation}", device, self.ledger, first_id)
        try:
            await sender.open()
            sender.connect()
            book = Playbook(sender, rng)
            await book.status()
            for _ in range(rng.choice((1, 5, 15, 40))):
                if rest.is_set():
                    break
                await book.act()
                await asyncio.sleep(rng.uniform(0, 0.15))
            farewell = "close" if rest.is_set() else rng.choices(list(FAREWELLS), list(FAREWELLS.values()))[0]
            await self._leave(sender, farewell, rng)
        except Gone:
            pass
        finally:
            if sender.is_open:
                sender.abort()

    async def _leave(self, sender: Sender, farewell: str, rng: random.Random) -> None:
        self.ledger.note(f"left by {farewell}")
        sender.may_be_closed = True
        if farewell == "close":
            sender.close()
        elif farewell == "silence":
            await self._fall_silent(sender, rng)
        elif farewell == "garbage":
            await self._talk_nonsense(sender, rng)
        else:
            # Requests are under way when the sender goes; their answers must reach no other sender.
            if sender.is_connected(wire.PLATFORM):
                for _ in range(rng.randint(0, 20)):
                    sender.post("GET_STATUS unheard", wire.RECEIVER, {"type": "GET_STATUS"}, accepts=STATUS)
            if farewell.startswith("mid-frame"):
                message = wire.Message("sender-0", wire.PLATFORM, wire.RECEIVER, '{"type":"GET_STATUS"}')
                sender.write(wire.frame(message)[: rng.randint(1, 60)])
                await asyncio.sleep(rng.uniform(0, 0.05))
            if farewell.endswith("reset"):
                sender.abort(by_reset=True)
            elif sender.transport:
                sender.transport.close()

    async def _fall_silent(self, sender: Sender, rng: random.Random) -> None:
        """Neither reads nor answers, as a phone that has left the network; the gateway has to notice."""
        sender.is_mute = True
        if rng.random() < 0.5:
            sender.pause()
            await asyncio.sleep(SENDER_TIMEOUT + 2)
            sender.resume()
        began = time.monotonic()
        try:
            async with asyncio.timeout(SENDER_TIMEOUT + BOUND):
                await sender.closed.wait()
        except TimeoutError:
            waited = time.monotonic() - began
            self.ledger.breach("a silent sender was kept", f"{sender} for {waited:.0f} s, hung up after {SENDER_TIMEOUT} s")

    async def _talk_nonsense(self, sender: Sender, rng: random.Random) -> None:
        """Sends what is no Cast message; the gateway has to hang up."""
        nonsense = rng.choice((struct.pack(">I", 70_000) + bytes(100), struct.pack(">I", 4) + b"\xff\xff\xff\xff",
                               struct.pack(">I", 0xFFFFFFFF)))
        sender.write(nonsense)
        try:
            async with asyncio.timeout(BOUND):
                await sender.closed.wait()
        except TimeoutError:
            self.ledger.breach("nonsense was put up with", f"{sender} {nonsense[:8].hex()}")
