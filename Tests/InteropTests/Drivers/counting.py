"""Streams numbered messages to an app that plays, and counts how each is answered."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator

from scene import Scene, await_test, report
from sender import DEADLINE, Message, Sender, Tap

NAMESPACE = "urn:x-cast:com.example.counter"
CHUNKS = 50
CHUNK = 100
WINDOW = 48
"""How many messages may wait for their answers."""


class Stream:
    """Sends numbered messages and keeps every answer, also unasked ones."""

    def __init__(self, scene: Scene, *namespaces: str, window: int = WINDOW) -> None:
        self._client = scene.first.cast.socket_client
        self._free = threading.Semaphore(window)
        self._sender = scene.first
        self.sent: list[int] = []
        self.answers: list[Message] = []
        for namespace in namespaces:
            scene.first.cast.register_handler(Tap(namespace, self._receive))

    def _receive(self, data: Message) -> None:
        self.answers.append(data)
        self._free.release()
        self._sender.wake()

    def send(self, number: int, namespace: str = NAMESPACE) -> bool:
        """Sends one message; False when no answer came for so long that there is no room."""
        if not self._free.acquire(timeout=DEADLINE):
            return False
        message: Message = {"type": "COUNT", "number": number}
        assert self._client.destination_id is not None
        self._client.send_message(self._client.destination_id, namespace, message)
        self.sent.append(message["requestId"])
        return True

    def is_answered(self) -> bool:
        """Waits until every message has its answer; False when one has none for long."""
        return self._sender.wait_until(lambda _: len(self.answers) >= len(self.sent))

    def faults(self) -> dict[str, list[int]]:
        """The requests that were not answered exactly once."""
        counts = Counter(answer.get("requestId") for answer in self.answers)
        known = set(self.sent)
        return {
            "lost": [number for number in self.sent if counts[number] == 0],
            "doubled": [number for number, count in counts.items() if count > 1],
            "unasked": [number for number in counts if number not in known],
        }

    def result(self) -> dict[str, object]:
        handled = [answer for answer in self.answers if answer["type"] == "COUNTED"]
        others = [answer for answer in self.answers if answer["type"] != "COUNTED"]
        return {
            "sent": len(self.sent),
            **self.faults(),
            "sequences": [answer["sequence"] for answer in handled],
            "handledRequests": [answer["requestId"] for answer in handled],
            "otherRequests": [answer["requestId"] for answer in others],
            "otherTypes": sorted({answer["type"] for answer in others}),
        }


def controls(sender: Sender) -> Iterator[Callable[[], None]]:
    """Media requests, again and again; each raises when it is not answered."""
    media = sender.media
    return itertools.cycle(
        [
            media.pause,
            media.play,
            lambda: media.seek(90),
            lambda: media.set_playback_rate(1.25),
            lambda: media.set_playback_rate(1),
        ]
    )


def main() -> None:
    scene = Scene.begin()
    scene.connect()
    first = scene.first
    media = first.media

    scene.step(
        "playing",
        lambda: media.play_media("http://192.0.2.1/one.mp4", "video/mp4", title="One", stream_type="BUFFERED"),
        lambda s: s.status.player_state == "PLAYING",
    )
    for sender in scene.senders:
        sender.player_states.clear()
        sender.media_sessions.clear()

    stream = Stream(scene, NAMESPACE)
    control = controls(scene.first)
    numbers = itertools.count(1)
    requests = 0
    for chunk in range(CHUNKS):
        for number in itertools.islice(numbers, CHUNK):
            if not stream.send(number):
                break
            if number % 40 == 0:
                next(control)()  # raises when it is not answered
                requests += 1
        # The test swaps the handler while the next chunk is under way.
        report("chunk")
        if chunk > 0:
            await_test()

    answered = stream.is_answered()
    # Whatever comes twice has come before the answer to this last request of the same flow.
    scene.step("settled", media.play, lambda s: s.status.player_state == "PLAYING")
    report(
        "counted",
        details={
            **stream.result(),
            "isAnswered": answered,
            "mediaRequests": requests,
            "playerStates": sorted(first.player_states | scene.witness.player_states),
            "mediaSessions": sorted(first.media_sessions | scene.witness.media_sessions),
        },
    )
    scene.end()


if __name__ == "__main__":
    main()
