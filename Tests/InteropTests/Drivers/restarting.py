"""Plays, loses the gateway, comes back by itself, and plays again."""

from __future__ import annotations

from scene import Scene, await_test, report
from sender import MEDIA_APP, Sender


def main() -> None:
    scene = Scene.begin()
    # Who looks on at the device would only be in the way here.
    first = scene.first
    scene.senders = [first]
    await_test()
    scene.connect()

    def play(title: str) -> None:
        first.media.play_media(
            f"http://192.0.2.1/{title.lower()}.mp4", "video/mp4", title=title, stream_type="BUFFERED"
        )

    def plays(sender: Sender, title: str) -> bool:
        return sender.status.player_state == "PLAYING" and sender.status.title == title

    scene.step("playing", lambda: play("One"), lambda s: plays(s, "One"))
    lost = first.wait_until(lambda s: s.times_lost > 0)
    report("lost", details={"wasLost": lost})
    scene.step("back", None, lambda s: s.is_up and s.cast.app_id == MEDIA_APP)
    scene.step("playingAgain", lambda: play("Two"), lambda s: plays(s, "Two"))
    scene.end()


if __name__ == "__main__":
    main()
