#!/usr/bin/env python3
"""Everything at once that peers can make the gateway keep, within 512 MiB and 1,024 descriptors, while pychromecast casts.

    budget.py --binary .build/release/castway [--seconds 60] [--memory 512] [--descriptors 1024]

As root the gateway runs in a control group of its own with that limit (version 2 or 1), so the kernel ends it when it takes more. Without,
its resident memory is looked at ten times a second. Exit status 0 when the gateway stays, no answer to a sender is missing, and memory
stays below the limit.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import castwire
from control_group import ControlGroup

HERE = Path(__file__).resolve().parent
PYTHON = HERE.parents[1] / ".venv" / "bin" / "python"
SENDERS = HERE.parent / "soak" / "pychromecast_senders.py"
TOKEN = "budget-0123456789abcdef0123456789abcdef"
DEVICES = 16
QUIZ_APP = "ABCD1234"


def free_ports(count: int) -> list[int]:
    held = []
    for _ in range(count):
        held.append(socket.create_server(("127.0.0.1", 0)))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


class Gateway:
    """The gateway under test."""

    def __init__(self, binary: str, folder: Path, group: ControlGroup, descriptors: int) -> None:
        self.folder = folder
        ports = free_ports(DEVICES + 5)
        self.cast, (self.http, self.https, self.api, self.join, self.metrics) = ports[:DEVICES], ports[DEVICES:]
        (folder / "gateway.yaml").write_text(self.configuration())
        (folder / "token").write_text(TOKEN)
        (folder / "token").chmod(0o600)
        self.log = folder / "log"
        self.output = self.log.open("wb")
        self.process = subprocess.Popen(
            ["prlimit", f"--nofile={descriptors}:{descriptors}", binary, "run", "--config", str(folder / "gateway.yaml")],
            stdout=self.output, stderr=subprocess.STDOUT, preexec_fn=group.enter)
        deadline = time.monotonic() + 180
        while True:
            try:
                castwire.tcp("127.0.0.1", self.cast[-1]).close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit("the gateway does not start:\n" + self.log.read_text()) from None
                time.sleep(0.1)

    def configuration(self) -> str:
        lines = [
            "version: 1", f"gateway: {{state_directory: {self.folder}/state}}", "log: {level: notice, format: text}",
            f'api: {{listen: "127.0.0.1:{self.api}", tls: auto, tokens: [{{name: load, token_file: {self.folder}/token,'
            " scopes: [read, control, messages]}],",
            f'  join: {{listen: "127.0.0.1:{self.join}", tls: auto}}}}', f'metrics: {{listen: "127.0.0.1:{self.metrics}"}}',
            "virtual_devices:"]
        for number, port in enumerate(self.cast, 1):
            lines += [f"  - name: screen-{number}", f'    listen: "127.0.0.1:{port}"', "    target: local",
                      "    apps:", "      CC1AD845: {}", f'      {QUIZ_APP}: {{name: Quiz, namespaces: ["urn:x-cast:com.example.quiz"]}}']
            if number == 1:
                lines.append(f'    setup: {{http: "127.0.0.1:{self.http}", https: "127.0.0.1:{self.https}"}}')
        return "\n".join(lines) + "\n"

    def target(self, connections: int) -> dict[str, Any]:
        return {"cast": self.cast, "app": [self.cast[1], QUIZ_APP], "http": [self.http, self.metrics], "https": [self.https, self.join],
                "api": self.api, "token": TOKEN, "connections": connections}

    def resident(self) -> tuple[int, int]:
        """Now, and at most so far."""
        values = dict.fromkeys(("VmRSS", "VmHWM"), 0)
        with contextlib.suppress(OSError), open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                name, _, rest = line.partition(":")
                if name in values:
                    values[name] = int(rest.split()[0]) * 1024
        return values["VmRSS"], values["VmHWM"]

    def descriptors(self) -> int:
        with contextlib.suppress(OSError):
            return len(os.listdir(f"/proc/{self.process.pid}/fd"))
        return 0

    def stop(self) -> int:
        self.process.terminate()
        try:
            return self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self.output.close()


class Pychromecast:
    """Unmodified senders that come and go; what they report is collected."""

    def __init__(self, ports: dict[str, int], senders: int) -> None:
        self.process = subprocess.Popen(
            [str(PYTHON), str(SENDERS), str(random.random()), str(senders), *(f"{name}={port}" for name, port in ports.items())],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.reports: list[dict[str, Any]] = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.reports.append(json.loads(line))

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.reader.join(60)
        self.process.kill()
        self.process.wait()


def livez(folder: Path) -> str:
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as made:
        made.settimeout(5)
        made.connect(str(folder / "state" / "admin.sock"))
        made.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return made.recv(1024).decode(errors="replace").split("\r\n")[0]
    return "no answer"


def served(port: int, path: str, *, tls: bool, address: str = "127.0.200.1", token: str = "") -> str:
    """Asks as an honest caller does; returns what was wrong, or nothing."""
    began = time.monotonic()
    try:
        made = castwire.tcp(address, port, 10)
        if tls:
            made = castwire.context().wrap_socket(made)
        with contextlib.closing(made):
            bearer = f"Authorization: Bearer {token}\r\n" if token else ""
            made.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{bearer}Connection: close\r\n\r\n".encode())
            answer = made.recv(64)
            return "" if answer.startswith(b"HTTP/1.1 2") else f"answered {answer!r}"
    except OSError as error:
        return f"{error!r} after {time.monotonic() - began:.3f} s"


def new_sender(port: int) -> str:
    """Connects as a new sender does; returns what was wrong, or nothing."""
    began = time.monotonic()
    try:
        sender = castwire.Sender("127.0.201.1", port, castwire.context())
        sender.send(castwire.CONNECT + castwire.request("GET_STATUS", 7))
        sender.wait(b'"requestId":7')
        sender.close()
        return ""
    except (OSError, EOFError) as error:
        return f"{error!r} after {time.monotonic() - began:.3f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True, help="the castway to test")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--memory", type=int, default=512, help="MiB")
    parser.add_argument("--descriptors", type=int, default=1024)
    parser.add_argument("--connections", type=int, default=1000, help="of the larger attacks")
    options = parser.parse_args()
    group = ControlGroup(options.memory << 20)
    with tempfile.TemporaryDirectory(prefix="castway-budget-") as place:
        folder = Path(place)
        gateway = Gateway(os.path.abspath(options.binary), folder, group, options.descriptors)
        attack = casting = None
        polled, most_descriptors = 0, 0
        tries: dict[str, list[str]] = {name: [] for name in ("new sender", "API", "join page", "set-up", "metrics", "livez")}
        try:
            before = gateway.resident()[0]
            if PYTHON.exists():
                casting = Pychromecast({f"screen-{number}": port for number, port in enumerate(gateway.cast[:4], 1)}, 3)
            attack = subprocess.Popen(
                [sys.executable, str(HERE / "budget_attacks.py"), json.dumps(gateway.target(options.connections))],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            end = time.monotonic() + options.seconds
            asked = time.monotonic() + 5
            while time.monotonic() < end and gateway.process.poll() is None:
                polled = max(polled, gateway.resident()[0])
                most_descriptors = max(most_descriptors, gateway.descriptors())
                if time.monotonic() > asked:
                    tries["new sender"].append(new_sender(gateway.cast[len(tries["livez"]) % DEVICES]))
                    tries["API"].append(served(gateway.api, "/api/v1/devices", tls=True, token=TOKEN))
                    tries["join page"].append(served(gateway.join, "/", tls=True))
                    tries["set-up"].append(served(gateway.http, "/setup/eureka_info", tls=False))
                    tries["metrics"].append(served(gateway.metrics, "/livez", tls=False))
                    answer = livez(folder)
                    tries["livez"].append("" if "200" in answer else answer)
                    asked = time.monotonic() + 1
                time.sleep(0.1)
            ended = gateway.process.poll()
            if casting:
                casting.end()
            done = attack.communicate("", 60)[0]
            peak = max(gateway.resident()[1], polled)
            time.sleep(3)
            after, _ = gateway.resident()
        finally:
            for child in (attack, casting.process if casting else None):
                if child and child.poll() is None:
                    child.kill()
            status = gateway.stop()
        charged = group.peak()
        group.remove()
        log = gateway.log.read_text(errors="replace")
    return report(options, group, ended, status, casting, tries, json.loads(done or "{}"), most_descriptors,
                  {"before": before, "peak": peak, "after": after, "charged": charged}, log)


def report(options: argparse.Namespace, group: ControlGroup, ended: int | None, status: int, casting: Pychromecast | None,
           tries: dict[str, list[str]], done: dict[str, int], descriptors: int, memory: dict[str, Any], log: str) -> int:
    faults = []
    mib = {name: "–" if value is None else f"{value / (1 << 20):.0f} MiB" for name, value in memory.items()}
    print(f"{options.seconds:.0f} s, {options.memory} MiB, {options.descriptors} descriptors; {group.kind}")
    print(f"memory     resident {mib['before']} before, {mib['peak']} at most, {mib['after']} after; charged at most {mib['charged']}")
    print(f"           {descriptors} descriptors in use at most")
    if ended is not None or status != 0:
        faults.append(f"the gateway ended: {ended if ended is not None else status}\n{log[-2000:]}")
    if memory["peak"] > options.memory << 20:
        faults.append(f"{mib['peak']} resident")
    if casting:
        acts = [one for one in casting.reports if "action" in one]
        # Others than these are answers: nothing is there to be stopped, for example.
        missing = [one for one in acts if one["failure"] == "RequestTimeout" and not one["closes"]]
        waits = [one["seconds"] for one in acts if not one["failure"]]
        if waits:
            print(f"sender     pychromecast: {len(acts)} actions, {len(missing)} without an answer, median"
                  f" {statistics.median(waits) * 1000:.0f} ms, longest {max(waits):.1f} s")
        if missing or not waits:
            faults.append(f"pychromecast: {missing[:5]}")
    else:
        faults.append("no pychromecast: make python")
    for name, answers in tries.items():
        wrong = [answer for answer in answers if answer]
        print(f"honest     {name}: {len(answers) - len(wrong)} of {len(answers)} answered")
        if wrong or not answers:
            faults.append(f"{name}: {len(wrong)} of {len(answers)} turned away: {'; '.join(wrong[:5])}")
    for name in sorted(done):
        print(f"attack     {name} {done[name]}")
    for fault in faults:
        print(f"FAULT      {fault}")
    print("FAIL" if faults else "PASS")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
