"""Plays one medium and uses every control that senders have for it."""

from __future__ import annotations

from scene import Scene
from sender import Sender

URL = "http://192.0.2.1/one.mp4"


def main() -> None:
    scene = Scene.begin()
    scene.connect()
    first, witness = scene.first, scene.witness
    media = first.media

    def is_playing(sender: Sender) -> bool:
        return sender.status.player_state == "PLAYING"

    def is_paused(sender: Sender) -> bool:
        return sender.status.player_state == "PAUSED"

    def load() -> None:
        media.play_media(
            URL,
            "video/mp4",
            title="One",
            thumb="http://192.0.2.1/one.jpg",
            stream_type="BUFFERED",
            media_info={"duration": 300},
        )

    def load_broken() -> None:
        media.play_media("http://192.0.2.1/broken.mp4", "video/mp4", title="Broken")

    # The app's status text is in RECEIVER_STATUS, a message of its own that may come after MEDIA_STATUS.
    scene.step(
        "loaded",
        load,
        lambda s: is_playing(s) and s.status_text == "Casting: One",
    )
    scene.step("paused", media.pause, is_paused)
    scene.step("resumed", media.play, is_playing)
    scene.step(
        "sought",
        lambda: media.seek(90),
        lambda s: is_playing(s) and s.status.current_time >= 90,
    )
    scene.step(
        "soughtPaused",
        lambda: first.ask_media("SEEK", currentTime=120, resumeState="PLAYBACK_PAUSE"),
        lambda s: is_paused(s) and s.status.current_time == 120,
    )
    scene.step(
        "soughtPlaying",
        lambda: media.seek(30),
        lambda s: is_playing(s) and 30 <= s.status.current_time < 60,
    )
    scene.step(
        "deviceVolume",
        lambda: first.cast.set_volume(0.3),
        lambda s: s.has_volume(0.3),
    )
    scene.step(
        "deviceMuted",
        lambda: first.cast.set_volume_muted(True),
        lambda s: s.is_muted,
    )
    scene.step(
        "deviceUnmuted",
        lambda: first.cast.set_volume_muted(False),
        lambda s: not s.is_muted,
    )
    scene.step(
        "streamVolume",
        lambda: first.ask_media("SET_VOLUME", volume={"level": 0.25}),
        lambda s: abs(s.status.volume_level - 0.25) < 0.001,
    )
    scene.step(
        "streamMuted",
        lambda: first.ask_media("SET_VOLUME", volume={"muted": True}),
        lambda s: s.status.volume_muted,
    )
    scene.step(
        "faster",
        lambda: media.set_playback_rate(1.5),
        lambda s: s.status.playback_rate == 1.5,
    )
    scene.step("stopped", media.stop, lambda s: s.status.player_state == "IDLE")
    scene.step(
        "failed",
        load_broken,
        lambda s: s.status.idle_reason == s.raw_media.get("idleReason") == "ERROR"
        and (s is witness or s.load_failure is not None),
        lambda: {
            "itemID": first.load_failure[0] if first.load_failure else None,
            "errorCode": first.load_failure[1] if first.load_failure else None,
            "currentItemID": first.raw_media.get("currentItemId"),
        },
    )
    scene.end()


if __name__ == "__main__":
    main()
