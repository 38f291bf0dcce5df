"""What Castway promises, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import bridges, passthrough_report, plugins, relay
from .tables import mib, short, whole

Results = dict[str, Any]


@dataclass
class Target:
    """One promise."""

    what: str
    target: str
    measured: str
    is_held: bool

    @property
    def row(self) -> list[str]:
        return [self.what, self.target, self.measured, "held" if self.is_held else "**missed**"]


def _relay(part: Results) -> Iterator[Target]:
    for depth, most in ((1, 1.15), (32, 1.0)):
        found = relay.scenario(part, connections=32, size=500, depth=depth)
        if found is None:
            continue
        results = found["results"]
        ratio = results["Castway"]["cpu_per_message"] / results["nginx"]["cpu_per_message"]
        yield Target(
            f"CPU per relayed message beside nginx, depth {depth}", f"≤ {most:.2f} ×", f"{ratio:.2f} ×", ratio <= most
        )
    found = relay.scenario(part, connections=32, size=500, rate=relay.RATE)
    if found is not None:
        own, direct = found["results"]["Castway"]["latency_us"], found["results"]["direct"]["latency_us"]
        for name, key, most in (("p50", "p50", 100), ("p99", "p99", 1000)):
            more = own[key] - direct[key]
            what = f"latency that the relay adds to a round trip, {relay.RATE:,}/s, {name}"
            yield Target(what, f"≤ {most:,} µs", f"{short(more)} µs", more <= most)


def _accepts(part: Results) -> Iterator[Target]:
    best = max(result["per_second"] for name, result in part["results"].items() if name.startswith("Castway"))
    yield Target("TLS handshakes per second, load generator on the same cores", "≥ 2,000", whole(best), best >= 2000)


def _memory(part: Results) -> Iterator[Target]:
    for row in part["rows"]:
        if row["senders"] == 1000 and row["name"].startswith("Castway"):
            what = f"resident memory with 1,000 idle senders ({row['name'].split(', ')[1]})"
            yield Target(what, "≤ 50 MiB", f"{mib(row['rss'])} MiB", row["rss"] <= 50 * 1024)


def _receiver(part: Results) -> Iterator[Target]:
    for row in part["rows"]:
        if row["connections"] == 1000:
            rate = row["results"]["Castway"]["per_second"]
            what = "status requests per second at 1,000 connections"
            yield Target(what, "≥ 26,000", whole(rate), rate >= 26000)
            peak = row["peak_rss"]
            yield Target("memory at its peak meanwhile", "≤ 50 MiB", f"{mib(peak)} MiB", peak <= 50 * 1024)


def _devices(part: Results) -> Iterator[Target]:
    row = part["castway"]
    if row["devices"] != 1000:
        return
    seconds, each = row["connect"]["seconds"], row["per_device"] * 1.024
    yield Target("1,000 devices connected", "≤ 1.5 s", f"{seconds:.2f} s", seconds <= 1.5)
    yield Target("memory for each of them", "≤ 40 kB", f"{each:.1f} kB", each <= 40)
    yield Target("CPU while they are idle", "≤ 1 %", f"{100 * row['idle_cpu']:.2f} %", row["idle_cpu"] <= 0.01)
    for event in row["events"]:
        if event["subscribers"] and event["rate"] == 40000:
            what = "CPU per status event, device to a sender that listens, 40,000/s"
            yield Target(what, "≤ 12 µs", f"{short(event['cpu_us'])} µs", event["cpu_us"] <= 12)


def _plugins(part: Results) -> Iterator[Target]:
    bare, swift = (plugins.row(part, name, 1) for name in (plugins.BARE, plugins.SWIFT))
    if bare and swift:
        ratio = swift["p50_us"] / bare["p50_us"]
        what = "a message to a Swift plugin and back, p50 at depth 1, beside a bare echo process"
        yield Target(what, "≤ 1.30 ×", f"{ratio:.2f} ×", ratio <= 1.3)
    if fast := plugins.row(part, plugins.SWIFT, 32):
        rate = fast["per_second"]
        yield Target("messages per second to one Swift plugin, depth 32", "≥ 100,000", whole(rate), rate >= 100_000)


def _api(part: Results) -> Iterator[Target]:
    for row in part["commands"]["rows"]:
        if row["connections"] == 64:
            rate, failed = row["per_second"], row["failed"]
            what = "`volume.set` on a local device by 64 callers at once, without errors"
            yield Target(what, "≥ 5,000/s", f"{whole(rate)}/s, {whole(failed)} failed", rate >= 5000 and not failed)
    for row in part["deliveries"]:
        if row["clients"] == 1000:
            rate = row["results"]["Castway"]["per_second"]
            yield Target("events to 1,000 WebSocket clients", "≥ 100,000 frames/s", whole(rate), rate >= 99_000)
    more = part["status"]["more_us"]
    ratio = more["one WebSocket client"] / more["one sender"]
    what = "CPU of a status to one WebSocket client beside one more sender"
    yield Target(what, "≤ 1.30 ×", f"{ratio:.2f} ×", ratio <= 1.3)
    ours, peer = (part["programs"][name]["cpu_us"] for name in ("websockets", "pychromecast"))
    what = "CPU of a Python program for each status, by the WebSocket beside pychromecast"
    yield Target(what, "below", f"{ours / peer:.2f} ×", ours < peer)
    resume = part["resume"]
    found = f"{whole(resume['lost'])} lost, {whole(resume['doubled'])} doubled"
    is_whole = resume["events"] > 0 and not resume["lost"] and not resume["doubled"] and "resync" not in resume["frames"]
    yield Target(f"a reader that comes back after {resume['cut']:.0f} s", "nothing lost, nothing doubled", found, is_whole)
    each = part["stuck"]["per_client"] * 1.024
    yield Target("memory for a reader that takes nothing", "≤ its 1 MiB", f"{whole(each)} kB", each <= 1049)
    idle = part["idle"]
    if idle["clients"] == 10000:
        each = idle["per_client"] * 1.024
        yield Target("memory for each of 10,000 idle WebSocket clients", "≤ 20 kB", f"{each:.1f} kB", each <= 20)


def _bridges(part: Results) -> Iterator[Target]:
    first = part["replies"][0]["results"]
    if peer := first.get(bridges.PYCHROMECAST_WEBHOOK):
        ratio = first[bridges.CASTWAY]["latency_us"]["p50"] / peer["latency_us"]["p50"]
        what = "a webhook's reply, p50 with one sender, beside pychromecast and requests"
        yield Target(what, "≤ 0.50 ×", f"{ratio:.2f} ×", ratio <= 0.5)
    best = max(row["results"][bridges.CASTWAY]["per_second"] for row in part["replies"])
    yield Target("a webhook's replies per second, on two cores with the back end", "≥ 5,000", whole(best), best >= 5000)
    for row in part["deliveries"]:
        if row["rate"]:
            for name in ("Castway, webhook, one device", bridges.MQTT):
                most, p50 = row["fsync_us"] + 1000, row["results"][name]["latency_us"]["p50"]
                what = f"durable delivery, p50 at {row['rate']}/s ({name.split(', ')[1]})"
                yield Target(what, f"≤ an fsync + 1 ms = {whole(most)} µs", f"{short(p50)} µs", p50 <= most)
        if row["depth"]:
            own = row["results"][bridges.MQTT]
            what = "durable messages per second to a broker at QoS 1"
            found, is_whole = f"{whole(own['per_second'])}, {whole(own['lost'])} lost", own["lost"] == 0
            yield Target(what, "≥ 10,000, none lost", found, own["per_second"] >= 10_000 and is_whole)
            if peer := row["results"].get(bridges.PYCHROMECAST_MQTT):
                ratio = own["cpu_per_message"] / peer["cpu_per_message"]
                what = "CPU of each beside pychromecast and paho-mqtt, which keep nothing on disk"
                yield Target(what, "≤ 0.33 ×", f"{ratio:.2f} ×", ratio <= 1 / 3)


def _mirroring(part: Results) -> Iterator[Target]:
    for row in part["rows"]:
        own, peer = row["results"]["Castway"], row["results"]["socat"]
        ratio = own["cpu_per_packet"] / peer["cpu_per_packet"]
        what = f"CPU per datagram of a mirrored stream beside socat, 20 Mbit/s both ways, {row['pace']}"
        yield Target(what, "≤ 1.00 ×", f"{ratio:.2f} ×", ratio <= 1)
        what = f"datagrams of such a stream, {row['pace']}"
        yield Target(what, "none lost", f"{whole(own['lost'])} of {whole(own['sent'])} lost", own["lost"] == 0)


def _passthrough(part: Results) -> Iterator[Target]:
    return (Target(*found) for found in passthrough_report.targets(part))


def all_targets(results: Results) -> list[Target]:
    """Every promise that these results can judge."""
    parts = {"relay": _relay, "accepts": _accepts, "memory": _memory, "receiver": _receiver, "devices": _devices}
    parts |= {"plugins": _plugins, "api": _api, "bridges": _bridges, "mirroring": _mirroring}
    parts |= {"passthrough": _passthrough}
    return [target for name, judge in parts.items() if name in results for target in judge(results[name])]
