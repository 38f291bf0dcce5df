"""Connects, asks what there is, and starts and stops apps."""

from __future__ import annotations

from scene import Scene, installation
from sender import MEDIA_APP

UNKNOWN_APP = "DEADBEEF"
OTHER_APP = "ABCD1234"


def main() -> None:
    scene = Scene.begin()
    first, witness = scene.first, scene.witness
    receiver = first.cast.socket_client.receiver_controller

    def availability() -> dict[str, str]:
        question = {"type": "GET_APP_AVAILABILITY", "appId": [MEDIA_APP, OTHER_APP, UNKNOWN_APP]}
        answer = first.ask(receiver, question) or {}
        return dict(answer.get("availability", {}))

    scene.step("connected", scene.connect, lambda s: s.is_up, installation)
    scene.step("asked", details=availability)
    scene.step(
        "launched",
        lambda: first.cast.start_app(MEDIA_APP),
        lambda s: s.cast.app_id == MEDIA_APP,
    )
    scene.step(
        "refused",
        lambda: first.cast.start_app(UNKNOWN_APP),
        lambda s: s is witness or s.launch_failure is not None,
        lambda: {"reason": first.launch_failure.reason if first.launch_failure else None},
    )
    scene.step(
        "replaced",
        lambda: first.cast.start_app(OTHER_APP),
        lambda s: s.cast.app_id == OTHER_APP,
    )
    scene.step("quit", first.cast.quit_app, lambda s: s.cast.app_id is None)
    scene.end()


if __name__ == "__main__":
    main()
