"""The quiet moments of a run: everybody has left, and nothing of them may remain."""

from __future__ import annotations

import asyncio
import time

import wire
from configs import IDLE_TIMEOUT, SENDER_TIMEOUT
from ledger import Ledger
from measure import LARGEST_GROWTH, Meter, Sample
from processes import ScriptedProcess
from sender import Device, Gone, Sender

SPARE_DESCRIPTORS = 2
HANDED_BACK = 40.0
"""Seconds after which memory that is not needed any more has been given back."""
KEPT_CONNECTIONS = 10
"""Connections with the back end that are kept for the next message: 8 for deliveries, and some for replies."""


class Janitor:
    """Looks at every device when the senders have left."""

    def __init__(
        self, devices: list[Device], scripted: ScriptedProcess, meter: Meter, ledger: Ledger, *, has_bridges: bool = False
    ) -> None:
        self.spare = SPARE_DESCRIPTORS + (KEPT_CONNECTIONS if has_bridges else 0)
        self.devices = devices
        self.scripted = scripted
        self.meter = meter
        self.ledger = ledger
        self.baseline: Sample | None = None
        self.warm: Sample | None = None
        """The first quiet moment behind the start."""

    async def look(self) -> Sample:
        """Checks that no app, no virtual connection and no descriptor is left; the sample of this moment."""
        self.ledger.event("quiet moment")
        self.meter.is_quiet = True
        await asyncio.gather(*(self._stop_media(device) for device in self.devices))
        await asyncio.sleep(IDLE_TIMEOUT)
        await asyncio.gather(*(self._await_idle(device) for device in self.devices))
        await self._check_virtual_connections()
        await self._check_descriptors()
        sample = await self._await_memory()
        if self.baseline and not self.warm:
            self.warm = sample
        self.meter.is_quiet = False
        self.ledger.event(f"quiet moment over: {sample}")
        return sample

    async def _stop_media(self, device: Device) -> None:
        """Media that play or pause hold an app; a sender that left has every right to let them."""
        sender = Sender(f"janitor.{time.monotonic_ns()}", device, self.ledger)
        try:
            await sender.open()
            sender.connect()
            await sender.ask("janitor GET_STATUS", wire.RECEIVER, {"type": "GET_STATUS"}, accepts=frozenset({"RECEIVER_STATUS"}))
            if sender.app and sender.app["appId"] == wire.MEDIA_APP:
                transport = str(sender.app["transportId"])
                sender.connect(transport)
                accepts = frozenset({"MEDIA_STATUS"})
                await sender.ask("janitor media GET_STATUS", wire.MEDIA, {"type": "GET_STATUS"}, transport, accepts=accepts)
                if sender.media_session is not None:
                    await sender.ask("janitor STOP", wire.MEDIA, {"type": "STOP", "mediaSessionId": sender.media_session},
                                     transport, accepts=accepts)
            sender.close()
        except Gone:
            pass

    async def _await_idle(self, device: Device) -> None:
        """Waits until the status has no app; the looks do not hold it, since they connect to the platform only."""
        deadline = time.monotonic() + IDLE_TIMEOUT + 8
        while True:
            sender = Sender(f"janitor.{time.monotonic_ns()}", device, self.ledger)
            try:
                await sender.open()
                sender.connect()
                await sender.ask("janitor GET_STATUS", wire.RECEIVER, {"type": "GET_STATUS"},
                                 accepts=frozenset({"RECEIVER_STATUS"}))
                sender.close()
            except Gone:
                pass
            if sender.app is None:
                return
            if time.monotonic() > deadline:
                self.ledger.breach("stuck session", f"{device.name} still runs {sender.app} without senders")
                return
            await asyncio.sleep(0.3)

    async def _check_virtual_connections(self) -> None:
        """Beside the gateway's own, the relay must have closed every virtual connection, and never spoken without one."""
        await asyncio.sleep(0.3)
        state = await self.scripted.state()
        if state["channels"] != 1:
            self.ledger.breach("channels to the scripted device", f"{state['channels']} instead of 1")
        if state["senders"]:
            self.ledger.breach("virtual connections left at the device", f"{state['senders'][:5]}")
        if state["without_connect"]:
            self.ledger.breach("messages without CONNECT", f"{state['without_connect'][:3]}")

    async def _await_memory(self) -> Sample:
        """What attackers made the gateway take is handed back to the system when it has been quiet for two looks, ten seconds apart."""
        deadline = time.monotonic() + HANDED_BACK
        while True:
            sample = self.meter.sample()
            if not self.warm or sample.memory <= LARGEST_GROWTH * self.warm.memory or time.monotonic() > deadline:
                return sample
            await asyncio.sleep(0.3)

    async def _check_descriptors(self) -> None:
        deadline = time.monotonic() + SENDER_TIMEOUT + 4
        while True:
            sample = self.meter.sample()
            if self.baseline is None or sample.descriptors <= self.baseline.descriptors + self.spare:
                return
            if time.monotonic() > deadline:
                self.ledger.breach("descriptors left", f"{sample.descriptors}, at the start {self.baseline.descriptors}")
                return
            await asyncio.sleep(0.3)
