"""Processes that live as long as a measurement, and what they use."""

from __future__ import annotations

import atexit
import os
import select
import signal
import socket
import subprocess
import time
from pathlib import Path


class Failed(Exception):
    """Something did not start, or did not answer."""


def free_port() -> int:
    """A port of 127.0.0.1 without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """One process, ended with the `with` block."""

    def __init__(self, name: str, words: list[str], log: Path, *, is_talking: bool = False) -> None:
        self.name = name
        self.started = time.perf_counter()
        self._log = log
        with log.open("wb") as errors:
            try:
                self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.PIPE if is_talking else subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                )
            except FileNotFoundError:
                raise Failed(f"{name} is not installed; Scripts/bootstrap.sh --bench installs it") from None
        self._seen = b""
        # Whatever goes wrong before the `with` block begins, nothing is left behind.
        atexit.register(self.stop)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def tell(self, line: str) -> None:
        """Writes a line to its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def wait_for_line(self, text: str, seconds: float = 20) -> str:
        """Waits until standard output has a line with this text, and gives it."""
        assert self._process.stdout is not None
        end = time.monotonic() + seconds
        while True:
            for line in self._seen.decode(errors="replace").splitlines():
                if text in line:
                    return line
            ready, _, _ = select.select([self._process.stdout], [], [], max(0, end - time.monotonic()))
            more = os.read(self._process.stdout.fileno(), 65536) if ready else b""
            if not more:
                raise Failed(f"{self.name} did not say '{text}':\n{self.errors()}")
            self._seen += more

    def wait_for_port(self, port: int, seconds: float = 20) -> None:
        """Waits until a program listens."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.is_running:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.02)
        raise Failed(f"{self.name} does not listen on {port}:\n{self.errors()}")

    def errors(self) -> str:
        """What it wrote to standard error, at most the last 20 lines."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-20:])

    def stop(self) -> str:
        """Ends it; gives the rest of its standard output. Does nothing when it has ended."""
        atexit.unregister(self.stop)
        if self._process.returncode is not None:
            return ""
        if self.is_running:
            self._process.send_signal(signal.SIGTERM)
        try:
            rest, _ = self._process.communicate(timeout=25)
        except subprocess.TimeoutExpired:
            self._process.kill()
            rest, _ = self._process.communicate()
        return (rest or b"").decode(errors="replace")

    def memory(self) -> dict[str, int]:
        """Resident and proportional memory in kB."""
        fields = {}
        for line in Path(f"/proc/{self.pid}/smaps_rollup").read_text().splitlines():
            name, _, rest = line.partition(":")
            if name in ("Rss", "Pss", "Private_Dirty"):
                fields[name] = int(rest.split()[0])
        return fields

    def peak_memory(self) -> int:
        """The most resident memory so far, in kB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
        raise Failed(f"{self.name} is gone")

    def cpu_seconds(self) -> float:
        """CPU time of all its threads, as the scheduler counted it."""
        # The system's number of the clock that counts the CPU time of another process, ended threads included.
        return time.clock_gettime((~self.pid << 3) | 2)
