"""What is reported of senders that are passed through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .tables import added, short, table, whole

Results = dict[str, Any]
TROUBLE = {"rejected": "refused", "lost": "lost", "unexpected": "unexpected", "closed": "closed"}


def _idle(part: Results) -> str:
    rows = [
        [
            f"{row['name']}, {row['kind']}",
            whole(row["senders"]),
            f"{row['per_sender'] * 1.024:.1f}",
            f"{row['private_per_sender'] * 1.024:.1f}",
            f"{row['pss'] / 1024:.1f}",
            f"{100 * row['alone_cpu']:.2f} %",
            f"{100 * row['cpu']:.2f} %",
            f"{row['alone_wakes']:.1f}",
            f"{row['wakes']:.1f}",
            whole(row["closed"]),
        ]
        for row in part["idle"]
    ]
    head = ["", "senders", "RSS, kB each", "private, kB each", "PSS, MiB", "CPU without", "CPU with", "wakes/s without", "wakes/s with", "closed"]
    return table(head, rows)


def _messages(row: Results) -> str:
    results = row["results"]
    direct, nginx = results["direct"], results["nginx"]
    rows = []
    for name, result in results.items():
        latency, base, is_direct = result["latency_us"], direct["latency_us"], name == "direct"
        trouble = ", ".join(f"{whole(result[key])} {word}" for key, word in TROUBLE.items() if result[key]) or "none"
        cost = result["cpu_per_message"]
        rows.append(
            [
                name,
                whole(result["per_second"]),
                *(["–", "–"] if is_direct else [short(cost), f"{cost / nginx['cpu_per_message']:.2f}"]),
                *(short(latency[key]) if is_direct else added(latency[key], base[key]) for key in ("p50", "p99")),
                short(result["own_cpu_per_message"]),
                f"{result['open_seconds']:.2f}",
                trouble,
            ]
        )
    pace = f"depth {row['depth']}" if "depth" in row else f"{row['rate']:,} round trips/s in all"
    head = ["", "round trips/s", "CPU µs/message", "to nginx", "p50 µs", "p99 µs", "generator µs", "all connected in s", "trouble"]
    return f"**{row['senders']:,} senders, {pace}**\n\n{table(head, rows)}"


def render(part: Results) -> str:
    """The tables of the part."""
    kills = [
        [name, whole(found["count"]), short(found["cut_ms"]), short(found["back_ms"]), short(found["worst_ms"])]
        for name, found in part["kills"].items()
    ]
    head = ["", "kills", "cut after ms at most", "back after ms", "the slowest of these"]
    return "\n\n".join([_idle(part), *(_messages(row) for row in part["messages"]), table(head, kills)])


def targets(part: Results) -> Iterator[tuple[str, str, str, bool]]:
    """Each promise of these results: what, the target, what was measured, whether it is held."""
    for row in part["idle"]:
        if row["name"] == "Castway" and row["kind"] == "silent" and row["senders"] == 1000:
            each, more = row["per_sender"] * 1.024, max(0, 100 * (row["cpu"] - row["alone_cpu"]))
            yield "memory for each of 1,000 spliced senders", "≤ 20 kB", f"{each:.1f} kB", each <= 20
            yield "CPU more for 1,000 splices that are idle", "≤ 0.01 %", f"{more:.3f} %", more <= 0.01
    worst = part["kills"]["Castway"]["worst_ms"]
    yield "a spliced sender is back behind a kill of the gateway", "≤ 1,000 ms", f"{whole(worst)} ms", worst <= 1000
