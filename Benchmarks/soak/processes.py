"""The processes of a run. Each is ended by its own id, whatever happens to the run."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import ctypes
import json
import os
import random
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab import Host

SIGKILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG
PORTS = range(20000, 32000)
"""Below the ports that the system gives to clients, so that none takes a port while its owner restarts."""

_running: set[Child] = set()
_libc = ctypes.CDLL(None)


_given: set[int] = set()


def free_ports(count: int, rng: random.Random) -> list[int]:
    """Ports without a listener at present, and that were not given before: the program that has one may be dead for a while."""
    found: list[int] = []
    while len(found) < count:
        port = rng.choice(PORTS)
        with socket.socket() as probe:
            with contextlib.suppress(OSError):
                probe.bind(("127.0.0.1", port))
                if port not in _given:
                    _given.add(port)
                    found.append(port)
    return found


async def is_listening(port: int, address: str = "127.0.0.1") -> bool:
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(address, port), 2)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


class Child:
    """A process with its logs."""

    def __init__(self, name: str, command: list[str], folder: Path) -> None:
        self.name = name
        self.command = command
        self.folder = folder
        self.error_log = folder / f"{name}.err"
        self.is_frozen = False
        self.control_group: int | None = None
        """The descriptor of the `cgroup.procs` of the group in which it runs."""
        self.process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.returncode is None

    async def start(self, *, output: int | None = None, wants_input: bool = False) -> None:
        with self.error_log.open("ab") as errors, (self.folder / f"{self.name}.out").open("ab") as out:
            self.process = await asyncio.create_subprocess_exec(
                *self.command, cwd=self.folder, stderr=errors, stdout=out if output is None else output,
                stdin=asyncio.subprocess.PIPE if wants_input else asyncio.subprocess.DEVNULL,
                # Ctrl-C is the run's alone; and when the run is killed, its processes end with it.
                start_new_session=True, preexec_fn=self._prepare)
        self.is_frozen = False
        _running.add(self)

    def _prepare(self) -> None:
        """In the new process, before it becomes the program."""
        _libc.prctl(SIGKILL_WITH_PARENT, signal.SIGKILL)
        if self.control_group is not None:
            os.write(self.control_group, b"0")

    def signal(self, number: signal.Signals) -> None:
        if self.is_alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def freeze(self) -> None:
        self.is_frozen = True
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.is_frozen = False
        self.signal(signal.SIGCONT)

    async def kill(self) -> None:
        self.signal(signal.SIGKILL)
        await self.ended(10)

    async def ended(self, seconds: float) -> int | None:
        """The exit status, or None when the process goes on."""
        assert self.process is not None
        try:
            status = await asyncio.wait_for(self.process.wait(), seconds)
        except TimeoutError:
            return None
        _running.discard(self)
        return status


def end_all() -> None:
    """Ends what still runs, by its id."""
    for child in list(_running):
        child.signal(signal.SIGCONT)
        child.signal(signal.SIGKILL)
    _running.clear()


atexit.register(end_all)


async def end_all_and_wait() -> None:
    """Ends what still runs, and takes leave of it while the event loop is there."""
    children = list(_running)
    end_all()
    await asyncio.gather(*(child.ended(10) for child in children))


class Gateway(Child):
    """A castway process."""

    def __init__(self, name: str, binary: Path, folder: Path, ports: list[int], host: Host | None = None) -> None:
        """`host` is where it runs; without, here."""
        folder.mkdir(parents=True, exist_ok=True)
        self.config = folder / "gateway.yaml"
        self.ports = ports
        self.host = host
        command = [str(binary), "run", "--config", str(self.config)]
        if host:
            # The D-Bus of that host, whatever this one's is.
            bus = host.environment["DBUS_SYSTEM_BUS_ADDRESS"]
            command = host.words("env", f"DBUS_SYSTEM_BUS_ADDRESS={bus}", *command)
        super().__init__(name, command, folder)

    async def run(self) -> None:
        """Starts, and returns when every port answers."""
        await self.start()
        deadline = time.monotonic() + 90
        for port in self.ports:
            while not await is_listening(port, self.host.address if self.host else "127.0.0.1"):
                if not self.is_alive or time.monotonic() > deadline:
                    raise RuntimeError(f"{self.name} did not start: see {self.error_log}")
                await asyncio.sleep(0.05)


class ScriptedProcess(Child):
    """The scripted device."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self.certificate, self.key = folder / "device.pem", folder / "device.key"
        script = Path(__file__).with_name("scripted_device.py")
        super().__init__("scripted", [sys.executable, str(script), str(port), str(self.certificate), str(self.key)], folder)

    async def make_certificate(self) -> None:
        maker = await asyncio.create_subprocess_exec(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=scripted device",
            "-keyout", str(self.key), "-out", str(self.certificate),
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        if await asyncio.wait_for(maker.wait(), 30) != 0:
            raise RuntimeError("openssl made no certificate")

    async def run(self) -> None:
        await self.start(output=asyncio.subprocess.PIPE, wants_input=True)
        assert self.process and self.process.stdout
        line = await asyncio.wait_for(self.process.stdout.readline(), 20)
        if line.strip() != b"ready":
            raise RuntimeError(f"the scripted device did not start: see {self.error_log}")

    async def order(self, what: str, **more: Any) -> None:
        assert self.process and self.process.stdin
        self.process.stdin.write(json.dumps({"do": what, **more}).encode() + b"\n")
        with contextlib.suppress(ConnectionError):
            await self.process.stdin.drain()

    async def state(self) -> dict[str, Any]:
        await self.order("state")
        assert self.process and self.process.stdout
        return json.loads(await asyncio.wait_for(self.process.stdout.readline(), 10))
