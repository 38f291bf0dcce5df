"""(a) The relay: round trips through nginx, HAProxy and Castway, beside the device alone."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from . import load, subjects
from .plan import Plan
from .subjects import Subject

CLOSED = [  # connections, bytes, depth
    (1, 500, 1),
    (1, 500, 32),
    (32, 500, 1),
    (32, 500, 32),
    (32, 8000, 1),
    (32, 8000, 32),
    (1, 8000, 1),
    (1, 8000, 32),
    (1000, 500, 1),
    (1000, 8000, 1),
]
QUICK = [(32, 500, 1), (32, 500, 32)]
RATE = 1000


def _start(stack: ExitStack, folder: Path) -> list[Subject]:
    files = subjects.certificate(folder)
    device, port = load.device(folder, files)
    stack.enter_context(device)
    found = [
        Subject("direct", [port], None),
        subjects.nginx(folder, files, port),
        subjects.haproxy(folder, port),
        subjects.castway(folder, port, relays=1),
    ]
    for subject in found:
        if subject.process:
            stack.enter_context(subject.process)
    return found


def _rounds(found: list[Subject], plan: Plan, **options: float) -> dict[str, load.Result]:
    """The medians of interleaved rounds, by subject."""
    runs: dict[str, list[load.Result]] = {subject.name: [] for subject in found}
    for _ in range(plan.rounds):
        for subject in found:
            result = load.run("send", subject.ports, watch=subject.watched, warmup=plan.warmup, **options)
            if result["watched_cpu_us"]:
                messages = 2 * max(1, result["round_trips"])
                result["cpu_per_message"] = result["watched_cpu_us"][0] / messages
            result["own_cpu_per_message"] = result["own_cpu_us"] / (2 * max(1, result["round_trips"]))
            del result["watched_cpu_us"]
            runs[subject.name].append(result)
    return {name: load.medians(results) for name, results in runs.items()}


def measure(plan: Plan, folder: Path) -> dict:
    """Runs all scenarios."""
    scenarios = []
    with ExitStack() as stack:
        found = _start(stack, folder)
        for connections, size, depth in QUICK if plan.is_quick else CLOSED:
            results = _rounds(found, plan, connections=connections, size=size, depth=depth, seconds=plan.seconds)
            scenarios.append({"connections": connections, "size": size, "depth": depth, "results": results})
            plan.say(_summary(scenarios[-1]))
        for connections in (1, 32):
            # Longer, since a rare latency needs many messages to show.
            results = _rounds(found, plan, connections=connections, size=500, rate=RATE, seconds=3 * plan.seconds)
            scenarios.append({"connections": connections, "size": 500, "rate": RATE, "results": results})
            plan.say(_summary(scenarios[-1]))
    return {"scenarios": scenarios}


def scenario(part: dict, **wanted: int) -> dict | None:
    """The scenario with these properties, if it was measured."""
    for found in part["scenarios"]:
        if all(found.get(key) == value for key, value in wanted.items()):
            return found
    return None


def _summary(scenario: dict) -> str:
    load_text = f"depth {scenario['depth']}" if "depth" in scenario else f"{scenario['rate']}/s"
    text = f"{scenario['connections']} x {scenario['size']} B, {load_text}:"
    nginx = scenario["results"]["nginx"]["cpu_per_message"]
    for name, result in scenario["results"].items():
        text += f"\n    {name:8} {result['per_second']:9.0f} rt/s"
        if "cpu_per_message" in result:
            text += f"  {result['cpu_per_message']:6.2f} us/message ({result['cpu_per_message'] / nginx:.2f})"
        else:
            text += f"  {'':23}"
        latency = result["latency_us"]
        text += f"  p50 {latency['p50']:.0f} p99 {latency['p99']:.0f} p99.9 {latency['p999']:.0f} us"
        bad = {key: result[key] for key in ("rejected", "lost", "unexpected", "closed") if result[key]}
        text += f"  {bad}" if bad else ""
    return text
