"""What is put to the test: Castway with a sender behind it, and pychromecast."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import subprocess
import time
from pathlib import Path

from device import NAME, PORT, LabDevice
from lab import LOGS, Host, LabError, end
from record import Record
from matrix_sender import Sender

PYTHON = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "python"
CLIENT = Path(__file__).with_name("matrix_client.py")

CONFIG = """
version: 1
gateway: {{id: near, state_directory: {folder}/state}}
log: {{level: info, format: json}}
{discovery}
connections: {{senders: {{messages_per_second: unlimited, new_per_second: unlimited}}}}
virtual_devices:
  - {{name: near, listen: "127.0.0.1:{port}", target: {{device: {target}}}}}
"""


class Subject:
    """Something in the host `gateway` that uses the device."""

    name = ""
    finds_by_mdns = False

    def __init__(self, host: Host) -> None:
        self.host = host
        self.record = Record()
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Starts the process, and whatever watches it."""
        raise NotImplementedError

    async def restart(self) -> None:
        """Starts the process again, which was killed."""
        raise NotImplementedError

    async def stop(self) -> None:
        if self.process:
            end(self.process)
        self.process = None

    def kill(self) -> None:
        assert self.process
        end(self.process, signal.SIGKILL)

    def _check(self) -> None:
        if self.process and self.process.poll() is not None:
            raise LabError(f"{self.name} ended; see {LOGS}")

    async def until_good(self, kind: str, since: float, seconds: float, *, asked_too: bool = False) -> float | None:
        """When the session could be used again; None when it could not within so many seconds.

        With `asked_too` only what was asked since then counts.
        """
        while (found := self.record.first_after(kind, since, asked_too=asked_too)) is None:
            self._check()
            if time.monotonic() > since + seconds:
                return None
            await asyncio.sleep(0.01)
        return found


    async def until_heard(self, device: LabDevice, since: float, seconds: float) -> float | None:
        """When the first event arrived that the device said since then; None when none did within so many seconds."""
        looked = 0
        while True:
            first = next((number for sent, number in reversed(device.sent) if sent < since), 0)
            events = self.record.events[looked:]
            looked += len(events)
            for now, number in events:
                if number > first:
                    return now
            self._check()
            if time.monotonic() > since + seconds:
                return None
            await asyncio.sleep(0.01)


class CastwaySubject(Subject):
    """A gateway, and a sender that talks to its virtual device."""

    def __init__(self, host: Host, binary: Path, address: str, *, finds_by_mdns: bool) -> None:
        super().__init__(host)
        self.finds_by_mdns = finds_by_mdns
        self.name = "Castway, mDNS" if finds_by_mdns else "Castway, static address"
        self.binary = binary
        self.folder = host.folder / ("mdns" if finds_by_mdns else "static")
        self.folder.mkdir(exist_ok=True)
        self.config = self.folder / "gateway.yaml"
        static = f'static: [{{name: far, address: "{address}:{PORT}"}}]'
        # Versions that find devices by mDNS do so unless they are told not to.
        choices = ["mdns: {enabled: true}"] if finds_by_mdns else [f"mdns: {{enabled: false}}, {static}", static]
        self.is_possible = any(self._write(choice) for choice in choices)
        """Whether this version of Castway understands the configuration."""
        self._sender = Sender("north", host, "127.0.0.1", PORT, self.record)
        self._task: asyncio.Task[None] | None = None

    def _write(self, discovery: str) -> bool:
        target = f'"{NAME}"' if self.finds_by_mdns else "far"
        self.config.write_text(
            CONFIG.format(folder=self.folder, discovery=f"discovery: {{{discovery}}}", port=PORT, target=target))
        return subprocess.run([str(self.binary), "check", str(self.config)], capture_output=True).returncode == 0

    async def start(self) -> None:
        await self.restart()
        self._task = asyncio.create_task(self._sender.run())

    async def restart(self) -> None:
        self.process = self.host.start(self.folder.name, str(self.binary), "run", "--config", str(self.config))

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        await super().stop()


class PychromecastSubject(Subject):
    """pychromecast by itself, as a program would use it."""

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.name = "pychromecast"
        self.finds_by_mdns = True
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.restart()

    async def restart(self) -> None:
        if self._task:
            self._task.cancel()
        words = [str(PYTHON), str(CLIENT), NAME, "mdns"]
        self.process = self.host.start("pychromecast", *words, stdout=subprocess.PIPE)
        self._task = asyncio.create_task(self._read(self.process))

    async def _read(self, process: subprocess.Popen[bytes]) -> None:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), process.stdout)
        while line := await reader.readline():
            seen = json.loads(line)
            if seen["what"] == "event":
                self.record.events.append((seen["t"], seen["n"]))
            elif seen["what"] == "good":
                self.record.good(seen["kind"], seen["since"], seen["t"])
                if seen["kind"] == "media":
                    self.record.last_session = seen["session"], seen["media"]

    async def stop(self) -> None:
        await super().stop()
        if self._task:
            with contextlib.suppress(asyncio.CancelledError, TimeoutError):
                await asyncio.wait_for(self._task, 5)
