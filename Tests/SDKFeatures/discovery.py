"""Rows of discovery: the list of devices, what is told of it, and what each device says."""

from __future__ import annotations

import json

from registry import has, row, same, true
from sockets import Socket
from world import QUIZ_APP, World


@row(41, 42, 44, 45, 46, 50, 60, 64, way="yaml,events,api")
def list_changes_are_told(world: World) -> None:
    """A device that comes is device.inserted with its index, one that goes device.removed with its index; the count is told too."""
    count = len(world.api.do("devices.list")["devices"])
    with world.api.events("device.*", "discovery.*") as events:
        world.reload(static={"late": world.ports["cellar"]})
        came = events.event("device.inserted")
        names = sorted(["chain", "fixed", "kitchen", "late", "screen", "tv"])
        same((came["device"], came["data"]["index"]), ("late", names.index("late")), "device.inserted")
        same(events.event("device.list_did_update")["data"], {"count": count + 1}, "the count")
        same(len(world.api.do("devices.list")["devices"]), count + 1, "the list")
        place = events.mark()
        world.reload()
        went = events.event("device.removed", place)
        same((went["device"], went["data"]["index"], went["data"]["device"]["deviceId"]),
             ("late", names.index("late"), "static:late"), "device.removed")
        same(events.event("device.list_did_update", place)["data"], {"count": count}, "the count")
        order = [f["type"] for f in events.frames[place:] if f.get("type") in ("device.list_will_update", "device.list_did_update")]
        same(order, ["device.list_will_update", "device.list_did_update"], "what frames the changes")


@row(63, way="yaml,events")
def moves_are_told(world: World) -> None:
    """A device whose place or address changes is device.updated with its old and its new index, between will_update and did_update."""
    with world.api.events("device.*") as events:
        world.reload(static={"kitchen": world.ports["cellar"]})
        address = f"127.0.0.1:{world.ports['cellar']}"
        moved = events.wait(lambda f: f.get("type") == "device.updated" and f.get("device") == "kitchen"
                            and address in f["data"]["device"]["addresses"], "kitchen moves")
        same((moved["data"]["index"], moved["data"]["new_index"]), (2, 2), "the indices")
        events.event("device.list_will_update")
        events.event("device.list_did_update")


@row(47, 48, 51, 52, 71, way="cli,api")
def devices_as_objects(world: World) -> None:
    """castway devices --json has an object for each device, by friendly name; ids are those that the API takes."""
    lines = world.near.output("devices", "--json", "--timeout", "1", status=69).splitlines()
    devices = [json.loads(line) for line in lines]
    names = [device["friendlyName"] for device in devices]
    same(names, sorted(names), "the order")
    same(len(devices), len(world.api.do("devices.list")["devices"]), "the count")
    tv = next(device for device in devices if device["friendlyName"] == "tv")
    same((tv["deviceId"], tv["uniqueId"], tv["category"]), ("static:tv", "cast:static:tv", "cast"), "the ids of tv")
    same(world.api.do("device.get", device=tv["uniqueId"])["device"]["name"], "tv", "the device of that unique id")
    same(world.api.do("device.get", device=tv["deviceId"])["device"]["id"], tv["deviceId"], "the device of that id")


@row(49, way="api,events,socket")
def list_is_one_truth(world: World) -> None:
    """devices.list, GET /api/v1/state and the stream have the same devices; events have revisions, and a reader comes back to its place."""
    listed = {d["name"] for d in world.api.do("devices.list")["devices"]}
    with world.api.events("device.*") as events:
        world.reload(static={"late": world.ports["cellar"]})
        came = events.event("device.inserted")
        true(came["rev"] >= 1 and came["seq"] > 0, f"it has a revision and a number: {came}")
    with Socket(world.api) as socket:
        socket.subscribe(topics=[{"type": "device.*"}], **{"from": f"{came['boot']}.{came['seq'] - 1}"})
        again = socket.wait(lambda f: f.get("type") == "device.inserted" and "frame" not in f, "what was missed")
        same(again["seq"], came["seq"], "the number of the event that was missed")
    status, _, body = world.api.fetch("GET", "/api/v1/state")
    true(status == 200 and '"late"' in body.decode(), "GET /api/v1/state has the device")
    same({d["name"] for d in world.api.do("devices.list")["devices"]}, listed | {"late"}, "the list")


@row(53, way="api,cli")
def list_of_a_dialog(world: World) -> None:
    """What a dialog shows is there at once: each device by a name for people, and whether it can be used now."""
    for device in world.api.do("devices.list")["devices"]:
        has(device, {"friendly_name": device["name"], "state": "online"}, "a device")
    listed = world.near.run("devices", "--timeout", "1", status=69)
    true(all(name in listed for name in ("tv", "kitchen", "fixed", "chain", "screen")), "castway devices")


@row(38, 54, 57, way="api,events,cli,yaml")
def blocked_discovery_says_why(world: World) -> None:
    """The search begins with castway run; where it is not possible it is blocked, and list, event and command say why."""
    gateway = world.gateway("blocked", "discovery: {mdns: {enabled: true}}\n")
    gateway.extra = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere/bus"}
    gateway.start()
    with gateway.api.events("discovery.*") as events:
        told = events.wait(lambda f: f.get("type") == "discovery.blocked", "it is blocked")
        true(told["data"]["reason"], "the event has a reason")
    state = gateway.api.do("devices.list")["discovery"]
    same((state["state"], bool(state.get("reason"))), ("blocked", True), "the list")
    codes = [warning["code"] for warning in gateway.api.do("gateway.status")["warnings"]]
    true("discovery_blocked" in codes, f"the warnings of gateway.status: {codes}")
    true("avahi" in gateway.run("devices", "--timeout", "1", status=69).lower(), "castway devices says what to do")


@row(67, way="api,events")
def device_addresses(world: World) -> None:
    """A device has its addresses with their port, IPv6 too, and says whether it is in the local network."""
    with world.api.events("device.*") as events:
        world.near.write(world.near.configuration.replace(f'"127.0.0.1:{world.ports["fixed"]}"', f'"[::1]:{world.ports["fixed"]}"'))
        world.api.do("config.reload")
        address = f"[::1]:{world.ports['fixed']}"
        told = events.wait(lambda f: f.get("type") == "device.updated" and f.get("device") == "fixed"
                           and address in f["data"]["device"]["addresses"], "fixed moves")
        has(told["data"]["device"], {"type": "generic", "icons": []}, "the device")
        true({"modelName", "deviceVersion", "isOnLocalNetwork", "capabilities"} <= set(told["data"]["device"]), "its members")


@row(68, way="api,wire")
def device_status(world: World) -> None:
    """A device that is busy says what it does: what runs on it, and its line."""
    same(world.api.do("device.get", device="tv")["device"]["apps"], [], "what an idle device runs")
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    same([app["app"] for app in world.api.do("device.get", device="tv")["device"]["apps"]], [QUIZ_APP], "what runs")
    status = world.api.do("device.probe", device="tv")["status"]["applications"][0]
    same(status["statusText"], "Quiz time", "its line")


@row(73, way="yaml,api")
def static_devices(world: World) -> None:
    """A device of discovery.static is used without any search; one that does not answer is offline with a reason."""
    from gateway import free_port

    with world.api.events("device.*") as events:
        world.reload(static={"empty-room": free_port()})
        told = events.wait(lambda f: f.get("type") == "device.offline" and f.get("device") == "empty-room", "it is offline")
        true(told["data"]["reason"], "a reason")
    device = world.api.do("device.get", device="empty-room")["device"]
    same((device["state"], bool(device["reason"])), ("offline", True), "the device")
