"""What was sent, what arrived, and what must not be.

A message is written down by its stream and its *turn*: the number of the transmission in its stream. A sender that does not know
whether a message came through sends it once more in a new turn, under the same number `n`.

What counts as taken:

- chat, from a sender to both destinations: a turn on a connection, of which that turn or a later one has arrived at either. The gateway takes what
  comes on one connection in its order, and carries only what was committed; so all before what has arrived stood in the outbox for both.
- orders, to the app: what `kept: true`, `ok: true` or the app's own answer has confirmed. One that was only sent, to an app that ran, counts when
  the gateway was not killed within a second of saying so.
"""

from __future__ import annotations

import bisect
from collections.abc import Set
from dataclasses import dataclass, field

SENT_MARGIN = 1.0
"""Seconds within which a killed gateway may have had what it sent in its socket."""


@dataclass
class Heard:
    """What has arrived of one stream at one place."""

    first: dict[int, str] = field(default_factory=dict)
    """The id with which each turn came first."""
    order: list[int] = field(default_factory=list)
    """The turns in the order of their first arrival."""
    largest: int = 0
    """The largest number that has arrived."""
    duplicates: int = 0
    other_ids: list[tuple[int, str, str]] = field(default_factory=list)

    def arrive(self, turn: int, number: int, id: str) -> bool:
        """True for a first arrival."""
        self.largest = max(self.largest, number)
        if turn in self.first:
            self.duplicates += 1
            if self.first[turn] != id:
                self.other_ids.append((turn, self.first[turn], id))
            return False
        self.first[turn] = id
        self.order.append(turn)
        return True

    def overtaken(self, refused: Set[str] = frozenset()) -> list[int]:
        """The turns that arrived after a later one: as few as explain the order, the rest is an ascending sequence. Messages with the
        ids of `refused` are left out, and may have arrived at any time."""
        tails: list[int] = []
        back: dict[int, int | None] = {}
        at: list[int] = []
        order = [turn for turn in self.order if self.first[turn] not in refused]
        for turn in order:
            place = bisect.bisect_left(tails, turn)
            back[turn] = at[place - 1] if place else None
            if place == len(tails):
                tails.append(turn)
                at.append(turn)
            else:
                tails[place] = turn
                at[place] = turn
        longest: set[int] = set()
        turn = at[-1] if at else None
        while turn is not None:
            longest.add(turn)
            turn = back[turn]
        return [turn for turn in order if turn not in longest]


@dataclass
class Chat:
    """A stream of a sender, which arrives at two places."""

    name: str
    heard: dict[str, Heard] = field(default_factory=lambda: {"back end": Heard(), "broker": Heard()})
    connections: list[range] = field(default_factory=list)
    """The turns that were sent on each connection."""
    turns: int = 0

    def taken(self) -> set[int]:
        arrived = sorted(set().union(*(heard.first for heard in self.heard.values())))
        taken: set[int] = set()
        for turns in self.connections:
            place = bisect.bisect_left(arrived, turns.stop)
            if place and arrived[place - 1] >= turns.start:
                taken.update(range(turns.start, arrived[place - 1] + 1))
        return taken

    def missing(self) -> dict[str, list[int]]:
        """The turns that were taken and have not arrived, by place."""
        taken = self.taken()
        return {place: sorted(taken - heard.first.keys()) for place, heard in self.heard.items()}


@dataclass
class Orders:
    """A stream to the app of one device, by the API or by MQTT."""

    name: str
    heard: Heard = field(default_factory=Heard)
    turns: int = 0
    commands: dict[str, list[int]] = field(default_factory=dict)
    """The turns of each command: several where it was repeated under one `id`, of which the gateway carries one out."""
    confirmed: set[str] = field(default_factory=set)
    """The commands that were confirmed for good."""
    said: dict[str, float] = field(default_factory=dict)
    """The commands that were sent to an app, and when the gateway said so."""
    refusals: dict[str, int] = field(default_factory=dict)

    def taken(self, kills: list[float]) -> set[str]:
        safe = {command for command, at in self.said.items() if not any(0 <= kill - at <= SENT_MARGIN for kill in kills)}
        return self.confirmed | safe

    def missing(self, kills: list[float]) -> list[int]:
        return sorted(
            self.commands[command][0] for command in self.taken(kills)
            if not any(turn in self.heard.first for turn in self.commands[command]))


@dataclass
class Figures:
    """One line of the table."""

    sent: int = 0
    taken: int = 0
    arrived: int = 0
    duplicates: int = 0
    out_of_order: int = 0
    lost: int = 0
    gap: float = 0.0

    def __iadd__(self, other: Figures) -> Figures:
        self.sent += other.sent
        self.taken += other.taken
        self.arrived += other.arrived
        self.duplicates += other.duplicates
        self.out_of_order += other.out_of_order
        self.lost += other.lost
        self.gap = max(self.gap, other.gap)
        return self


@dataclass
class Outcome:
    """What came of a case."""

    name: str
    parts: dict[str, Figures] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def total(self) -> Figures:
        whole = Figures()
        for figures in self.parts.values():
            whole += figures
        return whole


class Book:
    """The streams of one case, and when something arrived where."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.chats: dict[str, Chat] = {}
        self.orders: dict[str, Orders] = {}
        self.instants: dict[str, list[float]] = {"back end": [], "broker": [], "app": []}
        self.faults: list[str] = []
        self.refused: set[str] = set()
        """The ids of messages that the back end or the broker has refused."""
        self.seconds: dict[str, float] = {}
        """How long each stream took."""

    def chat_arrived(self, place: str, at: float, id: str, body: dict[str, object]) -> None:
        chat = self.chats.get(str(body.get("s")))
        # What an earlier case has sent may come once more.
        if chat and chat.heard[place].arrive(int(str(body["t"])), int(str(body["n"])), id):
            self.instants[place].append(at)

    def order_arrived(self, at: float, body: dict[str, object]) -> None:
        orders = self.orders.get(str(body.get("s")))
        if orders and orders.heard.arrive(int(str(body["t"])), int(str(body["n"])), ""):
            self.instants["app"].append(at)

    def is_complete(self, kills: list[float]) -> bool:
        return not any(any(chat.missing().values()) for chat in self.chats.values()) and not any(
            orders.missing(kills) for orders in self.orders.values())

    def gap(self, place: str) -> float:
        instants = sorted(self.instants[place])
        return max((later - earlier for earlier, later in zip(instants, instants[1:])), default=0.0)

    def outcome(self, kills: list[float], *, may_overtake: bool = False) -> Outcome:
        """Judges the case. With `may_overtake` messages that were refused may arrive late: they are counted, and no fault."""
        outcome = Outcome(self.name, faults=list(self.faults))
        outcome.notes.append("seconds: " + ", ".join(f"{name} {seconds:.1f}" for name, seconds in self.seconds.items()))
        for place in ("back end", "broker"):
            figures = outcome.parts.setdefault(f"sender → {place}", Figures(gap=self.gap(place)))
            for chat in self.chats.values():
                heard, taken, missing = chat.heard[place], chat.taken(), chat.missing()[place]
                late = heard.overtaken()
                figures += Figures(chat.turns, len(taken), len(heard.first), heard.duplicates, len(late), len(missing))
                if may_overtake:
                    late = heard.overtaken(self.refused)
                self._complain(outcome, f"{chat.name} → {place}", heard, late, missing)
                ids = list(heard.first.values())
                if len(set(ids)) != len(ids):
                    outcome.faults.append(f"{chat.name} → {place}: two messages with one id")
        for way in ("api", "mqtt"):
            figures = outcome.parts.setdefault(f"{'back end' if way == 'api' else 'broker'} → app", Figures())
            for orders in self.orders.values():
                if not orders.name.startswith(way):
                    continue
                late, missing = orders.heard.overtaken(), orders.missing(kills)
                figures += Figures(orders.turns, len(orders.taken(kills)), len(orders.heard.first), orders.heard.duplicates,
                                   len(late), len(missing), self.gap("app"))
                self._complain(outcome, orders.name, orders.heard, late, missing)
                outcome.notes += [f"{orders.name}: {count} x {text}" for text, count in orders.refusals.items()]
        return outcome

    @staticmethod
    def _complain(outcome: Outcome, name: str, heard: Heard, late: list[int], missing: list[int]) -> None:
        if late:
            outcome.faults.append(f"{name}: {len(late)} out of order, the first ones {late[:5]}")
        if missing:
            outcome.faults.append(f"{name}: {len(missing)} lost, the first ones {missing[:5]}")
        if heard.other_ids:
            outcome.faults.append(f"{name}: {len(heard.other_ids)} duplicates with another id, such as {heard.other_ids[0]}")
