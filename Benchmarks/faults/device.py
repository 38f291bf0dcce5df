"""The device of the lab: a Castway with the built-in receiver, an observer beside it, and its announcement."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import wire
from lab import LOGS, Host, LabError, end
from matrix_sender import NUMBERS, Sender

PORT = 8009
NAME = "Matrix device"
DEVICE_ID = "5f0c2d1e7a344b589c6d2e8f10a3b4c7"
EVENT_EVERY = 0.05
TEXT = {"id": DEVICE_ID, "cd": DEVICE_ID.upper(), "rm": "", "ve": "05", "md": "Chromecast", "ic": "/setup/icon.png",
        "fn": NAME, "ca": "4101", "st": "1", "bs": "FA8FCA000001", "nf": "1", "rs": ""}

CONFIG = """
version: 1
gateway: {{id: far, state_directory: {folder}/state}}
log: {{level: info, format: json}}
connections: {{senders: {{messages_per_second: unlimited, new_per_second: unlimited}}}}
virtual_devices:
  - name: far
    friendly_name: {name}
    listen: 0.0.0.0:{port}
    target: local
    idle_timeout: 0s
{publish}    apps:
      CC1AD845:
        name: Default Media Receiver
        namespaces: ["{numbers}"]
        player: simulated
        options: {{load_delay: 20ms, buffering: 20ms, launch_delay: 20ms, default_duration: 10h}}
channels:
  - {{namespace: "{numbers}", handler: broadcast}}
"""


class LabDevice:
    """Plays, and says a numbered event twenty times a second to every listener."""

    def __init__(self, host: Host, binary: Path) -> None:
        self.host, self.binary = host, binary
        self.folder = host.folder / "castway"
        self.folder.mkdir(exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None
        self.publishes = self._write_config("    publish: true\n") or not self._write_config("")
        """Whether this version of Castway announces its devices itself."""
        self.reachable_at = 0.0
        self.sent: list[tuple[float, int]] = []
        """The numbered events that went out."""
        self.samples: list[tuple[float, str, int, str]] = []
        """What played: session, media session and state."""
        self._publisher: subprocess.Popen[bytes] | None = None
        self._observer: Sender | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def _config(self) -> Path:
        return self.folder / "gateway.yaml"

    def _write_config(self, publish: str) -> bool:
        """Writes the configuration; whether this version of Castway understands it."""
        self._config.write_text(
            CONFIG.format(folder=self.folder, name=NAME, port=PORT, numbers=NUMBERS, publish=publish))
        return subprocess.run([str(self.binary), "check", str(self._config)], capture_output=True).returncode == 0

    # MARK: Processes

    async def start(self, *, plays: bool = True) -> None:
        """Starts, plays, and is announced."""
        self.process = self.host.start("castway", str(self.binary), "run", "--config", str(self._config))
        # Beside the device, so that what happens to the network does not happen to the observer.
        self._observer = Sender("observer", self.host, "127.0.0.1", PORT)
        self._tasks = [asyncio.create_task(self._observer.run())]
        await self._until(lambda: self._observer is not None and self._observer.is_connected, "the device")
        self.reachable_at = time.monotonic()
        if plays:
            await self.play()
        # Only what can be reached is announced.
        self.announce()

    def announce(self) -> None:
        """Publishes the service, anew if it was before, unless the device does so itself."""
        self.withdraw()
        if self.publishes:
            return
        self._publisher = self.host.publish(f"Chromecast-{DEVICE_ID}", PORT, TEXT)

    def withdraw(self) -> None:
        """Ends the announcement; Avahi says goodbye."""
        if self._publisher:
            end(self._publisher)
        self._publisher = None

    async def play(self) -> None:
        """Launches the app, loads media and begins to count."""
        observer = self._observer
        assert observer is not None
        await observer.answer("launch", wire.RECEIVER, {"type": "LAUNCH", "appId": wire.MEDIA_APP}, wire.PLATFORM)
        await self._until(lambda: observer.is_joined, "the app")
        media = {"contentId": "http://media.invalid/one.mp4", "contentType": "video/mp4", "streamType": "BUFFERED"}
        transport = observer.app["transportId"] if observer.app else ""
        await observer.answer("load", wire.MEDIA, {"type": "LOAD", "media": media}, transport)
        await self._until(lambda: (observer.media or {}).get("playerState") == "PLAYING", "playing")
        self._tasks.append(asyncio.create_task(self._count(observer)))

    async def _count(self, observer: Sender) -> None:
        number = self.sent[-1][1] if self.sent else 0
        while True:
            app, media = observer.app, observer.media
            if observer.is_joined and app:
                number += 1
                self.sent.append((time.monotonic(), number))
                observer.send(NUMBERS, {"type": "NUMBER", "n": number}, app["transportId"])
                if media:
                    self.samples.append((time.monotonic(), app["sessionId"], media["mediaSessionId"], media["playerState"]))
            await asyncio.sleep(EVENT_EVERY)

    async def _until(self, is_so: Any, what: str) -> None:
        deadline = time.monotonic() + 20
        while not is_so():
            if time.monotonic() > deadline or (self.process and self.process.poll() is not None):
                raise LabError(f"{what} does not come; see {LOGS}")
            await asyncio.sleep(0.02)

    async def stop_counting(self) -> None:
        """No more events from now on."""
        await self._cancel(self._tasks[1:])
        del self._tasks[1:]

    async def _cancel(self, tasks: list[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """Ends everything; with SIGKILL as a crash does it."""
        await self._cancel(self._tasks)
        self._tasks = []
        if self.process:
            end(self.process, number)
        self.withdraw()
        self.process = None

    def freeze(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process
        self.process.send_signal(signal.SIGCONT)

    # MARK: Playback

    def is_untouched(self, since: float) -> bool | None:
        """Whether the same media played all the time; None without samples since then."""
        seen = {sample[1:] for sample in self.samples if sample[0] >= since}
        return None if not seen else len(seen) == 1 and next(iter(seen))[2] in ("PLAYING", "BUFFERING")
