"""The WebSocket of the API, by the library `websockets`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from api import PATIENCE, Api, Json, Refusal
from websockets.sync.client import connect


class Socket:
    """One socket, open while the `with` block lasts."""

    def __init__(self, api: Api) -> None:
        self._api, self._number = api, 0
        self.frames: list[Json] = []
        """What came that is no answer."""

    def __enter__(self) -> Socket:
        self._socket = connect(f"ws://127.0.0.1:{self._api.port}/api/v1/socket",
                               additional_headers={"Authorization": f"Bearer {self._api.token}"}, open_timeout=PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, **frame: Any) -> Json:
        """Sends a frame, and waits for its answer."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number} | frame))
        while True:
            answer = dict(json.loads(self._socket.recv(timeout=PATIENCE)))
            if answer.get("id") == self._number:
                return answer
            self.frames.append(answer)

    def call(self, operation: str, **values: Any) -> Json:
        """Calls an operation that has to succeed."""
        answer = self.ask(call=operation, input=values)
        if "problem" in answer:
            raise Refusal(operation, answer["problem"]["status"], answer["problem"])
        return dict(answer["result"])

    def subscribe(self, **subscription: Any) -> None:
        result = self.ask(subscribe=subscription)["result"]
        if result != {"subscribed": True}:
            raise AssertionError(f"the subscription was answered with {result}")

    def wait(self, fits: Callable[[Json], bool], what: str) -> Json:
        """Waits for a frame that fits."""
        until = time.monotonic() + PATIENCE
        for frame in self.frames:
            if fits(frame):
                return frame
        while time.monotonic() < until:
            frame = dict(json.loads(self._socket.recv(timeout=PATIENCE)))
            self.frames.append(frame)
            if fits(frame):
                return frame
        raise AssertionError(f"no frame: {what}")
