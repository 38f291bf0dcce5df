"""Who asks the network for devices, and when: seen on the wire."""

from __future__ import annotations

import contextlib
import json
import queue
import sys
import time
from pathlib import Path

from lab import Lab, Program, expect, main

LISTENER = "10.77.0.2"
PASSIVE, ACTIVE = "10.77.0.1", "10.77.0.3"
QUESTION = ["_googlecast._tcp.local.", 12]
QUIET = (35, 58)
"""After so many seconds, and before, the daemon asks nothing of its own: it did after 31 s, and does after 63 s."""


class Wire:
    """The questions for Cast devices, by the host that asks."""

    def __init__(self, lab: Lab) -> None:
        script = str(Path(__file__).with_name("wire.py"))
        self.program = lab.program(2, Program, "wire", sys.executable, script, "listen", LISTENER)
        self.program.line(lambda line: line == "ready", 15, "ready")
        self.questions: list[tuple[str, float]] = []

    def count(self, host: str, since: float) -> int:
        with contextlib.suppress(queue.Empty):
            while (line := self.program.lines.get_nowait()) is not None:
                message = json.loads(line)
                if not message["response"] and QUESTION in message["questions"]:
                    self.questions.append((message["from"], message["time"]))
        return sum(1 for asker, instant in self.questions if asker == host and instant >= since)


def scenario() -> None:
    with Lab(3, avahi=[1, 3]) as lab:
        wire = Wire(lab)
        start = time.monotonic()
        passive = lab.gateway(1, "passive", "discovery: {mdns: {passive: true}}")
        active = lab.gateway(3, "active", "discovery: {mdns: {passive: false}}")
        passive.message("Searching")
        active.message("Searching")
        ready = time.monotonic()
        time.sleep(max(0.0, ready + QUIET[0] - time.monotonic()))
        # One of the two is enough: a daemon does not ask what it has heard another ask.
        expect(
            wire.count(PASSIVE, start) + wire.count(ACTIVE, start) > 0, "the daemon asks when a gateway begins to search"
        )
        since = time.monotonic()
        time.sleep(max(0.0, start + QUIET[1] - time.monotonic()))
        expect(wire.count(PASSIVE, since) == 0, f"a passive gateway asks nothing: {wire.questions}")
        asked = wire.count(ACTIVE, since)
        expect(2 <= asked <= 3, f"an active gateway asks every ten seconds, and has {asked} times: {wire.questions}")

        # A call asks, whatever the gateway does by itself.
        since = time.monotonic()
        path = str(lab.folder / "passive.yaml")
        lab.say(1, lab.castway, "call", "device.find", "id=Absent", "timeout=2", "--config", path)
        expect(wire.count(PASSIVE, since) == 1, f"device.find asks once: {wire.questions}")


if __name__ == "__main__":
    main(scenario)
