"""Plays through a relay, learns that the device is gone while the relay stays, and plays again when it is back."""

from __future__ import annotations

from scene import Scene, await_test
from sender import MEDIA_APP, Sender


def main() -> None:
    scene = Scene.begin()
    first = scene.first
    scene.senders = [first]
    await_test()
    scene.connect()
    # Until the relay has reached the device, it has no volume to tell of.
    first.wait_until(lambda s: s.has_volume(0.5))

    def play(title: str) -> None:
        first.media.play_media(
            f"http://192.0.2.1/{title.lower()}.mp4", "video/mp4", title=title, stream_type="BUFFERED"
        )

    def plays(sender: Sender, title: str) -> bool:
        return sender.status.player_state == "PLAYING" and sender.status.title == title

    def link() -> dict[str, object]:
        return {"timesLost": first.times_lost, "closedEnds": first.closed_ends}

    scene.step("playing", lambda: play("One"), lambda s: plays(s, "One"), link)
    scene.step("deviceLost", None, lambda s: s.cast.app_id is None and bool(s.closed_ends), link)
    await_test()
    scene.step(
        "refused",
        lambda: first.cast.start_app(MEDIA_APP),
        lambda s: s.launch_failure is not None,
        lambda: {"reason": first.launch_failure.reason if first.launch_failure else None},
    )
    # The device comes back with another volume than before.
    scene.step("deviceBack", None, lambda s: s.has_volume(0.75), link)
    scene.step("playingAgain", lambda: play("Two"), lambda s: plays(s, "Two"), link)
    scene.end()


if __name__ == "__main__":
    main()
