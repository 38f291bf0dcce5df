"""The figures of a run, as a table and as a page."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from cases import FAULTS, Case
from judge import Figures, Outcome

HEADS = ("sent", "taken", "arrived", "doubled", "out of order", "lost", "longest gap")


def _cells(figures: Figures) -> list[str]:
    return [f"{figures.sent:,}", f"{figures.taken:,}", f"{figures.arrived:,}", f"{figures.duplicates:,}",
            f"{figures.out_of_order:,}", f"{figures.lost:,}", f"{figures.gap:.1f} s"]


def by_way(outcomes: list[tuple[Case, Outcome]]) -> dict[str, Figures]:
    ways: dict[str, Figures] = {}
    for _, outcome in outcomes:
        for way, figures in outcome.parts.items():
            whole = ways.setdefault(way, Figures())
            whole += figures
    return ways


def table(outcomes: list[tuple[Case, Outcome]]) -> str:
    """What is printed at the end: the figures of each way, over all cases."""
    lines = ["", f"{'':24}" + "".join(f"{head:>14}" for head in HEADS)]
    lines += [f"{way:24}" + "".join(f"{cell:>14}" for cell in _cells(figures)) for way, figures in by_way(outcomes).items()]
    for case, outcome in outcomes:
        lines += [f"{case.name}: {note}" for note in outcome.notes]
    return "\n".join(lines)


INTRODUCTION = """\
# Kills of bridges

What arrives when the gateway, the broker or the back end of a [bridge](bridges.md) is killed while messages are under way, or
when a disk, a broker or a back end does worse than that. `make bridge-kills` measures anew and writes this page.

The gateway has two relays, with a device behind each, and a device of its own. Senders on TLS say numbered messages in a channel with
`deliver: [{webhook: backend}, {mqtt: true}]`; the back end is an HTTP server that checks each signature and writes down what it has before
it answers, the broker Mosquitto with persistence and one subscriber. The other way, one caller of the API and one client of MQTT send orders
to the apps, half of them with `answer_within`, half of them without; in the middle of each sequence the app on one device ends and
is launched again, so that orders are kept (`when_absent`). A sequence says what is killed by SIGKILL (−) and started again (+): **G** is the
gateway, **B** the broker, **E** the back end; half a second lies between two steps.

- *Sent*: every transmission. Who does not know whether a message came through sends it once more, which counts again.
- *Taken*: what the gateway had taken. Of senders: a message, when it or a later one of the same connection has arrived at the broker or the back end;
  what comes on one connection is committed in its order and before it is delivered, for both. Of orders: what was answered `"kept": true`, `"ok": true`
  or by the app. An order that was only sent, to an app that ran, counts when the gateway was not killed within a second.
- *Arrived*: first arrivals. All that was taken has to be among them.
- *Lost*: what was taken and had not arrived a minute after the last message was sent (two where the broker's password was wrong). One that the gateway
  would still have tried again counts, too.
- *Doubled*: further arrivals of the same transmission; each of them has to carry the id of the first.
- *Out of order*: first arrivals behind a later one of the same sender and device.
- *Longest gap*: the longest time between two arrivals at one place, with all three parts dead meanwhile at times, and the waits of the gateway between
  its attempts: 1 s, 2 s, 4 s…
"""


def _row(name: str, outcome: Outcome) -> str:
    if not outcome.parts:
        return f"| {name} |" + " – |" * len(HEADS) + f" {outcome.notes[0]} |"
    verdict = "held" if not outcome.faults else "failed"
    return f"| {name} | " + " | ".join(_cells(outcome.total)) + f" | {verdict} |"


def page(outcomes: list[tuple[Case, Outcome]], seconds: float) -> str:
    heads = " | ".join(HEADS)
    lines = [INTRODUCTION, f"| way, over all cases | {heads} |", "|---|" + "---:|" * len(HEADS)]
    lines += [f"| {way} | " + " | ".join(_cells(figures)) + " |" for way, figures in by_way(outcomes).items()]
    group = ""
    for case, outcome in outcomes:
        if case.group != group:
            group = case.group
            lines += ["", f"## {group[0].upper()}{group[1:]}", "", f"| {'fault' if case.fault else 'sequence'} | {heads} | verdict |",
                      "|---|" + "---:|" * len(HEADS) + "---|"]
        lines.append(_row(FAULTS[case.fault] if case.fault else case.name, outcome))
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=Path(__file__).parent, capture_output=True, text=True,
                            check=False).stdout.strip()
    lines += ["", f"Measured {time.strftime('%Y-%m-%d %H:%M')} at commit {commit} on {os.cpu_count()} processors, in {seconds / 60:.0f} minutes. A broker that "
              "refuses a message is sent it again by its schedule, and others pass it at once; a message that a back end refuses for 30 s is passed then. "
              "What is out of order there is counted, and is no fault when it was refused itself."]
    return "\n".join(lines) + "\n"
