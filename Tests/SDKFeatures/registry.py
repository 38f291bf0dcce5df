"""The checks: functions that say which rows of the feature list they show, and by which ways in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from world import World

WAYS = ("api", "events", "socket", "cli", "sender", "mqtt", "webhook", "yaml", "wire", "log")
"""HTTP, server-sent events, WebSocket, command line, pychromecast, a broker, a back end, gateway.yaml, the device's wire, the log."""

OUTSIDE = {"api", "events", "socket", "cli", "sender"}
"""The ways in that a program has which knows nothing of Castway's insides."""

Body: TypeAlias = "Callable[[World], None]"


@dataclass
class Check:
    """One function that runs against the built program."""

    name: str
    rows: list[int]
    ways: list[str]
    run: Body
    says: str
    module: str
    failure: str | None = None
    seconds: float = 0.0
    was_run: bool = field(default=False)
    skipped: str | None = None
    """Why it cannot be run on this machine."""

    @property
    def is_shown(self) -> bool:
        return self.was_run and self.failure is None and self.skipped is None

    @property
    def label(self) -> str:
        return f"Tests/SDKFeatures/{self.module}.py {self.name}"


class Skipped(Exception):
    """This machine lacks what the check takes; its rows need tests beside it."""


CHECKS: list[Check] = []


def row(*rows: int, way: str) -> Callable[[Body], Body]:
    """Says that the function shows the rows, by the ways in whose words stand in `way` with commas between them."""
    ways = way.split(",")
    unknown = set(ways) - set(WAYS)
    if unknown or not set(ways) & OUTSIDE:
        raise ValueError(f"rows {rows}: {way} names no way in that there is")

    def keep(body: Body) -> Body:
        says = " ".join((body.__doc__ or "").split())
        if not says:
            raise ValueError(f"{body.__name__} does not say what it shows")
        CHECKS.append(Check(body.__name__, list(rows), ways, body, says, body.__module__))
        return body

    return keep


def same(seen: object, wanted: object, what: str) -> None:
    """Fails unless both are equal, and says what was seen."""
    if seen != wanted:
        raise AssertionError(f"{what}: {seen!r} and not {wanted!r}")


def near(seen: object, wanted: float, what: str, by: float = 0.001) -> None:
    """Fails unless a number is as near as that."""
    if not isinstance(seen, int | float) or abs(seen - wanted) > by:
        raise AssertionError(f"{what}: {seen!r} and not about {wanted}")


def has(seen: object, wanted: Mapping[str, object], what: str) -> None:
    """Fails unless an object has these members with these values; it may have others."""
    if not isinstance(seen, dict):
        raise AssertionError(f"{what}: {seen!r} is no object")
    wrong = {key: seen.get(key) for key, value in wanted.items() if seen.get(key) != value}
    if wrong:
        raise AssertionError(f"{what}: {wrong!r} and not { {key: wanted[key] for key in wrong}!r}")


def true(holds: object, what: str) -> None:
    """Fails unless something holds."""
    if not holds:
        raise AssertionError(what)
