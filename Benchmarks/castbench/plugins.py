"""(g) One hop to a handler and back: built in, in a library, in a process; beside a process that only copies bytes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from statistics import median

from . import paths
from .plan import Plan

PROGRAMS = ["PluginBenchmark", "bare-echo", "bench-echo", "castway-launch"]
BARE = "bare echo process"
SWIFT = "Swift process"


def measure(plan: Plan, folder: Path) -> dict:
    """Builds what is not there, and has PluginBenchmark run all of them in turn, round by round."""
    products = paths.products()
    if "CASTWAY_BIN" not in os.environ:
        for name in [*PROGRAMS, "BenchEchoModule"]:
            paths.build(name)
    words = [str(products / "PluginBenchmark"), str(folder), str(paths.ROOT), "3" if plan.is_quick else "9"]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, timeout=600)
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    rows = []
    for name, depth in dict.fromkeys((found["name"], found["depth"]) for found in rounds):
        own = [found for found in rounds if (found["name"], found["depth"]) == (name, depth)]
        row = {"name": name, "depth": depth}
        for key in ("p50_us", "p99_us", "per_second"):
            row[key] = median(found[key] for found in own)
        rows.append(row)
        plan.say(
            f"{name:24} depth {depth:3} {row['per_second']:10,.0f}/s, p50 {row['p50_us']:7.2f} µs, "
            f"p99 {row['p99_us']:7.2f} µs"
        )
    return {"rows": rows}


def row(part: dict, name: str, depth: int) -> dict | None:
    """What was measured of one of them."""
    return next((row for row in part["rows"] if (row["name"], row["depth"]) == (name, depth)), None)
