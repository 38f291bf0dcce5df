"""(f) What a message costs in the codec and in the router, in nanoseconds, from CodecBenchmark."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from . import paths
from .plan import Plan


def measure(plan: Plan, folder: Path) -> dict:
    """Builds CodecBenchmark when it is not there, and runs it."""
    program = paths.products() / "CodecBenchmark"
    if "CASTWAY_BIN" not in os.environ or not program.exists():
        paths.build("CodecBenchmark")
    words = [str(program), "3" if plan.is_quick else "15"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600)
    cases = [json.loads(line) for line in done.stdout.splitlines()]
    for case in cases:
        plan.say(f"{case['name']:40} {case['payload']:22} {case['nanoseconds']:8.0f} ns")
    return {"cases": cases}
