"""Home Assistant keeps every device while apps come and go: python-zeroconf takes the record of a subtype for one of the service itself.

    knowing.py             one device: apps, a cut behind the last one's end
    knowing.py many        twenty devices, and a restart of the gateway too
    knowing.py idle        an idle device for 90 minutes, on a clock that is 30 times as fast (takes faketime and three minutes)
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import queue
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lab import Failure, Lab, Program, expect, main

FILM, QUIZ, NOTES = "CC1AD845", "ABCD1234", "DCBA4321"
SUBTYPE = "._sub._googlecast._tcp.local"
PLAIN = "_googlecast._tcp.local."
FOLDER = Path(__file__).parent
GATEWAY, SENDER = "10.77.0.1", "10.77.0.2"
CUT = 25
"""In seconds: longer than a client and the gateway believe in each other."""


def configuration(count: int) -> str:
    return "virtual_devices:\n" + "".join(
        f'  - {{name: room-{number}, friendly_name: Room {number}, listen: "0.0.0.0:{8009 + number}", target: local, '
        f"apps: {{{FILM}: {{player: simulated}}, {QUIZ}: {{namespaces: ['urn:x-cast:com.example.quiz']}}, "
        f"{NOTES}: {{namespaces: ['urn:x-cast:com.example.notes']}}}}}}\n"
        for number in range(count)
    )


class Knowledge(Program):
    """What the senders of a host know at the moment."""

    def __init__(self, *arguments) -> None:
        self.known: dict[str, set[str]] = {"zeroconf": set(), "pychromecast": set()}
        self.connected: set[str] = set()
        self.lost: list[dict] = []
        """Everything that went."""
        super().__init__(*arguments)

    def take(self, line: str) -> None:
        event = json.loads(line)
        by, what, key = event["by"], event["event"], event["key"]
        if by == "client":
            (self.connected.add if what == "CONNECTED" else self.connected.discard)(key)
        elif what == "removed":
            self.known[by].discard(key)
            self.lost.append(event)
        elif what in ("added", "updated"):
            self.known[by].add(key)
            if event.get("services") == 0:
                self.lost.append(event)

    def until(self, condition, seconds: float, meaning: str) -> float:
        """Waits until a condition holds; how long that took."""
        start = time.monotonic()
        self.now()
        if not condition():
            self.line(lambda line: self.take(line) or condition(), seconds, f"{meaning}; {self.summary()}")
        return time.monotonic() - start

    def now(self) -> None:
        """Takes what has happened."""
        with contextlib.suppress(queue.Empty):
            while (line := self.lines.get_nowait()) is not None:
                self.take(line)

    def knows(self, count: int) -> bool:
        return all(len(keys) == count for keys in self.known.values())

    def summary(self) -> str:
        known = ", ".join(f"{by} {len(keys)}" for by, keys in self.known.items())
        return f"known: {known}; connected: {len(self.connected)}; lost so far: {len(self.lost)} {self.lost[:3]}"


class Wire:
    """What passes a host, and what of it must not be said."""

    def __init__(self, lab: Lab) -> None:
        self.program = lab.program(2, Program, "wire", sys.executable, str(FOLDER / "wire.py"), "listen", SENDER)
        self.program.line(lambda line: line == "ready", 15, "ready")
        self.asked: dict[str, float] = {}
        self.answered = 0

    def check(self) -> None:
        """No goodbye of a subtype, and no word of one that was not asked for."""
        with contextlib.suppress(queue.Empty):
            while (line := self.program.lines.get_nowait()) is not None:
                message = json.loads(line)
                if not message["response"]:
                    for name, _ in message["questions"]:
                        self.asked[name.lower()] = message["time"]
                    continue
                for name, _, lifetime, content in message["records"]:
                    if "._sub." not in name or message["from"] != GATEWAY:
                        continue
                    expect(lifetime > 0, f"a goodbye of {name} ({content})")
                    since = message["time"] - self.asked.get(name.lower(), 0)
                    expect(since < 2, f"{name} ({content}) was said without a question")
                    self.answered += 1


def subtype(namespace: str) -> str:
    return f"_%{hashlib.sha1(namespace.encode()).hexdigest().upper()}"


def answers(lab: Lab, label: str, count: int, meaning: str) -> None:
    """Waits until the gateway names so many devices when it is asked for a subtype. The answer is for the one that asks alone, and has room for two."""
    count = min(count, 2)
    arguments = ("ask", SENDER, GATEWAY, label + SUBTYPE, "1.5")
    deadline = time.monotonic() + 10
    while True:
        found = json.loads(lab.on(2, sys.executable, str(FOLDER / "wire.py"), *arguments))
        named = {content for name, kind, _, content in found if kind == 12 and "._sub." in name}
        if min(len(named), 2) == count:
            return
        expect(time.monotonic() < deadline, f"{meaning}: {len(named)} of {count} devices are named")


class Rooms:
    """The apps on all devices at once."""

    def __init__(self, lab: Lab, count: int) -> None:
        self.lab, self.count = lab, count

    def all(self, *command: str) -> None:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda number: self.lab.on(
                3, self.lab.castway, "cast", f"{GATEWAY}:{8009 + number}", *command), range(self.count)))  # fmt: skip


def play(count: int, restarts: bool) -> None:
    with Lab(3, avahi=[1, 3]) as lab:
        wire = Wire(lab)
        gateway = lab.gateway(1, "first", configuration(count))
        knowledge = lab.program(
            2, Knowledge, "zeroconf", sys.executable, str(FOLDER / "zeroconf_knowledge.py"), SENDER
        )
        everything = lambda: knowledge.knows(count) and len(knowledge.connected) == count  # noqa: E731
        knowledge.until(everything, 60, "all devices are known and connected")
        rooms = Rooms(lab, count)

        def check(moment: str) -> None:
            knowledge.now()
            expect(not knowledge.lost and knowledge.knows(count), f"{moment}: {knowledge.summary()}")
            wire.check()

        def run(app: str, namespace: str | None, others: str | None) -> None:
            rooms.all("launch", app)
            # The announcement follows the app within a quarter of a second.
            time.sleep(1)
            check(f"while {app} runs")
            if namespace:
                answers(lab, subtype(namespace), count, f"the namespace of {app} while it runs")
            if others:
                answers(lab, subtype(others), 0, f"the namespace of the app before {app}")

        # Four seconds: the record of an idle device is still in every cache when the app ends.
        run(QUIZ, "urn:x-cast:com.example.quiz", None)
        time.sleep(3)
        rooms.all("quit")
        time.sleep(1)
        check("behind the first app")
        answers(lab, subtype("urn:x-cast:com.example.quiz"), 0, "the namespace of an app that has ended")
        answers(lab, f"_{QUIZ}", count, "an app that the device is configured to have")
        run(NOTES, "urn:x-cast:com.example.notes", None)
        run(QUIZ, "urn:x-cast:com.example.quiz", "urn:x-cast:com.example.notes")
        rooms.all("quit")

        # The set of services is what a client reconnects by.
        lab.cable(1, False)
        time.sleep(CUT)
        lab.cable(1, True)
        took = knowledge.until(everything, 30, "connected again behind the cut")
        check(f"behind a cut of {CUT} s")

        if restarts:
            print(f"behind a cut of {CUT} s: {count} known, connected after {took:.1f} s")
            expect(gateway.stop(30) == 0, "the gateway's end")
            gateway = lab.gateway(1, "first", configuration(count))
            gateway.message("Announced")
            start = time.monotonic()
            knowledge.until(lambda: knowledge.knows(count), 30, "known again behind the restart")
            known = time.monotonic() - start
            knowledge.until(everything, 60, "connected again behind the restart")
            took = time.monotonic() - start
            print(f"behind a restart: {count} known after {known:.1f} s, connected after {took:.1f} s")
            wire.check()

        # Asked by multicast they answer to all: from now on it is the asker's affair.
        expect(len(lab.records(3, f"_{QUIZ}{SUBTYPE.removesuffix('.local')}")) == count, "an answer to all")
        wire.check()
        expect(wire.answered > 0, "the listener hears answers")


def idle() -> None:
    fast = shutil.which("faketime")
    if not fast:
        raise Failure("faketime is not installed")
    with Lab(2, avahi=[1]) as lab:
        lab.gateway(1, "first", configuration(1))
        knowledge = lab.program(
            2, Knowledge, "zeroconf", fast, "-f", "+0 x30", sys.executable,
            str(FOLDER / "zeroconf_knowledge.py"), SENDER, "browse",
        )  # fmt: skip
        knowledge.until(lambda: knowledge.knows(1), 30, "the device is known")
        end = time.monotonic() + 180
        while time.monotonic() < end:
            time.sleep(1)
            knowledge.now()
            expect(not knowledge.lost and knowledge.knows(1), f"an idle device: {knowledge.summary()}")


def scenario() -> None:
    way = sys.argv[1] if len(sys.argv) > 1 else "one"
    if way == "idle":
        idle()
    else:
        play(20 if way == "many" else 1, restarts=way == "many")


if __name__ == "__main__":
    main(scenario)
