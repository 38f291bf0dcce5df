"""A device's cable is pulled and put in again: it announces what is known already, and is back at once all the same."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from lab import Lab, Program, expect, main

FAR = """virtual_devices:
  - {name: hall, friendly_name: Great hall, listen: "0.0.0.0:8009", target: local}
"""
# Left alone, the device would be dialled twenty seconds after it was lost.
NEAR = """connections: {heartbeat: {interval: 1s, timeout: 2s}, reconnect: {initial: 20s, max: 60s, jitter: 0}}
virtual_devices:
  - {name: foyer, friendly_name: Foyer, listen: "127.0.0.1:8019", target: {device: Great hall}}
"""
LONGEST = 5.0
"""What may be between the announcement and the device's being there, in seconds."""


def scenario() -> None:
    with Lab(2) as lab:
        near = lab.gateway(2, "near", NEAR)
        near.message("Searching")
        lab.gateway(1, "far", FAR)
        near.message("Device online", target="Great hall")
        script = str(Path(__file__).with_name("announcements.py"))
        heard = lab.program(2, Program, "announcements", sys.executable, script, "10.77.0.2", "10.77.0.1")
        heard.line(lambda line: line == "ready", 15, "ready")

        lab.cable(1, False)
        near.message("Device lost")
        back = time.monotonic()
        lab.cable(1, True)
        announced = heard.line(lambda line: float(line) > back and float(line), 15, "announced again")
        near.message("Device online", target="Great hall", seconds=LONGEST + 2)
        took = time.monotonic() - announced
        expect(took < LONGEST, f"{took:.2f} s from the announcement until the device was there; {near.story()}")


if __name__ == "__main__":
    main(scenario)
