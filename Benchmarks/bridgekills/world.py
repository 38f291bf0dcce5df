"""The processes of a run: the gateway, Mosquitto with persistence, the back end, and the devices behind the relays."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "soak"))

from processes import Child, free_ports, is_listening

DEVICES = 2
TIMEOUT = 2
"""Seconds after which the gateway gives up an attempt at the back end."""


class Tail:
    """Reads the lines of a file as they are written."""

    def __init__(self, path: Path, take: Callable[[dict[str, Any]], None]) -> None:
        self.path, self.take, self._offset = path, take, 0
        path.touch()

    def read(self) -> None:
        with self.path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        # A process that was killed may have left half a line, behind which the next one begins.
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        for line in whole.splitlines():
            self.take(json.loads(line))


class World:
    """One gateway with all that it is bridged to, in a folder of its own."""

    def __init__(self, binary: Path, folder: Path, *, environment: dict[str, str] | None = None,
                 retry: str = "[1s, 1s, 2s, 2s, 5s, 5s, 5s, 10s, 10s, 10s, 10s, 10s]") -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self.retry = retry
        self.state = folder / "state"
        self.state.mkdir()
        ports = free_ports(5 + 2 * DEVICES, random.Random())
        self.admin, self.broker_port, self.backend_port, self.refusing_port, self.hall = ports[:5]
        self.walls, self.tvs = ports[5 : 5 + DEVICES], ports[5 + DEVICES :]
        self.secret = "whsec_" + base64.b64encode(os.urandom(32)).decode()
        self.mode = folder / "mode.json"
        self.set_mode()
        self.backend_ledger = folder / "backend.ledger"
        self.app_ledgers = [folder / f"tv-{index + 1}.ledger" for index in range(DEVICES)]
        python = sys.executable
        variables = {"CASTWAY_RUN_DIRECTORY": str(folder / "run")} | (environment or {})
        words = [f"{name}={value}" for name, value in variables.items()]
        self.gateway = Child("gateway", ["env", *words, str(binary), "run"], folder)
        self.broker = Child("broker", ["mosquitto", "-c", str(folder / "mosquitto.conf")], folder)
        self.backend = Child("backend", [python, str(HERE / "backend.py"), str(self.backend_port), self.secret,
                                         str(self.backend_ledger), str(self.mode)], folder)
        certificate, self.key = folder / "device.pem", folder / "device.key"
        self.certificate = certificate
        self.devices = [
            Child(f"tv-{index + 1}", [python, str(HERE / "app_device.py"), str(port), str(certificate), str(self.key),
                                      str(self.app_ledgers[index])], folder)
            for index, port in enumerate(self.tvs)]
        self.parts = {"gateway": self.gateway, "broker": self.broker, "back end": self.backend}
        self.gateway_kills: list[float] = []
        self.broker_at = self.broker_port
        """Where the gateway finds its broker."""

    def set_mode(self, **mode: Any) -> None:
        """Says how the back end answers."""
        new = self.mode.with_suffix(".new")
        new.write_text(json.dumps(mode))
        new.rename(self.mode)

    def configure(self) -> None:
        lines = [
            "version: 1", "gateway: {id: gw1, state_directory: state}", "log: {format: json, level: info}",
            f'admin: {{listen: "127.0.0.1:{self.admin}"}}', "shutdown: {drain: 200ms, total: 10s}",
            "connections:", "  dial_timeout: 2s", "  reconnect: {initial: 100ms, max: 1s}",
            "  senders: {max_per_address: 1000, new_per_second: unlimited}",
            "discovery:", "  mdns: {enabled: false}", "  static:",
            *(f'    - {{name: tv-{index + 1}, address: "127.0.0.1:{port}"}}' for index, port in enumerate(self.tvs)),
            "virtual_devices:",
            f'  - {{name: hall, listen: "127.0.0.1:{self.hall}", publish: false, target: local, '
            'apps: {ABCD1234: {name: Bridged, namespaces: ["urn:x-cast:com.example.chat"]}}}',
            *(f'  - {{name: wall-{index + 1}, listen: "127.0.0.1:{port}", publish: false, target: {{device: tv-{index + 1}}}}}'
              for index, port in enumerate(self.walls)),
            "bridges:", "  webhooks:", "    - name: backend", f"      url: http://127.0.0.1:{self.backend_port}/cast",
            f"      secret: {self.secret}", "      allow_private: true", "      allow_http: true",
            f"      timeout: {TIMEOUT}s", f"      retry: {self.retry}",
            "  mqtt:", f"    url: mqtt://127.0.0.1:{self.broker_at}", "    scopes: [read, control, messages]",
            '    response_topics: ["answers/#"]',
            "channels:",
            '  - namespace: "urn:x-cast:com.example.chat"', "    deliver: [{webhook: backend}, {mqtt: true}]",
            '  - namespace: "urn:x-cast:com.example.orders"', "    accept: [api, mqtt]",
            "    when_absent: {keep: 1h, at_most: 100000}",
        ]
        (self.folder / "gateway.yaml").write_text("\n".join(lines) + "\n")
        (self.folder / "mosquitto.conf").write_text(
            f"listener {self.broker_port} 127.0.0.1\nallow_anonymous true\npersistence true\n"
            f"persistence_location {self.folder}/\nautosave_interval 300\nautosave_on_changes true\n"
            # What waits only in the broker's memory goes with a broker that is killed, acknowledged or not.
            "max_inflight_messages 0\nmax_queued_messages 0\nset_tcp_nodelay true\nuser root\n")

    async def begin(self) -> None:
        """Starts all but the gateway."""
        self.configure()
        maker = await asyncio.create_subprocess_exec(
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=device",
            "-keyout", str(self.key), "-out", str(self.certificate),
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        if await maker.wait() != 0:
            raise RuntimeError("openssl made no certificate")
        for child in (self.broker, self.backend, *self.devices):
            await child.start()
        for port in (self.broker_port, self.backend_port, *self.tvs):
            await self._until_listening(port)

    async def _until_listening(self, port: int) -> None:
        until = time.monotonic() + 40
        while not await is_listening(port):
            if time.monotonic() > until:
                raise RuntimeError(f"nothing listens on {port}; logs are in {self.folder}")
            await asyncio.sleep(0.02)

    async def until_up(self) -> None:
        """Waits until everything that is to run can be reached."""
        for port in (self.admin, self.hall, *self.walls, self.broker_port, self.backend_port):
            await self._until_listening(port)

    def save_broker(self) -> None:
        """Has Mosquitto write its file now."""
        self.broker.signal(signal.SIGUSR1)

    async def kill(self, *names: str) -> None:
        """Ends parts by SIGKILL, all at one instant."""
        for name in names:
            self.parts[name].signal(signal.SIGKILL)
            if name == "gateway":
                self.gateway_kills.append(time.monotonic())
        for name in names:
            await self.parts[name].ended(10)

    async def start(self, *names: str) -> None:
        """Starts parts, and does not wait until they can be reached."""
        for name in names:
            await self.parts[name].start()

    async def stop_gateway(self) -> None:
        self.gateway.signal(signal.SIGTERM)
        status = await self.gateway.ended(20)
        if status != 0:
            raise RuntimeError(f"the gateway ended with {status}; its log is {self.gateway.error_log}")

    async def end(self) -> None:
        for child in (self.gateway, self.broker, self.backend, *self.devices):
            if child.is_alive:
                await child.kill()

    def outbox_rows(self) -> int:
        """How many rows the outbox has on disk; the gateway does not run."""
        with contextlib.closing(sqlite3.connect(self.state / "outbox.db")) as database:
            return int(database.execute("SELECT count(*) FROM outbox_message").fetchone()[0])

    def warnings(self) -> Iterator[str]:
        """Errors in the gateway's log."""
        for line in self.gateway.error_log.read_text().splitlines():
            with contextlib.suppress(ValueError):
                record = json.loads(line)
                if record.get("level") in ("error", "critical"):
                    yield f"{record.get('component')}: {record.get('msg')} {record.get('reason', '')}"
