"""Shows which features of the feature list work, by running the built program, and writes the table of all of them.

    Tests/SDKFeatures/run.py --binary .build/debug/castway [--table Docs/features.tsv] [--only WORDS] [--json] [--keep]

Status 0 when every row that is on record as working was shown to work.
"""

from __future__ import annotations

import argparse
import importlib
import logging
import shutil
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

LIFETIME = 480
"""Seconds after which no further check begins."""

HERE = Path(__file__).resolve().parent
MODULES = ("flow", "context", "casting", "categories", "discovery", "network", "sessions", "moving", "lasting", "channels", "loading", "catalogues",
           "metadata", "pictures", "control",
           "asking", "queueing", "tracks", "volume", "groups", "launching", "logs", "logsinks", "refusals", "preferences", "receiver", "receiving",
           "mirroring", "passthrough", "passing", "commands")


def run(binary: Path, folder: Path, only: list[str]) -> float:
    """Runs the checks, one after the other; gives how long it took."""
    from registry import CHECKS, Skipped
    from world import World

    chosen = [c for c in CHECKS if not only or any(o in (c.name, c.module) or o.isdigit() and int(o) in c.rows for o in only)]
    began = time.monotonic()
    world = World(binary, folder)
    try:
        world.start()
        print(f"gateways run after {time.monotonic() - began:.1f} s", flush=True)
        for check in chosen:
            start = time.monotonic()
            if start - began > LIFETIME:
                check.was_run, check.failure = True, f"not run: {LIFETIME} s were over"
                continue
            first = world.near.configuration
            try:
                world.tidy()
                check.run(world)
            except Skipped as error:
                check.skipped = str(error)
            except Exception as error:  # a check may fail in any way, and the others go on
                check.failure = f"{type(error).__name__}: {error}" if not isinstance(error, AssertionError) else str(error)
                where = traceback.extract_tb(error.__traceback__)
                lines = [f"{Path(f.filename).name}:{f.lineno}" for f in where if f.filename.startswith(str(HERE))]
                check.failure += f" [{' '.join(lines[-3:])}]"
            check.was_run = True
            if ended := world.restore(first):
                check.failure = "; ".join(part for part in (check.failure, ended) if part)
            check.seconds = time.monotonic() - start
            mark = "FAIL" if check.failure else "skip" if check.skipped else "ok  "
            print(f"{mark} {check.seconds:5.1f} s  {check.module}.{check.name} ({len(check.rows)} rows)"
                  + (f": {check.failure or check.skipped}" if check.failure or check.skipped else ""), flush=True)
    finally:
        world.end()
    return time.monotonic() - began


def main() -> int:
    parser = argparse.ArgumentParser(description="Shows which features work.")
    parser.add_argument("--binary", type=Path, required=True, help="the castway to run")
    parser.add_argument("--table", type=Path, help="where the table of all rows is written to")
    parser.add_argument("--only", nargs="*", default=[], help="rows, checks or modules; without it all")
    parser.add_argument("--json", action="store_true", help="prints the sums as JSON at the end")
    parser.add_argument("--keep", action="store_true", help="keeps the folders of the gateways")
    arguments = parser.parse_args()
    # The threads of tests block signals, and what they start inherits that.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # A sender that is sent away has its thread say so.
    logging.getLogger("pychromecast").setLevel(logging.CRITICAL + 1)
    for module in MODULES:
        if (HERE / f"{module}.py").exists():
            importlib.import_module(module)
    from table import conclude

    folder = Path(tempfile.mkdtemp(prefix="castway-features-"))
    try:
        seconds = run(arguments.binary.resolve(), folder, arguments.only)
    finally:
        if not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return conclude(seconds, arguments.table, is_whole=not arguments.only, wants_json=arguments.json)


if __name__ == "__main__":
    sys.exit(main())
