"""Rows of receivers with code of their own: a plugin that changes, refuses and answers what senders ask."""

from __future__ import annotations

from registry import has, row, same, true
from world import FILM, OTHER_APP, QUIZ_APP, World

MANIFEST = """\
manifest: 1
id: shaper
name: Shaper
version: 1.0.0
protocol: {min: 1, max: 1}
exec: [shaper.py]
claims:
  - {match: "urn:x-cast:com.google.cast.media", phase: filter, types: [LOAD]}
  - {match: "urn:x-cast:com.google.cast.media", phase: filter, directions: [to_sender], types: [MEDIA_STATUS]}
  - {match: "urn:x-cast:com.google.cast.receiver", phase: filter, types: [LAUNCH]}
needs: {send: none, network: none}
"""

PROGRAM = """\
#!/usr/bin/env python3
import castway


class Shaper(castway.Plugin):
    def filter(self, message):
        body = dict(message.payload)
        if message.type == "LAUNCH":
            return castway.reject("NOT_ALLOWED") if body.get("appId") == "ABCD1234" else castway.passed()
        if message.type == "LOAD":
            media = dict(body["media"])
            if "forbidden" in media["contentId"]:
                return castway.reject("NOT_ALLOWED")
            if media.get("entity"):
                media["contentId"] = "http://192.0.2.9/resolved.mp4"
            media["metadata"] = {"metadataType": 0, "title": "Shaped %s" % (body.get("customData") or {}).get("who")}
            return castway.rewrite(dict(body, media=media))
        body["status"] = [dict(status, customData={"shaped": True}) for status in body["status"]]
        return castway.rewrite(body)


castway.run(Shaper)
"""


def with_plugin(world: World) -> None:
    """Writes the plugin, and has the near gateway run it for hall."""
    folder = world.near.folder / "plugins" / "shaper"
    if not folder.exists():
        folder.mkdir(parents=True)
        (folder / "plugin.yaml").write_text(MANIFEST)
        (folder / "shaper.py").write_text(PROGRAM)
        (folder / "shaper.py").chmod(0o755)
    with world.api.events("plugin.*") as events:
        world.reload(sections="plugins:\n  directory: plugins\n  instances: [{name: shaper, plugin: shaper, grant: {as: manifest}}]\n")
        events.wait(lambda f: f.get("type") == "plugin.ready", "the plugin runs")


@row(626, 638, 639, 338, 623, way="sender,api,yaml")
def interceptors(world: World) -> None:
    """A plugin changes a LOAD by its data, resolves an entity, refuses a LOAD and changes every MEDIA_STATUS; it can be switched off."""
    with_plugin(world)
    sender = world.sender("hall")
    sender.cast.start_app("CC1AD845")
    sender.wait_until(lambda s: s.media.namespace in s.cast.socket_client.app_namespaces)
    media = {"contentId": FILM, "contentType": "video/mp4", "streamType": "BUFFERED"}
    sender.ask(sender.media, {"type": "LOAD", "media": media, "customData": {"who": "Ann"}}, session=True)
    true(sender.wait_until(lambda s: s.status.title == "Shaped Ann"), "the LOAD was changed")
    true(sender.wait_until(lambda s: s.raw_media.get("customData") == {"shaped": True}), "the status was changed")
    answer = sender.ask(sender.media, {"type": "LOAD", "media": media | {"contentId": "http://x/forbidden.mp4"}}, session=True)
    true(answer and answer["type"] in ("LOAD_FAILED", "INVALID_REQUEST", "LOAD_CANCELLED"), f"the LOAD that is refused: {answer}")
    sender.ask(sender.media, {"type": "LOAD", "media": media | {"entity": "https://e/1"}}, session=True)
    true(sender.wait_until(lambda s: s.status.content_id == "http://192.0.2.9/resolved.mp4"), "what the entity means")
    world.api.do("handler.disable", name="shaper")
    plain = media | {"metadata": {"metadataType": 0, "title": "Plain"}}
    sender.ask(sender.media, {"type": "LOAD", "media": plain}, session=True)
    true(sender.wait_until(lambda s: s.status.content_id == FILM and s.status.title == "Plain"), "not changed while it is off")
    world.api.do("handler.reset", name="shaper")


@row(373, way="sender,yaml")
def launches_are_checked(world: World) -> None:
    """A plugin, or a rule of gateway.yaml, refuses a launch."""
    with_plugin(world)
    sender = world.sender("hall")
    answer = sender.ask(sender.cast.socket_client.receiver_controller, {"type": "LAUNCH", "appId": QUIZ_APP})
    has(answer, {"type": "LAUNCH_ERROR", "reason": "NOT_ALLOWED"}, "the launch")
    world.reload(sections=f"routing: {{rules: [{{name: closed, when: {{type: LAUNCH, app: {QUIZ_APP}}}, action: reject}}]}}\n")
    answer = sender.ask(sender.cast.socket_client.receiver_controller, {"type": "LAUNCH", "appId": QUIZ_APP})
    same(answer and answer["type"], "LAUNCH_ERROR", "the launch with a rule")


@row(629, way="yaml,sender,api")
def options_of_an_app(world: World) -> None:
    """An app of gateway.yaml says which commands it takes, how fast it plays, which text it shows and when it is closed."""
    plain = "      BBBB2222: {name: Other, player: simulated, options: {load_delay: 300ms, "
    options = "supported_commands: [pause, edit_tracks], playback_rate: 1.5, text_language: de, "
    first = world.near.configuration
    true(plain in first, "the app of the file")
    world.near.write(first.replace(plain, plain.replace("player: simulated", "player: simulated, version_code: 7") + options))
    world.api.do("config.reload")
    tracks = [{"trackId": 1, "type": "TEXT", "language": "en"}, {"trackId": 2, "type": "TEXT", "language": "de"}]
    media = {"contentId": FILM, "contentType": "video/mp4", "streamType": "BUFFERED", "duration": 60, "tracks": tracks}
    world.api.do("media.load", device="hall", app=OTHER_APP, media=media)
    status = world.api.do("media.status", device="hall", whole=True)["status"]
    same((status["playbackRate"], status["activeTrackIds"], status["supportedMediaCommands"]), (1.5, [2], 1 | 4096), "the status")
    world.api.refused("media.request", "unsupported_feature", 409, device="hall", type="SEEK", body={"currentTime": 5})
    world.api.do("media.pause", device="hall")
    same(world.api.do("virtual_device.get", device="hall")["apps"][0]["version_code"], 7, "the version")
