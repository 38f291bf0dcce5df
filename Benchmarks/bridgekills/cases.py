"""The cases: every sequence of kills and starts, and what disks, brokers and back ends do beside dying."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

PARTS = ("gateway", "broker", "back end")
SIGNS = {"gateway": "G", "broker": "B", "back end": "E"}


@dataclass(frozen=True)
class Step:
    """One thing that is done to some parts at an instant."""

    action: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ("−" if self.action == "kill" else "+") + "".join(SIGNS[part] for part in self.parts)


@dataclass(frozen=True)
class Case:
    """A case, by what happens in it."""

    group: str
    name: str
    steps: tuple[Step, ...] = ()
    fault: str = ""
    """What happens instead of kills, by its name in `faults.py`."""
    messages: int = 400
    """Each way."""
    rate: float = 120
    """Messages that senders say in a second."""


def sequences(parts: tuple[str, ...]) -> list[tuple[Step, ...]]:
    """Every order in which each of the parts is killed once and started once after that."""
    found = []
    for order in itertools.permutations([(action, part) for part in parts for action in ("kill", "start")]):
        if all(order.index(("kill", part)) < order.index(("start", part)) for part in parts):
            found.append(tuple(Step(action, (part,)) for action, part in order))
    return found


def name(steps: tuple[Step, ...]) -> str:
    return " ".join(map(str, steps))


FAULTS = {
    "disk full": "the disk is full for 3 s",
    "disk full, gateway killed": "the disk is full for 3 s, and the gateway is killed meanwhile",
    "slow disk": "each fsync takes 100 ms longer",
    "slow disk, gateway killed": "each fsync takes 100 ms longer, and the gateway is killed twice",
    "broker refuses messages": "PUBACK 0x97 (quota exceeded) to every message for 3 s",
    "broker refuses some messages": "PUBACK 0x83 to each fifth message for 3 s",
    "broker refuses connections": "connections end, and CONNACK 0x88 (server unavailable) for 3 s",
    "broker acknowledges nothing": "PUBACKs are withheld for 3 s, then the connection ends",
    "password changed": "the broker wants a password, CONNACK 0x87, for 3 s",
    "back end 500": "500 to every message for 3 s",
    "back end 500 to some": "500 to each tenth message for 3 s",
    "back end 500 to some for long": "500 to each hundredth message for 45 s: those are parked after 30 s, as documented",
    "back end 429": "429 with Retry-After: 2 for 3 s",
    "back end hangs": "the back end accepts, and answers nothing for 5 s",
}


def full() -> list[Case]:
    """All of them."""
    cases = []
    for part in PARTS:
        once = (Step("kill", (part,)), Step("start", (part,)))
        cases.append(Case("one part, three times", f"{name(once)} ×3", once * 3, messages=10_000, rate=400))
    at_once = (Step("kill", PARTS), Step("start", PARTS))
    cases.append(Case("all three at one instant", f"{name(at_once)} ×3", at_once * 3, messages=10_000, rate=400))
    for count in (1, 2, 3):
        for parts in itertools.combinations(PARTS, count):
            cases += [Case(f"every sequence of {' and '.join(parts)}", name(steps), steps) for steps in sequences(parts)]
    cases += [Case("other faults", what, fault=what) for what in FAULTS]
    return cases


def short() -> list[Case]:
    """Some, for the tests."""
    every = sequences(PARTS)
    at_once = (Step("kill", PARTS), Step("start", PARTS))
    cases = [Case("all three at one instant", name(at_once), at_once, messages=200)]
    cases += [Case("some sequences", name(steps), steps, messages=200) for steps in (every[0], every[-1])]
    chosen = ("disk full, gateway killed", "slow disk, gateway killed", "broker refuses messages", "back end 500", "back end 429")
    return cases + [Case("other faults", what, fault=what, messages=200) for what in chosen]
