"""Rows of control: play, pause, seek, rate, and what is told of it to all who listen."""

from __future__ import annotations

import time
from typing import Any

from registry import has, near, row, same, true
from sockets import Socket
from world import FILM, World, settle

LIVE = "http://192.0.2.9/live.m3u8"


@row(231, 236, 237, 238, way="api,cli,wire,sender")
def play_pause_stop(world: World) -> None:
    """media.play, media.pause and media.stop, their commands at the terminal, and a sender's do the same, and the others see it."""
    world.play()
    for operation, kind, state in (("media.pause", "PAUSE", "paused"), ("media.play", "PLAY", "playing")):
        place = world.tap.mark()
        same(world.api.do(operation, device="tv")["player_state"], state, operation)
        same(world.tap.sent(kind, place)["mediaSessionId"], 1, kind)
    stopped = world.api.do("media.stop", device="tv")
    has(stopped, {"player_state": "idle"}, "media.stop")
    same(world.api.do("device.get", device="tv")["device"]["apps"][0]["app"], "CC1AD845", "the app stays")
    world.play("hall")
    host = f"127.0.0.1:{world.ports['hall']}"
    world.near.run("cast", host, "pause")
    same(world.api.do("media.status", device="hall")["player_state"], "paused", "castway cast pause")
    world.near.run("cast", host, "play")
    same(world.api.do("media.status", device="hall")["player_state"], "playing", "castway cast play")
    sender = world.sender("hall")
    sender.media.update_status()
    sender.wait_until(lambda s: s.status.player_state == "PLAYING")
    with world.api.events("media.status") as events:
        sender.media.pause()
        events.wait(lambda f: f.get("device") == "hall" and f["data"].get("status", {}).get("playerState") == "PAUSED", "the event")
    world.near.run("cast", host, "stop")
    true(world.api.do("media.status", device="hall")["player_state"] in ("idle", "unknown"), "castway cast stop")


@row(232, 254, 233, 614, 616, way="events,socket,sender,api")
def many_listeners(world: World) -> None:
    """A change by one sender reaches every other sender, stream and socket; a socket that unsubscribes hears no more."""
    world.play("hall")
    senders = [world.sender("hall") for _ in range(2)]
    for sender in senders:
        sender.media.update_status()
        true(sender.wait_until(lambda s: s.status.player_state == "PLAYING"), "a sender sees that it plays")
    with world.api.events("media.*") as stream, Socket(world.api) as socket:
        socket.subscribe(topics=[{"type": "media.*", "device": "hall"}])
        senders[0].media.seek(100)
        for sender in senders:
            true(sender.wait_until(lambda s: s.status.current_time >= 100), "the senders see the seek")

        def is_moved(frame: dict[str, dict[str, dict[str, float]]]) -> bool:
            return frame.get("type") == "media.status" and frame["data"].get("status", {}).get("currentTime", 0) >= 100

        stream.wait(is_moved, "the stream has it")
        socket.wait(is_moved, "the socket has it")
        socket.ask(unsubscribe=True)
        seen = len(socket.frames)
        world.api.do("media.pause", device="hall")
        stream.wait(lambda f: f.get("type") == "media.status" and f["data"]["status"]["playerState"] == "PAUSED", "the stream goes on")
        socket.call("gateway.get")
        same(len(socket.frames), seen, "what the socket still hears")


@row(234, way="events,api")
def status_may_be_empty(world: World) -> None:
    """A media session that ends is an event without a status."""
    with world.api.events("media.*") as events:
        world.play()
        events.wait(lambda f: (f.get("data", {}).get("status") or {}).get("playerState") == "PLAYING", "it plays")
        place = events.mark()
        world.api.do("session.end", session=world.api.do("sessions.list")["sessions"][0]["id"], stop=True)
        over = events.wait(lambda f: f.get("type") == "media.session_status" and "status" not in f["data"], "a status of nothing", place)
        same(over["data"]["via"], "own", "whose it is")


@row(239, 240, 241, 242, 243, way="api,cli,wire")
def seeking(world: World) -> None:
    """media.seek goes to a position, and then plays, pauses, or goes on as before; the command has both too."""
    world.play()
    settle(world.api, "tv", "PLAYING")
    ways = (("pause", "PLAYBACK_PAUSE", "paused"), ("play", "PLAYBACK_START", "playing"), ("unchanged", None, "playing"))
    for resume, wire, state in ways:
        place = world.tap.mark()
        answer = world.api.do("media.seek", device="tv", position=120, resume=resume)
        sent = world.tap.sent("SEEK", place)
        same((sent["currentTime"], sent.get("resumeState")), (120, wire), f"SEEK with {resume}")
        near(answer["position"], 120, "the position", 1)
        true(answer["player_state"] in (state, "buffering"), "the state")
        settle(world.api, "tv", state.upper())
    world.play("hall")
    host = f"127.0.0.1:{world.ports['hall']}"
    world.near.run("cast", host, "pause")
    world.near.run("cast", host, "play", "--at", "2:00")
    status = world.api.do("media.status", device="hall")
    same(status["player_state"], "playing", "castway cast play --at")
    near(status["position"], 120, "castway cast play --at", 8)


@row(258, 259, way="api,cli,wire")
def seeking_otherwise(world: World) -> None:
    """media.seek goes on by so much, to the end or the live edge, and carries data for the app."""
    world.play(position=50)
    world.api.do("media.pause", device="tv")
    near(world.api.do("media.seek", device="tv", by=30)["position"], 80, "by 30", 3)
    near(world.api.do("media.seek", device="tv", by=-60)["position"], 20, "by -60", 3)
    place = world.tap.mark()
    world.api.do("media.seek", device="tv", position=10, custom_data={"why": "test"})
    same(world.tap.sent("SEEK", place)["customData"], {"why": "test"}, "the data")
    world.play("tv", url=LIVE, stream_type="live")
    edge = world.api.do("media.seek", device="tv", to_end=True)
    near(edge["behind_live_edge"], 0, "the distance from the live edge", 2)
    world.play("hall", position=100)
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "seek", "+30")
    near(world.api.do("media.status", device="hall")["position"], 130, "castway cast seek +30", 8)


@row(259, way="api,wire")
def data_with_every_command(world: World) -> None:
    """Every command of media and queue carries data for the app."""
    items = [{"media": {"contentId": f"http://192.0.2.9/{n}.mp4", "contentType": "video/mp4", "streamType": "BUFFERED"}} for n in "abc"]
    world.api.do("media.load", device="tv", app="CC1AD845", queue={"items": items})
    ids = [item["id"] for item in world.api.do("queue.list", device="tv")["items"]]
    data = {"n": 1}
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("media.pause", "PAUSE", {}), ("media.play", "PLAY", {}), ("media.rate", "SET_PLAYBACK_RATE", {"rate": 1.5}),
        ("media.stream_volume", "SET_VOLUME", {"level": 0.5}), ("queue.repeat", "QUEUE_UPDATE", {"mode": "all"}),
        ("queue.shuffle", "QUEUE_UPDATE", {"shuffled": True}), ("queue.jump", "QUEUE_UPDATE", {"item": ids[1]}),
        ("queue.move", "QUEUE_REORDER", {"items": [ids[0]]}), ("queue.remove", "QUEUE_REMOVE", {"items": [ids[2]]}),
        ("media.text_style", "EDIT_TRACKS_INFO", {"style": {"font_scale": 2}}), ("media.stop", "STOP", {})]
    for operation, kind, values in calls:
        place = world.tap.mark()
        world.api.call(operation, device="tv", custom_data=data, **values)
        same(world.tap.sent(kind, place).get("customData"), data, f"the data of {operation}")


@row(244, 245, way="api,cli,events")
def positions(world: World) -> None:
    """The position goes on by itself between statuses, in the API and at the terminal, without asking the device."""
    world.play(position=60)
    world.api.do("media.status", device="tv")
    settle(world.api, "tv", "PLAYING")
    place, before = world.tap.mark(), time.monotonic()
    first, between = world.api.do("media.status", device="tv")["position"], time.monotonic()
    world.near.run("--version")
    after = time.monotonic()
    moved = world.api.do("media.status", device="tv")["position"] - first
    true(after - between - 0.1 <= moved <= time.monotonic() - before + 0.1, f"{moved} s of the film passed in {after - between:.3f} s")
    same(world.tap.count("GET_STATUS", place), 0, "what the device was asked")
    with world.api.events("media.session_status") as events:
        state = events.wait(lambda f: f.get("device") == "tv" and "status" in f["data"], "a status")["data"]
        true(state["rate"] == 1 and "at" in state and "position" in state, f"what clients compute with: {state.keys()}")
    world.play("hall", position=60)
    with world.near.follow("cast", f"127.0.0.1:{world.ports['hall']}", "watch", "--positions", "300ms") as watch:
        first = watch.line("position PLAYING 1:")
        later = next((line for since in range(30) if (line := watch.line("position PLAYING 1:", since)) != first), first)
        true(later > first, f"the position goes on from {first}")


@row(255, way="events,api,wire")
def unasked_statuses(world: World) -> None:
    """What a device tells unasked, as after its remote control, is taken and told."""
    world.play()
    with world.api.events("media.*") as events:
        world.far.api.do("media.pause", device="den")
        told = events.wait(lambda f: f.get("type") == "media.session_status" and f["data"]["status"]["playerState"] == "PAUSED", "told")
        true("cause" not in told, "no request of this gateway caused it")
    same(world.api.do("media.status", device="tv")["player_state"], "paused", "media.status")


@row(257, 265, 266, way="api,events,wire")
def player_states(world: World) -> None:
    """Loading, buffering, playing, paused and idle are told, and why it is idle: finished, cancelled, interrupted, error."""
    with world.api.events("media.status") as events:
        world.play("hall", duration=1)
        seen = events.wait(lambda f: (f.get("data", {}).get("status") or {}).get("idleReason") == "FINISHED", "it ends")
        states = [f["data"]["status"]["playerState"] for f in events.told("media.status") if "status" in f["data"]]
        true("BUFFERING" in states and "PLAYING" in states and states[0] == "IDLE", f"the states: {states}")
        same(seen["data"]["status"]["playerState"], "IDLE", "the state at the end")
    world.play()
    has(world.api.do("media.stop", device="tv"), {"player_state": "idle", "idle_reason": "cancelled"}, "after a stop")
    with world.api.events("media.status") as events:
        world.api.call("media.load", device="hall", url="http://x/missing.mp4")
        events.wait(lambda f: (f.get("data", {}).get("status") or {}).get("idleReason") == "ERROR", "an error")


@row(260, way="api,cli,wire")
def rate(world: World) -> None:
    """media.rate plays faster and slower by a rate or a factor, within what the app takes."""
    world.play()
    near(world.api.do("media.rate", device="tv", rate=1.5)["playback_rate"], 1.5, "the rate")
    near(world.api.do("media.rate", device="tv", factor=0.5)["playback_rate"], 0.75, "the factor")
    world.play("hall")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "rate", "2")
    near(world.api.do("media.status", device="hall")["playback_rate"], 2, "castway cast rate")


@row(261, 277, way="api,wire,cli")
def asking_for_status(world: World) -> None:
    """media.request GET_STATUS asks now, with the options of GET_STATUS; castway cast status asks too."""
    world.play()
    place = world.tap.mark()
    answer = world.api.do("media.request", device="tv", type="GET_STATUS", body={"options": 3}, about_media=False)
    same(world.tap.sent("GET_STATUS", place)["options"], 3, "the options")
    true(answer["player_state"] in ("playing", "buffering"), "the status")
    said = world.near.output("cast", f"127.0.0.1:{world.ports['den']}", "status", "--json")
    true(FILM in said, "castway cast status")


@row(262, way="api")
def age_of_the_status(world: World) -> None:
    """media.status says how old it is, and nothing where there is none."""
    world.play()
    same(world.api.do("media.pause", device="tv")["player_state"], "paused", "a status now")
    first = world.api.do("media.status", device="tv")["age"]
    world.near.run("--version")
    true(0 <= first < world.api.do("media.status", device="tv")["age"] < 30, "the age grows")
    true("age" not in world.api.do("media.status", device="kitchen"), "no age without a status")


@row(263, 264, way="api,wire")
def live_streams(world: World) -> None:
    """A live stream is told as such, with its seekable range and the distance from its edge."""
    world.play(url=LIVE, stream_type="live")
    settle(world.api, "tv", "PLAYING")
    status = world.api.do("media.status", device="tv", whole=True)
    same(status["stream_type"], "live", "the stream type")
    true({"start", "end", "isMovingWindow", "isLiveDone"} <= set(status["status"]["liveSeekableRange"]), "the range")
    true(0 <= status["behind_live_edge"] < 40, f"behind the edge: {status['behind_live_edge']}")


@row(267, 268, 311, way="api,wire")
def whole_status(world: World) -> None:
    """The whole status has rate, items, media session and the bits of what the app can; what it cannot is refused."""
    world.play(custom_data={"a": 1})
    status = world.api.do("media.status", device="tv", whole=True)
    has(status, {"playback_rate": 1, "item_id": 1, "media_session_id": 1, "active_tracks": []}, "the status")
    bits = status["status"]["supportedMediaCommands"]
    true(bits & 1 and bits & 2 and bits & 4 and bits & 8, f"pause, seek, volume, mute: {bits}")
    has(status["status"], {"currentItemId": 1, "mediaSessionId": 1}, "the device's own words")
    true(not bits & 64, f"no bit for the next item of a queue of one: {bits}")
    same(world.api.call("queue.next", device="tv")[1].get("reason"), "END_OF_QUEUE", "a command without its bit")


@row(269, way="api,events")
def media_sessions_are_told(world: World) -> None:
    """The beginning of a media session, its media, and the next item that is prepared are events."""
    items = [{"media": {"contentId": f"http://192.0.2.9/{n}.mp4", "contentType": "video/mp4", "streamType": "BUFFERED", "duration": 15},
              "preloadTime": 20} for n in "ab"]
    with world.api.events("media.*") as events:
        # Of tv other checks have had more such events than are told in a minute.
        world.api.do("media.load", device="screen", app="CC1AD845", queue={"items": items})
        events.event("media.session_started", media_session_id=1)
        events.event("media.metadata")
        true(events.event("media.preload")["data"], "media.preload")
        world.api.do("media.stop", device="screen")
        events.event("media.session_ended", reason="cancelled")
