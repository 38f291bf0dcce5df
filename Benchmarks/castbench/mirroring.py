"""(k) What a datagram of a mirrored stream costs, beside socat, and whether all arrive."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from statistics import median

from . import subjects
from .plan import Plan
from .processes import Process, free_port

sys.path.append(str(Path(__file__).resolve().parents[1] / "mirroring"))

from peers import Datagrams, MirroringDevice, MirroringSender  # noqa: E402

# What a mirrored screen takes at most, each way.
BITS_PER_SECOND = 20_000_000
SIZE = 1200
PER_SECOND = BITS_PER_SECOND / 8 / SIZE
# How long each of the two is sent through at each pace, in turns.
SECONDS = 60
# How many leave at once: one after the other, as audio does, and the packets of one of 30 pictures a second.
BURSTS = {"evenly": 1, "in pictures": round(PER_SECOND / 30)}


class Stream:
    """Both ends of a stream that goes through something."""

    def __init__(self, name: str, process: Process, sender: Datagrams, device: Datagrams, port: int) -> None:
        self.name, self.process, self.sender, self.device, self.port = name, process, sender, device, port
        # The first datagram says where the sender is.
        self.sender.socket.sendto(self._payload, ("127.0.0.1", port))
        if not device.until(1):
            raise SystemExit(f"{name} passes nothing")

    _payload = bytes(SIZE)

    def _send(self, count: int, burst: int, begin: float, end: Datagrams, peer: tuple[str, int]) -> None:
        for done in range(0, count, burst):
            ahead = begin + done / PER_SECOND - time.perf_counter()
            if ahead > 0:
                time.sleep(ahead)
            for _ in range(min(burst, count - done)):
                end.socket.sendto(self._payload, peer)

    def run(self, seconds: float, burst: int) -> dict[str, float]:
        """Sends both ways for some time; the CPU time of each datagram, and how many were lost."""
        count = max(burst, round(seconds * PER_SECOND))
        before = self.device.packets + self.sender.packets
        cpu, begin = self.process.cpu_seconds(), time.perf_counter() + 0.02
        ways = [(self.sender, ("127.0.0.1", self.port)), (self.device, self.device.peer)]
        threads = [threading.Thread(target=self._send, args=(count, burst, begin, end, peer)) for end, peer in ways]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - begin
        deadline = time.monotonic() + 0.5
        while (arrived := self.device.packets + self.sender.packets - before) < 2 * count and time.monotonic() < deadline:
            time.sleep(0.01)
        used = self.process.cpu_seconds() - cpu
        return {
            "cpu_per_packet": 1e6 * used / (2 * count),
            "lost": 2 * count - arrived,
            "sent": 2 * count,
            "megabits": 8e-6 * SIZE * count / took,
        }


def _castway(folder: Path) -> tuple[Stream, list]:
    device = MirroringDevice(folder)
    subject = subjects.castway(folder, device.port, relays=1)
    assert subject.process
    sender = MirroringSender(subject.ports[0])
    # The gateway dials the device when it has started.
    end = time.monotonic() + 20
    while not sender.available():
        sender.close()
        if time.monotonic() > end:
            raise SystemExit("the app for mirroring is not available")
        time.sleep(0.1)
        sender = MirroringSender(subject.ports[0])
    port = sender.mirror()
    sender.stay()
    return Stream("Castway", subject.process, sender.datagrams, device.datagrams, port), [sender, device]


def _socat(folder: Path) -> tuple[Stream, list]:
    sender, device, port = Datagrams("127.0.0.1"), Datagrams("127.0.0.1"), free_port()
    words = ["socat", f"UDP4-LISTEN:{port},bind=127.0.0.1", f"UDP4:127.0.0.1:{device.port}"]
    process = Process("socat", words, folder / "socat.log")
    # It says nothing when it listens.
    time.sleep(0.5)
    return Stream("socat", process, sender, device, port), [sender, device]


def measure(plan: Plan, folder: Path) -> dict:
    """20 Mbit/s both ways, through each in turn."""
    streams, ends = [], []
    try:
        for make in (_castway, _socat):
            stream, own = make(folder)
            streams.append(stream)
            ends += own
        rows = []
        seconds = 2 * plan.seconds if plan.is_quick else SECONDS / plan.rounds
        for pace, burst in BURSTS.items():
            runs: dict[str, list[dict[str, float]]] = {}
            for _ in range(plan.rounds):
                for stream in streams:
                    runs.setdefault(stream.name, []).append(stream.run(seconds, burst))
            results = {
                name: {
                    "cpu_per_packet": median(run["cpu_per_packet"] for run in found),
                    "megabits": median(run["megabits"] for run in found),
                    "lost": sum(run["lost"] for run in found),
                    "sent": sum(run["sent"] for run in found),
                }
                for name, found in runs.items()
            }
            for name, result in results.items():
                plan.say(
                    f"{pace:12} {name:8} {result['megabits']:5.1f} Mbit/s each way, {result['cpu_per_packet']:.2f} us of CPU "
                    f"each, {result['lost']:.0f} of {result['sent']:.0f} lost"
                )
            rows.append({"pace": pace, "burst": burst, "results": results})
    finally:
        for stream in streams:
            stream.process.stop()
        for end in ends:
            end.close()
    return {"size": SIZE, "rows": rows}
