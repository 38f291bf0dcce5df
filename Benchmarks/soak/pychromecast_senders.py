"""Unmodified pychromecast senders, in a process of their own that runs in the project's .venv.

    pychromecast_senders.py SEED SENDERS NAME=PORT...

Prints one JSON object for every action; ends when standard input does.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Tests" / "InteropTests" / "Drivers"))

import pychromecast  # noqa: E402
from pychromecast.controllers import BaseController  # noqa: E402
from pychromecast.error import PyChromecastError, RequestTimeout  # noqa: E402
from turns import take_turns  # noqa: E402

CONNECTION = "urn:x-cast:com.google.cast.tp.connection"
_printing = threading.Lock()


class Tap(BaseController):
    """Counts CLOSE: requests to an app that is gone are never answered in pychromecast."""

    def __init__(self) -> None:
        super().__init__(CONNECTION)
        self.closes = 0

    def receive_message(self, _message: Any, data: dict[str, Any]) -> bool:
        self.closes += data.get("type") == "CLOSE"
        return True


def report(**fields: Any) -> None:
    with _printing:
        print(json.dumps(fields), flush=True)


class Listener:
    """One pychromecast object after the other."""

    def __init__(self, number: int, seed: str, devices: dict[str, int], rest: threading.Event) -> None:
        self.number, self.seed, self.devices, self.rest = number, seed, devices, rest

    def run(self) -> None:
        generation = 0
        while not self.rest.is_set():
            generation += 1
            self._live(random.Random(f"{self.seed}/py{self.number}/{generation}"))
            self.rest.wait(0.2)

    def _live(self, rng: random.Random) -> None:
        name, port = rng.choice(sorted(self.devices.items()))
        cast = pychromecast.get_chromecast_from_host(
            ("127.0.0.1", port, uuid.uuid4(), "Chromecast", name), retry_wait=0.1, timeout=10)
        tap = Tap()
        cast.socket_client.register_handler(tap)
        try:
            self._act("connect", name, lambda: cast.wait(timeout=10), tap)
            media = cast.media_controller
            for _ in range(rng.randint(2, 15)):
                if self.rest.is_set():
                    break
                action: tuple[str, Callable[[], object]] = rng.choice((
                    ("set_volume", lambda: cast.set_volume(round(rng.random(), 2), timeout=10)),
                    ("set_volume_muted", lambda: cast.set_volume_muted(rng.random() < 0.5, timeout=10)),
                    ("start_app", lambda: cast.start_app("CC1AD845", timeout=10)),
                    ("play_media", lambda: self._play(media, rng)),
                    ("pause", lambda: media.pause(timeout=10)),
                    ("play", lambda: media.play(timeout=10)),
                    ("seek", lambda: media.seek(rng.random() * 5, timeout=10)),
                    ("stop", lambda: media.stop(timeout=10)),
                    ("quit_app", lambda: cast.quit_app(timeout=10)),
                ))
                self._act(action[0], name, action[1], tap)
                self.rest.wait(rng.uniform(0, 0.3))
        finally:
            cast.disconnect(timeout=10)

    @staticmethod
    def _play(media: Any, rng: random.Random) -> None:
        done = threading.Event()
        media.play_media("http://192.0.2.1/py.mp4", "video/mp4", title="py", stream_type="BUFFERED",
                         autoplay=rng.random() < 0.8, callback_function=lambda *_: done.set())
        if not done.wait(10):
            raise RequestTimeout("play_media", 10)

    def _act(self, action: str, device: str, act: Callable[[], object], tap: Tap) -> None:
        began, closes, failure = time.monotonic(), tap.closes, None
        try:
            act()
        except PyChromecastError as error:
            failure = type(error).__name__
        report(sender=f"py{self.number}", action=action, device=device, seconds=time.monotonic() - began,
               failure=failure, closes=tap.closes - closes)


def main() -> None:
    take_turns()
    # What pychromecast logs is not judged; the actions are.
    logging.getLogger("pychromecast").setLevel(logging.CRITICAL)
    seed, count, *places = sys.argv[1:]
    devices = {name: int(port) for name, port in (place.split("=") for place in places)}
    rest = threading.Event()
    threads = [threading.Thread(target=Listener(number, seed, devices, rest).run) for number in range(int(count))]
    for thread in threads:
        thread.start()
    with contextlib.suppress(OSError):
        sys.stdin.read()
    rest.set()
    for thread in threads:
        thread.join(30)
    report(end=True, stuck=sum(thread.is_alive() for thread in threads))
    # A thread that hangs must not keep the process.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
