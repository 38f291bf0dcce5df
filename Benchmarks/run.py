#!/usr/bin/env python3
"""Castway's benchmarks: measures, and writes Docs/Performance.md. See Benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from castbench import (  # noqa: E402
    accepts,
    api,
    bridges,
    codec,
    devices,
    load,
    machine,
    memory,
    mirroring,
    passthrough,
    paths,
    plugins,
    receiver,
    relay,
    report,
    startup,
)
from castbench.plan import Plan  # noqa: E402
from castbench.processes import Failed  # noqa: E402

PARTS = {
    "relay": relay,
    "accepts": accepts,
    "memory": memory,
    "receiver": receiver,
    "startup": startup,
    "devices": devices,
    "codec": codec,
    "plugins": plugins,
    "api": api,
    "bridges": bridges,
    "mirroring": mirroring,
    "passthrough": passthrough,
}


def prepare() -> None:
    """Enough descriptors for thousands of connections, and what is to be measured."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    load.build()
    if "CASTWAY_BIN" not in os.environ:
        print("Building the optimised gateway.", file=sys.stderr)
        paths.build("castway")
    if not paths.castway().exists():
        raise Failed(f"there is no {paths.castway()}")


def saved(file: Path) -> dict[str, Any]:
    """What earlier runs measured, so that one part can be measured anew."""
    return json.loads(file.read_text()) if file.exists() else {}


def measure(names: list[str], plan: Plan) -> Iterator[dict[str, Any]]:
    """Measures these parts, and gives each as soon as it is there: one that fails takes no other with it."""
    for name in names:
        results: dict[str, Any] = {"machine": machine.facts()}
        plan.say(f"== {name}")
        with tempfile.TemporaryDirectory(prefix="castway-bench-") as folder:
            results[name] = PARTS[name].measure(plan, Path(folder))
        results[name]["date"] = time.strftime("%Y-%m-%d %H:%M")
        words = (["QUICK=1"] if plan.is_quick else []) + ([f"ONLY={name}"] if len(names) == 1 else [])
        results[name]["command"] = " ".join(["make bench", *words])
        yield results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"which of: {', '.join(PARTS)}; without, all")
    parser.add_argument("--quick", action="store_true", help="a short look, which leaves Docs/Performance.md alone")
    parser.add_argument("--report-only", action="store_true", help="write the report anew from the last figures")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    plan = Plan.quick() if arguments.quick else Plan.full()
    file = paths.RESULTS.with_name("results-quick.json") if plan.is_quick else paths.RESULTS
    target = paths.BUILD / "Performance-quick.md" if plan.is_quick else paths.REPORT
    began = time.monotonic()
    try:
        results = saved(file)
        if not arguments.report_only:
            prepare()
            for part in measure(arguments.parts or list(PARTS), plan):
                results |= part
                file.write_text(json.dumps(results, indent=1))
        report.write(paths.REPORT, target, results)
    except Failed as failure:
        sys.exit(f"bench: {failure}")
    plan.say(f"{target} was written after {time.monotonic() - began:.0f} s.")


if __name__ == "__main__":
    main()
