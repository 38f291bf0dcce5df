"""(g) Many real devices behind one gateway: connecting to them, keeping them, and passing on what they say."""

from __future__ import annotations

import json
import time
from pathlib import Path
from statistics import median
from typing import Any

from . import load, paths, subjects
from .device_farm import PORT, DeviceFarm
from .plan import Plan
from .processes import Process, free_port

CLIENT = Path(__file__).with_name("devices_client.py")
SUBSCRIBERS = 8
"""Devices that have a subscriber: a sender behind a relay of its own, joined to the app."""
RATES = (1000, 10000, 40000)
"""Events a second: one at a time, and so many that several come with one read."""
SETTLE = 3
"""Seconds until what handshakes needed is given back."""

GATEWAY = """
version: 1
gateway: {{state_directory: {folder}/state}}
log: {{level: warning, format: text}}
discovery:
  static: {static}
virtual_devices:
{virtual}"""


def _gateway(folder: Path, farm: DeviceFarm, count: int) -> tuple[Process, list[int]]:
    """A gateway with so many devices; its process, just started, and the ports of the relays."""
    ports = [free_port() for _ in range(SUBSCRIBERS)]
    static = [f'\n    - {{name: device-{index}, address: "{farm.address(index)}:{PORT}"}}' for index in range(count)]
    targets = [f"{{device: device-{index}}}" if index < count else "local" for index in range(SUBSCRIBERS)]
    virtual = [
        f'  - {{name: screen-{index}, listen: "127.0.0.1:{port}", target: {targets[index]}}}\n'
        for index, port in enumerate(ports)
    ]
    config = folder / "gateway.yaml"
    config.write_text(GATEWAY.format(folder=folder, static="".join(static) or "[]", virtual="".join(virtual)))
    return Process("castway", [str(paths.castway()), "run", "--config", str(config)], folder / "castway.log"), ports


def _threads(process: Process) -> int:
    return len(list(Path(f"/proc/{process.pid}/task").iterdir()))


def _connect(farm: DeviceFarm, process: Process, count: int) -> dict[str, Any]:
    """From the first connection until the last device was asked for its status, as the devices saw it."""
    own = farm.process.cpu_seconds()
    status = farm.wait_online(count)
    return {
        "seconds": status["last_online"] - status["first_accept"],
        "since_start": status["last_online"] - process.started,
        "cpu": process.cpu_seconds(),
        "devices_cpu": farm.process.cpu_seconds() - own,
    }


def _idle(process: Process, count: int, base: int, seconds: float) -> dict[str, Any]:
    """Memory, threads and CPU while nothing happens but heartbeats."""
    time.sleep(SETTLE)
    used, began = process.cpu_seconds(), time.monotonic()
    time.sleep(seconds)
    busy = (process.cpu_seconds() - used) / (time.monotonic() - began)
    memory = process.memory()["Rss"]
    return {
        "idle_cpu": busy,
        "rss": memory,
        "base_rss": base,
        "per_device": (memory - base) / count,
        "threads": _threads(process),
    }


def _events(
    plan: Plan, farm: DeviceFarm, process: Process, idle: float, kind: str, rate: float, first: int, count: int
) -> dict[str, Any]:
    """CPU for each event beyond what idling takes."""
    costs, own = [], []
    seconds = 2 * plan.seconds
    for _ in range(plan.rounds):
        used, farm_used, began = process.cpu_seconds(), farm.process.cpu_seconds(), time.monotonic()
        events = farm.emit(kind, rate, seconds, first, count)
        time.sleep(0.1)
        spent = process.cpu_seconds() - used - idle * (time.monotonic() - began)
        costs.append(1e6 * spent / events)
        own.append(1e6 * (farm.process.cpu_seconds() - farm_used) / events)
    return {"kind": kind, "rate": rate, "devices": count, "cpu_us": median(costs), "devices_cpu_us": median(own)}


def _castway(plan: Plan, folder: Path, farm: DeviceFarm) -> dict[str, Any]:
    empty, _ = _gateway(folder, farm, 0)
    with empty:
        empty.wait_for_line("runs (version")
        time.sleep(1)
        base = empty.memory()["Rss"]
    connects = []
    for round_number in range(plan.rounds):
        farm.order("forget")
        process, ports = _gateway(folder, farm, farm.count)
        with process:
            connects.append(_connect(farm, process, farm.count))
            if round_number < plan.rounds - 1:
                continue
            process.wait_for_line("runs (version")
            result = {"connect": load.medians(connects), "devices": farm.count}
            result |= _idle(process, farm.count, base, 4 if plan.is_quick else 15)
            result["events"] = _subscribed(plan, folder, farm, process, ports, result["idle_cpu"])
    return result


def _subscribed(
    plan: Plan, folder: Path, farm: DeviceFarm, process: Process, ports: list[int], idle: float
) -> list[dict[str, Any]]:
    words = [str(paths.CASTLOAD), "subscribe", "--connections", str(SUBSCRIBERS), "--seconds", "600"]
    for port in ports:
        words += ["--connect", f"127.0.0.1:{port}"]
    rest = min(farm.count - SUBSCRIBERS, 100)
    rows = []
    for rate in RATES:
        with Process("subscribers", words, folder / "subscribers.log") as listener:
            listener.wait_for_line('"mode":"subscribe"')
            row = _events(plan, farm, process, idle, "media", rate, 0, SUBSCRIBERS)
            heard = json.loads(listener.stop().splitlines()[-1])
        row |= {key: heard[key] for key in ("events", "lost", "doubled", "latency_us")}
        rows.append(row | {"subscribers": SUBSCRIBERS})
        rows.append(_events(plan, farm, process, idle, "receiver", rate, SUBSCRIBERS, rest) | {"subscribers": 0})
    return rows


def _pychromecast(plan: Plan, folder: Path, farm: DeviceFarm, count: int) -> dict[str, Any]:
    base = _client(folder, farm, 0)
    with base:
        base.wait_for_line("connected")
        memory = base.memory()["Rss"]
    farm.order("forget")
    process = _client(folder, farm, count)
    with process:
        connect = _connect(farm, process, count)
        process.wait_for_line("connected", 120)
        result = {"connect": connect, "devices": count}
        result |= _idle(process, count, memory, 4 if plan.is_quick else 12)
        result["events"] = [
            _events(plan, farm, process, result["idle_cpu"], "media", rate, 0, SUBSCRIBERS) | {"subscribers": SUBSCRIBERS}
            for rate in RATES[:2]
        ]
    return result


def _client(folder: Path, farm: DeviceFarm, count: int) -> Process:
    words = [str(paths.PYTHON), str(CLIENT), farm.address(0), str(PORT), str(count)]
    return Process("pychromecast", words, folder / "pychromecast.log", is_talking=True)


def _own_limits(plan: Plan, folder: Path, farm: DeviceFarm) -> dict[str, Any]:
    """What the devices can do when nothing that is measured stands in the way."""
    direct = load.run("idle", [PORT], host=farm.address(0), connections=farm.count, seconds=0.5)
    words = [str(paths.CASTLOAD), "subscribe", "--connections", "8", "--seconds", "60"]
    for index in range(SUBSCRIBERS):
        words += ["--connect", f"{farm.address(index)}:{PORT}"]
    with Process("subscribers", words, folder / "direct.log") as listener:
        listener.wait_for_line('"mode":"subscribe"')
        own = farm.process.cpu_seconds()
        events = farm.emit("media", 40000, 2 * plan.seconds, 0, SUBSCRIBERS)
        own = farm.process.cpu_seconds() - own
        time.sleep(0.2)
        heard = json.loads(listener.stop().splitlines()[-1])
    return {
        "connect_seconds": direct["open_seconds"],
        "events_per_second": heard["events"] / (2 * plan.seconds),
        "cpu_us": 1e6 * own / events,
        "lost": heard["lost"],
        "latency_us": heard["latency_us"],
    }


def measure(plan: Plan, folder: Path) -> dict:
    """The devices run an app that plays, and ping every five seconds, as real ones do."""
    files = subjects.certificate(folder)
    count, peers = (200, 100) if plan.is_quick else (1000, 500)
    with DeviceFarm(folder, files, count, "--app", "CC1AD845", "--plays") as farm:
        result: dict[str, Any] = {"own": _own_limits(plan, folder, farm)}
        _say_own(plan, result["own"], count)
        result["castway"] = _castway(plan, folder, farm)
        _say(plan, "Castway", result["castway"])
        if paths.PYTHON.exists():
            for peer_count in dict.fromkeys((peers, count)):
                key = f"pychromecast {peer_count}"
                try:
                    result[key] = _pychromecast(plan, folder, farm, peer_count)
                except Exception as problem:  # noqa: BLE001: as many as it can
                    plan.say(f"pychromecast with {peer_count} devices: {problem}")
                    continue
                _say(plan, "pychromecast", result[key])
        else:
            plan.say("pychromecast is not there: Scripts/bootstrap.sh --tests installs it")
    return result


def _say_own(plan: Plan, own: dict[str, Any], count: int) -> None:
    plan.say(
        f"the devices alone: {count} connections in {own['connect_seconds']:.2f} s, {own['events_per_second']:.0f} "
        f"events/s at {own['cpu_us']:.1f} us of their CPU each, {own['lost']} lost"
    )


def _say(plan: Plan, name: str, row: dict[str, Any]) -> None:
    connect = row["connect"]
    plan.say(
        f"{name}: {row['devices']} devices connected in {connect['seconds']:.2f} s "
        f"({connect['since_start']:.2f} s since its start, {connect['cpu']:.2f} s of CPU, the devices' "
        f"{connect['devices_cpu']:.2f} s), {row['per_device']:.1f} KiB each, {row['threads']} threads, "
        f"{100 * row['idle_cpu']:.2f} % CPU"
    )
    for event in row["events"]:
        plan.say(
            f"  {event['kind']} events, {event['rate']}/s from {event['devices']} devices to {event['subscribers']} "
            f"subscribers: {event['cpu_us']:.1f} us of CPU each, the devices' {event['devices_cpu_us']:.1f} us"
            + (f", {event['lost']} lost, {event['doubled']} doubled, p50 {event['latency_us']['p50']:.0f} us" if "lost" in event else "")
        )
