#!/usr/bin/env python3
"""The fault matrix: does harm to the network and to both ends, and measures how long it takes until all is well.

    Benchmarks/faults/run.py --binary .build/release/castway [--only CASE,...] [--subjects mdns,static,pychromecast]

Needs root. Writes Docs/fault-matrix.md when the whole matrix was run, otherwise prints the table. See Benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for folder in ("soak", ".", "faults"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / folder))

from cases import CASES, Case, Scene  # noqa: E402
from device import PORT, LabDevice  # noqa: E402
from lab import LOGS, Announcements, Lab, LabError  # noqa: E402
from outcome import Outcome, judge  # noqa: E402
from report import page, table  # noqa: E402
from subjects import PYTHON, CastwaySubject, PychromecastSubject, Subject  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / ".build" / "benchmarks" / "fault-matrix.json"
REPORT = ROOT / "Docs" / "fault-matrix.md"
SETTLE = 2.0
PATIENCE = 60.0
"""Seconds after which a sender is given up."""
ATTEMPTS = 2


class Watcher:
    """Notes announcements, and when the connection to the device goes and comes."""

    def __init__(self, scene: Scene, ears: Announcements) -> None:
        self.scene, self.ears = scene, ears
        self.announced: list[float] = []
        self.hung_up: list[float] = []

    async def run(self) -> None:
        self.ears.read(self.scene.device_host.address)
        # The address before a move, since it is that connection which ends.
        address, before = self.scene.device_host.address, None
        while True:
            now = time.monotonic()
            if self.ears.read(self.scene.device_host.address):
                self.announced.append(now)
            connection = self.scene.gateway.connection(address, PORT)
            if before and connection != before:
                self.hung_up.append(now)
            before = connection
            await asyncio.sleep(0.01)


async def play_case(case: Case, scene: Scene, ears: Announcements) -> Outcome:
    """One fault for one subject, from a fresh start to the end."""
    device, subject = scene.device, scene.subject
    watcher = Watcher(scene, ears)
    watching: asyncio.Task[None] | None = None
    try:
        await device.start()
        await subject.start()
        if await subject.until_good("media", time.monotonic(), 30) is None:
            raise LabError(f"{subject.name} does not find the device that plays; see {LOGS}")
        watching = asyncio.create_task(watcher.run())
        await asyncio.sleep(SETTLE)
        struck = time.monotonic()
        reachable = await case.strike(scene)
        back = await subject.until_good(case.kind, reachable, PATIENCE, asked_too=case.is_instant)
        # A gateway may answer in the device's place; what the device says from now on shows that it is heard.
        if back is not None and case.kind == "media":
            heard = await subject.until_heard(device, reachable, PATIENCE)
            back = None if heard is None else max(back, heard)
        await asyncio.sleep(2 if back else 0)
        await device.stop_counting()
        await asyncio.sleep(0.5)
        return judge(case, subject, device, struck, reachable, back, watcher.announced, watcher.hung_up)
    finally:
        if watching:
            watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await watching
        await subject.stop()
        await device.stop()


def subjects(lab: Lab, binary: Path, wanted: set[str]) -> list[str]:
    """The names of the subjects that can be put to the test here."""
    gateway, far = lab.hosts
    found = []
    if "mdns" in wanted and CastwaySubject(gateway, binary, far.address, finds_by_mdns=True).is_possible:
        found.append("mdns")
    if "static" in wanted:
        found.append("static")
    if "pychromecast" in wanted and PYTHON.exists():
        found.append("pychromecast")
    return found


def make(name: str, lab: Lab, binary: Path) -> Subject:
    gateway, far = lab.hosts
    if name == "pychromecast":
        return PychromecastSubject(gateway)
    return CastwaySubject(gateway, binary, far.address, finds_by_mdns=name == "mdns")


async def run_matrix(lab: Lab, binary: Path, names: list[str], wanted: set[str]) -> list[Outcome]:
    gateway, far = lab.hosts
    ears = Announcements(gateway)
    outcomes = []
    for kind in subjects(lab, binary, wanted):
        for name in names:
            case = CASES[name]
            if case.needs_mdns and kind == "static":
                continue
            for attempt in range(ATTEMPTS):
                scene = Scene(gateway, far, LabDevice(far, binary), make(kind, lab, binary))
                try:
                    outcome = await play_case(case, scene, ears)
                except (LabError, TimeoutError) as problem:
                    # What went wrong before or beside the fault says nothing about it.
                    print(f"{scene.subject.name}, {case.name}: {problem or 'no answer'}", file=sys.stderr)
                    if attempt + 1 < ATTEMPTS:
                        continue
                    raise
                outcome.key = name
                outcomes.append(outcome)
                print(outcome.line, flush=True)
                break
    return outcomes


def write_page(outcomes: list[Outcome]) -> None:
    version = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, cwd=ROOT)
    REPORT.write_text(page(outcomes, version.stdout.strip()))
    print(f"\n{REPORT} was written.")


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs the fault matrix.")
    parser.add_argument("--binary", type=Path, help="the castway to test")
    parser.add_argument("--only", default="", help=f"which of: {', '.join(CASES)}")
    parser.add_argument("--subjects", default="mdns,static,pychromecast")
    parser.add_argument("--report-only", action="store_true", help="write the page anew from the last outcomes")
    arguments = parser.parse_args()
    if arguments.report_only:
        outcomes = [Outcome(**outcome) for outcome in json.loads(RESULTS.read_text()).values()]
        write_page(sorted(outcomes, key=lambda outcome: (list(CASES).index(outcome.key), outcome.subject)))
        return 0
    if not arguments.binary:
        parser.error("--binary is missing")
    names = arguments.only.split(",") if arguments.only else list(CASES)
    if unknown := set(names) - set(CASES):
        parser.error(f"there is no case {', '.join(sorted(unknown))}")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    wanted = set(arguments.subjects.split(","))
    binary = arguments.binary.resolve()
    folder = Path(tempfile.mkdtemp(prefix="castway-lab-"))
    try:
        with Lab(folder, "gateway", "device") as lab:
            outcomes = asyncio.run(run_matrix(lab, binary, names, wanted))
    except LabError as problem:
        print(f"fault-matrix: {problem}", file=sys.stderr)
        return 1
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    old = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    old |= {f"{outcome.subject}/{outcome.key}": outcome.as_json for outcome in outcomes}
    RESULTS.write_text(json.dumps(old, indent=1))
    print("\n" + table(outcomes))
    if not arguments.only and wanted >= {"static", "pychromecast"}:
        write_page(outcomes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
