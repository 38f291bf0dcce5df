"""Rows of what the gateway adds, checks and tries again by gateway.yaml, and of what happens at a device itself."""

from __future__ import annotations

from backends import SECRET, BackEnd
from registry import has, row, same, true
from world import FILM, MEDIA_APP, QUIZ_APP, TV_APP, World


def medium(name: str) -> dict[str, object]:
    return {"media": {"contentUrl": f"http://192.0.2.9/{name}.mp4", "contentType": "video/mp4", "duration": 60}}


@row(282, 322, way="yaml,api,wire")
def preferences_for_media(world: World) -> None:
    """media.preload_time and media.text_style fill in what a load and its items leave out, and nothing else."""
    world.reload(sections="media: {preload_time: 20s, text_style: {font_scale: 1.5}}\n")
    place = world.tap.mark()
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    items = [medium("a"), medium("b") | {"preloadTime": 7}]
    world.api.do("media.load", device="tv", queue={"items": items, "startIndex": 0})
    sent = world.tap.sent("LOAD", place)
    loaded = sent["queueData"]["items"]
    same([item["preloadTime"] for item in loaded], [20, 7], "the times")
    same([item["media"]["textTrackStyle"]["fontScale"] for item in loaded], [1.5, 1.5], "the style")


@row(373, way="yaml,webhook,api,sender")
def launches_are_checked(world: World) -> None:
    """A webhook refuses a launch, and has the web app start in the place of the Android TV app."""
    with BackEnd() as doorman:
        hook = f'{{name: doorman, url: "http://127.0.0.1:{doorman.port}/", secret: {SECRET}, allow_private: true, allow_http: true}}'
        world.reload(sections=f"bridges: {{webhooks: [{hook}]}}\nlaunch: {{checks: [{{webhook: doorman, devices: hall}}]}}\n")
        doorman.answer = {"allow": False, "reason": "closed on Sundays"}
        refused = world.api.refused("session.start", "not_allowed", 403, device="hall", app=QUIZ_APP)
        same(refused["reason"], "NOT_ALLOWED", "the device's word")
        asked = doorman.got[0]["data"]
        has(asked["json"], {"type": "LAUNCH", "appId": QUIZ_APP}, "what the webhook is asked")
        doorman.answer = {"allow": True, "app_type": "WEB"}
        world.api.do("session.start", device="hall", app=TV_APP, android_receiver=True)
        sender = world.sender("hall")
        true(sender.wait_until(lambda s: s.cast.app_id == TV_APP), "the app")
        doorman.answer = {"allow": True}
        world.api.do("session.start", device="hall", app=QUIZ_APP)


@row(488, way="yaml,api")
def failures_are_dealt_with(world: World) -> None:
    """errors.load tries a load again, and errors.after_failed_load ends the app of one that failed for good; errors.md says what to do else."""
    world.reload(sections="errors: {load: {attempts: 2, pause: 10ms, codes: [media_load_failed]}, after_failed_load: end}\n")
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    place = world.tap.mark()
    world.api.refused("media.load", "media_load_failed", 502, device="tv", url="http://192.0.2.9/missing.mp4")
    same(world.tap.count("LOAD", place), 2, "loads")
    world.tap.message("STOP", place)


@row(499, 503, way="api,cli")
def errors_have_numbers(world: World) -> None:
    """A problem has the number of the SDKs beside its code, and one HTTP status: 404 for an app that is not there, 403 for a refusal, 409
    for a launch that was cancelled at the device."""
    for app, code, status, number in (
        ("AAAA0002", "application_not_found", 404, 20), ("AAAA0001", "not_allowed", 403, 7), ("AAAA0003", "launch_cancelled", 409, 103),
    ):
        problem = world.api.refused("session.start", code, status, device="tv", app=app)
        same(problem["cast_code"], number, f"the number of {code}")
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    same(world.api.refused("media.play", "no_media_session", 409, device="tv")["cast_code"], 32, "the number")


@row(504, way="api,wire")
def errors_have_their_facts(world: World) -> None:
    """What a device adds to a refusal is told: reason, number and item of a load that failed, and the rest of a refused launch."""
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    problem = world.api.refused(
        "media.load", "media_load_failed", 502, device="tv", url="http://192.0.2.9/drm.mp4")
    has(problem, {"reason": "AUTHENTICATION_EXPIRED", "detailed_error": 200}, "the problem")
    refused = world.api.refused("session.start", "not_allowed", 403, device="tv", app="AAAA0001")
    true(refused.get("extra_info") or refused.get("reason"), f"what a refused launch says: {refused}")


@row(621, 635, way="api,cli,sender,events")
def things_happen_at_the_device(world: World) -> None:
    """A key of the remote control acts on what plays, and the app changes its status text; senders hear of both without having asked."""
    sender = world.sender("hall")
    sender.media.play_media(FILM, "video/mp4", stream_type="BUFFERED")
    true(sender.wait_until(lambda s: s.status.player_state == "PLAYING"), "it plays")
    world.near.call("virtual_device.simulate", "device=hall", "key=pause")
    true(sender.wait_until(lambda s: s.status.player_state == "PAUSED"), "the remote's pause")
    world.api.do("virtual_device.simulate", device="hall", status_text="Now in the bar")
    true(sender.wait_until(lambda s: s.cast.status.status_text == "Now in the bar"), "the text")
    world.api.do("virtual_device.simulate", device="hall", standby=True)
    true(sender.wait_until(lambda s: s.cast.status.is_stand_by), "the screen")
    world.api.do("virtual_device.simulate", device="hall", standby=False)
    world.near.call("virtual_device.simulate", "device=hall", "key=home")
    true(sender.wait_until(lambda s: s.cast.app_id != MEDIA_APP), "home")
    world.api.refused("virtual_device.simulate", "unsupported_feature", 409, device="lobby", standby=True)
