#!/usr/bin/env python3
"""Counts the instructions and allocations of a relayed round trip with callgrind; more than limits.json has is a failure.

Counts repeat where seconds do not. One sender, one message at a time, 500 bytes, TLS in and out; what two runs of
different length differ by belongs to the messages, so handshakes and timers do not count. The same is counted beside a
reader of the API's events that wants nothing of these messages, which may cost them little.

    Benchmarks/instructions/run.py FOLDER          checks the castway in FOLDER
    Benchmarks/instructions/run.py FOLDER --write  makes what is measured the new limit
    Benchmarks/instructions/run.py FOLDER --list   says who allocates, too
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import callgrind

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / ".build" / "benchmarks"
LIMITS = HERE / "limits.json"
ATTEMPTS = 5
"""How often it is counted at most. The least counts: other programs can only have the event loops turn more often."""
RATE = 200
SECONDS = (4, 14)

GATEWAY = """
version: 1
gateway: {{state_directory: {folder}/state}}
log: {{level: warning, format: text}}
connections: {{senders: {{messages_per_second: unlimited, new_per_second: unlimited}}}}
discovery: {{static: [{{name: device, address: "127.0.0.1:{device}"}}]}}
virtual_devices:
  - {{name: relay, listen: "127.0.0.1:{relay}", target: {{device: device}}}}
"""
READ_GATEWAY = GATEWAY + """api: {{listen: "127.0.0.1:{api}"}}
"""
WANTED = "/api/v1/events?type=plugin.*"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen | None, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if process and process.poll() is not None:
            sys.exit(f"a process ended too soon: {process.args}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    sys.exit(f"nothing listens on port {port} after {seconds} s")


def end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def make_keys(castway: Path, folder: Path) -> None:
    """Lets the gateway make its keys before anything is counted: how long that takes is chance."""
    relay = free_port()
    (folder / "gateway.yaml").write_text(GATEWAY.format(folder=folder, device=free_port(), relay=relay))
    gateway = subprocess.Popen(
        [castway, "run", "--config", folder / "gateway.yaml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(relay, gateway, 60)
    finally:
        end(gateway)


def follow(port: int) -> socket.socket:
    """A reader of events that has everything up to now."""
    wait_for(port, None, 60)
    reader = socket.create_connection(("127.0.0.1", port), timeout=60)
    reader.sendall(f"GET {WANTED} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    seen = b""
    while b"event: synced" not in seen:
        more = reader.recv(65536)
        if not more:
            sys.exit(f"the reader of events was turned away: {seen.decode(errors='replace')}")
        seen += more
    return reader


def measure(
    castway: Path, shim: Path, folder: Path, seconds: int, is_read: bool = False
) -> tuple[callgrind.Profile, int]:
    """What the whole process did, and the round trips, while messages flow for so long."""
    load = BUILD / "castload"
    device, relay, api = free_port(), free_port(), free_port()
    text = READ_GATEWAY if is_read else GATEWAY
    (folder / "gateway.yaml").write_text(text.format(folder=folder, device=device, relay=relay, api=api))
    out = folder / f"callgrind.{seconds}"
    processes: list[subprocess.Popen] = []
    try:
        processes.append(
            subprocess.Popen(
                [load, "device", "--listen", f"127.0.0.1:{device}", "--certificate", folder / "device.crt",
                 "--key", folder / "device.key"], stdout=subprocess.DEVNULL))
        wait_for(device, processes[-1], 10)
        gateway = subprocess.Popen(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet", castway, "run", "--config",
             folder / "gateway.yaml"],
            env=os.environ | {"LD_PRELOAD": str(shim)}, stdout=subprocess.DEVNULL)
        processes.append(gateway)
        wait_for(relay, gateway, 120)
        reader = follow(api) if is_read else None
        result = subprocess.run(
            [load, "send", "--connect", f"127.0.0.1:{relay}", "--connections", "1", "--rate", str(RATE), "--size",
             "500", "--seconds", str(seconds)], capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"the load failed: {result.stdout}{result.stderr}")
        if reader:
            reader.close()
    finally:
        for process in reversed(processes):
            end(process)
    report = json.loads(result.stdout)
    if report["lost"] or report["rejected"]:
        sys.exit(f"messages were lost or refused: {report}")
    return callgrind.read(out), int(report["round_trips"])


def demangled(names: list[str]) -> list[str]:
    result = subprocess.run(
        ["swift", "demangle", "--compact"], input="\n".join(names), capture_output=True, text=True, check=True)
    return result.stdout.splitlines()


def main() -> None:
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--write", "--list")]
    if len(arguments) != 1:
        sys.exit(__doc__)
    subprocess.run(["make", "-s", "-C", HERE.parent / "load"], check=True)
    shim = BUILD / "sigsuspend.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, HERE / "sigsuspend.c"], check=True)
    with tempfile.TemporaryDirectory(prefix="castway-instructions-") as name:
        folder = Path(name)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "device.key", "-out",
             folder / "device.crt", "-subj", "/CN=device", "-days", "2"], check=True, capture_output=True)
        # valgrind 3.19 does not read the compiler's debug information.
        castway = folder / "castway"
        subprocess.run(["strip", "--strip-debug", "-o", castway, Path(arguments[0]) / "castway"], check=True)
        make_keys(castway, folder)
        limits = json.loads(LIMITS.read_text())
        measured: dict[str, float] = {}
        read = sys.maxsize
        for _ in range(ATTEMPTS):
            short, long = (measure(castway, shim, folder, seconds) for seconds in SECONDS)
            few, many = (measure(castway, shim, folder, seconds, is_read=True) for seconds in SECONDS)
            trips = long[1] - short[1]
            allocations = long[0].allocations - short[0].allocations
            found = {
                "instructions_per_round_trip": round((long[0].instructions - short[0].instructions) / trips),
                "allocations_per_round_trip": round(allocations.total() / trips, 1),
            }
            measured = {name: min(count, measured.get(name, count)) for name, count in found.items()}
            read = min(read, round((many[0].instructions - few[0].instructions) / (many[1] - few[1])))
            more = read / measured["instructions_per_round_trip"] - 1
            print(f"counted: {found['instructions_per_round_trip']}, {read} beside a reader", flush=True)
            high = [name for name, count in measured.items() if count > limits[name] * (1 + limits["tolerance"])]
            if not high and more <= limits["reader_tolerance"]:
                break
    if "--list" in sys.argv:
        frequent = [(name, count / trips) for name, count in allocations.most_common() if count / trips >= 0.05]
        for (_, count), name in zip(frequent, demangled([name for name, _ in frequent])):
            print(f"{count:6.2f}  {name}")
    if "--write" in sys.argv:
        LIMITS.write_text(json.dumps(limits | measured, indent=4) + "\n")
    for name, count in measured.items():
        limit = limits[name]
        print(f"{count} {name.replace('_', ' ')}, {count / limit - 1:+.1%} of the {limit} on record")
    print(f"{read} instructions per round trip beside a reader of events that wants none of it, {more:+.1%}")
    if "--write" in sys.argv:
        return
    if more > limits["reader_tolerance"]:
        sys.exit(f"more than {limits['reader_tolerance']:.0%} for a reader that wants nothing")
    if high:
        sys.exit(f"more than {limits['tolerance']:.0%} above; mend it, or say why and write the new limit with --write")


if __name__ == "__main__":
    main()
