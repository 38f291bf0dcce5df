"""Two senders use one device in turn, and each sees what the other does."""

from __future__ import annotations

from scene import Scene
from sender import MEDIA_APP


def main() -> None:
    scene = Scene.begin()
    second = scene.add("second")
    scene.connect()
    first = scene.first

    scene.step(
        "firstLaunched",
        lambda: first.cast.start_app(MEDIA_APP),
        lambda s: s.cast.app_id == MEDIA_APP,
    )
    scene.step(
        "secondLoaded",
        lambda: second.media.play_media("http://192.0.2.1/one.mp4", "video/mp4", title="One", stream_type="BUFFERED"),
        lambda s: s.status.player_state == "PLAYING",
    )
    scene.step("firstPaused", first.media.pause, lambda s: s.status.player_state == "PAUSED")
    scene.step("secondResumed", second.media.play, lambda s: s.status.player_state == "PLAYING")
    scene.step(
        "firstTurnedDown",
        lambda: first.cast.set_volume(0.2),
        lambda s: s.has_volume(0.2),
    )
    scene.step(
        "secondMuted",
        lambda: second.cast.set_volume_muted(True),
        lambda s: s.is_muted,
    )
    scene.step(
        "witnessPaused",
        scene.witness.media.pause,
        lambda s: s.status.player_state == "PAUSED",
    )
    scene.senders.remove(first)
    scene.step("firstLeft", first.cast.disconnect, lambda s: s.cast.app_id == MEDIA_APP)
    scene.step("secondResumedAlone", second.media.play, lambda s: s.status.player_state == "PLAYING")
    scene.step("secondStopped", second.media.stop, lambda s: s.status.player_state == "IDLE")
    scene.step("secondQuit", second.cast.quit_app, lambda s: s.cast.app_id is None)
    scene.end()


if __name__ == "__main__":
    main()
