#!/usr/bin/env python3
"""Castway's benchmarks: measures, and writes Docs/Performance.md. See Benchmarks/README.md."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from castbench import load, relay  # noqa: E402
from castbench.plan import Plan  # noqa: E402

PARTS = {"relay": relay}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"which of {' '.join(PARTS)}; all without")
    parser.add_argument("--quick", action="store_true", help="a short look that takes some 90 s")
    arguments = parser.parse_args()
    plan = Plan.quick() if arguments.quick else Plan.full()
    load.build()
    results = {}
    for name in arguments.parts or PARTS:
        with tempfile.TemporaryDirectory(prefix="castway-bench-") as folder:
            results[name] = PARTS[name].measure(plan, Path(folder))
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
