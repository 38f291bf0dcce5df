"""What was measured on, and with which versions."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from pathlib import Path

from . import paths


def _first_line(*words: str) -> str:
    if not shutil.which(words[0]):
        return "not installed"
    done = subprocess.run(words, capture_output=True, text=True, cwd=paths.ROOT)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if lines else "unknown"


def cpu_model() -> str:
    found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1) if found else platform.machine()


def facts() -> dict[str, str]:
    """The machine and the versions, by name."""
    memory = int(re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text()).group(1)) // 1024 // 1024
    cores = len([line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("processor")])
    release = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    return {
        "Processor": f"{cpu_model()}, {cores} cores, {memory} GiB",
        "System": f"{release}, kernel {platform.release()}",
        "Castway": f"commit {_first_line('git', 'describe', '--always', '--dirty')}, release build",
        "Swift": _first_line("swift", "--version"),
        "nginx": _first_line("nginx", "-v").replace("nginx version: ", ""),
        "HAProxy": _first_line("haproxy", "-v").split(" - ")[0],
        "OpenSSL of the peers and the load generator": _first_line("openssl", "version").split(" (")[0],
    }
