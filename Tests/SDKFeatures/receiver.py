"""Rows of the receiver's side: virtual devices as unmodified senders meet them."""

from __future__ import annotations

import json
import ssl
import urllib.request

from registry import has, near, row, same, true
from world import ECHO, FILM, MEDIA, MEDIA_APP, OTHER_APP, QUIZ, QUIZ_APP, World


@row(611, 612, 613, way="yaml,sender,api")
def receiver_app(world: World) -> None:
    """An app of gateway.yaml is launched when a sender wants it, and says its name, status and namespaces; media is only one of them."""
    sender = world.sender("hall")
    with world.api.events("session.*") as events:
        sender.cast.start_app(QUIZ_APP)
        true(sender.wait_until(lambda s: s.cast.app_id == QUIZ_APP), "it runs")
        events.event("session.started", app=QUIZ_APP)
    sight = sender.sighting()
    has(sight, {"appName": "Quiz", "statusText": "Quiz time"}, "what a sender sees")
    true({QUIZ, ECHO} <= set(sight["namespaces"]) and MEDIA not in sight["namespaces"], f"its namespaces: {sight['namespaces']}")
    sender.cast.start_app(MEDIA_APP)
    true(sender.wait_until(lambda s: MEDIA in (s.cast.status.namespaces if s.cast.status else [])), "an app with media")
    same(world.api.do("virtual_device.launch", device="stage", app=QUIZ_APP)["app"]["app"], QUIZ_APP, "virtual_device.launch")


@row(614, 615, 616, 254, way="sender,api")
def player_obeys(world: World) -> None:
    """The player loads, plays, pauses and stops as senders say; every sender of every channel is told, also of what another did."""
    first, second = world.sender("hall"), world.sender("hall")
    first.media.play_media(FILM, "video/mp4", title="Film", stream_type="BUFFERED")
    second.media.update_status()
    for sender in (first, second):
        true(sender.wait_until(lambda s: s.status.player_state == "PLAYING" and s.status.title == "Film"), "it plays")
    second.media.pause()
    true(first.wait_until(lambda s: s.status.player_state == "PAUSED"), "the other's pause")
    same(world.api.do("media.status", device="hall")["player_state"], "paused", "the device")
    first.media.stop()
    true(second.wait_until(lambda s: s.status.player_state in ("IDLE", "UNKNOWN")), "the other's stop")


@row(617, way="sender,api")
def app_outlives_a_sender(world: World) -> None:
    """A sender that leaves does not stop the app while another is there."""
    first, second = world.sender("hall"), world.sender("hall")
    first.media.play_media(FILM, "video/mp4", stream_type="BUFFERED")
    second.media.update_status()
    true(second.wait_until(lambda s: s.status.player_state == "PLAYING"), "it plays")
    first.cast.disconnect()
    second.media.pause()
    true(second.wait_until(lambda s: s.status.player_state == "PAUSED"), "the app goes on")


@row(618, 634, way="yaml,sender,api,events")
def app_ends(world: World) -> None:
    """An app ends when it is stopped, when another is launched, when it fails, on standby, and some time after its last sender left."""
    setup = "    target: local\n    setup"
    world.near.write(world.near.configuration.replace(setup, setup.replace("local", "local\n    idle_timeout: 300ms")))
    world.api.do("config.reload")
    with world.api.events("session.*", devices=("hall",)) as events:
        sender = world.sender("hall")
        sender.cast.start_app(QUIZ_APP)
        first = events.event("session.started", app=QUIZ_APP)["data"]["session_id"]
        sender.cast.start_app(OTHER_APP)
        events.event("session.ended", session_id=first)
        second = events.event("session.started", app=OTHER_APP)["data"]["session_id"]
        sender.cast.quit_app()
        events.event("session.ended", session_id=second)
        for what, reason in (("fatal_error", "failed"), ("standby", "standby")):
            place = events.mark()
            sender.cast.start_app(QUIZ_APP)
            other = events.event("session.started", place, app=QUIZ_APP)["data"]["session_id"]
            world.api.do("virtual_device.simulate", device="hall", **{what: True})
            same(events.event("session.ended", session_id=other)["data"]["reason"], reason, what)
        place = events.mark()
        sender.media.play_media(FILM, "video/mp4", stream_type="BUFFERED")
        third = events.event("session.started", place, app=MEDIA_APP)["data"]["session_id"]
        true(sender.wait_until(lambda s: s.status.player_state == "PLAYING"), "it plays")
        sender.media.stop()
        sender.wait_until(lambda s: s.status.player_state in ("IDLE", "UNKNOWN"))
        sender.cast.disconnect()
        true(events.event("session.ended", session_id=third)["data"]["reason"], "it ends some time after its last sender")


@row(625, 347, way="yaml,sender,api")
def receiver_volume(world: World) -> None:
    """The volume of the receiver is what every sender is shown, with the control of gateway.yaml."""
    first, second = world.sender("hall"), world.sender("hall")
    first.cast.set_volume(0.15)
    true(second.wait_until(lambda s: s.has_volume(0.15)), "the other sender has it")
    first.cast.set_volume_muted(True)
    true(second.wait_until(lambda s: s.is_muted), "mute")
    first.cast.set_volume_muted(False)
    near(world.api.do("volume.get", device="hall")["level"], 0.15, "volume.get")


@row(635, 616, way="sender,api,yaml")
def senders_are_known(world: World) -> None:
    """The senders of a device are listed with address, software and the apps that they are in; one can be sent away."""
    sender = world.sender("hall")
    sender.cast.start_app(QUIZ_APP)
    true(sender.wait_until(lambda s: s.cast.app_id == QUIZ_APP), "it runs")
    listed = [s for s in world.api.do("senders.list")["senders"] if s["device"] == "hall"]
    same([(s["address"], s.get("user_agent")) for s in listed], [("127.0.0.1", "PyChromecast")], "the sender")
    same(world.api.do("virtual_device.get", device="hall")["connected"][0]["id"], listed[0]["id"], "virtual_device.get")
    world.api.do("virtual_device.disconnect", device="hall", sender=listed[0]["id"])
    true(sender.wait_until(lambda s: s.times_lost > 0), "it is sent away")


@row(640, way="sender,yaml")
def availability(world: World) -> None:
    """Which apps there are is answered id by id, from gateway.yaml."""
    sender = world.sender("hall")
    controller = sender.cast.socket_client.receiver_controller
    answer = sender.ask(controller, {"type": "GET_APP_AVAILABILITY", "appId": [MEDIA_APP, QUIZ_APP, "DEADBEEF"]})
    same(answer and answer["availability"],
         {MEDIA_APP: "APP_AVAILABLE", QUIZ_APP: "APP_AVAILABLE", "DEADBEEF": "APP_UNAVAILABLE"}, "the availability")


@row(636, way="sender,api")
def browse_and_user_actions(world: World) -> None:
    """User action states and what an app has beside them pass and are kept."""
    more = {"userActionStates": [{"userAction": "LIKE"}], "contentFilteringRules": ["x"]}
    media = {"contentId": FILM, "contentType": "video/mp4", "streamType": "BUFFERED"} | more
    world.api.do("media.load", device="hall", app=MEDIA_APP, media=media)
    sender = world.sender("hall")
    sender.media.update_status()
    true(sender.wait_until(lambda s: s.raw_media.get("media", {}).get("userActionStates") == more["userActionStates"]), "for senders")
    same(world.api.do("media.status", device="hall", whole=True)["status"]["media"]["contentFilteringRules"], ["x"], "filters")


@row(641, way="cli,yaml")
def authentication(world: World) -> None:
    """A virtual device proves itself under the gateway's own root, which castway identity export-root writes."""
    world.near.run("identity", "export-root", "--output", "root.pem")
    true("BEGIN CERTIFICATE" in (world.near.folder / "root.pem").read_text(), "the root")
    said = world.far.output("cast", f"127.0.0.1:{world.ports['hall']}", "status", "--trust-anchors", str(world.near.folder / "root.pem"),
                            "--verify", "require")
    true(said, "the proof leads to that root")
    world.far.run("identity", "export-root", "--output", "other.pem")
    world.far.run("cast", f"127.0.0.1:{world.ports['hall']}", "status", "--trust-anchors", str(world.far.folder / "other.pem"),
                  "--verify", "require", status=76)


@row(642, way="yaml,api")
def setup_service(world: World) -> None:
    """eureka_info is served over HTTP and HTTPS, with the device's name."""
    for scheme, port in (("http", world.ports["setup"]), ("https", world.ports["setups"])):
        context = ssl._create_unverified_context() if scheme == "https" else None
        with urllib.request.urlopen(f"{scheme}://127.0.0.1:{port}/setup/eureka_info", timeout=20, context=context) as answer:
            body = json.load(answer)
        has(body, {"name": "The hall", "connected": True}, scheme)


@row(644, way="yaml,sender")
def backdrop(world: World) -> None:
    """With backdrop the idle screen is what a sender sees while nothing runs; without it nothing is."""
    from sender import Sender

    sender = Sender("features", world.ports["den"])
    sender.connect()
    try:
        true(sender.wait_until(lambda s: s.cast.app_id == "E8C28D3C"), f"what den reports: {sender.cast.app_id}")
    finally:
        sender.cast.disconnect()
    same(world.sender("hall").cast.app_id, None, "what hall reports")


@row(628, way="events,api,sender")
def receiver_events(world: World) -> None:
    """Senders that come and go, apps, statuses and virtual devices themselves are events."""
    # Of an address 60 connections a minute are told; at this gateway there are few.
    with world.far.api.events("sender.*", "session.*", "receiver.*", "media.*", "virtual_device.*", devices=("kitchen",)) as events:
        true(any(f["type"] == "receiver.status" or f["type"] == "virtual_device.added" for f in events.snapshot()), "the device is there")
        sender = world.sender("kitchen")
        events.event("sender.connected")
        sender.media.play_media(FILM, "video/mp4", stream_type="BUFFERED")
        for kind in ("session.started", "receiver.status", "media.status"):
            events.event(kind)
        introduced = events.event("sender.introduced")["data"]
        has(introduced, {"user_agent": "PyChromecast", "platform": "macos", "sdk": 2, "sdk_version": "15.605.1.3"}, "what it says")
        sender.cast.quit_app()
        events.event("session.ended")
        sender.cast.disconnect()
        events.event("sender.disconnected")


@row(628, 376, 639, way="events,api,sender")
def what_happens_at_the_device_is_told(world: World) -> None:
    """Volume, standby, visibility, resolution and feedback of a virtual device are set and told, and so is what a sender app is."""
    world.api.do("virtual_device.simulate", device="hall", standby=False)
    world.api.do("virtual_device.simulate", device="hall", active_input=True)
    world.api.do("volume.set", device="hall", level=0.5)
    with world.api.events("sender.*", "receiver.*", devices=("hall",)) as events:
        sender = world.sender("hall")
        told = events.event("sender.introduced")["data"]
        listed = [s for s in world.api.do("senders.list")["senders"] if s["device"] == "hall"]
        facts = {"user_agent": "PyChromecast", "platform": "macos", "sdk": 2, "connection_type": 1}
        has(told, facts, "the event")
        has(listed[0], facts, "senders.list")
        world.api.do("virtual_device.simulate", device="hall", key="volume_up")
        true("level" in events.event("receiver.volume")["data"], "the volume")
        world.api.do("virtual_device.simulate", device="hall", key="volume_down")
        world.api.do("virtual_device.simulate", device="hall", standby=True)
        same(events.event("receiver.standby")["data"], {"standby": True}, "standby")
        same(events.event("receiver.visibility")["data"], {"visible": False}, "visibility")
        place = events.mark()
        world.api.do("virtual_device.simulate", device="hall", standby=False)
        same(events.event("receiver.visibility", place)["data"], {"visible": True}, "visibility after standby")
        for size in ({"width": 1920, "height": 1080}, {"width": 1280, "height": 720}):
            place = events.mark()
            world.api.do("virtual_device.simulate", device="hall", max_resolution=size)
            events.event("receiver.max_resolution", place, **size)
        world.api.do("virtual_device.simulate", device="hall", feedback=True)
        events.event("receiver.feedback")
        sender.cast.disconnect()


@row(633, way="api,cli")
def what_a_device_shows(world: World) -> None:
    """device.can_display says yes, no or unknown for a type with codecs, size and frame rate."""
    def answer(**question: object) -> str:
        return str(world.api.do("device.can_display", device="hall", **question)["answer"])

    same(answer(content_type='video/mp4; codecs="avc1.64001f"', width=1920, height=1080, frame_rate=30), "yes", "a usual film")
    same(answer(content_type="video/mp4", codecs="hvc1.1.6.L93.B0"), "unknown", "a codec of some models")
    same(answer(content_type="text/html"), "no", "a page")
    true("answer" in world.near.output("call", "device.can_display", "device=hall", "content_type=audio/mpeg"), "on the command line")
