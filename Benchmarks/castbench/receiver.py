"""(d) Status requests to the built-in receiver: by the load generator, and by pychromecast."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from . import load, paths, subjects
from .plan import Plan
from .processes import Failed

CLIENT = Path(__file__).with_name("status_client.py")


def _client(port: int, seconds: float) -> load.Result:
    words = [str(paths.PYTHON), str(CLIENT), str(port), str(seconds)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise Failed(f"pychromecast: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout)


def _requests(plan: Plan, folder: Path, port: int, connections: int) -> dict:
    """A fresh gateway, so that its peak of memory is this case's; the device itself beside it."""
    castway = subjects.castway(folder, port, locals=1)
    runs: dict[str, list[load.Result]] = {"Castway": [], "load generator's own device": []}
    options = {"connections": connections, "request": "status", "seconds": plan.seconds, "warmup": plan.warmup}
    with castway.process as process:
        for _ in range(plan.rounds):
            result = load.run("send", castway.ports, watch=castway.watched, **options)
            result["cpu_per_request"] = result["watched_cpu_us"][0] / max(1, result["round_trips"])
            runs["Castway"].append(result)
            runs["load generator's own device"].append(load.run("send", [port], **options))
        peak = process.peak_memory()
    for results in runs.values():
        for result in results:
            del result["watched_cpu_us"]
    return {
        "connections": connections,
        "peak_rss": peak,
        "results": {name: load.medians(results) for name, results in runs.items()},
    }


def measure(plan: Plan, folder: Path) -> dict:
    """1, 32 and 1,000 connections that each ask, wait for the answer and ask again."""
    files = subjects.certificate(folder)
    device, port = load.device(folder, files)
    rows, clients = [], {}
    with device:
        for connections in (1, 32) if plan.is_quick else (1, 32, 1000):
            row = _requests(plan, folder, port, connections)
            rows.append(row)
            own = row["results"]["Castway"]
            plan.say(
                f"{connections:5} connections: {own['per_second']:7.0f} requests/s, "
                f"{own['cpu_per_request']:.1f} us of CPU each, p99 {own['latency_us']['p99']:.0f} us, "
                f"peak {row['peak_rss'] / 1024:.1f} MiB"
            )
        if paths.PYTHON.exists():
            castway = subjects.castway(folder, port, locals=1)
            seconds = 2 * plan.seconds
            with castway.process:
                clients["Castway"] = _client(castway.ports[0], seconds)
            clients["load generator's own device"] = _client(port, seconds)
            for name, result in clients.items():
                plan.say(f"pychromecast to {name}: {result['per_second']:.0f} requests/s")
        else:
            plan.say("pychromecast is not there: Scripts/bootstrap.sh --tests installs it")
    return {"rows": rows, "clients": clients}
