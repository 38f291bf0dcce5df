"""Writes the figures into the report, between its markers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import bridges, passthrough_report, plugins, targets
from .tables import added, mib, short, table, whole

Results = dict[str, Any]
TROUBLE = {"rejected": "refused", "lost": "lost", "unexpected": "unexpected", "closed": "closed"}


def _trouble(result: Results) -> str:
    return ", ".join(f"{whole(result[key])} {word}" for key, word in TROUBLE.items() if result[key]) or "none"


def _relay(part: Results) -> str:
    blocks = []
    for scenario in part["scenarios"]:
        results = scenario["results"]
        direct, nginx = results["direct"], results["nginx"]
        senders = "1 sender" if scenario["connections"] == 1 else f"{scenario['connections']:,} senders"
        pace = f"depth {scenario['depth']}" if "depth" in scenario else f"{scenario['rate']:,} round trips/s in all"
        rows = []
        for name, result in results.items():
            latency, base = result["latency_us"], direct["latency_us"]
            if name == "direct":
                cost = ["–", "–"]
                delays = [short(latency[key]) for key in ("p50", "p99", "p999")]
            else:
                cost = [short(result["cpu_per_message"])]
                cost.append(f"{result['cpu_per_message'] / nginx['cpu_per_message']:.2f}")
                delays = [added(latency[key], base[key]) for key in ("p50", "p99", "p999")]
            own = short(result["own_cpu_per_message"])
            rows.append([name, whole(result["per_second"]), *cost, *delays, own, _trouble(result)])
        head = ["", "round trips/s", "CPU µs/message", "to nginx", "p50 µs", "p99 µs", "p99.9 µs", "generator µs", "trouble"]
        blocks.append(f"**{senders}, {scenario['size']:,} B, {pace}**\n\n{table(head, rows)}")
    castway = part["scenarios"][0]["results"]["Castway"]
    blocks.append(f"Negotiated: {castway['tls']}, {castway['cipher']}, {castway['group']}, for every row.")
    return "\n\n".join(blocks)


def _accepts(part: Results) -> str:
    rows = []
    for name, result in part["results"].items():
        cpu = result["cpu_per_handshake"]
        latency = result["latency_us"]
        rows.append(
            [
                name,
                whole(result["per_second"]),
                short(cpu),
                whole(1e6 / cpu),
                short(result["own_cpu_per_handshake"]),
                f"{latency['p50'] / 1000:.1f}",
                f"{latency['p99'] / 1000:.1f}",
                whole(result["failed"]),
            ]
        )
    head = ["", "handshakes/s", "CPU µs each", "per core and second", "generator µs", "p50 ms", "p99 ms", "failed"]
    return table(head, rows)


def _memory(part: Results) -> str:
    rows = [
        [
            row["name"],
            whole(row["senders"]),
            mib(row["start_rss"]),
            mib(row["rss"]),
            mib(row["pss"]),
            f"{row['per_sender']:.1f}",
            f"{100 * row['idle_cpu']:.2f} %",
            whole(row["closed"]),
        ]
        for row in part["rows"]
    ]
    head = ["", "senders", "RSS before, MiB", "RSS, MiB", "PSS, MiB", "KiB each", "CPU of a core", "closed"]
    return table(head, rows)


def _receiver(part: Results) -> str:
    rows = []
    for row in part["rows"]:
        for name, result in row["results"].items():
            is_castway = name == "Castway"
            latency = result["latency_us"]
            rows.append(
                [
                    name,
                    whole(row["connections"]),
                    whole(result["per_second"]),
                    short(result["cpu_per_request"]) if is_castway else "–",
                    short(latency["p50"]),
                    short(latency["p99"]),
                    mib(row["peak_rss"]) if is_castway else "–",
                    _trouble(result),
                ]
            )
    head = ["", "connections", "requests/s", "CPU µs/request", "p50 µs", "p99 µs", "peak RSS, MiB", "trouble"]
    text = table(head, rows)
    if part["clients"]:
        clients = [
            [name, whole(found["per_second"]), short(found["p50"]), short(found["p99"])]
            + [f"{100 * found['client_cpu']:.0f} %"]
            for name, found in part["clients"].items()
        ]
        head = ["pychromecast, one request after the other, to", "requests/s", "p50 µs", "p99 µs", "client's CPU"]
        text += "\n\n" + table(head, clients)
    return text


def _startup(part: Results) -> str:
    rows = [
        ["first start, which makes keys and certificates", f"{part['first_ms']:.0f} ms"],
        ["the slowest of these", f"{part['first_worst_ms']:.0f} ms"],
        ["later starts", f"{part['warm_ms']:.0f} ms"],
        ["the slowest of these", f"{part['warm_worst_ms']:.0f} ms"],
        ["resident memory then", f"{mib(part['rss'])} MiB"],
        ["program", f"{part['binary'] / 1e6:.1f} MB"],
        ["program, stripped", f"{part['stripped'] / 1e6:.1f} MB"],
        [f"{part['swift_library_count']} shared libraries of Swift", f"{part['swift_libraries'] / 1e6:.1f} MB"],
        ["shared libraries of the system", f"{part['system_libraries'] / 1e6:.1f} MB"],
    ]
    if "many" in part:
        count = part["many"]
        rows += [
            [f"{count} virtual devices: first start", f"{part['many_first_ms'] / 1000:.0f} s"],
            [f"{count} virtual devices: later starts", f"{part['many_ms']:.0f} ms"],
            ["the slowest of these", f"{part['many_worst_ms']:.0f} ms"],
            [f"{count} virtual devices: resident memory then", f"{mib(part['many_rss'])} MiB"],
            ["each further virtual device", f"{part['per_device']:.0f} KiB"],
        ]
    return table(["", ""], rows)


def _devices(part: Results) -> str:
    subjects = [(name.split()[0], row) for name, row in part.items() if isinstance(row, dict) and "connect" in row]
    subjects.sort(key=lambda subject: subject[0] != "castway")
    names = {"castway": "Castway"}
    rows, events = [], []
    for name, row in subjects:
        name, connect = names.get(name, name), row["connect"]
        rows.append(
            [
                name,
                whole(row["devices"]),
                f"{connect['seconds']:.2f}",
                f"{connect['since_start']:.2f}",
                f"{connect['cpu']:.2f}",
                f"{connect['devices_cpu']:.2f}",
                f"{row['per_device'] * 1.024:.1f}",
                whole(row["threads"]),
                f"{100 * row['idle_cpu']:.2f} %",
            ]
        )
        for event in row["events"]:
            latency = event.get("latency_us")
            subscribers = event["subscribers"]
            kind = "media status" if event["kind"] == "media" else "receiver status"
            events.append(
                [
                    f"{name}, {kind}, {'to a subscriber each' if subscribers else 'no listener'}",
                    whole(event["devices"]),
                    whole(event["rate"]),
                    short(event["cpu_us"]),
                    short(event["devices_cpu_us"]),
                    short(latency["p50"]) if latency else "–",
                    short(latency["p99"]) if latency else "–",
                    f"{event['lost']}, {event['doubled']}" if latency else "–",
                ]
            )
    own = part["own"]
    head = ["", "devices", "connected in s", "since start s", "CPU s", "devices' CPU s", "kB each", "threads", "idle CPU"]
    connected = table(head, rows)
    head = ["", "devices", "events/s", "CPU µs/event", "devices' CPU µs", "p50 µs", "p99 µs", "lost, doubled"]
    note = (
        f"The devices alone, spoken to by the load generator: {part['castway']['devices']:,} connections in "
        f"{own['connect_seconds']:.2f} s, {whole(own['events_per_second'])} events a second at {short(own['cpu_us'])} µs "
        f"of their CPU each, {own['lost']} lost."
    )
    return f"{connected}\n\n{table(head, events)}\n\n{note}"


def _codec(part: Results) -> str:
    payloads = list(dict.fromkeys(case["payload"] for case in part["cases"]))
    cells = {(case["name"], case["payload"]): case["nanoseconds"] for case in part["cases"]}
    names = dict.fromkeys(case["name"] for case in part["cases"])
    rows = []
    for name in names:
        row = [name]
        for payload in payloads:
            cost, peer = cells[name, payload], cells.get((f"{name}, SwiftProtobuf", payload))
            row.append(whole(cost) + (f" ({cost / peer:.2f} ×)" if peer else ""))
        rows.append(row)
    return table(["ns per operation (and beside SwiftProtobuf)", *payloads], rows)


def _plugins(part: Results) -> str:
    bare = {row["depth"]: row for row in part["rows"] if row["name"] == plugins.BARE}
    rows = [
        [
            row["name"],
            whole(row["depth"]),
            whole(row["per_second"]),
            short(row["p50_us"]),
            f"{row['p50_us'] / bare[row['depth']]['p50_us']:.2f}",
            short(row["p99_us"]),
        ]
        for row in part["rows"]
    ]
    return table(["", "depth", "messages/s", "p50 µs", "to the bare echo", "p99 µs"], rows)


def _api(part: Results) -> str:
    rows = [
        [
            "1 caller" if row["connections"] == 1 else f"{row['connections']:.0f} callers",
            whole(row["per_second"]),
            short(row["cpu_per_answer"]),
            short(row["latency_us"]["p50"]),
            short(row["latency_us"]["p99"]),
            whole(row["failed"]),
        ]
        for row in part["commands"]["rows"]
    ]
    head = ["`volume.set` on a local device", "answers/s", "CPU µs each", "p50 µs", "p99 µs", "failed"]
    blocks = [table(head, rows)]
    rows = [
        [
            name,
            whole(row["clients"]),
            f"{row['rate']}/s",
            whole(row["size"]),
            whole(found["per_second"]),
            short(found["cpu_per_frame"]),
            mib(found["rss"]),
            whole(found["lost"]),
        ]
        for row in part["deliveries"]
        for name, found in row["results"].items()
    ]
    head = ["the same events to all", "clients", "commands", "bytes", "frames/s", "CPU µs/frame", "RSS, MiB", "lost"]
    blocks.append(table(head, rows))
    more = part["status"]["more_us"]
    rows = [[name, short(cost)] for name, cost in more.items()]
    blocks.append(table([f"a status, {part['status']['rate']:,}/s, to one reader more", "CPU µs more"], rows))
    rows = [[name, whole(found["count"]), short(found["cpu_us"])] for name, found in part["programs"].items()]
    blocks.append(table(["a Python program follows the status by", "statuses", "its CPU µs each"], rows))
    resume = part["resume"]
    rows = [
        [
            f"{resume['cut']:.0f} s",
            *(whole(resume[name]) for name in ("events", "lost", "doubled")),
            short(resume["synced_ms"]),
        ]
    ]
    blocks.append(table(["a reader is cut off for", "events meanwhile", "lost", "doubled", "in step after, ms"], rows))
    stuck = part["stuck"]
    rows = [[whole(stuck["clients"]), whole(stuck["answers"]), whole(stuck["per_client"])]]
    blocks.append(table(["readers that take nothing", "commands meanwhile", "KiB each"], rows))
    idle = part["idle"]
    rows = [[whole(idle["clients"]), f"{idle['per_client']:.1f}", f"{100 * idle['idle_cpu']:.2f} %", whole(idle["lost"])]]
    blocks.append(table(["idle WebSocket clients", "KiB each", "CPU of a core", "lost"], rows))
    return "\n\n".join(blocks)


def _bridges(part: Results) -> str:
    blocks, rows = [], []
    for row in part["replies"]:
        peer = row["results"].get(bridges.PYCHROMECAST_WEBHOOK)
        for name, found in row["results"].items():
            latency = found["latency_us"]
            rows.append(
                [
                    name,
                    whole(row["senders"]),
                    whole(found["per_second"]),
                    short(latency["p50"]),
                    f"{latency['p50'] / peer['latency_us']['p50']:.2f}" if peer else "–",
                    short(latency["p99"]),
                    short(found["cpu_per_message"]),
                    short(found["other_cpu_per_message"]),
                    short(found["own_cpu_per_message"]),
                    _trouble(found),
                ]
            )
    head = ["replies of a webhook", "senders", "replies/s", "p50 µs", "to the peer", "p99 µs", "CPU µs each"]
    blocks.append(table([*head, "back end's µs", "generator µs", "trouble"], rows))
    rows = [
        [f"{row['connections']}", whole(row["per_second"]), short(row["latency_us"]["p50"]), short(row["latency_us"]["p99"])]
        for row in part["backend"]
    ]
    blocks.append(table(["the back end alone, connections", "answers/s", "p50 µs", "p99 µs"], rows))
    for row in part["deliveries"]:
        pace = f"{row['rate']:,} messages/s" if row["rate"] else f"{row['depth']} messages under way"
        rows = [
            [
                name,
                whole(found["per_second"]),
                short(found["latency_us"]["p50"]),
                short(found["latency_us"]["p99"]),
                short(found["cpu_per_message"]),
                short(found["other_cpu_per_message"]) if "other_cpu_per_message" in found else "–",
                short(found["own_cpu_per_message"]),
                _trouble(found),
            ]
            for name, found in row["results"].items()
        ]
        head = [f"delivery, {pace}", "messages/s", "p50 µs", "p99 µs", "CPU µs each", "broker's µs", "generator µs", "trouble"]
        fsync = f"An fsync of the same disk between these rounds: {short(row['fsync_us'])} µs (median)."
        blocks.append(f"{table(head, rows)}\n\n{fsync}")
    blocks.append(f"Messages have {part['size']} bytes; the file system of the outbox is {part['file_system']}.")
    return "\n\n".join(blocks)


def _mirroring(part: Results) -> str:
    rows = []
    for row in part["rows"]:
        peer = row["results"]["socat"]["cpu_per_packet"]
        for name, result in row["results"].items():
            rows.append(
                [
                    f"{name}, {row['pace']}",
                    f"{result['megabits']:.1f}",
                    short(result["cpu_per_packet"]),
                    f"{result['cpu_per_packet'] / peer:.2f}",
                    whole(result["sent"]),
                    whole(result["lost"]),
                ]
            )
    head = ["", "Mbit/s each way", "CPU µs/datagram", "to socat", "datagrams", "lost"]
    return f"{table(head, rows)}\n\nDatagrams have {part['size']:,} bytes."


PARTS: dict[str, Callable[[Results], str]] = {
    "relay": _relay,
    "accepts": _accepts,
    "memory": _memory,
    "receiver": _receiver,
    "startup": _startup,
    "devices": _devices,
    "codec": _codec,
    "plugins": _plugins,
    "api": _api,
    "bridges": _bridges,
    "mirroring": _mirroring,
    "passthrough": passthrough_report.render,
}


def _between_markers(text: str, name: str, content: str) -> str:
    pattern = re.compile(f"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"the report has no place for '{name}'")
    return pattern.sub(lambda found: f"{found.group(1)}\n{content}\n\n{found.group(2)}", text)


def _content(text: str, name: str) -> str:
    found = re.search(f"<!-- begin {name} -->\n(.*?)<!-- end {name} -->", text, re.DOTALL)
    return found.group(1) if found else ""


def _judged(text: str, results: Results) -> list[list[str]]:
    """The targets of these results, and those of earlier runs that were not measured now."""
    rows: dict[str, list[str]] = {}
    for line in _content(text, "targets").strip().splitlines()[2:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        rows[cells[0]] = cells
    rows |= {target.row[0]: list(target.row) for target in targets.all_targets(results)}
    return list(rows.values())


def write(template: Path, report: Path, results: Results) -> None:
    """Fills the template with every part there is, and writes it as the report, which may be the same file.

    A part that is measured alone names its machine and commit itself, since the page's are those of the last whole run.
    """
    text = template.read_text()
    machine = results.get("machine", {})
    is_whole = all(name in results for name in PARTS)
    place = "" if is_whole else f" on {machine.get('Processor')}, {machine.get('Castway')}"
    for name, render in PARTS.items():
        if name in results:
            stamp = "Measured {date} with `{command}`".format_map(results[name]) + f"{place}."
            text = _between_markers(text, name, f"{stamp}\n\n{render(results[name])}")
    text = _between_markers(text, "targets", table(["", "target", "measured", "verdict"], _judged(text, results)))
    if is_whole:
        rows = [[name, value] for name, value in machine.items()]
        lines = "\n".join(["| | |", "|---|---|"] + [f"| {name} | {value} |" for name, value in rows])
        text = _between_markers(text, "machine", lines)
    report.write_text(text)
