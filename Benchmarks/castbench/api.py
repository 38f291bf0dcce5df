"""(i) The API: commands by HTTP, and events to WebSocket clients beside a broadcast of PyPI's `websockets`."""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import time
from contextlib import contextmanager
from collections.abc import Iterator
from pathlib import Path

from . import load, paths
from .plan import Plan
from .processes import Process, free_port

GATEWAY = """
version: 1
gateway: {{state_directory: {folder}/state}}
log: {{level: warning, format: text}}
discovery: {{mdns: {{enabled: false}}}}
connections: {{senders: {{max_total: 1000, max_per_address: 1000, messages_per_second: unlimited}}}}
api:
  listen: 127.0.0.1:{port}
  limits: {{requests_per_second: 1000000, clients: 15000}}
virtual_devices:
  - {{name: hall, listen: "127.0.0.1:{cast}", target: local, publish: false}}
"""
SERVER = Path(__file__).with_name("broadcast_server.py")
READER = Path(__file__).with_name("event_reader.py")
FOLLOWER = Path(__file__).with_name("status_reader.py")
VOLUME = "/api/v1/devices/hall/volume"
SOCKET = "/api/v1/socket"
SUBSCRIBE = json.dumps({"id": 1, "subscribe": {"topics": [{"type": "*"}]}})
STATUS = json.dumps({"id": 1, "subscribe": {"topics": [{"type": "receiver.status", "device": "hall"}]}})
EVENT_RATE = 100


@contextmanager
def _gateway(folder: Path) -> Iterator[tuple[Process, int, int]]:
    """Castway with one local device and the API on loopback: the process, the API's port and the device's."""
    port, cast = free_port(), free_port()
    config = folder / "gateway.yaml"
    config.write_text(GATEWAY.format(folder=folder, port=port, cast=cast))
    words = [str(paths.castway()), "run", "--config", str(config)]
    with Process("castway", words, folder / "castway.log") as process:
        process.wait_for_line("runs (version", 60)
        process.wait_for_port(port)
        yield process, port, cast


def _start(words: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen([str(paths.CASTLOAD), *words], stdout=subprocess.PIPE, text=True)


def _finish(process: subprocess.Popen[str]) -> load.Result:
    out, _ = process.communicate(timeout=150)
    return {key: value for line in out.splitlines() for key, value in json.loads(line).items()}


def _post(port: int, *more: str) -> list[str]:
    """Commands of castload that set the volume, to another level each time."""
    return ["post", "--connect", f"127.0.0.1:{port}", "--method", "PUT", "--path", VOLUME, "--body", '{"level":0.#}', *more]


def _commands(plan: Plan, folder: Path) -> dict:
    """`volume.set`, each answered when the device's own status shows it, by 1 and by 64 callers at once."""
    rows = []
    with _gateway(folder) as (process, port, _):
        for connections in (1, 64):
            runs = []
            for _ in range(plan.rounds):
                words = _post(port, "--connections", str(connections), "--seconds", str(plan.seconds))
                runs.append(_finish(_start([*words, "--watch", str(process.pid)])))
            for run in runs:
                run["cpu_per_answer"] = run.pop("watched_cpu_us")[0] / max(1, run["answers"])
            rows.append(load.medians(runs))
            row = rows[-1]
            plan.say(
                f"volume.set by {connections:2} callers: {row['per_second']:.0f}/s, {row['cpu_per_answer']:.0f} us of CPU "
                f"each, p99 {row['latency_us']['p99']:.0f} us, {row['failed']:.0f} failed"
            )
        memory = process.peak_memory()
    return {"rows": rows, "peak_rss": memory}


def _listen(plan: Plan, port: int, pid: int, clients: int, path: str, body: str | None) -> subprocess.Popen[str]:
    words = ["listen", "--connect", f"127.0.0.1:{port}", "--path", path, "--connections", str(clients)]
    words += ["--warmup", "2" if clients > 100 else "0.5", "--seconds", str(4 * plan.seconds), "--watch", str(pid)]
    return _start(words + (["--body", body] if body else []))


def _deliveries(plan: Plan, folder: Path, clients: int, rate: int) -> dict:
    """The same number of frames a second to so many clients, from Castway and from the peer."""
    found: dict[str, load.Result] = {}
    with _gateway(folder) as (process, port, _):
        listeners = _listen(plan, port, process.pid, clients, SOCKET, SUBSCRIBE)
        assert listeners.stdout is not None
        listeners.stdout.readline()
        feeder = _start(_post(port, "--rate", str(rate), "--warmup", "0", "--seconds", str(4 * plan.seconds)))
        found["Castway"] = _finish(listeners)
        _finish(feeder)
        found["Castway"]["rss"] = process.memory()["Rss"]
    size = max(1, round(found["Castway"]["bytes"] / max(1, found["Castway"]["frames"])))
    # A command makes several events: the peer sends as many frames a second as Castway did.
    frames = found["Castway"]["per_second"] / clients
    words = [str(paths.PYTHON), str(SERVER), str(frames), str(size)]
    with Process("websockets", words, folder / "websockets.log") as peer:
        port = int(peer.wait_for_line("").strip())
        listeners = _listen(plan, port, peer.pid, clients, "/", None)
        found["websockets (PyPI)"] = _finish(listeners)
        found["websockets (PyPI)"]["rss"] = peer.memory()["Rss"]
    for name, result in found.items():
        result["cpu_per_frame"] = result.pop("watched_cpu_us")[0] / max(1, result["frames"])
        plan.say(
            f"{clients:5} clients, {rate} commands/s: {name}: {result['per_second']:.0f} frames/s of {size} B, "
            f"{result['cpu_per_frame']:.2f} us of CPU each, {result['lost']:.0f} lost, {result['rss'] / 1024:.1f} MiB"
        )
    return {"clients": clients, "rate": rate, "size": size, "results": found}


def _status_cost(plan: Plan, folder: Path) -> dict:
    """What one more reader of a device's status costs: one WebSocket client, and one sender, in turns at one gateway."""
    rate = 1000
    seconds = 2 * plan.seconds
    costs: dict[str, list[float]] = {"nobody": [], "one WebSocket client": [], "one sender": []}
    with _gateway(folder) as (process, port, cast):
        for _ in range(2 * plan.rounds + 1):
            for name, found in costs.items():
                reader = None
                if name == "one WebSocket client":
                    words = ["listen", "--connect", f"127.0.0.1:{port}", "--path", SOCKET, "--body", STATUS]
                    reader = _start([*words, "--warmup", "0.1", "--seconds", str(seconds + 4)])
                elif name == "one sender":
                    reader = _start(["subscribe", "--connect", f"127.0.0.1:{cast}", "--seconds", str(seconds + 4)])
                time.sleep(0.3)
                words = _post(port, "--rate", str(rate), "--warmup", "0.2", "--seconds", str(seconds))
                result = _finish(_start([*words, "--watch", str(process.pid)]))
                found.append(result["watched_cpu_us"][0] / max(1, result["answers"]))
                if reader:
                    reader.terminate()
                    reader.communicate(timeout=20)
    costs_each = {name: statistics.median(found) for name, found in costs.items()}
    more = {name: cost - costs_each["nobody"] for name, cost in costs_each.items() if name != "nobody"}
    for name, cost in more.items():
        plan.say(f"a status at {rate}/s to {name}: {cost:.1f} us of CPU more than {costs_each['nobody']:.0f}")
    return {"rate": rate, "cpu_us": costs_each, "more_us": more}


def _programs(plan: Plan, folder: Path) -> dict:
    """What following a device costs the program that does it: by the WebSocket, and as a sender by pychromecast."""
    found = {}
    seconds = 4 * plan.seconds
    with _gateway(folder) as (_, port, cast):
        for name, at in (("websockets", port), ("pychromecast", cast)):
            words = [str(paths.PYTHON), str(FOLLOWER), name, str(at), str(seconds)]
            follower = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
            _finish(_start(_post(port, "--rate", "500", "--warmup", "0", "--seconds", str(seconds + 1))))
            out, _ = follower.communicate(timeout=60)
            found[name] = json.loads(out)
            row = found[name]
            plan.say(f"a Python program that follows by {name}: {row['count']} statuses, {row['cpu_us']:.0f} us of CPU each")
    return found


def _idle(plan: Plan, folder: Path, clients: int) -> dict:
    """Subscribed clients to whom nothing happens."""
    with _gateway(folder) as (process, port, _):
        before = process.memory()["Rss"]
        words = ["listen", "--connect", f"127.0.0.1:{port}", "--path", SOCKET, "--connections", str(clients)]
        body = json.dumps({"id": 1, "subscribe": {"topics": [{"type": "plugin.*"}]}})
        listeners = _start([*words, "--body", body, "--warmup", "4", "--seconds", "8"])
        assert listeners.stdout is not None
        listeners.stdout.readline()
        time.sleep(1)
        used, began = process.cpu_seconds(), time.monotonic()
        time.sleep(5)
        busy = (process.cpu_seconds() - used) / (time.monotonic() - began)
        after = process.memory()["Rss"]
        result = _finish(listeners)
    row = {
        "clients": clients,
        "lost": result["lost"],
        "per_client": (after - before) / clients,
        "rss": after,
        "idle_cpu": busy,
    }
    plan.say(
        f"{clients} idle WebSocket clients: {row['per_client']:.1f} KiB each, {100 * busy:.2f} % CPU, {row['lost']:.0f} lost"
    )
    return row


def _read(port: int, seconds: float, position: str | None = None) -> dict:
    words = [str(paths.PYTHON), str(READER), str(port), str(seconds)] + ([position] if position else [])
    run = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, timeout=seconds + 60)
    return json.loads(run.stdout)


def _resume(plan: Plan, folder: Path, cut: float) -> dict:
    """A reader that is cut off while things go on, and comes back to where it was."""
    with _gateway(folder) as (process, port, _):
        feeder = _start(_post(port, "--rate", str(EVENT_RATE), "--warmup", "0", "--seconds", str(cut + 8)))
        first = _read(port, 2)
        time.sleep(cut)
        second = _read(port, 2, first["position"])
        _finish(feeder)
        everything = _read(port, 2, first["position"].split(".")[0] + ".0")["numbers"]
    newest = second["numbers"][-1]
    oldest = first["numbers"][0]
    taken = first["numbers"] + second["numbers"]
    row = {
        "cut": cut,
        "events": len(second["numbers"]),
        "lost": len({number for number in everything if oldest <= number <= newest} - set(taken)),
        "doubled": len(taken) - len(set(taken)),
        "frames": second["frames"],
        "synced_ms": 1000 * second["synced"],
    }
    plan.say(
        f"a cut of {cut:.0f} s at {EVENT_RATE} commands/s: {row['events']} events missed and had, {row['lost']} lost, "
        f"{row['doubled']} doubled, in step after {row['synced_ms']:.0f} ms ({', '.join(row['frames'])})"
    )
    return row


def _stuck(plan: Plan, folder: Path, clients: int) -> dict:
    """Readers that take nothing while things go on: what waits for them stays within their budgets."""
    with _gateway(folder) as (process, port, _):
        flood = _post(port, "--connections", "8", "--warmup", "0.2", "--seconds", str(6 * plan.seconds))
        # The history is full before anything is compared.
        for _ in range(2):
            _finish(_start(flood))
        before = process.memory()["Rss"]
        readers = [socket.create_connection(("127.0.0.1", port)) for _ in range(clients)]
        try:
            for reader in readers:
                reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                reader.sendall(f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            answers = _finish(_start(flood))["answers"]
            after = process.memory()["Rss"]
        finally:
            for reader in readers:
                reader.close()
    row = {"clients": clients, "per_client": (after - before) / clients, "answers": answers}
    plan.say(f"{clients} stuck readers during {answers} commands: {row['per_client']:.0f} KiB each")
    return row


def measure(plan: Plan, folder: Path) -> dict:
    """A fresh gateway for every figure."""
    return {
        "commands": _commands(plan, folder),
        "deliveries": [_deliveries(plan, folder, clients, EVENT_RATE) for clients in (100, 1000)],
        "status": _status_cost(plan, folder),
        "programs": _programs(plan, folder),
        "resume": _resume(plan, folder, 5 if plan.is_quick else 60),
        "stuck": _stuck(plan, folder, 128),
        "idle": _idle(plan, folder, 1000 if plan.is_quick else 10000),
    }
