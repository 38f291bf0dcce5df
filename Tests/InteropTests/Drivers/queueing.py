"""Builds a queue, changes its order, and walks through it."""

from __future__ import annotations

from collections.abc import Callable

from scene import Scene
from sender import Sender


def main() -> None:
    scene = Scene.begin()
    scene.connect()
    first = scene.first
    media = first.media

    def play(title: str, *, enqueue: bool = False) -> None:
        media.play_media(
            f"http://192.0.2.1/{title.lower()}.mp4",
            "video/mp4",
            title=title,
            stream_type="BUFFERED",
            enqueue=enqueue,
        )

    def plays(title: str) -> Callable[[Sender], bool]:
        # The raw status too: which of the two a sender takes from a message first is by chance.
        return lambda s: s.status.player_state == "PLAYING" and {s.status.title, s.raw_title} == {title}

    def is_changed(sender: Sender) -> bool:
        return bool(sender.queue_changes)

    def queues() -> dict[str, object]:
        return {
            "queues": {sender.name: sender.queue() for sender in scene.senders},
            "changes": {sender.name: sender.queue_changes for sender in scene.senders},
        }

    scene.step("loaded", lambda: play("One"), plays("One"), queues)
    scene.step("secondAdded", lambda: play("Two", enqueue=True), is_changed, queues)
    scene.step("thirdAdded", lambda: play("Three", enqueue=True), is_changed, queues)
    one, two, three = first.queue()
    scene.step("next", media.queue_next, plays("Two"))
    scene.step("previous", media.queue_prev, plays("One"))
    scene.step(
        "reordered",
        lambda: first.ask_media("QUEUE_REORDER", itemIds=[three], insertBefore=two),
        is_changed,
        queues,
    )
    scene.step("nextAfterReorder", media.queue_next, plays("Three"))
    scene.step(
        "removed",
        lambda: first.ask_media("QUEUE_REMOVE", itemIds=[two]),
        is_changed,
        queues,
    )
    scene.step(
        "repeating",
        lambda: first.ask_media("QUEUE_UPDATE", repeatMode="REPEAT_ALL"),
        lambda s: s.raw_media.get("repeatMode") == "REPEAT_ALL",
    )
    scene.step("wrapped", media.queue_next, plays("One"))
    scene.step(
        "jumped",
        lambda: first.ask_media("QUEUE_UPDATE", currentItemId=three),
        plays("Three"),
    )
    scene.end()


if __name__ == "__main__":
    main()
