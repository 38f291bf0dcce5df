"""Devices whose senders are passed through: what the gateway knows of them by its own channel, and does there.

No row of the feature list is about them. A device of the far gateway stands for the real one, and unmodified pychromecast for the senders:
what it says is encrypted for the far gateway.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from api import Events
from gateway import free_port
from registry import has, row, same, true
from world import MEDIA_APP, OTHER_APP, World

Json = dict[str, Any]
KINDS = ("passthrough.*", "session.*", "media.status", "receiver.status", "device.*", "sender.*")


def _section(port: int, more: str, observe: str) -> str:
    return (f'  - name: room\n    listen: "127.0.0.1:{port}"\n    publish: false\n'
            f"    target: {{passthrough: den, observe: {observe}}}\n{more}")


@contextlib.contextmanager
def room(world: World, more: str = "", observe: str = "media") -> Iterator[Events]:
    """Senders of `room` are passed through to the far gateway's den; the events of room and den."""
    world.ports["room"] = free_port()
    attic = world._relay("attic", "chain")
    first = world.near_configuration(static={"den": world.ports["den"]})
    with world.api.events(*KINDS, devices=("room", "den")) as events:
        mark = events.mark()
        world.near.write(first.replace(attic, attic + _section(world.ports["room"], more, observe)))
        world.api.do("config.reload")
        events.wait(lambda f: f.get("type") == "device.online" and f.get("device") == "den", "the device is online", mark)
        yield events


def change(world: World, old: str, new: str) -> None:
    """Puts other lines of the configuration in force."""
    world.near.write(world.near.configuration.replace(old, new))
    world.api.do("config.reload")


def is_loud(frame: Json, level: float) -> bool:
    """Whether an event says that room has this volume."""
    told = (frame.get("data", {}).get("status") or {}).get("volume") or {}
    return frame.get("type") == "receiver.status" and frame.get("device") == "room" and abs(told.get("level", -1) - level) < 0.001


def apps(world: World) -> list[str]:
    return [app["app"] for app in world.api.do("virtual_device.get", device="room")["apps"]]


@row(way="yaml,api,events,sender,cli")
def what_runs_behind_is_known(world: World) -> None:
    """What a passed-through sender starts is told under the name of the virtual device, and callers act on it."""
    with room(world) as events:
        sender = world.sender("room")
        sender.media.play_media("http://192.0.2.9/film.mp4", "video/mp4")
        started = events.wait(lambda f: f.get("type") == "session.started" and f.get("device") == "room", "the app started")
        same(started["data"]["app"], MEDIA_APP, "the app")
        events.wait(lambda f: f.get("type") == "media.status" and f.get("device") == "room"
                    and (f["data"].get("status") or {}).get("playerState") == "PLAYING", "it plays")
        shown = world.near.call("virtual_device.get", "device=room")
        same((shown["senders"], [app["app"] for app in shown["apps"]]), (1, [MEDIA_APP]), "who is connected, and what runs")
        same(shown["apps"][0]["media"]["player_state"], "playing", "what it does")
        world.api.do("media.pause", device="room")
        true(sender.wait_until(lambda s: s.status.player_state == "PAUSED"), "the sender sees the pause behind its splice")
        world.api.do("volume.set", device="room", level=0.25)
        true(sender.wait_until(lambda s: s.has_volume(0.25)), "and the volume")
        events.wait(lambda f: is_loud(f, 0.25), "the volume is told")
        world.api.do("virtual_device.stop", device="room")
        events.wait(lambda f: f.get("type") == "session.ended" and f.get("device") == "room", "the app ended")
        same(apps(world), [], "what runs")
        world.far.api.do("volume.set", device="den", level=0.5)


@row(way="yaml,api,events,sender,log")
def an_app_that_is_not_allowed_is_stopped(world: World) -> None:
    """An app that is none of `apps` is stopped; what ran before a sender came is let be."""
    with room(world, f"    apps: [{OTHER_APP}]\n") as events:
        world.far.api.do("media.load", device="den", url="http://192.0.2.9/film.mp4", content_type="video/mp4", app=MEDIA_APP)
        events.wait(lambda f: f.get("type") == "session.started" and f.get("device") == "room", "the owner's app is seen")
        sender = world.sender("room")
        same(apps(world), [MEDIA_APP], "the owner's app goes on")
        mark = events.mark()
        sender.cast.start_app("ABCD1234", force_launch=True)
        stopped = events.event("passthrough.app_stopped", mark)
        has(stopped["data"], {"app": "ABCD1234", "reason": "not_allowed"}, "the event")
        true(sender.wait_until(lambda s: s.cast.status is not None and s.cast.status.app_id != "ABCD1234"), "the sender sees that")
        true("An app was stopped" in world.near.log(), "the log says so")
        mark = events.mark()
        sender.cast.start_app(OTHER_APP, force_launch=True)
        events.event("session.started", mark, app=OTHER_APP)
        same(apps(world), [OTHER_APP], "an app that is allowed runs")
        mark = events.mark()
        change(world, f"apps: [{OTHER_APP}]", f"apps: [{MEDIA_APP}]")
        has(events.event("passthrough.app_stopped", mark)["data"], {"app": OTHER_APP}, "a reload changes the rule")


@row(way="yaml,api,events,sender")
def the_volume_is_set_back(world: World) -> None:
    """A device that is louder than `volume.max` is set back while a sender is connected, and not before."""
    with room(world, "    volume: {max: 0.4}\n") as events:
        world.far.api.do("volume.set", device="den", level=0.9)
        events.wait(lambda f: is_loud(f, 0.9), "the owner's volume is seen")
        same(events.told("passthrough.volume_lowered"), [], "what was done without a sender")
        sender = world.sender("room")
        lowered = events.event("passthrough.volume_lowered")["data"]
        true(abs(lowered["level"] - 0.9) < 0.001 and lowered["max"] == 0.4, f"the event {lowered}")
        true(sender.wait_until(lambda s: s.has_volume(0.4)), "the sender sees it")
        mark = events.mark()
        sender.cast.set_volume(0.8)
        events.event("passthrough.volume_lowered", mark)
        true(sender.wait_until(lambda s: s.has_volume(0.4)), "and once more")
        world.far.api.do("volume.set", device="den", level=0.5)


@row(way="yaml,api,events,sender")
def check_out_stops_what_plays(world: World) -> None:
    """A guest's check-out cuts the splice, and stops what was started while the guest was connected."""
    with room(world, "    senders: {join: required}\n") as events:
        code = world.api.do("join_code.create", devices=["room"])["code"]
        world.api.do("join_code.redeem", code=code, address="127.0.0.1")
        sender = world.sender("room")
        sender.media.play_media("http://192.0.2.9/film.mp4", "video/mp4")
        events.wait(lambda f: f.get("type") == "media.status" and f.get("device") == "room", "it plays")
        left = world.api.do("guest.check_out", device="room")
        same([guest["closed"] for guest in left["guests"]], [1], "the connections that were cut")
        events.wait(lambda f: f.get("type") == "session.ended" and f.get("device") == "room", "the app ended")
        same(apps(world), [], "what runs")


@row(way="yaml,api,events,sender")
def without_a_channel_nothing_is_seen(world: World) -> None:
    """With `observe: none` callers are told that the device cannot be acted on; `check` refuses rules there."""
    with room(world, observe="none"):
        sender = world.sender("room")
        true(sender.is_up or sender.wait_until(lambda s: s.is_up), "the sender is passed through")
        same(apps(world), [], "what is known")
        world.api.refused("media.pause", "unavailable", 503, device="room")
        good = world.near.configuration
        world.near.write(good.replace("observe: none}\n", "observe: none}\n    volume: {max: 0.5}\n"))
        status, answer = world.api.call("config.reload")
        true(status >= 400 and "observe: none" in str(answer), f"the reload is refused: {answer}")
        world.near.write(good)
