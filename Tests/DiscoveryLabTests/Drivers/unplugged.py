"""The gateway's own cable is pulled and put in again: it dials the device at once, and a sender that comes meanwhile waits.

Nothing is announced here, and the device knows of nothing: what ends the pause is the kernel's word that the link is back.
"""

from __future__ import annotations

import time

from lab import Lab, Program, expect, main

FAR = """virtual_devices:
  - {name: hall, friendly_name: Great hall, listen: "0.0.0.0:8009", target: local}
"""
# Left alone, the device would be dialled twenty seconds after it was lost.
NEAR = """connections: {heartbeat: {interval: 1s, timeout: 2s}, reconnect: {initial: 20s, max: 60s, jitter: 0}}
sessions: {suspend_after: 1s, wait_for_device: 10s}
discovery: {mdns: {enabled: false}, static: [{name: hall, address: "10.77.0.1:8009"}]}
virtual_devices:
  - {name: foyer, friendly_name: Foyer, listen: "127.0.0.1:8019", target: {device: hall}}
"""
LONGEST = 3.0
"""What may be between the return of the link and the device's being there, in seconds."""


def scenario() -> None:
    with Lab(2, avahi=[]) as lab:
        lab.gateway(1, "far", FAR).message("Listening")
        near = lab.gateway(2, "near", NEAR)
        near.message("Device online", target="hall")
        lab.on(2, lab.castway, "cast", "127.0.0.1:8019", "load", "http://192.0.2.1/film.mp4", "--title", "Film")

        lab.cable(2, False)
        near.message("Device lost")
        # Longer than the senders of the relay are left in the dark: from now on nothing runs, as far as anybody is told.
        time.sleep(2)
        asking = lab.program(2, Program, "castway cast", lab.castway, "cast", "127.0.0.1:8019", "status")
        time.sleep(1)
        back = time.monotonic()
        lab.cable(2, True)
        near.message("Device online", target="hall", seconds=LONGEST + 2)
        took = time.monotonic() - back
        expect(took < LONGEST, f"{took:.2f} s from the link's return until the device was there; {near.story()}")
        asking.line(lambda line: "Film" in line, 10, "what plays")


if __name__ == "__main__":
    main(scenario)
