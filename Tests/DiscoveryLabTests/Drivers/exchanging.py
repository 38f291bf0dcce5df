"""Two devices exchange their addresses, as after a router has restarted, and announce that: no command for one reaches the other."""

from __future__ import annotations

import json
import os
import threading

from lab import Failure, Gateway, Lab, expect, main

ADDRESSES = ["10.77.0.1/24", "10.77.0.2/24"]
LEVELS = {"Kitchen": 0.2, "Hall": 0.8}
NEAR = """connections: {heartbeat: {interval: 1s, timeout: 2s}, reconnect: {initial: 50ms, max: 200ms}}
virtual_devices:
  - {name: v-kitchen, listen: "127.0.0.1:8019", target: {device: Kitchen}, publish: false}
  - {name: v-hall, listen: "127.0.0.1:8020", target: {device: Hall}, publish: false}
"""


def far(name: str) -> str:
    return f"""virtual_devices:
  - {{name: {name.lower()}, friendly_name: {name}, listen: "0.0.0.0:8009", target: local}}
"""


def online(near: Gateway) -> None:
    """Waits until both devices are online, in whichever order."""
    missing = set(LEVELS)
    while missing:
        missing.discard(near.message("Device online", seconds=90)["target"])


def commanded(devices: dict[str, Gateway]) -> None:
    """Waits until each device has been told something."""
    for gateway in devices.values():
        gateway.message("Volume", type="SET_VOLUME")


def scenario() -> None:
    rounds = int(os.environ.get("ROUNDS", "1"))
    with Lab(3) as lab:
        near = lab.gateway(3, "near", NEAR)
        near.message("Searching")
        devices = {name: lab.gateway(host, name.lower(), far(name)) for host, name in enumerate(LEVELS, 1)}
        online(near)
        ends = threading.Event()

        def command(name: str) -> None:
            path = str(lab.folder / "near.yaml")
            while not ends.is_set():
                text = json.dumps({"device": f"real:{name}", "level": LEVELS[name]})
                try:
                    lab.on(3, lab.castway, "call", "--config", path, "volume.set", "--input", text)
                except Failure:
                    pass
                ends.wait(0.05)

        threads = [threading.Thread(target=command, args=(name,), daemon=True) for name in LEVELS]
        for thread in threads:
            thread.start()
        commanded(devices)
        places = [0, 1]
        try:
            for _ in range(rounds):
                for host in (1, 2):
                    lab.address(host, "del", ADDRESSES[places[host - 1]])
                places.reverse()
                for host in (1, 2):
                    lab.address(host, "add", ADDRESSES[places[host - 1]])
                online(near)
                commanded(devices)
        finally:
            ends.set()
            for thread in threads:
                thread.join(30)
        for name, gateway in devices.items():
            heard = volumes(gateway)
            expect(heard == {LEVELS[name]}, f"{name} was told the levels {heard}; {near.story()}")


def volumes(gateway: Gateway) -> set[float]:
    """Every level that the device was told, as its log says."""
    gateway.stop()
    gateway.thread.join(10)
    lines = list(gateway.seen)
    while not gateway.lines.empty():
        line = gateway.lines.get()
        if line is not None:
            lines.append(line)
    levels = set()
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if entry.get("type") == "SET_VOLUME" and "volume" in entry:
            levels.add(round(float(entry["volume"]), 2))
    return levels


if __name__ == "__main__":
    main(scenario)
