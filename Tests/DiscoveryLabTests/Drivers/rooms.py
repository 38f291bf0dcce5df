"""A hotel with more networks than Linux lets one socket into: what is said of it, and that it works once the limit is raised."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from lab import ROOT, Lab, Program, expect, main

ROOMS = 24
PARAMETER = "net.ipv4.igmp_max_memberships"
DEVICE = (
    'virtual_devices: [{name: hall, friendly_name: Hall, listen: "0.0.0.0:8009", target: local, publish: {interfaces: ['
    + ", ".join(f"room{number}" for number in range(1, ROOMS + 1)) + "]}}]"
)  # fmt: skip


class Ears(Program):
    """In which rooms a Cast device was heard to announce itself."""

    rooms: set[str]

    def until(self, count: int, seconds: float) -> None:
        self.rooms = set()

        def heard(line: str) -> bool:
            self.rooms.add(line)
            return len(self.rooms) == count

        self.line(heard, seconds, f"heard in {count} rooms")


def make_rooms(lab: Lab) -> None:
    """A cable from the gateway to each room, whose other end is with the listener."""
    name = lab.environment["CASTWAY_LAB_NAME"]
    for number in range(1, ROOMS + 1):
        for command in (
            f"ip link add room{number} netns {name}-1 type veth peer name seat{number} netns {name}-2",
            f"ip -n {name}-1 address add 10.20.{number}.1/24 dev room{number}",
            f"ip -n {name}-2 address add 10.20.{number}.2/24 dev seat{number}",
            f"ip -n {name}-1 link set room{number} up",
            f"ip -n {name}-2 link set seat{number} up",
        ):
            subprocess.run(command.split(), check=True, timeout=10)
    lab.environment["CASTWAY_LAB_INTERFACES"] = ",".join(["eth0"] + [f"room{n}" for n in range(1, ROOMS + 1)])


def scenario() -> None:
    with Lab(2, avahi=[]) as lab:
        make_rooms(lab)
        script = str(Path(__file__).with_name("wire.py"))

        def ears() -> Ears:
            program = lab.program(2, Ears, "ears", sys.executable, script, "rooms", "seat", ".1")
            program.line(lambda line: line == "ready", 15, "ready")
            return program

        # As the kernel is delivered.
        lab.on(1, "sysctl", "-qw", f"{PARAMETER}=20")
        few = ears()
        lab.run("avahi", "1")
        gateway = lab.gateway(1, "first", DEVICE)
        warning = gateway.message("Devices are neither found nor announced in some network interfaces")
        expect("20 of 26" in warning["reason"] and PARAMETER in warning["advice"], f"what the log says: {warning}")
        few.until(15, 30)
        path = str(lab.folder / "first.yaml")

        def warnings() -> list[str]:
            status = json.loads(lab.say(1, lab.castway, "status", "--json", "--config", path))
            return [warning["code"] for warning in status["warnings"]]

        expect("multicast_limited" in warnings(), f"what castway status says: {warnings()}")
        doctor = lab.say(1, lab.castway, "doctor", "--timeout", "1s", "--config", path)
        expect("20 of 26" in doctor and PARAMETER in doctor, f"what the doctor says: {doctor}")

        # As the file of Castway's package has it.
        setting = (ROOT / "Scripts" / "sysctl.d" / "castway.conf").read_text()
        line = next(line for line in setting.splitlines() if line.startswith(PARAMETER))
        lab.on(1, "sysctl", "-qw", line.replace(" ", ""))
        all_rooms = ears()
        lab.run("no-avahi", "1")
        lab.run("avahi", "1")
        all_rooms.until(ROOMS, 60)
        few.stop()
        expect("multicast_limited" not in warnings(), f"what castway status says then: {warnings()}")
        doctor = lab.say(1, lab.castway, "doctor", "--timeout", "1s", "--config", path)
        expect(PARAMETER not in doctor, f"what the doctor says then: {doctor}")


if __name__ == "__main__":
    main(scenario)
