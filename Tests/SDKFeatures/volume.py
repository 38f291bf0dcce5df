"""Rows of volume."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gateway import TOKEN, end_with_parent
from registry import has, near, row, same, true
from world import FILM, World

HOST_KEYS = Path(__file__).resolve().parents[2] / "Clients" / "python" / "examples" / "host_keys.py"


def is_loud(frame: dict[str, dict[str, Any]], level: float) -> bool:
    """Whether an event says that a virtual device is so loud."""
    return abs(frame.get("data", {}).get("status", {}).get("volume", {}).get("level", 9) - level) < 0.001


def is_muted(frame: dict[str, dict[str, Any]]) -> bool:
    """Whether an event says that the sound of a virtual device is off."""
    return frame.get("data", {}).get("status", {}).get("volume", {}).get("muted") is True


@row(341, 342, 345, 346, 625, way="api,cli,events,wire,sender")
def device_volume(world: World) -> None:
    """volume.set changes level and mute as a request; every sender, stream and the device itself have it; a sender's change comes back."""
    sender = world.sender("hall")
    with world.api.events("receiver.status", "session.volume") as events:
        near(world.api.do("volume.set", device="hall", level=0.3)["level"], 0.3, "the level")
        true(sender.wait_until(lambda s: s.has_volume(0.3)), "a sender sees it")
        events.wait(lambda f: is_loud(f, 0.3), "the event")
        sender.cast.set_volume(0.8)
        events.wait(lambda f: is_loud(f, 0.8), "the sender's change")
        near(world.api.do("volume.get", device="hall")["level"], 0.8, "volume.get")
    same(world.api.do("volume.set", device="hall", muted=True)["muted"], True, "mute")
    true(sender.wait_until(lambda s: s.is_muted), "a sender sees it")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "unmute")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "volume", "40%")
    has(world.api.do("volume.get", device="hall"), {"muted": False}, "castway cast unmute")
    near(world.api.do("volume.get", device="hall")["level"], 0.4, "castway cast volume")
    place = world.tap.mark()
    world.api.do("volume.set", device="tv", level=0.35)
    near(world.tap.sent("SET_VOLUME", place)["volume"]["level"], 0.35, "SET_VOLUME")


@row(345, 347, way="api,yaml,wire")
def traits(world: World) -> None:
    """The step and the kind of control are told; on a device with a fixed volume a change is refused as unsupported_feature (93)."""
    near(world.api.do("volume.get", device="hall")["step"], 0.05, "the step")
    same(world.api.do("volume.get", device="hall")["control"], "attenuation", "the control")
    same(world.api.do("volume.get", device="fixed")["control"], "fixed", "the control of a fixed one")
    problem = world.api.refused("volume.set", "unsupported_feature", 409, device="fixed", level=0.4)
    same(problem["cast_code"], 93, "the number")


@row(348, way="api,cli,wire,sender")
def steps_and_toggle(world: World) -> None:
    """Up and down by the device's own steps, by a share, and mute that toggles, in the API and at the terminal."""
    world.api.do("volume.set", device="hall", level=0.5, muted=False)
    near(world.api.do("volume.set", device="hall", steps=2)["level"], 0.6, "two steps up")
    near(world.api.do("volume.set", device="hall", by=-0.2)["level"], 0.4, "by -0.2")
    host = f"127.0.0.1:{world.ports['hall']}"
    world.near.run("cast", host, "volume", "up")
    near(world.api.do("volume.get", device="hall")["level"], 0.45, "castway cast volume up")
    world.near.run("cast", host, "volume", "-5%")
    near(world.api.do("volume.get", device="hall")["level"], 0.4, "castway cast volume -5%")
    for muted in (True, False):
        same(world.api.do("volume.set", device="hall", muted="toggle")["muted"], muted, "toggle")


@row(349, way="api,cli,wire")
def stream_volume(world: World) -> None:
    """The volume of what plays is beside that of the device, and needs something that plays."""
    world.api.do("session.start", device="tv", app="CC1AD845")
    world.api.refused("media.stream_volume", "no_media_session", 409, device="tv", level=0.5)
    world.play()
    before = world.api.do("volume.get", device="tv")["level"]
    place = world.tap.mark()
    has(world.api.do("media.stream_volume", device="tv", level=0.5, muted=True), {"stream_level": 0.5, "stream_muted": True}, "the stream")
    same(world.tap.sent("SET_VOLUME", place)["volume"], {"level": 0.5, "muted": True}, "SET_VOLUME of the media namespace")
    same(world.api.do("volume.get", device="tv")["level"], before, "the device's volume")
    world.play("hall")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "stream-volume", "25%")
    near(world.api.do("media.status", device="hall")["stream_level"], 0.25, "castway cast stream-volume")


@row(351, way="api,wire")
def no_volume_by_itself(world: World) -> None:
    """Starting a session and loading change no volume and send none."""
    world.far.api.do("volume.set", device="den", level=0.77)
    place = world.tap.mark()
    world.play()
    world.api.do("session.end", session=world.api.do("sessions.list")["sessions"][0]["id"], stop=True)
    near(world.far.api.do("volume.get", device="den")["level"], 0.77, "the volume")
    sent = [json.loads(str(m.payload)) for way, m in world.tap.messages[place:] if way == "to_device" and isinstance(m.payload, str)]
    true(not [body for body in sent if "volume" in body or body.get("type") == "SET_VOLUME"], "messages with a volume")
    true(any(body.get("type") == "LOAD" and FILM in json.dumps(body) for body in sent), "the load went over the wire")
    world.far.api.do("volume.set", device="den", level=0.5)


@row(350, way="api,events,wire")
def members_of_a_group(world: World) -> None:
    """The members of a speaker group have volumes of their own, which are told when they come, change and go."""
    from wire import MULTIZONE, Message

    def status(devices: list[dict[str, object]]) -> Message:
        body = {"type": "MULTIZONE_STATUS", "requestId": 0, "status": {"devices": devices, "isMultichannel": False}}
        return Message("receiver-0", "*", MULTIZONE, json.dumps(body))

    member = {"deviceId": "m1", "name": "Left", "capabilities": 4, "volume": {"level": 0.3, "muted": False}}
    world.api.do("session.start", device="tv", app="ABCD1234")
    with world.api.events("session.members") as events:
        world.tap.say(status([member]))
        told = events.wait(lambda f: f.get("type") == "session.members" and "m1" in json.dumps(f["data"]), "the member")
        true("0.3" in json.dumps(told["data"]), f"its volume: {told['data']}")
        place = events.mark()
        world.tap.say(status([]))
        gone = events.wait(lambda f: f.get("type") == "session.members" and "frame" not in f, "it goes", place)
        true("m1" not in json.dumps(gone["data"].get("members", [])), "no member")
    world.tap.withheld = {"MULTIZONE_STATUS"}
    place = world.tap.mark()
    world.api.call("volume.set", device="tv", member="m1", level=0.6, wait=0)
    asked = world.tap.sent("GET_STATUS", place)["requestId"]
    answer = {"type": "MULTIZONE_STATUS", "requestId": asked, "status": {"devices": [member], "isMultichannel": False}}
    world.tap.say(Message("receiver-0", "sender-0", MULTIZONE, json.dumps(answer)))
    has(world.tap.sent("SET_DEVICE_VOLUME", place), {"deviceId": "m1"}, "the member's own volume")


def record(kind: int, code: int, value: int) -> bytes:
    """A `struct input_event` of this machine: a time of two words, then type, code and value."""
    return struct.pack("=HHi", kind, code, value).rjust(2 * struct.calcsize("P") + 8, b"\0")


@contextlib.contextmanager
def host_keys(world: World, path: Path) -> Iterator[None]:
    """Runs the example program that controls the hall with the keys of an event device."""
    token = world.near.folder / "keys-token"
    token.write_text(TOKEN)
    words = ["--input", path, "--device", "hall", "--step", "0.1", "--url", f"http://127.0.0.1:{world.near.port}", "--token-file", token]
    with (world.near.folder / "keys.log").open("ab") as log:
        process = subprocess.Popen([sys.executable, HOST_KEYS, *words], stdin=subprocess.DEVNULL, stderr=log, preexec_fn=end_with_parent)
    try:
        yield
    finally:
        process.kill()
        process.wait()


@row(343, way="api,events")
def keys_of_the_machine(world: World) -> None:
    """The example host_keys.py of the Python client changes the volume of a device at volume keys, and controls what it plays at others."""
    path = world.near.folder / "event0"
    os.mkfifo(path, 0o600)
    keyboard = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def press(code: int) -> None:
        os.write(keyboard, b"".join((record(1, code, 1), record(0, 0, 0), record(1, code, 0), record(0, 0, 0))))

    try:
        world.play("hall")
        world.api.do("volume.set", device="hall", level=0.3, muted=False)
        with host_keys(world, path):
            with world.api.events("receiver.status", devices=("hall",)) as events:
                press(115)
                events.wait(lambda frame: is_loud(frame, 0.4), "one press of volume up")
                place = events.mark()
                press(114)
                events.wait(lambda frame: is_loud(frame, 0.3), "one press of volume down", place)
                press(113)
                events.wait(is_muted, "the key mute")
            with world.api.events("media.status", devices=("hall",)) as events:
                press(164)
                events.wait(lambda f: (f.get("data", {}).get("status") or {}).get("playerState") == "PAUSED", "play/pause pauses")
    finally:
        os.close(keyboard)
        path.unlink()
        world.api.do("volume.set", device="hall", muted=False)
