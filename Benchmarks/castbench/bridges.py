"""(j) Bridges: replies of a webhook, and durable delivery to webhooks and a broker, beside bridges made with pychromecast."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import tempfile
import time
from base64 import b64encode
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from . import load, paths, subjects
from .plan import Plan
from .processes import Failed, Process, free_port

GATEWAY = """
version: 1
gateway: {{state_directory: {folder}/state}}
log: {{level: warning, format: text}}
discovery:
  mdns: {{enabled: false}}
  static:
    - {{name: device, address: "127.0.0.1:{device}"}}
connections: {{senders: {{max_total: 2000, max_per_address: 2000, messages_per_second: unlimited, new_per_second: unlimited}}}}
bridges:
  webhooks:
    - {{name: replies, url: "http://127.0.0.1:{replies}/cast", secret: {secret}, allow_private: true, allow_http: true}}
    - {{name: ordered, url: "http://127.0.0.1:{arrivals}/cast", secret: {secret}, allow_private: true, allow_http: true}}
    - {{name: any, url: "http://127.0.0.1:{arrivals}/cast", secret: {secret}, allow_private: true, allow_http: true, order: none}}
  mqtt: {{url: "mqtt://127.0.0.1:{broker}"}}
channels:
  - {{namespace: "{ns}.replies", reply: {{webhook: replies, deadline: 2s}}}}
  - {{namespace: "{ns}.ordered", forward: false, deliver: [{{webhook: ordered}}]}}
  - {{namespace: "{ns}.any", forward: false, deliver: [{{webhook: any}}]}}
  - {{namespace: "{ns}.mqtt", forward: false, deliver: [{{mqtt: true}}]}}
virtual_devices:
{virtual}"""
BROKER = """
listener {port} 127.0.0.1
allow_anonymous true
persistence false
set_tcp_nodelay true
"""
NAMESPACE = "urn:x-cast:com.example.bench"
PEER = Path(__file__).with_name("bridge_peer.py")
PEER_TOPIC = "bridge/messages"
PYCHROMECAST_WEBHOOK = "pychromecast and requests"
PYCHROMECAST_MQTT = "pychromecast and paho-mqtt"
CASTWAY = "Castway"
DEVICES = 8
SIZE = 500
SENDERS = (1, 8, 64)
LOW, RATE, DEPTH = 100, 1000, 512


@dataclass
class Room:
    """What runs during the whole part."""

    folder: Path
    files: tuple[Path, Path]
    gateway: Process
    relays: list[int]
    backend: Process
    backend_port: int
    arrivals: int
    broker: Process
    broker_port: int
    peers: dict[str, Process]


def _broker(folder: Path) -> tuple[Process, int]:
    port = free_port()
    config = folder / "mosquitto.conf"
    config.write_text(BROKER.format(port=port))
    # Debian keeps it where only root's search path looks.
    search = os.environ["PATH"] + ":/usr/sbin"
    process = Process("mosquitto", ["env", f"PATH={search}", "mosquitto", "-c", str(config)], folder / "mosquitto.log")
    process.wait_for_port(port)
    return process, port


def _gateway(folder: Path, **ports: int) -> tuple[Process, list[int]]:
    relays = [free_port() for _ in range(DEVICES)]
    virtual = "".join(
        f'  - {{name: screen-{index}, listen: "127.0.0.1:{port}", target: {{device: device}}, publish: false}}\n'
        for index, port in enumerate(relays)
    )
    secret = "whsec_" + b64encode(secrets.token_bytes(32)).decode()
    config = folder / "gateway.yaml"
    config.write_text(GATEWAY.format(folder=folder, ns=NAMESPACE, secret=secret, virtual=virtual, **ports))
    process = Process("castway", [str(paths.castway()), "run", "--config", str(config)], folder / "castway.log")
    process.wait_for_line("runs (version", 60)
    return process, relays


def _open(stack: ExitStack, folder: Path) -> Room:
    files = subjects.certificate(folder)
    device, device_port = load.device(folder, files)
    stack.enter_context(device)
    words = [str(paths.CASTLOAD), "backend", "--listen", "127.0.0.1:0", "--size", str(SIZE)]
    backend = stack.enter_context(Process("back end", words, folder / "backend.log"))
    backend_port = json.loads(backend.wait_for_line("listening"))["listening"]
    broker, broker_port = _broker(folder)
    stack.enter_context(broker)
    arrivals = free_port()
    gateway, relays = _gateway(folder, device=device_port, replies=backend_port, arrivals=arrivals, broker=broker_port)
    stack.enter_context(gateway)
    peers = {}
    if paths.PYTHON.exists():
        for name, words in (
            (PYCHROMECAST_WEBHOOK, ["webhook", f"http://127.0.0.1:{backend_port}/cast"]),
            (PYCHROMECAST_MQTT, ["mqtt", str(broker_port), PEER_TOPIC]),
        ):
            words = [str(paths.PYTHON), str(PEER), *words]
            peers[name] = stack.enter_context(Process(name, words, folder / f"{words[2]}-peer.log", is_talking=True))
            peers[name].wait_for_line("ready")
    return Room(folder, files, gateway, relays, backend, backend_port, arrivals, broker, broker_port, peers)


def _through_castway(room: Room, relays: int, other: Process | None, **options: float | str) -> load.Result:
    watch = [room.gateway.pid] + ([other.pid] if other else [])
    return load.run("send", room.relays[:relays], watch=watch, size=SIZE, **options)


def _through_peer(room: Room, name: str, other: Process, **options: float | str) -> load.Result:
    """castload is the app here, on a device that the peer connects to."""
    peer = room.peers[name]
    words = [str(paths.CASTLOAD), "send", "--listen", "127.0.0.1:0", "--certificate", str(room.files[0])]
    words += ["--key", str(room.files[1]), "--size", str(SIZE), "--watch", str(peer.pid), "--watch", str(other.pid)]
    for key, value in options.items():
        words += [f"--{key}", str(value)]
    with Process("app", words, room.folder / "app.log") as app:
        port = json.loads(app.wait_for_line("listening"))["listening"]
        peer.tell(f"{port} {options.get('connections', 1)}")
        result = json.loads(app.wait_for_line('"mode":"send"', 120))
        peer.tell("0 0")
    return result


def _costs(result: load.Result) -> load.Result:
    """CPU for each message: of the bridge, of what it sends to, of the load generator."""
    messages = max(1, result["round_trips"])
    watched = result.pop("watched_cpu_us")
    result["cpu_per_message"] = watched[0] / messages
    if len(watched) > 1:
        result["other_cpu_per_message"] = watched[1] / messages
    result["own_cpu_per_message"] = result["own_cpu_us"] / messages
    return result


def _replies(plan: Plan, room: Room) -> list[dict]:
    """An app's message to a webhook, and the body of the answer to the app; each sender waits for it before it sends again."""
    rows = []
    for senders in SENDERS[:2] if plan.is_quick else SENDERS:
        options = {"connections": senders, "depth": 1, "seconds": 2 * plan.seconds, "warmup": 2 * plan.warmup}
        runs: dict[str, list[load.Result]] = {CASTWAY: []}
        for _ in range(plan.rounds):
            devices = min(senders, DEVICES)
            result = _through_castway(room, devices, room.backend, namespace=f"{NAMESPACE}.replies", **options)
            runs[CASTWAY].append(_costs(result))
            if PYCHROMECAST_WEBHOOK in room.peers:
                result = _through_peer(room, PYCHROMECAST_WEBHOOK, room.backend, **options)
                runs.setdefault(PYCHROMECAST_WEBHOOK, []).append(_costs(result))
        rows.append({"senders": senders, "results": {name: load.medians(found) for name, found in runs.items()}})
        for name, found in rows[-1]["results"].items():
            plan.say(f"replies, {senders:2} senders: {_summary(name, found)}")
    return rows


def _backend_alone(plan: Plan, room: Room) -> list[dict]:
    """What the back end answers when the load generator asks it directly."""
    rows = []
    for connections in (1, 64):
        words = [str(paths.CASTLOAD), "post", "--connect", f"127.0.0.1:{room.backend_port}", "--path", "/cast"]
        words += ["--body", '{"requestId":1}', "--connections", str(connections), "--seconds", str(plan.seconds)]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
        found = json.loads(done.stdout)
        if found["failed"]:
            raise Failed(f"the back end: {found['failure']}")
        rows.append(found)
    return rows


def _fsync(folder: Path) -> float:
    """The median time, in microseconds, until 8 KiB that take the place of others in a file are on disk."""
    times = []
    with (folder / "fsync").open("wb") as file:
        file.write(bytes(8192))
        os.fsync(file.fileno())
        for number in range(100):
            began = time.perf_counter()
            os.pwrite(file.fileno(), bytes([number]) * 8192, 0)
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
            time.sleep(0.002)
    return 1e6 * median(times)


WAYS = {  # of Castway: the last part of the namespace, and how many devices the senders are spread over
    "Castway, webhook, one device": ("ordered", 1),
    f"Castway, webhook, {DEVICES} devices": ("ordered", DEVICES),
    "Castway, webhook, no order": ("any", 1),
    "Castway, MQTT": ("mqtt", 1),
}
MQTT = "Castway, MQTT"


def _arrival(room: Room, name: str) -> dict[str, str]:
    if "webhook" in name:
        return {"arrives": f"http:127.0.0.1:{room.arrivals}"}
    topic = PEER_TOPIC if name == PYCHROMECAST_MQTT else "castway/+/device/+/msg/rx/#"
    return {"arrives": f"mqtt:127.0.0.1:{room.broker_port}", "topic": topic}


def _deliver(room: Room, name: str, **options: float) -> load.Result:
    arrival = _arrival(room, name)
    if name == PYCHROMECAST_MQTT:
        return _costs(_through_peer(room, name, room.broker, **options, **arrival))
    last, devices = WAYS[name]
    other = room.broker if name == MQTT else None
    if "depth" in options:
        options |= {"connections": devices, "depth": DEPTH // devices}
    elif devices > 1:
        options["connections"] = devices
    return _costs(_through_castway(room, devices, other, namespace=f"{NAMESPACE}.{last}", **options, **arrival))


def _deliveries(plan: Plan, room: Room) -> list[dict]:
    """Messages until they are where they have to be: at a rate, and as many as go with a number of them under way."""
    rows = []
    seconds = 2 * plan.seconds
    for options in (
        {"rate": LOW, "seconds": 1.5 * seconds},
        {"rate": RATE, "seconds": seconds},
        {"depth": DEPTH, "seconds": seconds},
    ):
        names = list(WAYS) + ([PYCHROMECAST_MQTT] if PYCHROMECAST_MQTT in room.peers else [])
        runs: dict[str, list[load.Result]] = {name: [] for name in names}
        syncs = []
        for _ in range(plan.rounds):
            syncs.append(_fsync(room.folder))
            for name in names:
                runs[name].append(_deliver(room, name, warmup=2 * plan.warmup, **options))
        results = {name: load.medians(found) for name, found in runs.items()}
        rows.append({"rate": options.get("rate"), "depth": options.get("depth"), "fsync_us": median(syncs), "results": results})
        pace = f"{options['rate']}/s" if "rate" in options else f"depth {options['depth']}"
        for name, found in results.items():
            plan.say(f"deliveries, {pace}: {_summary(name, found)}")
        plan.say(f"    an fsync beside them: {rows[-1]['fsync_us']:.0f} us")
    return rows


def _summary(name: str, found: load.Result) -> str:
    latency = found["latency_us"]
    bad = {key: found[key] for key in ("rejected", "lost", "unexpected", "closed") if found[key]}
    return (
        f"{name:30} {found['per_second']:7.0f}/s  {found['cpu_per_message']:6.1f} us each, other "
        f"{found.get('other_cpu_per_message', 0):5.1f}, own {found['own_cpu_per_message']:5.1f}  "
        f"p50 {latency['p50']:.0f} p99 {latency['p99']:.0f} us" + (f"  {bad}" if bad else "")
    )


def _file_system(folder: Path) -> str:
    done = subprocess.run(["stat", "-f", "-c", "%T", str(folder)], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def measure(plan: Plan, folder: Path) -> dict:
    """The folder of the state is beside the products: the temporary one may be in memory."""
    del folder
    with tempfile.TemporaryDirectory(prefix="bridges-", dir=paths.BUILD) as disk, ExitStack() as stack:
        room = _open(stack, Path(disk))
        if not room.peers:
            plan.say("pychromecast is not there: Scripts/bootstrap.sh --tests installs it")
        return {
            "size": SIZE,
            "file_system": _file_system(room.folder),
            "backend": _backend_alone(plan, room),
            "replies": _replies(plan, room),
            "deliveries": _deliveries(plan, room),
        }
