"""Daemons come late, go and come back, and with them all that is announced and found."""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import subprocess
import threading

from lab import SCRIPT, Failure, Gateway, Lab, expect, main

DEVICES = 'virtual_devices: [{name: hall, friendly_name: Hall, listen: "0.0.0.0:8009", target: local}]'


def scenario() -> None:
    with Lab(2, avahi=[2]) as lab:
        # Neither bus nor daemon: it runs, and says once what it does without.
        gateway = lab.gateway(1, "first", DEVICES)
        gateway.messages("No mDNS", "Listening")
        expect("none" in lab.on(1, lab.castway, "cast", "127.0.0.1", "status"), "the device without mDNS")
        absent = subprocess.run(
            [str(SCRIPT), "in", "1", lab.castway, "devices", "--config", lab.configuration("none", "{}")],
            env=lab.environment, capture_output=True, text=True, timeout=30,
        )  # fmt: skip
        expect(absent.returncode == 69, f"the status without a daemon: {absent}")
        expect("devices cannot be searched for" in absent.stderr, f"what it says: {absent.stderr}")

        watch = lab.watch(2)
        lab.run("avahi", "1")
        gateway.message("Searching")
        gateway.message("Announced")
        hall = watch.device(friendlyName="Hall")

        # The daemon beside the gateway is restarted, and the bus with it.
        lab.run("no-avahi", "1")
        watch.gone(hall)
        lab.run("avahi", "1")
        watch.device(deviceId=hall["deviceId"], isAnnounced=True)
        lab.run("no-bus", "1")
        lab.run("avahi", "1")
        gateway.message("No mDNS")
        gateway.message("Announced", seconds=20)

        # The daemon that hears is restarted: nothing goes, and what changed meanwhile is known afterwards.
        lab.run("no-avahi", "2")
        lab.reload(1, "first", DEVICES.replace("friendly_name: Hall", "friendly_name: Great hall"))
        lab.run("avahi", "2")
        watch.device(friendlyName="Great hall", deviceId=hall["deviceId"])

        # The same device on another host: one of the two has to take another name. It is the one that comes second, unless
        # the other's daemon was too slow to object.
        # (A database that is in use cannot be copied file by file.)
        copy = lab.folder / "second-state"
        copy.mkdir(mode=0o700)
        for database in (lab.folder / "first-state").glob("*.db"):
            with contextlib.closing(sqlite3.connect(database)) as origin:
                with contextlib.closing(sqlite3.connect(copy / database.name)) as target:
                    origin.backup(target)
        second = lab.gateway(2, "second", DEVICES)
        loser, renamed = whoever([gateway, second], "Another has the name")
        expect(renamed["instance"] == f"Chromecast-{hall['deviceId']}-2", f"the other name: {renamed}")
        loser.message("Announced", instance=renamed["instance"])


def whoever(gateways: list[Gateway], text: str) -> tuple[Gateway, dict]:
    """The first of them that says this, and what it said."""
    answers: queue.Queue = queue.Queue()

    def listen(gateway: Gateway) -> None:
        with contextlib.suppress(Failure):
            answers.put((gateway, gateway.message(text)))

    for gateway in gateways:
        threading.Thread(target=listen, args=(gateway,), daemon=True).start()
    try:
        return answers.get(timeout=30)
    except queue.Empty:
        raise Failure(f"nobody says: {text}; {gateways[-1].story()}") from None


if __name__ == "__main__":
    main(scenario)
