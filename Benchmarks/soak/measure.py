"""Memory, descriptors and threads of a process over time."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from ledger import Ledger

MEGABYTE = 1024 * 1024
LARGEST_GROWTH = 1.25
"""Memory at the end, as a multiple of that after the warm-up."""


@dataclass(slots=True)
class Sample:
    time: float
    """Seconds since the run began."""
    memory: int
    """Resident bytes."""
    descriptors: int
    threads: int
    is_quiet: bool = False


def count_descriptors(pid: int) -> int:
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except PermissionError:
        # The gateway closes itself to other processes, root's aside. Since Linux 6.2 this is the number; before it is 0.
        return os.stat(f"/proc/{pid}/fd").st_size


def look_at(pid: int, at: float) -> Sample:
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line)
    return Sample(at, int(fields["VmRSS"].split()[0]) * 1024, count_descriptors(pid), int(fields["Threads"]))


def slope(samples: list[Sample]) -> float:
    """Growth of the memory in bytes per second, by least squares; 0 for fewer than three samples."""
    if len(samples) < 3:
        return 0.0
    mean_time = sum(sample.time for sample in samples) / len(samples)
    mean_memory = sum(sample.memory for sample in samples) / len(samples)
    spread = sum((sample.time - mean_time) ** 2 for sample in samples)
    return sum((sample.time - mean_time) * (sample.memory - mean_memory) for sample in samples) / spread


class Meter:
    """Takes a sample every second."""

    def __init__(self, pid: int, ledger: Ledger) -> None:
        self.pid = pid
        self.ledger = ledger
        self.samples: list[Sample] = []
        self.is_quiet = False

    def sample(self) -> Sample:
        sample = look_at(self.pid, self.ledger.elapsed)
        sample.is_quiet = self.is_quiet
        self.samples.append(sample)
        return sample

    async def run(self) -> None:
        while True:
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                self.sample()
            await asyncio.sleep(1)
