"""The bounds of a run, and its summary."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from ledger import Ledger, percentile
from measure import LARGEST_GROWTH, MEGABYTE, Sample, slope

LARGEST_SLOPE = 1.0
"""Megabytes in ten minutes."""
SHORTEST_SLOPE = 480.0
"""Seconds of samples from which a slope says something; below, allocators still settle."""
LARGEST_OUTBOX = 16 * MEGABYTE
"""Of the outbox's files in a quiet moment, when nothing waits: what a fault of some seconds has filled is given back in part only."""
MORE_THREADS = 2
"""How many more than at the start or after the warm-up, whichever was more: libdispatch starts threads of its pool as the
moment needs them, and ends them after some seconds, so that the number in quiet moments goes up and down by three."""


def judge_resources(
    ledger: Ledger, samples: list[Sample], quiets: list[Sample], warm_until: float, *, attacked: bool
) -> dict[str, float]:
    """Holds memory and threads against their bounds; what was measured. Under attack memory goes up and down by hundreds of megabytes, and
    only the quiet moments say whether it grows."""
    later = [sample for sample in samples if sample.time >= warm_until]
    warm, end = quiets[0], quiets[-1]
    growth = slope(later) * 600 / MEGABYTE
    measured = {
        "start": samples[0].memory / MEGABYTE, "warm": warm.memory / MEGABYTE, "end": end.memory / MEGABYTE,
        "largest": max(sample.memory for sample in samples) / MEGABYTE, "slope": growth,
        "span": later[-1].time - later[0].time if later else 0.0,
    }
    if end.memory > LARGEST_GROWTH * warm.memory:
        ledger.breach("memory grew", f"from {measured['warm']:.1f} to {measured['end']:.1f} MB")
    if not attacked and measured["span"] >= SHORTEST_SLOPE and growth > LARGEST_SLOPE:
        ledger.breach("memory grows", f"{growth:.2f} MB in 10 minutes")
    before = max(samples[0].threads, warm.threads)
    if end.threads > before + MORE_THREADS:
        ledger.breach("threads grew", f"from {before} to {end.threads}")
    return measured


def judge_outbox(ledger: Ledger, database: Path, sizes: list[int]) -> None:
    """Nothing is left in the outbox when the gateway has ended, and its files have not grown."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        count = int(connection.execute("SELECT count(*) FROM outbox_message").fetchone()[0])
    if count:
        ledger.breach("messages left in the outbox", f"{count}")
    if sizes and max(sizes) > LARGEST_OUTBOX:
        ledger.breach("the outbox is large", f"{max(sizes)} bytes in a quiet moment")


def summary(ledger: Ledger, memory: dict[str, float], start: Sample, quiets: list[Sample]) -> str:
    lines = [f"{'ACTION':42}{'COUNT':>8}{'P50 ms':>9}{'P99 ms':>9}{'MAX ms':>9}"]
    for action in sorted(ledger.counts):
        seconds = ledger.latencies[action]
        figures = "".join(f"{1000 * percentile(seconds, share):9.1f}" for share in (0.5, 0.99, 1))
        lines.append(f"{action:42}{ledger.counts[action]:8}{figures}")
    lines += ["", f"{'OBSERVED':60}{'COUNT':>8}"]
    lines += [f"{text:60}{count:8}" for text, count in sorted(ledger.notes.items())]
    judged = "" if memory["span"] >= SHORTEST_SLOPE else f" (not judged below {SHORTEST_SLOPE / 60:.0f} minutes)"
    lines += [
        "", "GATEWAY A",
        f"  memory       start {memory['start']:.1f}, warm {memory['warm']:.1f}, end {memory['end']:.1f}, "
        f"largest {memory['largest']:.1f} MB; slope {memory['slope']:+.2f} MB in 10 minutes{judged}",
        f"  descriptors  start {start.descriptors}, in quiet moments {', '.join(str(item.descriptors) for item in quiets)}",
        f"  threads      start {start.threads}, in quiet moments {', '.join(str(item.threads) for item in quiets)}",
    ]
    if ledger.breaches:
        lines += ["", "BREACHES"] + [f"  {kind}: {count}" for kind, count in ledger.breaches.most_common()]
    return "\n".join(lines)
