#!/usr/bin/env python3
"""Measures `POST media/load` on a real device: latency, and context switches and CPU time of the gateway for each command.

    Benchmarks/media_load.py CASTWAY [CASTWAY]...

Each program is one version of castway; all of them run at once, and a round asks each in turn, so that a disturbance hits all
alike. The device is the built-in receiver of a gateway of its own, in a process beside them. One row a version, medians of the rounds.
"""

from __future__ import annotations

import http.client
import json
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from castbench.processes import Process, free_port

ROUNDS, COMMANDS = 7, 300
DEVICE = """
version: 1
gateway: {{state_directory: {folder}/state}}
log: {{level: warning, format: text}}
discovery: {{mdns: {{enabled: false}}}}
connections: {{senders: {{messages_per_second: unlimited}}}}
virtual_devices:
  - {{name: screen, listen: "127.0.0.1:{cast}", target: local, publish: false, apps: {{CC1AD845: {{options: {{load_delay: 0s, buffering: 0s}}}}}}}}
"""
GATEWAY = """
version: 1
gateway: {{state_directory: {folder}/state}}
log: {{level: warning, format: text}}
discovery: {{mdns: {{enabled: false}}, static: [{{name: screen, address: "127.0.0.1:{cast}"}}]}}
api: {{listen: "127.0.0.1:{port}", limits: {{requests_per_second: 1000000}}}}
"""
LOAD = json.dumps({"url": "http://192.0.2.1/film.mp4", "content_type": "video/mp4"})


def usage(pid: int) -> tuple[int, float]:
    """Context switches, and seconds of CPU, of all threads of a process."""
    switches, seconds = 0, 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        switches += sum(
            int(line.split()[1]) for line in (task / "status").read_text().splitlines() if "ctxt_switches" in line
        )
        seconds += int((task / "schedstat").read_text().split()[0]) / 1e9
    return switches, seconds


class Version:
    """One version of castway, with what each round found."""

    def __init__(self, process: Process, port: int) -> None:
        self.process = process
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        self.rows: list[tuple[float, float, float, float]] = []

    def load(self) -> float:
        begin = time.perf_counter()
        self.connection.request(
            "POST", "/api/v1/devices/screen/media/load", LOAD, {"Content-Type": "application/json"}
        )
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            sys.exit(f"media_load: HTTP {answer.status}: {text.decode()}")
        return time.perf_counter() - begin

    def round(self) -> None:
        switches, seconds = usage(self.process.pid)
        times = sorted(self.load() for _ in range(COMMANDS))
        after, busy = usage(self.process.pid)
        self.rows.append(
            (
                times[COMMANDS // 2] * 1e6,
                times[COMMANDS * 99 // 100] * 1e6,
                (after - switches) / COMMANDS,
                (busy - seconds) / COMMANDS * 1e6,
            )
        )


def start(stack: ExitStack, program: str, folder: Path, template: str, **values: int) -> Process:
    folder.mkdir()
    config = folder / "gateway.yaml"
    config.write_text(template.format(folder=folder, **values))
    process = stack.enter_context(Process("castway", [program, "run", "--config", str(config)], folder / "log"))
    process.wait_for_line("Castway runs", 60)
    return process


def main() -> None:
    programs = sys.argv[1:]
    if not programs or programs[0].startswith("-"):
        sys.exit(__doc__)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        cast = free_port()
        start(stack, programs[0], folder / "device", DEVICE, cast=cast)
        versions = []
        for index, program in enumerate(programs):
            port = free_port()
            process = start(stack, program, folder / str(index), GATEWAY, cast=cast, port=port)
            process.wait_for_port(port)
            versions.append(Version(process, port))
        for version in versions:
            # The link opens, the app is launched: not what is measured.
            for _ in range(50):
                version.load()
        for _ in range(ROUNDS):
            for version in versions:
                version.round()
        for program, version in zip(programs, versions):
            p50, p99, switches, busy = (statistics.median(column) for column in zip(*version.rows))
            print(f"{program}: p50 {p50:.0f} us, p99 {p99:.0f} us, {switches:.1f} context switches, {busy:.0f} us of CPU")


if __name__ == "__main__":
    main()
