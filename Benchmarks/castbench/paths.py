"""Where things are."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build" / "benchmarks"
CASTLOAD = BUILD / "castload"
CASTDEVICES = BUILD / "castdevices"
RESULTS = BUILD / "results.json"
REPORT = ROOT / "Docs" / "Performance.md"
PYTHON = ROOT / ".venv" / "bin" / "python"


@cache
def products() -> Path:
    """The folder of the optimised products; CASTWAY_BIN names another one."""
    if "CASTWAY_BIN" in os.environ:
        return Path(os.environ["CASTWAY_BIN"]).resolve()
    shown = subprocess.run(
        ["swift", "build", "-c", "release", "--show-bin-path"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return Path(shown.stdout.strip())


def build(product: str) -> None:
    """Builds an optimised product; Package.swift leaves the benchmarks out unless it is told to have them."""
    subprocess.run(
        [ROOT / "Scripts" / "build.sh", "-c", "release", "--product", product],
        env=os.environ | {"CASTWAY_BENCHMARKS": "1"},
        check=True,
    )


def castway() -> Path:
    """The gateway under test."""
    return products() / "castway"
