"""Runs castload, the load generator."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

from . import paths
from .processes import Failed, Process

Result = dict[str, Any]


def build() -> None:
    """Compiles castload and castdevices."""
    for name in ("load", "devices"):
        subprocess.run(["make", "-s", "-C", str(paths.ROOT / "Benchmarks" / name)], check=True)


def run(
    mode: str, ports: list[int], *, host: str = "127.0.0.1", watch: list[int] | None = None, **options: float | str
) -> Result:
    """One run of castload against these ports of this machine; `options` are its options.

    A run that fails is tried once more.
    """
    words = [str(paths.CASTLOAD), mode]
    for port in ports:
        words += ["--connect", f"{host}:{port}"]
    for name, value in options.items():
        words += [f"--{name}", str(value)]
    for pid in watch or []:
        words += ["--watch", str(pid)]
    for attempt in (1, 2):
        done = subprocess.run(words, capture_output=True, text=True, timeout=150)
        if done.returncode == 0:
            # Some modes report twice: when they begin, and at the end.
            return {key: value for line in done.stdout.splitlines() for key, value in json.loads(line).items()}
        if attempt == 2:
            raise Failed(f"{' '.join(words)}: {done.stderr.strip()}")
    raise AssertionError


def device(folder: Path, certificate: tuple[Path, Path], name: str = "device") -> tuple[Process, int]:
    """Starts a Cast device; gives it with its port."""
    words = [str(paths.CASTLOAD), "device", "--listen", "127.0.0.1:0"]
    words += ["--certificate", str(certificate[0]), "--key", str(certificate[1])]
    process = Process(name, words, folder / f"{name}.log")
    return process, json.loads(process.wait_for_line("listening"))["listening"]


def medians(runs: list[Result]) -> Result:
    """The median of every number of several runs; everything else as in the first."""
    first = runs[0]
    merged: Result = {}
    for key, value in first.items():
        values = [run[key] for run in runs]
        if isinstance(value, dict):
            merged[key] = medians(values)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            merged[key] = median(values)
        else:
            merged[key] = value
    return merged
