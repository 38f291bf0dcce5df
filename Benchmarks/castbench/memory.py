"""(c) Memory and CPU of senders that are connected and silent."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from . import load, paths, subjects
from .plan import Plan
from .processes import Process
from .subjects import Subject

HOLD = 8
SETTLE = 2


def _measure(plan: Plan, folder: Path, start: Callable[[], Subject], senders: int) -> dict:
    subject = start()
    with subject.process as process:
        time.sleep(0.5)
        before = process.memory()
        words = [str(paths.CASTLOAD), "idle", "--connect", f"127.0.0.1:{subject.ports[0]}"]
        words += ["--connections", str(senders), "--sources", "50", "--seconds", "60", "--watch", str(process.pid)]
        with Process("idle senders", words, folder / "idle.log") as idle:
            idle.wait_for_line('"mode":"idle"', 90)
            # What handshakes needed is given back meanwhile.
            time.sleep(SETTLE)
            used, began = process.cpu_seconds(), time.monotonic()
            time.sleep(2 if plan.is_quick else HOLD)
            busy = (process.cpu_seconds() - used) / (time.monotonic() - began)
            after = process.memory()
            closed = load.json.loads(idle.stop().splitlines()[-1])["closed"]
    return {
        "senders": senders,
        "start_rss": before["Rss"],
        "rss": after["Rss"],
        "pss": after["Pss"],
        "per_sender": (after["Rss"] - before["Rss"]) / senders,
        "idle_cpu": busy,
        "closed": closed,
    }


def measure(plan: Plan, folder: Path) -> dict:
    """A fresh process for every figure."""
    files = subjects.certificate(folder)
    device, port = load.device(folder, files)
    starts: dict[str, Callable[[], Subject]] = {
        "nginx": lambda: subjects.nginx(folder, files, port),
        "HAProxy": lambda: subjects.haproxy(folder, port),
        "Castway, relay": lambda: subjects.castway(folder, port, relays=1),
        "Castway, built-in receiver": lambda: subjects.castway(folder, port, locals=1),
    }
    rows = []
    with device:
        for senders in (200,) if plan.is_quick else (1000, 5000):
            for name, start in starts.items():
                row = {"name": name, **_measure(plan, folder, start, senders)}
                rows.append(row)
                plan.say(
                    f"{name:27} {senders:5} senders: {row['rss'] / 1024:6.1f} MiB resident "
                    f"({row['start_rss'] / 1024:.1f} before), {row['per_sender']:.1f} KiB each, "
                    f"{100 * row['idle_cpu']:.2f} % CPU, {row['closed']} closed"
                )
    return {"rows": rows}
