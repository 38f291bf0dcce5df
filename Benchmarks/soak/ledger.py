"""What was done, how long it took, and what should not have happened."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from pathlib import Path

SHOWN = 20
"""How many breaches of one kind are written down; the rest is counted."""


class Ledger:
    """Counts of a run. Breaches are written to a file as they happen, so that they survive an interruption."""

    def __init__(self, folder: Path) -> None:
        self.began = time.monotonic()
        self.counts: Counter[str] = Counter()
        """Requests by action."""
        self.latencies: defaultdict[str, list[float]] = defaultdict(list)
        """Seconds from request to answer, by action."""
        self.notes: Counter[str] = Counter()
        """What is remarkable and allowed."""
        self.breaches: Counter[str] = Counter()
        self.examples: list[str] = []
        self._file = (folder / "events.log").open("a", buffering=1)

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self.began

    def answered(self, action: str, seconds: float) -> None:
        self.counts[action] += 1
        self.latencies[action].append(seconds)

    def note(self, what: str, count: int = 1) -> None:
        self.notes[what] += count

    def event(self, text: str) -> None:
        """Something of the plan happened; it stands in the log between the breaches, to be compared."""
        self._file.write(f"{self.elapsed:8.2f}  {text}\n")

    def breach(self, kind: str, text: str) -> None:
        """Something happened that must not."""
        self.breaches[kind] += 1
        if self.breaches[kind] > SHOWN:
            return
        line = f"{self.elapsed:8.2f}  BREACH {kind}: {text}"
        self._file.write(line + "\n")
        self.examples.append(line)
        print(line, flush=True)


def percentile(values: list[float], share: float) -> float:
    """A value that this share of the values does not exceed; 0 without values."""
    if not values:
        return 0.0
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
