"""Switches subtitles on and off and changes how they look."""

from __future__ import annotations

from scene import Scene


def main() -> None:
    scene = Scene.begin()
    scene.connect()
    first = scene.first
    media = first.media

    def load() -> None:
        media.play_media(
            "http://192.0.2.1/one.mp4",
            "video/mp4",
            title="One",
            stream_type="BUFFERED",
            subtitles="http://192.0.2.1/one.vtt",
            subtitle_id=7,
        )

    scene.step(
        "loaded",
        load,
        lambda s: s.status.player_state == "PLAYING" and s.status.current_subtitle_tracks == [7],
    )
    scene.step("disabled", media.disable_subtitle, lambda s: s.status.current_subtitle_tracks == [])
    scene.step(
        "enabled",
        lambda: media.enable_subtitle(7),
        lambda s: s.status.current_subtitle_tracks == [7],
    )
    scene.step(
        "styled",
        lambda: first.ask_media(
            "EDIT_TRACKS_INFO",
            activeTrackIds=[7],
            textTrackStyle={"foregroundColor": "#FFEE00FF", "fontScale": 1.5},
        ),
        lambda s: s.sighting()["textColor"] == "#FFEE00FF",
    )
    scene.end()


if __name__ == "__main__":
    main()
