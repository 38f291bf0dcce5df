"""Speaks custom namespaces: one that echoes, one that repeats to everybody."""

from __future__ import annotations

from pychromecast.controllers import BaseController

from scene import Scene, report
from sender import Message, Sender

APP = "ABCD1234"
ECHO = "urn:x-cast:com.example.echo"
BOARD = "urn:x-cast:com.example.board"


class Channel(BaseController):
    """What a sender app has for a namespace of its own."""

    def __init__(self, namespace: str, owner: Sender) -> None:
        super().__init__(namespace, supporting_app_id=APP)
        self.received: list[Message] = []
        self._owner = owner
        owner.cast.register_handler(self)

    def receive_message(self, _message: object, data: Message) -> bool:
        self.received.append(data)
        self._owner.wake()
        return True

    def texts(self) -> list[str]:
        return [message["text"] for message in self.received]


def main() -> None:
    scene = Scene.begin()
    first, second = scene.first, scene.add("second")
    echoes = {sender.name: Channel(ECHO, sender) for sender in (first, second)}
    boards = {sender.name: Channel(BOARD, sender) for sender in (first, second)}
    scene.connect()

    def received() -> dict[str, object]:
        return {
            "echoes": {name: channel.texts() for name, channel in echoes.items()},
            "boards": {name: channel.texts() for name, channel in boards.items()},
        }

    def send(channel: Channel, text: str) -> None:
        channel.send_message({"type": "TEXT", "text": text})

    scene.step("launched", lambda: first.cast.start_app(APP), lambda s: s.cast.app_id == APP)

    # The answer also says that the second sender is connected to the app.
    send(echoes["second"], "I am here")
    if not second.wait_until(lambda _: bool(echoes["second"].received)):
        report("nothing came back")
    scene.step(
        "echoed",
        lambda: send(echoes["first"], "hello"),
        lambda s: s is not first or bool(echoes["first"].received),
        received,
    )
    scene.step(
        "repeated",
        lambda: send(boards["first"], "news"),
        lambda s: s.name not in boards or bool(boards[s.name].received),
        received,
    )
    scene.end()


if __name__ == "__main__":
    main()
