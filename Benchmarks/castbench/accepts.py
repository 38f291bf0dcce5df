"""(b) TLS handshakes per second, none of them resumed."""

from __future__ import annotations

from pathlib import Path

from . import load, subjects
from .plan import Plan


def measure(plan: Plan, folder: Path) -> dict:
    """One virtual device and two, and nginx, which closes behind the handshake."""
    files = subjects.certificate(folder)
    runs: dict[str, list[load.Result]] = {}
    nginx = subjects.nginx(folder, files, None)
    castway = subjects.castway(folder, 9, locals=2)
    with nginx.process, castway.process:
        cases = [
            ("nginx", nginx, nginx.ports),
            ("Castway, one virtual device", castway, castway.ports[:1]),
            ("Castway, two virtual devices", castway, castway.ports),
        ]
        for _ in range(plan.rounds):
            for name, subject, ports in cases:
                # Many addresses, since each has a limited number of ports to come from.
                result = load.run(
                    "accept",
                    ports,
                    watch=subject.watched,
                    connections=32,
                    sources=200,
                    seconds=2 * plan.seconds,
                    warmup=plan.warmup,
                )
                handshakes = max(1, result["handshakes"])
                result["cpu_per_handshake"] = result["watched_cpu_us"][0] / handshakes
                result["own_cpu_per_handshake"] = result["own_cpu_us"] / handshakes
                del result["watched_cpu_us"]
                runs.setdefault(name, []).append(result)
    results = {name: load.medians(found) for name, found in runs.items()}
    for name, result in results.items():
        plan.say(
            f"{name:30} {result['per_second']:7.0f} handshakes/s, {result['cpu_per_handshake']:.0f} us of CPU each, "
            f"the load generator's {result['own_cpu_per_handshake']:.0f} us, {result['failed']:.0f} failed"
        )
    return {"results": results}
