"""An unmodified pychromecast finds the virtual devices of a gateway by zeroconf."""

from __future__ import annotations

import json
import sys
import uuid
from pathlib import Path

from lab import Lab, expect, main

DEVICES = """virtual_devices:
  - name: hall
    friendly_name: Große Halle — links
    listen: 0.0.0.0:8009
    target: local
    setup: {http: "0.0.0.0:8008", https: "0.0.0.0:8443"}
  - {name: bath, friendly_name: Bath, model: Google Nest Mini, listen: "0.0.0.0:8010", target: local}
"""


def scenario() -> None:
    with Lab(2) as lab:
        watch = lab.watch(2)
        lab.gateway(1, "first", DEVICES)
        bath = watch.device(friendlyName="Bath")
        hall = watch.device(friendlyName="Große Halle — links")
        script = str(Path(__file__).with_name("zeroconf_sender.py"))
        lines = lab.on(2, sys.executable, script, "Große Halle — links", "Bath", seconds=60).splitlines()
        seen = json.loads(lines[0])
        expect(
            seen["Große Halle — links"] == [str(uuid.UUID(hall["deviceId"])), "Chromecast", "10.77.0.1", 8009],
            f"the one: {seen}",
        )
        expect(
            seen["Bath"] == [str(uuid.UUID(bath["deviceId"])), "Google Nest Mini", "10.77.0.1", 8010],
            f"the other: {seen}",
        )
        expect(lines[1] in ("Film", "CC1AD845"), f"what plays: {lines}")
        watch.device(friendlyName="Große Halle — links", status="busy")


if __name__ == "__main__":
    main(scenario)
