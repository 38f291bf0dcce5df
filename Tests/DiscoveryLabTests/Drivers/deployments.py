"""The deployments of Docs/passthrough.md, between networks that only a gateway without forwarding connects.

With `check` it says only why they cannot be tried here.

Host 1 is the gateway, hosts 2 and 3 are the screens, host 4 is a phone, which is moved from one network of senders to the next.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from lab import ROOT, SCRIPT, Failure, Gateway, Lab, Program, expect, main

ENDS = str(Path(__file__).with_name("ends.py"))
EXAMPLES = ROOT / "Docs" / "examples"
PORT, STREAM = 8009, 41234
NFT = shutil.which("nft") or "/usr/sbin/nft"
IDS = {2: "a" * 32, 3: "b" * 32}


def obstacle() -> str | None:
    """Why rules cannot be tried here; None when they can."""
    if os.geteuid() != 0:
        return "not root"
    for tool in (NFT, "setpriv", "openssl"):
        if not shutil.which(tool):
            return f"{tool} is not installed (packages: nftables, util-linux, openssl)"
    rules = (
        "table inet castway_try { chain c { type filter hook prerouting priority mangle; socket transparent 0 accept; "
        "meta l4proto udp tproxy ip to 127.0.0.1:8024 accept; }; }")
    tried = subprocess.run(
        ["unshare", "-n", NFT, "-f", "-"], input=rules, capture_output=True, text=True, timeout=20)
    return f"the kernel takes no such rules: {tried.stderr.strip()}" if tried.returncode else None


def ip(lab: Lab, host: int | str, *arguments: str) -> None:
    space = f"{lab.environment['CASTWAY_LAB_NAME']}-{host}"
    subprocess.run(["ip", "-n", space, *arguments], check=True, timeout=10)


def connect(lab: Lab, interface: str, *addresses: str) -> None:
    """Makes a network of senders, and the gateway's end of it."""
    ip(lab, "switch", "link", "add", interface, "type", "bridge", "mcast_snooping", "0", "forward_delay", "0")
    ip(lab, "switch", "link", "set", interface, "up")
    switch, gateway = (f"{lab.environment['CASTWAY_LAB_NAME']}-{name}" for name in ("switch", "1"))
    subprocess.run(
        ["ip", "link", "add", f"p-{interface}", "netns", switch, "type", "veth", "peer", "name", interface, "netns",
         gateway], check=True, timeout=10)
    ip(lab, "switch", "link", "set", f"p-{interface}", "master", interface, "up")
    ip(lab, 1, "link", "set", interface, "up")
    for address in addresses:
        ip(lab, 1, "address", "add", address, "dev", interface)


def move(lab: Lab, interface: str, address: str, host: int = 4) -> None:
    """Puts the phone into a network of senders; it has no way into any other."""
    lab.run("no-avahi", str(host))
    ip(lab, "switch", "link", "set", f"port{host}", "master", interface)
    ip(lab, host, "address", "flush", "dev", "eth0")
    ip(lab, host, "address", "add", address, "dev", "eth0")
    lab.run("avahi", str(host))


def example(lab: Lab, name: str, screens: str) -> str:
    """A deployment as it is written, with the interface of the lab and without hours, since a test may run at any time."""
    text = (EXAMPLES / f"{name}.yaml").read_text().replace(screens, "eth0")
    text = text[text.index("\nversion:") + 1 :]
    text = re.sub(r', during: \["[^"]*"\]', "", text)
    state = lab.folder / f"{name}-state"
    return text.replace("gateway: {", f"gateway: {{state_directory: {state}, ", 1)


def start(lab: Lab, name: str, text: str, is_handed: bool) -> Gateway:
    """Sets the rules, and runs a gateway: without any right, or with all of them."""
    path = lab.configuration(name, text)
    rules = lab.on(1, lab.castway, "mirroring", "rules", "--config", path)
    (lab.folder / "rules").write_text(rules)
    # Twice: they replace those that are there.
    for _ in range(2):
        lab.on(1, NFT, "-f", str(lab.folder / "rules"))
    command = ["sh", "-c", 'exec "$0" run --config "$1" 2>&1', lab.castway, path]
    if is_handed:
        command = ["python3", ENDS, "handed", *command]
    gateway = lab.program(1, Gateway, f"castway run ({name})", *command)
    ready(gateway, text)
    return gateway


def ready(gateway: Gateway, text: str) -> None:
    """Waits until streams are taken and each screen is there; these come in any order."""
    missing = set(re.findall(r"^  - name: (\S+)$", text, re.M)) | {"streams"}

    def said(line: str) -> bool:
        with contextlib.suppress(ValueError):
            entry = json.loads(line)
            if entry["msg"] == "The device is there":
                missing.discard(entry["device"])
            elif entry["msg"] == "Streams of mirroring senders are taken":
                missing.discard("streams")
        return not missing

    gateway.line(said, 60, "the screens and the streams")


def end(lab: Lab, gateway: Gateway) -> None:
    gateway.stop(30)
    lab.on(1, NFT, "delete", "table", "inet", "castway_mirroring")


class Sender(Program):
    """The phone at one address of the gateway."""

    def __init__(self, lab: Lab, host: str) -> None:
        command = [str(SCRIPT), "in", "4", "python3", ENDS, "sender", host, str(PORT), str(STREAM)]
        self.what = f"the phone at {host}"
        super().__init__(command, lab.environment, self.what)
        lab.stack.callback(lab.end, self)

    def said(self, key: str) -> dict:
        def find(line: str):
            said = json.loads(line)
            return said if key in said or "refused" in said else None

        return self.line(find, 60, key)


def plays(lab: Lab, gateway: Gateway, host: str, certificate: str) -> None:
    """A phone reaches a screen: its own certificate by TLS, and datagrams both ways, as long as it is connected."""
    sender = Sender(lab, host)
    before = sender.said("before")
    expect(before["before"] == 0, f"nothing passes before the phone is connected: {before}")
    hello = sender.said("certificate")
    expect(hello.get("certificate") == certificate and hello.get("echo") == "hello", f"the screen's own channel: {hello}")
    during = sender.said("during")
    expect(during.get("during") == 10, f"datagrams both ways: {during}")
    gateway.message("A mirrored stream has ended", reason="sender_gone")
    sender.stop()
    later = json.loads(lab.on(4, "python3", ENDS, "mirror", host, str(STREAM)))
    expect(later["count"] == 0, f"nothing passes when the phone has gone: {later}")


def refused(lab: Lab, host: str) -> None:
    sender = Sender(lab, host)
    said = sender.said("certificate")
    expect("refused" in said, f"the phone is turned away: {said}")
    sender.stop()


def seen(lab: Lab, name: str, address: str) -> None:
    deadline = time.monotonic() + 30
    while (records := lab.records(4)).get(name, {}).get("address") != address:
        expect(time.monotonic() < deadline, f"{name} is announced at {address}: {records}")


def screens(lab: Lab) -> dict[int, str]:
    """Two screens, and the certificates that they have."""
    certificates = {}
    for host in (2, 3):
        screen = lab.program(
            host, Program, "a screen", "python3", ENDS, "device", str(lab.folder), str(PORT), str(STREAM))
        # Both write into one folder; the second begins when the first has done so.
        certificates[host] = screen.line(lambda line: json.loads(line)["certificate"], 60, "a certificate")
        lab.device(host, f"screen-{host}", PORT, id=IDS[host], fn=f"Screen {host}", md="Chromecast", ve="05", ca="4101")
    return certificates


def hotel(lab: Lab, certificates: dict[int, str]) -> None:
    gateway = start(lab, "hotel", example(lab, "hotel", "screens0"), is_handed=True)
    move(lab, "room12", "10.20.12.7/24")
    refused(lab, "10.20.12.1")
    configuration = str(lab.folder / "hotel.yaml")
    code = json.loads(lab.on(1, lab.castway, "code", "create", "room-12", "--config", configuration, "--json"))
    digits = re.sub(r"\D", "", code["code"])
    lab.on(
        1, lab.castway, "call", "join_code.redeem", f"code={digits}", "address=10.20.12.7", "--config", configuration)
    plays(lab, gateway, "10.20.12.1", certificates[2])
    seen(lab, "Screen 2", "10.20.12.1")
    # The guest of the next room has no code, and no way to this room.
    move(lab, "room13", "10.20.13.7/24")
    refused(lab, "10.20.13.1")
    seen(lab, "Screen 3", "10.20.13.1")
    expect("Screen 2" not in lab.records(4), "a guest sees the screen of the own room alone")
    end(lab, gateway)


def school(lab: Lab, certificates: dict[int, str]) -> None:
    gateway = start(lab, "school", example(lab, "school", "screens0"), is_handed=False)
    move(lab, "pupils0", "10.30.1.7/16")
    plays(lab, gateway, "10.30.0.11", certificates[2])
    plays(lab, gateway, "10.30.0.12", certificates[3])
    seen(lab, "Screen 2", "10.30.0.11")
    seen(lab, "Screen 3", "10.30.0.12")
    end(lab, gateway)


def home(lab: Lab, certificates: dict[int, str]) -> None:
    gateway = start(lab, "two-vlans", example(lab, "two-vlans", "things0"), is_handed=True)
    move(lab, "home0", "10.40.0.7/24")
    plays(lab, gateway, "10.40.0.5", certificates[2])
    seen(lab, "Screen 2", "10.40.0.5")
    end(lab, gateway)


def scenario() -> None:
    if trouble := obstacle():
        raise Failure(f"deployments cannot be tried: {trouble}")
    os.environ["CASTWAY_LAB_INTERFACES"] = "eth0,room12,room13,pupils0,home0"
    os.environ["CASTWAY_LAB_IPV6"] = "no"
    with Lab(4, avahi=[2, 3]) as lab:
        for interface, addresses in {
            "room12": ["10.20.12.1/24"], "room13": ["10.20.13.1/24"], "pupils0": ["10.30.0.11/16", "10.30.0.12/16"],
            "home0": ["10.40.0.5/24"],
        }.items():  # fmt: skip
            connect(lab, interface, *addresses)
        lab.run("avahi", "1")
        expect(lab.on(1, "cat", "/proc/sys/net/ipv4/ip_forward") == "0\n", "nothing is forwarded")
        certificates = screens(lab)
        for deployment in (hotel, school, home):
            deployment(lab, certificates)


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        sys.exit(obstacle())
    main(scenario)
