"""Rows of what lasts: lost devices, killed gateways, heartbeats."""

from __future__ import annotations

import signal
import time

from registry import has, near, row, same, true
from world import FILM, World, settle


@row(128, 129, 96, 93, 136, 142, way="api,events,yaml")
def device_is_lost_and_found(world: World) -> None:
    """A device out of reach suspends its session with network_error; when it is back the session goes on and playback was not touched."""
    session = world.play(position=10)
    with world.api.events("session.*", "device.*") as events:
        world.tap.cut()
        events.wait(lambda f: f.get("type") == "device.offline" and f.get("device") == "tv", "tv is offline")
        told = events.event("session.did_suspend")["data"]
        true(told["suspend_reason"].startswith("network"), f"the reason: {told['suspend_reason']}")
        same(world.api.do("sessions.list")["sessions"][0]["suspend_reason"], told["suspend_reason"], "session.get")
        status, problem = world.api.call("media.pause", device="tv")
        true(status >= 400, f"a command meanwhile is refused: {problem}")
        place = world.tap.mark()
        world.tap.mend()
        same(events.event("session.did_resume")["data"]["cause"], "network", "what brought it back")
        events.wait(lambda f: f.get("type") == "device.online" and f.get("device") == "tv", "tv is online", 1)
        has(world.api.do("media.status", device="tv"), {"session_id": session["session_id"], "content_id": FILM}, "what plays")
        same((world.tap.count("LAUNCH", place), world.tap.count("LOAD", place)), (0, 0), "launches and loads")


@row(128, way="sender")
def sender_notices_nothing(world: World) -> None:
    """A sender of a relay whose device is out of reach for a moment keeps its connection and its app."""
    world.near.write(world.near.configuration.replace("target: {device: screen}", "target: {device: tv}"))
    world.api.do("config.reload")
    sender = world.sender("lobby")
    sender.media.play_media(FILM, "video/mp4")
    true(sender.wait_until(lambda s: s.status.player_state == "PLAYING"), "it plays")
    sender.forget()
    with world.api.events("device.*") as events:
        world.tap.cut()
        events.wait(lambda f: f.get("type") == "device.offline" and f.get("device") == "tv", "tv is offline")
        world.tap.mend()
        events.wait(lambda f: f.get("type") == "device.online" and f.get("device") == "tv" and "frame" not in f, "tv is online")
    sender.media.pause()
    true(sender.wait_until(lambda s: s.status.player_state == "PAUSED"), "its next command works")
    same((sender.times_lost, sender.closed_ends), (0, []), "connections lost and closed")


@row(2, 132, 134, 135, 136, way="yaml,events,api,wire")
def gateway_is_killed(world: World) -> None:
    """After SIGKILL the next run takes the session up again: told with cause restart, nothing launched, playback untouched."""
    session = world.play(position=200)
    world.near.stop(signal.SIGKILL)
    place = world.tap.mark()
    world.near.start()
    with world.api.events() as events:
        boot = events.frames[0]["boot"]
    with world.api.events("session.*", since=f"{boot}.0") as events:
        resumed = events.wait(lambda f: f.get("type") == "session.did_resume", "the session is resumed")
        same(resumed["data"]["cause"], "restart", "what brought it back")
    has(world.api.do("sessions.list")["sessions"][0], {"session_id": session["session_id"], "state": "connected"}, "the session")
    settle(world.api, "tv", "PLAYING")
    near(world.api.do("media.status", device="tv")["position"], 205, "where it plays", 15)
    same((world.tap.count("LAUNCH", place), world.tap.count("LOAD", place)), (0, 0), "launches and loads")


@row(150, way="yaml,wire,api,events")
def silent_device_is_given_up(world: World) -> None:
    """connections.heartbeat pings a silent device at its interval; one that answers no more is given up after the time-out."""
    place, began = world.tap.mark(), time.monotonic()
    world.tap.message("PING", place)
    world.tap.message("PONG", place, "to_gateway")
    true(time.monotonic() - began < 5, "a ping within the interval of a second")
    with world.api.events("device.*", devices=("tv",)) as events:
        began = time.monotonic()
        world.tap.withheld = {"PONG", "PING"}
        lost = events.event("device.offline")
        true(2 < time.monotonic() - began < 12, f"given up after {time.monotonic() - began:.1f} s: {lost['data']}")
        world.tap.withheld = set()
        events.event("device.online")


@row(151, way="sender,events")
def why_a_sender_left(world: World) -> None:
    """sender.disconnected has the reason of the end."""
    # Of an address 60 connections a minute are told; at this gateway there are few.
    with world.far.api.events("sender.*") as events:
        sender = world.sender("kitchen")
        events.event("sender.connected")
        sender.cast.disconnect()
        true(events.event("sender.disconnected")["data"]["reason"], "a reason")
