"""castdevices, the simulated devices, and their control socket."""

from __future__ import annotations

import json
import random
import socket
import time
from pathlib import Path
from typing import Any

from . import paths
from .processes import Failed, Process

PORT = 8009


class DeviceFarm:
    """Simulated devices on neighbouring addresses of 127.0.0.0/8, ended with the `with` block."""

    def __init__(self, folder: Path, certificate: tuple[Path, Path], count: int, *more: str) -> None:
        self.count = count
        # Addresses of its own, so that runs beside each other do not meet.
        self._first = (127 << 24) + (random.randrange(64, 250) << 16) + 1
        path = folder / "devices.sock"
        words = [str(paths.CASTDEVICES), "--devices", str(count), "--listen", f"{self.address(0)}:{PORT}"]
        words += ["--certificate", str(certificate[0]), "--key", str(certificate[1]), "--control", str(path), *more]
        self.process = Process("castdevices", words, folder / "devices.log")
        self.process.wait_for_line("listening")
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(10)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile()

    def __enter__(self) -> DeviceFarm:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self.process.stop()

    def address(self, index: int) -> str:
        """The address of one device."""
        return socket.inet_ntoa((self._first + index).to_bytes(4, "big"))

    def order(self, *words: object) -> dict[str, Any]:
        """Gives one command; its answer."""
        self._socket.sendall((" ".join(map(str, words)) + "\n").encode())
        answer = json.loads(self._answers.readline())
        if "error" in answer:
            raise Failed(f"castdevices: {answer['error']}")
        return answer

    def wait_online(self, count: int, seconds: float = 60) -> dict[str, Any]:
        """Waits until so many clients were told a status; the counters then."""
        end = time.monotonic() + seconds
        while (status := self.order("status"))["online"] < count:
            if time.monotonic() > end:
                raise Failed(f"after {seconds:.0f} s, {status['online']} of {count} devices are connected")
            time.sleep(0.02)
        return status

    def emit(self, kind: str, rate: float, seconds: float, first: int, count: int) -> int:
        """Lets devices emit, and waits until they have; how many events went out."""
        before = self.order("status")["events"]
        self.order("emit", kind, rate, seconds, first, count)
        time.sleep(seconds)
        end = time.monotonic() + 20
        while (status := self.order("status"))["emitting"]:
            if time.monotonic() > end:
                raise Failed("the devices do not come to an end")
            time.sleep(0.05)
        return status["events"] - before
