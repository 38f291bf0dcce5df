"""(l) Senders that are passed through, beside nginx, which splices TCP connections to the same device, and the device itself."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from . import load, paths, subjects
from .plan import Plan
from .processes import Failed, Process, free_port
from .subjects import Subject

sys.path.append(str(Path(__file__).resolve().parents[1] / "soak"))

from wire import HEARTBEAT, Message, frame  # noqa: E402

SIZE = 500
RATE = 1000
SOURCES = 250
PING = 5
"""Seconds between two pings of a device, as real ones have it."""
SETTLE = 2
PATIENCE = 20


Start = Callable[..., Subject]
STARTS: dict[str, Start] = {"nginx": subjects.nginx_splice, "Castway": subjects.castway_splice}
"""What stands in front of a device: called with a folder, the device's port, and its own port when that is to be an earlier one."""


# MARK: One sender


def _sender(port: int) -> ssl.SSLSocket:
    """A sender whose ping the device has answered."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    channel = context.wrap_socket(socket.create_connection(("127.0.0.1", port), PATIENCE))
    try:
        channel.sendall(frame(Message("sender-0", "receiver-0", HEARTBEAT, '{"type":"PING"}')))
        if b"PONG" not in channel.recv(4096):
            raise ConnectionError("no answer")
    except OSError:
        channel.close()
        raise
    return channel


def _until_connected(subject: Subject) -> ssl.SSLSocket:
    """A sender that dials until it is connected, at the pace of programs that want to be back soon."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            return _sender(subject.ports[0])
        except OSError:
            time.sleep(0.005)
    raise Failed(f"{subject.name} connects no sender:\n{subject.process.errors() if subject.process else ''}")


# MARK: Memory and CPU of idle senders


def _wakes(process: Process) -> int:
    """How often its threads have begun to wait so far, that is, how often something has woken them."""
    found = 0
    for status in Path(f"/proc/{process.pid}/task").glob("*/status"):
        found += int(status.read_text().split("\nvoluntary_ctxt_switches:")[1].split()[0])
    return found


def _use(process: Process, seconds: float) -> tuple[float, float]:
    """The part of a core that it uses in this time, and how often a second something wakes it."""
    used, woken, began = process.cpu_seconds(), _wakes(process), time.monotonic()
    time.sleep(seconds)
    used, woken, took = process.cpu_seconds() - used, _wakes(process) - woken, time.monotonic() - began
    return used / took, woken / took


def _idle(folder: Path, subject: Subject, senders: int, seconds: float) -> dict:
    process = subject.process
    assert process
    with process:
        _until_connected(subject).close()
        time.sleep(SETTLE)
        before, (alone, alone_wakes) = process.memory(), _use(process, seconds)
        words = [str(paths.CASTLOAD), "idle", "--connect", f"127.0.0.1:{subject.ports[0]}", "--seconds", "300"]
        words += ["--connections", str(senders), "--sources", str(SOURCES)]
        with Process("idle senders", words, folder / "idle.log") as idle:
            idle.wait_for_line('"mode":"idle"', 90)
            time.sleep(SETTLE)
            (busy, wakes), after = _use(process, seconds), process.memory()
            closed = load.json.loads(idle.stop().splitlines()[-1])["closed"]
    return {
        "senders": senders,
        "start_rss": before["Rss"],
        "rss": after["Rss"],
        "pss": after["Pss"],
        "per_sender": (after["Rss"] - before["Rss"]) / senders,
        "private_per_sender": (after["Private_Dirty"] - before["Private_Dirty"]) / senders,
        "alone_cpu": alone,
        "alone_wakes": alone_wakes,
        "cpu": busy,
        "wakes": wakes,
        "closed": closed,
    }


def _pinging(folder: Path, files: tuple[Path, Path]) -> tuple[Process, int]:
    """A device that pings every sender, as real ones do."""
    port = free_port()
    words = [str(paths.CASTDEVICES), "--devices", "1", "--listen", f"127.0.0.1:{port}", "--ping", str(PING)]
    words += ["--certificate", str(files[0]), "--key", str(files[1]), "--app", "CC1AD845"]
    process = Process("a pinging device", words, folder / "pinging.log")
    process.wait_for_line("listening")
    return process, port


def _idle_rows(plan: Plan, folder: Path, silent: int, pinging: int) -> list[dict]:
    """A fresh process for every figure."""
    senders = 200 if plan.is_quick else 1000
    rows = []
    for kind, port, seconds in (("silent", silent, 4 if plan.is_quick else 20), ("pinged", pinging, 5 if plan.is_quick else 20)):
        for name, start in STARTS.items():
            row = {"name": name, "kind": kind, **_idle(folder, start(folder, port), senders, seconds)}
            rows.append(row)
            plan.say(
                f"{name:8} {senders:5} senders, {kind}: {row['per_sender'] * 1.024:.1f} kB each "
                f"({row['private_per_sender'] * 1.024:.1f} of them private), {100 * row['cpu']:.3f} % CPU "
                f"({100 * row['alone_cpu']:.3f} % without senders), woken {row['wakes']:.1f} times a second "
                f"({row['alone_wakes']:.1f}), {row['closed']} closed"
            )
    return rows


# MARK: Messages


def _messages(plan: Plan, found: list[Subject], **options: float) -> dict[str, load.Result]:
    """The medians of interleaved rounds, by subject."""
    runs: dict[str, list[load.Result]] = {subject.name: [] for subject in found}
    for _ in range(plan.rounds):
        for subject in found:
            result = load.run(
                "send", subject.ports, watch=subject.watched, warmup=plan.warmup, sources=SOURCES, size=SIZE, **options
            )
            messages = 2 * max(1, result["round_trips"])
            watched = result.pop("watched_cpu_us")
            result["cpu_per_message"] = watched[0] / messages if watched else 0
            result["own_cpu_per_message"] = result["own_cpu_us"] / messages
            runs[subject.name].append(result)
    return {name: load.medians(results) for name, results in runs.items()}


def _message_rows(plan: Plan, folder: Path, port: int) -> list[dict]:
    senders = 200 if plan.is_quick else 1000
    rows = []
    with ExitStack() as stack:
        found = [Subject("direct", [port], None)]
        for start in STARTS.values():
            found.append(start(folder, port))
            assert found[-1].process
            stack.enter_context(found[-1].process)
            _until_connected(found[-1]).close()
        loads: list[dict[str, float]] = [{"depth": 1, "seconds": plan.seconds}, {"rate": RATE, "seconds": 3 * plan.seconds}]
        for options in loads:
            results = _messages(plan, found, connections=senders, **options)
            rows.append({"senders": senders, **options, "results": results})
            for name, result in results.items():
                latency = result["latency_us"]
                plan.say(
                    f"{name:8} {result['per_second']:8.0f} rt/s, {result['cpu_per_message']:.2f} us of CPU a message, p50 "
                    f"{latency['p50']:.0f} p99 {latency['p99']:.0f} us, connected in {result['open_seconds']:.2f} s, "
                    + ", ".join(f"{result[key]:.0f} {key}" for key in ("rejected", "lost", "unexpected", "closed"))
                )
    return rows


# MARK: Kills


def _killed(plan: Plan, start: Start, folder: Path, port: int) -> dict:
    """Kills it while a sender is connected, and starts it at once: how long until that sender has an answer again."""
    cut, back = [], []
    for _ in range(2 * plan.rounds):
        subject = start(folder, port)
        assert subject.process
        with subject.process as process, _until_connected(subject) as channel:
            killed = time.perf_counter()
            os.kill(process.pid, signal.SIGKILL)
            channel.settimeout(PATIENCE)
            try:
                channel.recv(1)
            except OSError:
                pass
            cut.append(time.perf_counter() - killed)
            process.stop()
        again = start(folder, port, subject.ports[0])
        assert again.process
        with again.process, _until_connected(again):
            back.append(time.perf_counter() - again.process.started)
    return {"count": len(back), "cut_ms": 1e3 * max(cut), "back_ms": 1e3 * median(back), "worst_ms": 1e3 * max(back)}


def measure(plan: Plan, folder: Path) -> dict:
    """Idle senders, messages, and kills."""
    files = subjects.certificate(folder)
    with ExitStack() as stack:
        device, port = load.device(folder, files)
        stack.enter_context(device)
        pinging, pinging_port = _pinging(folder, files)
        stack.enter_context(pinging)
        idle = _idle_rows(plan, folder, port, pinging_port)
        messages = _message_rows(plan, folder, port)
        kills = {name: _killed(plan, start, folder, port) for name, start in STARTS.items()}
    for name, found in kills.items():
        plan.say(f"{name:8} back {found['back_ms']:.0f} ms after a start that follows a kill, {found['worst_ms']:.0f} at worst")
    return {"size": SIZE, "ping": PING, "idle": idle, "messages": messages, "kills": kills}
