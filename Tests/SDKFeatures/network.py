"""Rows of discovery in a network of its own, where devices announce themselves by mDNS through Avahi.

It takes root and network namespaces, as the tests of `DiscoveryLabTests` do; elsewhere these rows rest on tests alone.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

from gateway import Following, Gateway
from registry import Skipped, has, row, same, true
from world import QUIZ_APP, World

# The house's own network for such things.
sys.path.append(str(Path(__file__).resolve().parents[2] / "Benchmarks" / "faults"))

from lab import Host, Lab, LabError

Json = dict[str, Any]
DEVICES = (("film", 4101), ("radio", 4), ("party", 36))
"""Names and capability bits: a television, a speaker, a group of speakers."""


def screens(film: str = "Film room") -> str:
    """gateway.yaml of the host whose devices are found."""
    lines = "discovery: {mdns: {enabled: false}}\nvirtual_devices:\n"
    for number, (name, bits) in enumerate(DEVICES):
        friendly = film if name == "film" else f"The {name}"
        lines += (f"  - {{name: {name}, friendly_name: {friendly}, model: Castbox, listen: '0.0.0.0:{8009 + number}', target: local,\n"
                  f"     capabilities: {bits}, apps: {{{QUIZ_APP}: {{name: Quiz, status_text: Quiz time}}}}}}\n")
    return lines


def on(host: Host, gateway: Gateway) -> Gateway:
    """Has a gateway and its commands run on a host of the lab."""
    gateway.prefix, gateway.extra = host.words(), {"DBUS_SYSTEM_BUS_ADDRESS": host.environment["DBUS_SYSTEM_BUS_ADDRESS"]}
    return gateway


def found(events: Following, kind: str, name: str, since: int = 0) -> Json:
    """Waits for an event of the device list about a device of this friendly name; gives the device."""
    at = since
    while True:
        frame = json.loads(events.line(f'"{kind}"', at))
        if frame.get("type") == kind and frame["data"]["device"]["friendlyName"] == name and "frame" not in frame:
            return dict(frame["data"])
        at = next(i for i, line in enumerate(events.lines) if i >= at and f'"{kind}"' in line) + 1


@row(42, 45, 46, 65, 67, 68, 69, 70, 115, 38, 57, way="cli,events,yaml,api")
def devices_announce_themselves(world: World) -> None:
    """Devices in the network are found, say what they are and do, are renamed under a session, and go; a new search has them at once."""
    folder = world.folder / "lab"
    try:
        lab = Lab(folder, "screens", "gateway").__enter__()
    except LabError as error:
        raise Skipped(str(error)) from error
    try:
        away = on(lab.hosts[0], world.gateway("screens", screens()))
        here = on(lab.hosts[1], world.gateway("finder", "discovery: {mdns: {enabled: true}}\n"))
        here.start()
        with here.follow("events", "--follow", "--json", "--type", "device.*", "--type", "discovery.*", "--type", "session.*") as events:
            events.line('"discovery.started"')
            away.start()
            film = found(events, "device.inserted", "Film room")["device"]
            has(film, {"type": "tv", "modelName": "Castbox", "category": "cast", "status": "idle", "capabilityBits": 4101,
                       "isAnnounced": True, "isOnLocalNetwork": True, "addresses": [f"{lab.hosts[0].address}:8009"]}, "the television")
            true({"videoOut", "audioOut"} <= set(film["capabilities"]) and film["deviceVersion"] > 0, f"what it can: {film}")
            has(found(events, "device.inserted", "The radio")["device"], {"type": "speaker", "capabilityBits": 4}, "the speaker")
            has(found(events, "device.inserted", "The party")["device"], {"type": "speaker_group"}, "the group")
            session = here.call("session.start", f"device={film['deviceId']}", f"app={QUIZ_APP}")
            busy = found(events, "device.updated", "Film room")["device"]
            has(busy, {"status": "busy", "statusText": "Quiz time"}, "a device that is busy")
            away.write(screens("Zoo"))
            away.run("reload")
            renamed = found(events, "device.updated", "Zoo")
            same(renamed["device"]["deviceId"], film["deviceId"], "the device of the session under another name")
            same((renamed["index"], renamed["new_index"]), (0, 2), "its place in the list")
            same(here.call("session.get", f"session={session['id']}")["state"], "connected", "the session")
            here.call("discovery.stop")
            events.line('"discovery.stopped"')
            since = len(events.lines)
            here.call("discovery.start")
            events.line('"discovery.started"', since)
            found(events, "device.inserted", "Zoo", since)
            since = len(events.lines)
            away.stop()
            found(events, "device.removed", "The radio", since)
    finally:
        world.leave()
        lab.__exit__(None)


def logged(gateway: Gateway, words: str, times: int) -> None:
    """Waits until the log has these words so often: asking the gateway would be a use of it."""
    until = time.monotonic() + 30
    while gateway.log().count(words) < times:
        true(time.monotonic() < until, f"the log does not have '{words}' {times} times: {gateway.log()[-2000:]}")
        time.sleep(0.05)


@row(66, way="yaml,api,events,log")
def searching_pauses_without_callers(world: World) -> None:
    """Without a caller devices are not searched for after a while; the next call or reader has them searched for, and found, again."""
    folder = world.folder / "paused"
    try:
        lab = Lab(folder, "screens", "gateway").__enter__()
    except LabError as error:
        raise Skipped(str(error)) from error
    try:
        away = on(lab.hosts[0], world.gateway("paused-screens", screens()))
        here = on(lab.hosts[1], world.gateway("paused", "discovery: {mdns: {enabled: true}, stop_when_unused: 1s}\n"))
        here.start()
        logged(here, "Not searching for devices any more", 1)
        away.start()
        with here.follow("events", "--follow", "--json", "--type", "device.*") as events:
            found(events, "device.inserted", "Film room")
            same(here.call("devices.list")["discovery"]["state"], "running", "while there is a reader")
        logged(here, "Not searching for devices any more", 2)
        true(here.call("devices.list")["discovery"]["state"] in ("starting", "running"), "a call finds the search begun again")
        logged(here, "Searching for devices by mDNS", 3)
        logged(here, "Not searching for devices any more", 3)
    finally:
        world.leave()
        lab.__exit__(None)
