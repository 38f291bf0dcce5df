"""Streams numbered messages in two namespaces while the gateway's plugins change, and tells who answered each."""

from __future__ import annotations

import itertools
import json
import tempfile
import threading
from typing import Any

from counting import Stream, controls
from scene import Scene, await_test, report
from sender import Message

NAMESPACES = ["urn:x-cast:com.example.counter", "urn:x-cast:com.example.second.counter"]
RELOADS = 56
CALM = 40
"""How many messages are sent and answered while nothing changes."""


def answer(message: Message) -> dict[str, Any]:
    return {key: message.get(key) for key in ("number", "plugin", "version", "mood", "process", "sequence", "granted")}


def written(answers: list[dict[str, Any]]) -> str:
    """Writes what is too much for a line into a file, and gives its path."""
    with tempfile.NamedTemporaryFile("w", delete=False) as file:
        json.dump(answers, file)
        return file.name


def place(scene: Scene) -> list[Any]:
    """What must not change: the connection, the session and the app."""
    cast = scene.first.cast
    assert cast.status is not None
    return [
        *cast.socket_client.socket.getsockname(),
        scene.first.times_lost,
        cast.status.session_id,
        cast.status.transport_id,
        scene.first.status.media_session_id,
    ]


def main() -> None:
    scene = Scene.begin()
    scene.connect()
    first = scene.first
    scene.step(
        "playing",
        lambda: first.media.play_media("http://192.0.2.1/one.mp4", "video/mp4", title="One", stream_type="BUFFERED"),
        lambda s: s.status.player_state == "PLAYING",
    )
    for sender in scene.senders:
        sender.player_states.clear()
        sender.media_sessions.clear()
    before = place(scene)

    stream = Stream(scene, *NAMESPACES, window=16)
    control = controls(first)
    numbers = itertools.count()
    requests = 0
    # The number of the first message of each time of calm, and of the first one behind it.
    calms: list[list[int]] = []

    def send() -> int:
        nonlocal requests
        number = next(numbers)
        if not stream.send(number, NAMESPACES[number % 2]):
            raise TimeoutError("no answers come")
        if number % 40 == 0:
            next(control)()  # raises when it is not answered
            requests += 1
        return number

    for reload in range(RELOADS + 1):
        calm = [send() for _ in range(CALM)]
        calms.append([calm[0], calm[-1] + 1])
        if not stream.is_answered():
            break
        if reload == RELOADS:
            break
        changed = threading.Event()

        def wait(changed: threading.Event = changed) -> None:
            await_test()
            changed.set()

        report("calm")
        threading.Thread(target=wait, daemon=True).start()
        while not changed.is_set():
            send()

    scene.step("settled", first.media.play, lambda s: s.status.player_state == "PLAYING")
    report(
        "counted",
        details={
            "sent": len(stream.sent),
            **stream.faults(),
            "inOrder": {
                kind: ids == sorted(ids)
                for kind in ("COUNT", "COUNTED")
                for ids in [[message["requestId"] for message in stream.answers if message["type"] == kind]]
            },
            "answersFile": written([answer(message) for message in stream.answers]),
            "calms": calms,
            "isUntouched": before == place(scene),
            "mediaRequests": requests,
            "playerStates": sorted(first.player_states | scene.witness.player_states),
            "mediaSessions": sorted(first.media_sessions | scene.witness.media_sessions),
        },
    )
    scene.end()


if __name__ == "__main__":
    main()
