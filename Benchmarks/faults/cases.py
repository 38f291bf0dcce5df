"""The faults: what happens, how long, and what must hold."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from device import PORT, LabDevice
from lab import NETWORK, Host
from subjects import Subject

OTHER_ADDRESS = f"{NETWORK}.77"


@dataclass
class Scene:
    """Everybody who takes part in one case."""

    gateway: Host
    device_host: Host
    device: LabDevice
    subject: Subject


Strike = Callable[[Scene], Awaitable[float]]
"""Does harm and undoes it; gives the instant from which the device, or the gateway, can be reached again."""


@dataclass
class Case:
    """One row of the matrix."""

    name: str
    strike: Strike
    kind: str = "media"
    """Which answer means that the session is back."""
    bound: float = 1.0
    """Seconds after which it has to be."""
    notices_within: float | None = None
    """Seconds within which the loss has to be noticed."""
    keeps_playback: bool = True
    needs_mdns: bool = False
    is_instant: bool = False
    """Whether answers may be under way that left before the fault, and do not count."""
    is_announced: bool = False
    """Whether Avahi announces the device again, from which "back" counts then."""


def _link(seconds: float) -> Strike:
    async def strike(scene: Scene) -> float:
        scene.device_host.cable(False)
        await asyncio.sleep(seconds)
        scene.device_host.cable(True)
        return time.monotonic()

    return strike


async def _kill_device(scene: Scene) -> float:
    await scene.device.stop(signal.SIGKILL)
    await asyncio.sleep(3)
    await scene.device.start(plays=False)
    await scene.device.play()
    return scene.device.reachable_at


async def _freeze(scene: Scene) -> float:
    scene.device.freeze()
    await asyncio.sleep(25)
    scene.device.thaw()
    return time.monotonic()


async def _move(scene: Scene) -> float:
    host = scene.device_host
    host.move(OTHER_ADDRESS if host.address != OTHER_ADDRESS else f"{NETWORK}.{host.number}")
    return time.monotonic()


async def _reset(scene: Scene) -> float:
    scene.device_host.reset_tcp(PORT)
    return time.monotonic()


async def _half_open(scene: Scene) -> float:
    scene.device_host.drop_tcp(True)
    await asyncio.sleep(25)
    scene.device_host.drop_tcp(False)
    return time.monotonic()


async def _kill_gateway(scene: Scene) -> float:
    scene.subject.kill()
    await asyncio.sleep(1)
    now = time.monotonic()
    await scene.subject.restart()
    return now


CASES = {
    "link-0.2": Case("link down for 0.2 s", _link(0.2)),
    "link-5": Case("link down for 5 s", _link(5), is_announced=True),
    "link-45": Case("link down for 45 s", _link(45), notices_within=8, is_announced=True),
    "killed": Case("device killed, started after 3 s", _kill_device, kind="platform", keeps_playback=False,
                   is_announced=True),
    "frozen": Case("device frozen for 25 s", _freeze, notices_within=8),
    "moved": Case("address of the device changed", _move, needs_mdns=True, is_announced=True,
                  is_instant=True),
    "reset": Case("connection reset", _reset, is_instant=True),
    "half-open": Case("packets dropped for 25 s", _half_open, notices_within=8),
    "gateway": Case("gateway killed, started after 1 s", _kill_gateway, bound=2.0),
}
