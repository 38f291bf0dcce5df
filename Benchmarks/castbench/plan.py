"""How long and how often things are measured."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass
class Plan:
    """The extent of a run."""

    is_quick: bool
    rounds: int
    seconds: float
    warmup: float

    @classmethod
    def full(cls) -> Plan:
        return cls(is_quick=False, rounds=4, seconds=1.3, warmup=0.3)

    @classmethod
    def quick(cls) -> Plan:
        return cls(is_quick=True, rounds=2, seconds=0.8, warmup=0.2)

    def say(self, text: str) -> None:
        """Tells the reader how far it is."""
        print(text, file=sys.stderr, flush=True)
