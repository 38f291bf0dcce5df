"""What a driver is made of: senders on a stage, and steps that each end in one line of JSON for the test."""

from __future__ import annotations

import argparse
import base64
import faulthandler
import hashlib
import importlib.metadata
import json
import logging
import sys
from collections.abc import Callable
from typing import Any

from pychromecast.error import PyChromecastError

from sender import HOST, Sender
from turns import take_turns

LIFETIME = 110
"""Seconds after which a driver that hangs prints where, and ends."""


class Scene:
    """The senders of a driver.

    The first one usually acts. The witness is connected to the device that plays: on a relay that is the far device,
    elsewhere the same one.
    """

    def __init__(self, sender_port: int, witness_port: int) -> None:
        self.first = Sender("first", sender_port)
        self.witness = Sender("witness", witness_port)
        self.sender_port = sender_port
        self.senders = [self.first, self.witness]

    @staticmethod
    def begin() -> Scene:
        """Reads the ports from the command line."""
        faulthandler.dump_traceback_later(LIFETIME, exit=True)
        take_turns()
        # Reconnecting is what some drivers are about; it need not be logged as an error each time.
        logging.getLogger("pychromecast").setLevel(logging.CRITICAL)
        parser = argparse.ArgumentParser()
        parser.add_argument("sender_port", type=int)
        parser.add_argument("witness_port", type=int)
        arguments = parser.parse_args()
        return Scene(arguments.sender_port, arguments.witness_port)

    def add(self, name: str) -> Sender:
        """Puts another sender beside the first."""
        sender = Sender(name, self.sender_port)
        self.senders.append(sender)
        return sender

    def connect(self) -> None:
        for sender in self.senders:
            sender.connect()

    def step(
        self,
        name: str,
        action: Callable[[], object] | None = None,
        until: Callable[[Sender], bool] = lambda _: True,
        details: Callable[[], dict[str, Any]] | None = None,
    ) -> None:
        """Acts, waits until every sender sees what should follow, and tells the test what they see."""
        for sender in self.senders:
            sender.forget()
        failure: str | None = None
        try:
            if action is not None:
                action()
        except PyChromecastError as error:
            failure = type(error).__name__
        late = [sender.name for sender in self.senders if not sender.wait_until(until)]
        report(
            name,
            late=late,
            failure=failure,
            sightings={sender.name: sender.sighting() for sender in self.senders},
            details=details() if details else None,
        )

    def end(self) -> None:
        """Hangs up."""
        for sender in self.senders:
            sender.cast.disconnect()
        report("end")


def report(step: str, **fields: Any) -> None:
    """Prints one line for the test."""
    print(json.dumps({"step": step, **fields}), flush=True)


def await_test() -> str:
    """Waits for a line from the test."""
    return sys.stdin.readline().strip()


def installation() -> dict[str, Any]:
    """Which pychromecast this is, and whether its files are those that its package listed."""
    package = importlib.metadata.distribution("PyChromecast")
    changed = []
    for file in package.files or []:
        if file.hash is None:
            continue
        digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
        if base64.urlsafe_b64encode(digest).decode().rstrip("=") != file.hash.value:
            changed.append(str(file))
    return {"version": package.version, "changedFiles": changed, "host": HOST}
