"""What happens beside kills: disks that are full or slow, brokers and back ends that refuse."""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

from refusing_broker import RefusingBroker
from world import World

NEW_MOUNTS = 0x00020000  # CLONE_NEWNS
DISK = "12m"
LENGTH = 3.0


def own_mounts() -> bool:
    """Gives this process mounts of its own, so that a small disk can be made; false without the right to."""
    if os.geteuid() != 0 or ctypes.CDLL(None).unshare(NEW_MOUNTS) != 0:
        return False
    return subprocess.run(["mount", "--make-rprivate", "/"], check=False).returncode == 0


def slow_library(folder: Path) -> Path | None:
    """The library that makes each fsync slow; None without a compiler."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        return None
    library = folder / "slow_fsync.so"
    source = Path(__file__).with_name("slow_fsync.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


class Faults:
    """The faults of one world, each by its name: what is done while messages are under way."""

    def __init__(self, world: World, *, has_disk: bool) -> None:
        self.world, self.has_disk = world, has_disk
        self.broker: RefusingBroker | None = None
        self.notes: list[str] = []

    def why_not(self, fault: str) -> str:
        """Why a fault cannot be made here; empty when it can."""
        return "skipped: a small disk takes root" if fault.startswith("disk full") and not self.has_disk else ""

    async def prepare(self, fault: str) -> None:
        """What has to be before the gateway starts."""
        if fault.startswith("disk full"):
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(self.world.state)], check=True)
        if self._is_of_broker(fault):
            self.broker = RefusingBroker(self.world.refusing_port, self.world.broker_port)
            await self.broker.begin()
            self.world.broker_at = self.world.refusing_port
        self.world.configure()

    def clean(self, fault: str) -> None:
        """Undoes `prepare` when the gateway has ended."""
        if fault.startswith("disk full"):
            subprocess.run(["umount", str(self.world.state)], check=True)
        if self.broker:
            self.broker.end()
            self.broker = None
        self.world.broker_at = self.world.broker_port
        self.world.configure()

    @staticmethod
    def _is_of_broker(fault: str) -> bool:
        return fault.startswith("broker") or fault == "password changed"

    async def strike(self, fault: str) -> None:
        """Does it, and undoes it."""
        if fault.startswith("disk full"):
            await self._fill(kills="killed" in fault)
        elif fault.startswith("slow disk"):
            for _ in range(2 if "killed" in fault else 0):
                await asyncio.sleep(0.7)
                await self._kill_gateway()
        elif fault.startswith("back end"):
            await self._back_end(fault)
        else:
            await self._broker(fault)

    async def _kill_gateway(self) -> None:
        await self.world.kill("gateway")
        await self.world.start("gateway")

    async def _fill(self, *, kills: bool) -> None:
        filler = self.world.state / "filler"
        with filler.open("wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    pass
        await asyncio.sleep(LENGTH / 2)
        if kills:
            await self.world.kill("gateway")
            await asyncio.sleep(0.2)
            filler.unlink()
            await self.world.start("gateway")
            return
        await asyncio.sleep(LENGTH / 2)
        filler.unlink()

    async def _back_end(self, fault: str) -> None:
        modes: dict[str, tuple[dict[str, object], float]] = {
            "back end 500": ({"status": 500}, LENGTH),
            "back end 500 to some": ({"status": 500, "share": 0.1}, LENGTH),
            "back end 500 to some for long": ({"status": 500, "share": 0.01}, 45),
            "back end 429": ({"status": 429, "after": 2}, LENGTH),
            "back end hangs": ({"hang": True}, 5),
        }
        mode, seconds = modes[fault]
        self.world.set_mode(**mode)
        await asyncio.sleep(seconds)
        self.world.set_mode()

    async def _broker(self, fault: str) -> None:
        assert self.broker
        broker = self.broker
        undo: Callable[[], Awaitable[None] | None] = lambda: None
        if fault == "broker refuses messages":
            broker.puback = 0x97
        elif fault == "broker refuses some messages":
            broker.puback, broker.each = 0x83, 5
        elif fault == "broker acknowledges nothing":
            broker.withholds = True
            undo = broker.hang_up
        else:
            broker.connack = 0x87 if fault == "password changed" else 0x88
            broker.hang_up()
        await asyncio.sleep(LENGTH)
        broker.puback = broker.connack = 0
        broker.each, broker.withholds = 1, False
        undo()
        self.notes.append(f"the broker refused {broker.refused} times")
