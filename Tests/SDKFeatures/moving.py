"""Rows of streams that move: transfer, snapshot, restore, and the state that receivers keep."""

from __future__ import annotations

import json

from registry import has, near, row, same, true
from world import FILM, MEDIA_APP, World, settle


@row(137, 138, 139, 619, way="api,events,wire")
def transfer(world: World) -> None:
    """session.transfer stores the state, goes on at the other device at the same place, and stops the first one."""
    world.play(metadata={"metadataType": 0, "title": "Moving"}, position=120)
    world.api.do("media.pause", device="tv")
    number = world.api.do("sessions.list")["sessions"][0]["id"]
    place = world.tap.mark()
    moved = world.api.do("session.transfer", session=number, to="kitchen")
    has(moved, {"device": "kitchen", "stopped": True, "way": "resumed"}, "the transfer")
    state = world.tap.sent("SESSION_STATE", place, "to_gateway")["sessionState"]["loadRequestData"]
    near(state["currentTime"], 120, "the position in the state", 2)
    settle(world.api, "kitchen", "PAUSED")
    there = world.api.do("media.status", device="kitchen")
    has(there, {"content_id": FILM, "title": "Moving", "player_state": "paused"}, "what plays there")
    near(there["position"], 120, "where it plays", 2)
    same(world.far.api.do("virtual_device.get", device="den")["apps"], [], "what runs on the first device")


@row(139, way="cli,api")
def transfer_by_command(world: World) -> None:
    """castway cast transfer moves what plays between two devices, and prints the status of the one that goes on."""
    world.far.api.do("media.load", device="cellar", url=FILM, app="CC1AD845", position=33)
    said = world.far.run("cast", f"127.0.0.1:{world.ports['cellar']}", "transfer", f"127.0.0.1:{world.ports['kitchen']}")
    settle(world.far.api, "kitchen", "PLAYING")
    same(world.far.api.do("media.status", device="kitchen")["content_id"], FILM, f"what plays there, after {said[-200:]}")
    near(world.far.api.do("media.status", device="kitchen")["position"], 33, "where", 5)
    same(world.far.api.do("virtual_device.get", device="cellar")["apps"], [], "what runs on the first device")


@row(144, 620, way="api,sender")
def session_state(world: World) -> None:
    """A sender gets the state of a session by STORE_SESSION, and RESUME_SESSION goes on with it on another device."""
    first, second = world.sender("hall"), world.sender("stage")
    first.media.play_media(FILM, "video/mp4", title="Kept", current_time=50, stream_type="BUFFERED")
    true(first.wait_until(lambda s: s.status.player_state == "PLAYING"), "it plays")
    stored = first.ask(first.media, {"type": "STORE_SESSION", "options": {}}, session=True)
    true(stored and stored["type"] == "SESSION_STATE", f"the answer: {stored}")
    state = stored["sessionState"]
    same(state["loadRequestData"]["media"]["contentId"], FILM, "what the state has")
    second.cast.start_app("CC1AD845")
    second.wait_until(lambda s: s.media.namespace in s.cast.socket_client.app_namespaces)
    second.ask(second.media, {"type": "RESUME_SESSION", "sessionState": state}, session=True)
    true(second.wait_until(lambda s: s.status.content_id == FILM), "the other device has it")
    settle(world.api, "stage", "PLAYING")
    near(world.api.do("media.status", device="stage")["position"], 50, "from the same place", 4)


@row(149, 620, way="api")
def snapshot_and_restore(world: World) -> None:
    """session.snapshot writes down what plays, where and how loud; session.restore plays it again on any device."""
    for device in ("tv", "hall"):
        loaded = world.play(device, position=77, metadata={"metadataType": 0, "title": "Snap"})
        world.api.do("volume.set", device=device, level=0.45)
        own = [s["id"] for s in world.api.do("sessions.list")["sessions"] if s["device"] == device]
        key = own[0] if own else loaded["session_id"]
        snapshot = world.api.do("session.snapshot", session=key)
        near(snapshot["level"], 0.45, "the level")
        true(FILM in json.dumps(snapshot["state"]) and "Snap" in json.dumps(snapshot["state"]), "the state has the media")
        world.api.do("media.stop", device=device)
        restored = world.api.do("session.restore", session=key, state=snapshot["state"], level=0.4)
        has(restored, {"content_id": FILM, "title": "Snap"}, f"what plays on {device}")
        settle(world.api, device, "PLAYING")
        near(world.api.do("media.status", device=device)["position"], 77, "from where", 4)
        near(world.api.do("volume.get", device=device)["level"], 0.4, "how loud")


@row(146, way="api,wire")
def stream_transfer_bit(world: World) -> None:
    """The bit 262144 of the supported commands says that the app lets its stream move; a transfer asks for the feature at launch."""
    world.play()
    true(world.api.do("media.status", device="tv", whole=True)["status"]["supportedMediaCommands"] & 262144, "the bit")
    world.tidy()
    world.play("kitchen")
    number = world.api.do("sessions.list")["sessions"][0]["id"]
    place = world.tap.mark()
    world.api.do("session.transfer", session=number, to="tv")
    true("STREAM_TRANSFER" in json.dumps(world.tap.sent("LAUNCH", place)), "the LAUNCH asks for the feature")


@row(148, way="api,events")
def mismatches(world: World) -> None:
    """Joins and resumes that meet another session or app say so by a word and a number of their own."""
    world.far.api.do("virtual_device.launch", device="den", app="ABCD1234")
    problem = world.api.refused("session.start", "join_session_mismatch", 409, device="tv", session_id="other")
    true(problem["cast_code"] in range(104, 109), f"the number: {problem}")
    problem = world.api.refused("session.start", "join_application_mismatch", 409, device="tv", app="CC1AD845", join=True)
    same((problem["cast_code"], problem["running_app"]), (104, "ABCD1234"), "an app that is not the one that runs")
    session = world.api.do("session.start", device="tv", app="ABCD1234")
    world.api.do("session.suspend", session=session["id"])
    world.far.api.do("virtual_device.stop", device="den")
    world.far.api.do("virtual_device.launch", device="den", app="ABCD1234")
    status, problem = world.api.call("session.resume", session=session["id"])
    same((status, problem["code"]), (409, "resume_session_mismatch"), "another session of the app")
    true(problem["cast_code"] in range(104, 109), f"the number: {problem}")


@row(148, way="api,events,yaml")
def another_device_answers(world: World) -> None:
    """A session that was written down does not go on with a device that proves to be another, whatever that plays."""
    world.far.run("identity", "export-root", "--output", "root.pem")

    def configuration(device: str) -> str:
        return "\n".join([
            "connections:", "  verify_device_certificate: require", f"  trust_anchors: [{world.far.folder}/root.pem]",
            "  reconnect: {initial: 100ms, max: 1s}",
            "discovery:", "  mdns: {enabled: false}", f'  static: [{{name: wall, address: "127.0.0.1:{world.ports[device]}"}}]']) + "\n"

    gateway = world.gateway("strict", configuration("den"))
    gateway.start()
    gateway.api.do("session.start", device="wall", app=MEDIA_APP)
    gateway.end()
    world.play("kitchen")
    gateway.write(configuration("kitchen"))
    gateway.start()
    with gateway.api.events() as events:
        boot = events.frames[0]["boot"]
    with gateway.api.events("session.*", since=f"{boot}.0") as events:
        told = events.wait(lambda f: f.get("type") == "session.did_fail_to_resume", "the session is not resumed")["data"]
    has(told, {"code": "resume_device_mismatch"}, "why")
