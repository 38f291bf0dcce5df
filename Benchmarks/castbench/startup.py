"""(e) From exec to the summary line, and how large the program is."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path
from statistics import median

from . import paths, subjects
from .plan import Plan

# How many virtual devices a large deployment has.
MANY = 200


def _start(folder: Path) -> tuple[float, int]:
    """Milliseconds until senders can connect, and the memory in kB then."""
    castway = subjects.castway(folder, 9, locals=1)
    took = 1000 * (time.perf_counter() - castway.process.started)
    with castway.process as process:
        return took, process.memory()["Rss"]


def _many(plan: Plan, folder: Path) -> dict:
    """Two hundred devices that one element makes: later starts, and what each device adds to the memory."""
    times = 1 if plan.is_quick else 5
    first = subjects.many(folder, MANY, 900)
    first_ms = 1000 * (time.perf_counter() - first.started)
    first.stop()
    took, memory = [], []
    for _ in range(times):
        with subjects.many(folder, MANY, 120) as process:
            took.append(1000 * (time.perf_counter() - process.started))
            memory.append(process.memory()["Rss"])
    alone = folder / "alone"
    alone.mkdir()
    subjects.many(alone, 1, 120).stop()
    with subjects.many(alone, 1, 120) as process:
        base = process.memory()["Rss"]
    return {
        "many": MANY,
        "many_first_ms": first_ms,
        "many_ms": median(took),
        "many_worst_ms": max(took),
        "many_rss": median(memory),
        "per_device": (median(memory) - base) / (MANY - 1),
    }


def _libraries() -> list[tuple[str, int]]:
    shown = subprocess.run(["ldd", str(paths.castway())], capture_output=True, text=True, check=True).stdout
    files = {Path(found).resolve() for found in re.findall(r"(/\S+) \(0x", shown)}
    return sorted((str(file), file.stat().st_size) for file in files)


def measure(plan: Plan, folder: Path) -> dict:
    """First starts, which make keys and certificates, and later ones, which find them."""
    times = 2 if plan.is_quick else 7
    first, warm = [], []
    for index in range(times):
        own = folder / str(index)
        own.mkdir()
        first.append(_start(own))
        warm.append(_start(own))
    large = folder / "many"
    large.mkdir()
    many = _many(plan, large)
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", str(stripped), str(paths.castway())], check=True)
    libraries = _libraries()
    swift = [size for name, size in libraries if "swift" in name.lower() or "Foundation" in name or "ICU" in name]
    result = {
        "first_ms": median(took for took, _ in first),
        "first_worst_ms": max(took for took, _ in first),
        "warm_ms": median(took for took, _ in warm),
        "warm_worst_ms": max(took for took, _ in warm),
        "rss": median(memory for _, memory in warm),
        "binary": paths.castway().stat().st_size,
        "stripped": stripped.stat().st_size,
        "swift_libraries": sum(swift),
        "swift_library_count": len(swift),
        "system_libraries": sum(size for _, size in libraries) - sum(swift),
        "libraries": libraries,
        **many,
    }
    plan.say(
        f"first start {result['first_ms']:.0f} ms, later starts {result['warm_ms']:.0f} ms, "
        f"{result['rss'] / 1024:.1f} MiB; {result['stripped'] / 1e6:.1f} MB stripped "
        f"and {result['swift_libraries'] / 1e6:.1f} MB of Swift's libraries; "
        f"{MANY} devices in {result['many_ms']:.0f} ms, {result['per_device']:.0f} KiB each"
    )
    return result
