"""Kills the gateway, the broker and the back end of bridges in every order while messages are under way, and judges what arrives.

    Benchmarks/bridgekills/run.py --binary .build/release/castway [--short] [--only TEXT] [--jobs 3] [--seed TEXT] [--page FILE]

Exit status 0 when everything that was taken has arrived, in its order, and duplicates carry one id; else 1.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import secrets
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "soak"))

import cases
import report
from cases import Case
from faults import own_mounts, slow_library
from judge import Outcome
from play import Player
from processes import end_all_and_wait
from world import World

SLOW = "100"
"""Milliseconds that an fsync takes longer on the slow disk."""


async def run(arguments: argparse.Namespace, chosen: list[Case], folder: Path, has_disk: bool) -> dict[int, Outcome]:
    """Plays the cases, some worlds beside each other: each of them waits most of the time."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    queue: asyncio.Queue[tuple[int, Case]] = asyncio.Queue()
    slow: asyncio.Queue[tuple[int, Case]] = asyncio.Queue()
    # One after the other, since each of them keeps a processor busy.
    long: asyncio.Queue[tuple[int, Case]] = asyncio.Queue()
    done: dict[int, Outcome] = {}
    library = slow_library(folder)
    for place, case in enumerate(chosen):
        if case.fault.startswith("slow disk"):
            if library:
                slow.put_nowait((place, case))
            else:
                done[place] = Outcome(case.name, notes=["skipped: there is no C compiler"])
        else:
            (long if case.messages > 5000 else queue).put_nowait((place, case))
    binary = arguments.binary.resolve()
    try:
        async with asyncio.TaskGroup() as group:
            if not long.empty():
                world = World(binary, folder / "long")
                group.create_task(Player(world, arguments.seed, has_disk=has_disk).run(long, done))
            for number in range(min(arguments.jobs, queue.qsize())):
                player = Player(World(binary, folder / f"world-{number + 1}"), arguments.seed, has_disk=has_disk)
                group.create_task(player.run(queue, done))
            if not slow.empty():
                environment = {"LD_PRELOAD": str(library), "SLOW_FSYNC_MS": SLOW}
                world = World(binary, folder / "slow", environment=environment)
                group.create_task(Player(world, arguments.seed, has_disk=False).run(slow, done))
    finally:
        await end_all_and_wait()
    return done


def main() -> int:
    parser = argparse.ArgumentParser(description="Kills what bridges consist of.")
    parser.add_argument("--binary", type=Path, required=True, help="the castway to test")
    parser.add_argument("--short", action="store_true", help="some cases with few messages")
    parser.add_argument("--only", default="", help="cases whose name or group contains this")
    parser.add_argument("--jobs", type=int, default=3, help="how many cases at once")
    parser.add_argument("--seed", default="")
    parser.add_argument("--page", type=Path, help="where the figures are written to")
    parser.add_argument("--json", action="store_true", help="prints the sums as JSON at the end")
    parser.add_argument("--keep", action="store_true", help="keeps the logs when all went as it must")
    arguments = parser.parse_args()
    arguments.seed = arguments.seed or secrets.token_hex(4)
    # The threads of tests block signals, and what they start inherits that.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Writing to what was killed is no news.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    has_disk = own_mounts()
    chosen = cases.short() if arguments.short else cases.full()
    chosen = [case for case in chosen if arguments.only in f"{case.group}: {case.name}"]
    folder = Path(tempfile.mkdtemp(prefix="castway-kills-"))
    began = time.monotonic()
    print(f"{len(chosen)} cases with SEED={arguments.seed}; logs are in {folder}", flush=True)
    done = asyncio.run(run(arguments, chosen, folder, has_disk))
    outcomes = [(case, done[place]) for place, case in enumerate(chosen)]
    print(report.table(outcomes), flush=True)
    is_good = len(done) == len(chosen) and not any(outcome.faults for outcome in done.values())
    if arguments.page and is_good:
        arguments.page.write_text(report.page(outcomes, time.monotonic() - began))
    if is_good and not arguments.keep:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{'PASS' if is_good else 'FAIL'} with SEED={arguments.seed}", flush=True)
    if arguments.json:
        totals = [outcome.total for outcome in done.values() if outcome.parts]
        print(json.dumps({
            "cases": len(totals), "taken": sum(total.taken for total in totals), "lost": sum(total.lost for total in totals),
            "out_of_order": sum(total.out_of_order for total in totals)}), flush=True)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
