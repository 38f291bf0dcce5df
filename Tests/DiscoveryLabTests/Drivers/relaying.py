"""One Castway finds another's virtual device, relays to it, and finds it again when it has moved."""

from __future__ import annotations

from lab import Lab, expect, main

FAR = """virtual_devices:
  - {name: hall, friendly_name: Great hall, listen: "0.0.0.0:8009", target: local}
"""
NEAR = """virtual_devices:
  - {name: foyer, friendly_name: Foyer, listen: "127.0.0.1:8019", target: {device: Great hall}}
"""


def scenario() -> None:
    with Lab(2) as lab:
        near = lab.gateway(2, "near", NEAR)
        near.message("Searching")
        lab.gateway(1, "far", FAR)
        near.message("Device found", name="Great hall")
        near.message("Device online", target="Great hall")
        lab.on(2, lab.castway, "cast", "127.0.0.1:8019", "load", "http://192.0.2.1/film.mp4", "--title", "Film")
        lab.address(1, "del", "10.77.0.1/24")
        lab.address(1, "add", "10.77.0.41/24")
        near.message("Device online", target="Great hall", address="10.77.0.41:8009", seconds=40)
        status = lab.on(2, lab.castway, "cast", "127.0.0.1:8019", "status")
        expect("Film" in status, f"what plays behind the relay: {status}")


if __name__ == "__main__":
    main(scenario)
