#!/usr/bin/env python3
"""What a hostile sender costs its neighbours.

Starts a gateway, measures how long an honest sender waits for GET_STATUS without and with each attack, and how much
memory the gateway takes. Fails when the median more than doubles, when memory grows beyond the bound, or when the log
does not name the reason.

    run.py .build/release/castway [--seconds 5] [--only NAME]
"""

import argparse
import multiprocessing
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import castwire
from attacks import ATTACKS
from castwire import CONNECT, Sender, request

VICTIM = "127.0.0.1"
# How often the median may grow, and by how much memory may, in MiB.
RATIO = 2.0
GROWTH = 64

CONFIGURATION = """\
version: 1
gateway: {{state_directory: {state}}}
log: {{level: info, format: text}}
virtual_devices:
  - name: bench
    listen: "127.0.0.1:{port}"
    target: local
    apps: [CC1AD845]
    setup: {{http: "127.0.0.1:{http}", https: "127.0.0.1:{https}"}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gateway:
    def __init__(self, path, folder, descriptors=None):
        self.port, self.http, self.https = free_port(), free_port(), free_port()
        self.log = os.path.join(folder, "log")
        configuration = os.path.join(folder, "gateway.yaml")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION.format(state=os.path.join(folder, "state"), port=self.port, http=self.http, https=self.https))
        self.output = open(self.log, "wb")
        limit = ["prlimit", f"--nofile={descriptors}:{descriptors}"] if descriptors else []
        self.process = subprocess.Popen(
            limit + [path, "run", "--config", configuration], stdout=self.output, stderr=subprocess.STDOUT
        )
        deadline = time.monotonic() + 20
        while True:
            try:
                castwire.tcp(VICTIM, self.port).close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit("the gateway does not start:\n" + open(self.log).read())
                time.sleep(0.05)

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log_size(self):
        return os.path.getsize(self.log)

    def logged_since(self, offset):
        with open(self.log, "rb") as file:
            file.seek(offset)
            return file.read().decode(errors="replace")

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.output.close()


class Victim:
    """An honest sender: a request every few milliseconds, each answered before the next."""

    def __init__(self, port):
        self.sender = Sender(VICTIM, port, castwire.context())
        self.sender.send(CONNECT)
        self.number = 1000

    def measure(self, seconds):
        times = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.number += 1
            began = time.perf_counter()
            self.sender.send(request("GET_STATUS", self.number))
            self.sender.wait(b'"requestId":%d' % self.number)
            times.append((time.perf_counter() - began) * 1e6)
            time.sleep(0.004)
        return times


def summarise(times):
    ordered = sorted(times)
    return statistics.median(ordered), ordered[int(len(ordered) * 0.99)]


def attack_process(attack, port):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.nice(5)
    attack(port)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("castway")
    arguments.add_argument("--seconds", type=float, default=5)
    arguments.add_argument("--only", default="")
    options = arguments.parse_args()
    failures = []
    print(f"{'attack':28} {'median µs':>18} {'ratio':>6} {'p99 µs':>15} {'CPU':>5} {'memory MiB':>17}  log")
    print(f"{'':28} {'without':>9}{'with':>9} {'':>6} {'without':>8}{'with':>7} {'':>5} {'before/peak/after':>17}")
    for name, attack, reasons in ATTACKS:
        if options.only not in name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            gateway = Gateway(options.castway, folder)
            try:
                failures += run(gateway, name, attack, reasons, options.seconds)
            finally:
                gateway.stop()
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


def run(gateway, name, attack, reasons, seconds):
    victim = Victim(gateway.port)
    victim.measure(1)
    quiet, quiet_tail = summarise(victim.measure(seconds))
    before = peak = gateway.memory()
    offset = gateway.log_size()
    port = {"http": gateway.http, "https": gateway.https}.get(getattr(attack, "target", ""), gateway.port)
    attacker = multiprocessing.Process(target=attack_process, args=(attack, port), daemon=True)
    stop = threading.Event()

    def watch():
        nonlocal peak
        while not stop.wait(0.05):
            peak = max(peak, gateway.memory())

    watcher = threading.Thread(target=watch)
    watcher.start()
    attacker.start()
    try:
        time.sleep(12 if name == "a byte a second" else 1)
        cpu = gateway.cpu()
        began = time.monotonic()
        noisy, noisy_tail = summarise(victim.measure(seconds))
        cpu = (gateway.cpu() - cpu) / (time.monotonic() - began)
    finally:
        attacker.terminate()
        attacker.join(5)
        stop.set()
        watcher.join()
    time.sleep(0.5)
    after = gateway.memory()
    peak = max(peak, after)
    log = gateway.logged_since(offset)
    found = [reason for reason in reasons if reason in log]
    ratio = noisy / quiet
    lines = log.count("\n")
    print(
        f"{name:28} {quiet:9.0f}{noisy:9.0f} {ratio:6.2f} {quiet_tail:8.0f}{noisy_tail:7.0f} {cpu:5.0%}"
        f" {before:6.0f}{peak:5.0f}{after:6.0f}  {lines} lines: {', '.join(found) or '-'}",
        flush=True,
    )
    failures = []
    if ratio > RATIO:
        failures.append(f"{name}: a neighbour's median grows by {ratio:.2f}")
    if peak - before > GROWTH:
        failures.append(f"{name}: memory grows by {peak - before:.0f} MiB")
    if reasons and not found:
        failures.append(f"{name}: the log says none of {reasons}")
    if gateway.process.poll() is not None:
        failures.append(f"{name}: the gateway ended")
    victim.sender.close()
    return failures


if __name__ == "__main__":
    sys.exit(main())
