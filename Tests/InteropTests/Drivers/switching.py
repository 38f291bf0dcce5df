"""Streams numbered requests of one kind while the gateway's handlers are switched, and tells how each was answered."""

from __future__ import annotations

import itertools
import json
import tempfile
import threading
from collections import Counter
from typing import Any

from reloading import place
from scene import Scene, await_test, report
from sender import DEADLINE, NS_MEDIA, Message, Sender, Tap

NS_RECEIVER = "urn:x-cast:com.google.cast.receiver"
NS_CHANNEL = "urn:x-cast:com.example.counter"
PLATFORM = "receiver-0"
MEDIA_APP = "CC1AD845"
CALM = 12
"""How many requests are sent and answered while nothing changes."""
CALM_LAUNCHES = 4
PAUSE = 0.22
"""Seconds between launches, of which a device takes five a second from one address."""
WINDOW = 8
"""How many requests may wait for their answers."""


class Requests:
    """Requests of one kind, and every answer to them."""

    def __init__(self, sender: Sender, kind: str) -> None:
        self.kind = kind
        self._sender = sender
        self._client = sender.cast.socket_client
        self._free = threading.Semaphore(WINDOW)
        self._numbers: dict[int, int] = {}
        self.answers: list[tuple[int, str]] = []
        self.namespace = {"media": NS_MEDIA, "channel": NS_CHANNEL}.get(kind, NS_RECEIVER)
        sender.cast.register_handler(Tap(self.namespace, self._receive))

    def _receive(self, data: Message) -> None:
        # Statuses for all senders have another id, or none.
        if data.get("requestId") not in self._numbers:
            return
        self.answers.append((self._numbers[data["requestId"]], data["type"]))
        self._free.release()
        self._sender.wake()

    def _message(self, number: int) -> Message:
        if self.kind == "media":
            item = {"itemId": 1, "autoplay": "true"}
            session = self._sender.status.media_session_id
            return {"type": "QUEUE_UPDATE", "mediaSessionId": session, "items": [item], "number": number}
        if self.kind == "launch":
            return {"type": "LAUNCH", "appId": MEDIA_APP, "number": number}
        return {"type": "COUNT" if self.kind == "channel" else "GET_STATUS", "number": number}

    def send(self, number: int) -> None:
        if not self._free.acquire(timeout=DEADLINE):
            raise TimeoutError("no answers come")
        if self.kind == "launch":
            threading.Event().wait(PAUSE)
        message = self._message(number)
        destination = PLATFORM if self.namespace == NS_RECEIVER else self._client.destination_id
        assert destination is not None
        # The answer may come before this returns, so that the id has to be known beforehand.
        message["requestId"] = 1_000_000 + number
        self._numbers[message["requestId"]] = number
        self._client.send_message(destination, self.namespace, message, no_add_request_id=True)

    def is_answered(self) -> bool:
        return self._sender.wait_until(lambda _: len(self.answers) >= len(self._numbers))

    def result(self) -> dict[str, Any]:
        counts = Counter(number for number, _ in self.answers)
        return {
            "sent": len(self._numbers),
            "lost": [number for number in self._numbers.values() if counts[number] == 0],
            "doubled": [number for number, count in counts.items() if count > 1],
        }


def written(answers: list[tuple[int, str]]) -> str:
    """Writes what is too much for a line into a file, and gives its path."""
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        json.dump([{"number": number, "type": kind} for number, kind in answers], file)
        return file.name


def main() -> None:
    scene = Scene.begin()
    kind, changes = await_test().split()
    scene.connect()
    first = scene.first
    scene.step(
        "playing",
        lambda: first.media.play_media("http://192.0.2.1/one.mp4", "video/mp4", title="One", stream_type="BUFFERED"),
        lambda s: s.status.player_state == "PLAYING",
    )
    before = place(scene)
    requests = Requests(first, kind)
    numbers = itertools.count()
    # The number of the first request of each time of calm, and of the first one behind it.
    calms: list[list[int]] = []
    for change in range(int(changes) + 1):
        calm = list(itertools.islice(numbers, CALM_LAUNCHES if kind == "launch" else CALM))
        for number in calm:
            requests.send(number)
        calms.append([calm[0], calm[-1] + 1])
        if not requests.is_answered() or change == int(changes):
            break
        changed = threading.Event()

        def wait(changed: threading.Event = changed) -> None:
            await_test()
            changed.set()

        report("calm")
        threading.Thread(target=wait, daemon=True).start()
        while not changed.is_set():
            requests.send(next(numbers))
        # What was on its way at the change is answered before the next calm begins.
        requests.is_answered()

    report(
        "counted",
        details={
            **requests.result(),
            "answersFile": written(requests.answers),
            "calms": calms,
            "isUntouched": before == place(scene),
        },
    )
    scene.end()


if __name__ == "__main__":
    main()
