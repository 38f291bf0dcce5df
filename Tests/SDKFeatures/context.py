"""Rows of the context: what gateway.yaml gives, how the gateway starts, what it says of itself."""

from __future__ import annotations

import json
import signal
import socket

from registry import has, row, same, true
from world import FILM, MEDIA_APP, OTHER_APP, QUIZ_APP, World


@row(3, way="yaml,api,cli,events")
def options_are_put_in_force(world: World) -> None:
    """A changed gateway.yaml is looked at (dry run), put in force by config.reload and by castway reload, and told as an event."""
    changed = world.near_configuration(sessions="suspend_after: 7s")
    world.near.write(changed)
    dry = world.api.do("config.reload", dry_run=True)
    same([change["key"] for change in dry["changes"]], ["sessions.suspend_after"], "what a dry run would change")
    same(world.api.do("config.get")["configuration"]["sessions"]["suspend_after"], "1s", "what is in force after a dry run")
    with world.api.events("config.*") as events:
        world.near.run("reload")
        same(events.event("config.reloaded")["data"]["changes"], ["sessions.suspend_after"], "the event")
    same(world.api.do("config.get")["configuration"]["sessions"]["suspend_after"], "7s", "what is in force")


@row(4, way="yaml,cli")
def options_are_mandatory(world: World) -> None:
    """Without gateway.yaml, without its version, or with a broken key the program does not start, and names the fault."""
    folder = world.gateway("empty", "").folder
    (folder / "gateway.yaml").unlink()
    gateway = world.gateway("empty2", "virtual_devices: [{name: hall}]\n")
    true("CW1051" in gateway.run("run", status=1), "a missing key is named by its code")
    (gateway.folder / "gateway.yaml").write_text("gateway: {name: x}\n")
    true("version" in gateway.run("check", status=1), "a file without a version is refused")
    (gateway.folder / "gateway.yaml").unlink()
    true("CW1002" in gateway.run("run", status=1), "a missing file is named by its code")


@row(5, 6, way="yaml,api,wire")
def criteria_ask_devices(world: World) -> None:
    """discovery.receiver_app is what devices are asked for (GET_APP_AVAILABILITY), and what a new session launches first."""
    place = world.tap.mark()
    world.reload(discovery=f"  receiver_app: {OTHER_APP}\n")
    same(world.tap.sent("GET_APP_AVAILABILITY", place)["appId"], [OTHER_APP], "what the device is asked for")
    answer = world.tap.message("GET_APP_AVAILABILITY", place, "to_gateway")
    same(json.loads(str(answer.payload))["availability"], {OTHER_APP: "APP_AVAILABLE"}, "what it says")
    same(world.api.do("config.get")["configuration"]["discovery"]["receiver_app"], OTHER_APP, "the option in force")


@row(7, way="yaml,api,wire")
def receiver_app_is_launched(world: World) -> None:
    """A session without an app, and media.load without one, launch discovery.receiver_app; without the key it is app_missing."""
    world.api.refused("session.start", "app_missing", 422, device="tv")
    world.reload(discovery=f"  receiver_app: {OTHER_APP}\n")
    place = world.tap.mark()
    has(world.api.do("session.start", device="tv"), {"app": OTHER_APP, "state": "connected"}, "the session")
    same(world.tap.sent("LAUNCH", place)["appId"], OTHER_APP, "what the device was told to launch")
    same(world.api.do("media.load", device="kitchen", url=FILM)["app"], OTHER_APP, "the app that plays")


@row(8, way="cli,yaml,api")
def default_media_app(world: World) -> None:
    """castway cast load plays with CC1AD845 without naming it; the preset default-media offers the same app."""
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "load", FILM)
    same(world.api.do("media.status", device="hall")["app"], "CC1AD845", "the app that plays")
    gateway = world.gateway("preset", "discovery: {mdns: {enabled: false}}\nvirtual_devices:\n"
                            "  - {name: one, listen: '127.0.0.1:0', publish: false, target: local, apps: {preset: default-media}}\n")
    gateway.start()
    same(gateway.api.do("virtual_device.launch", device="one", app=MEDIA_APP)["app"]["app"], "CC1AD845", "the preset's app")


@row(9, way="yaml,api,cli,wire")
def own_app_id(world: World) -> None:
    """An app id of one's own is launched by its id, by name of nothing else; what is no id is refused by file, API and command."""
    place = world.tap.mark()
    same(world.api.do("session.start", device="tv", app=QUIZ_APP)["display_name"], "Quiz", "the app")
    same(world.tap.sent("LAUNCH", place)["appId"], QUIZ_APP, "what the device was told to launch")
    problem = world.api.refused("session.start", "invalid_input", 422, device="tv", app="zz")
    same(problem["errors"][0]["pointer"], "/app", "where the fault is")
    gateway = world.gateway("appless", "discovery: {receiver_app: cc1ad845}\n")
    true("CW1057" in gateway.run("check", status=1), "castway check names the fault")


@row(12, way="api,events")
def commands_are_asynchronous(world: World) -> None:
    """With wait=0 a command is answered 202 with a request, and its end comes as an event."""
    with world.api.events("request.changed", "session.*") as events:
        status, request = world.api.call("session.start", device="tv", app=MEDIA_APP, wait=0)
        same(status, 202, "the status")
        over = events.wait(lambda f: f.get("type") == "request.changed" and f["data"]["id"] == request["request"]
                           and f["data"]["request"].get("ended_at"), "the request ends")
        same(over["data"]["request"]["state"], "confirmed", "how it ended")
        started = events.event("session.did_start", app=MEDIA_APP)
        same(started["cause"], {"request": request["request"]}, "what the transition names as its cause")


@row(16, way="api,socket,cli")
def one_facade_for_all_ways(world: World) -> None:
    """The same operation gives the same answer over HTTP, over the WebSocket and by castway call."""
    from sockets import Socket

    world.api.do("volume.set", device="hall", level=0.35)
    by_http = world.api.do("volume.get", device="hall")
    with Socket(world.api) as socket_:
        by_socket = socket_.call("volume.get", device="hall")
    same(by_socket, by_http, "the answer over the WebSocket")
    same(world.near.call("volume.get", "device=hall"), by_http, "the answer by castway call")


@row(17, way="cli,log")
def start_order(world: World) -> None:
    """The parts start in a fixed order, and the exit message of a start that fails names the part and the reason."""
    gateway = world.gateway("order", "virtual_devices:\n"
                            f"  - {{name: a, listen: '127.0.0.1:{world.ports['hall']}', target: local, publish: false}}\n")
    said = gateway.run("run", status=98)
    true(str(world.ports["hall"]) in said and "in use" in said, f"the exit message names the address: {said[-300:]}")
    texts = [record["msg"] for record in world.near.records()]
    places = [texts.index(text) for text in ("Keys made", "Starting", "Admin listener ready", "Listening")]
    same(places, sorted(places), "the order of the steps in the log")


@row(18, 19, way="api,cli")
def references_are_served(world: World) -> None:
    """OpenAPI, AsyncAPI and a page are served; the reference names devices, senders, sessions and media sessions as the SDKs do."""
    document = world.api.document()
    operations = {about["operationId"] for methods in document["paths"].values() for about in methods.values()
                  if isinstance(about, dict) and "operationId" in about}
    true({"devices.list", "senders.list", "sessions.list", "virtual_devices.list", "media.status"} <= operations, "the terms")
    true("media_session_id" in json.dumps(document), "a media session has its own id")
    status, _, body = world.api.fetch("GET", "/asyncapi.json")
    same((status, json.loads(body)["asyncapi"][:2]), (200, "3."), "the AsyncAPI document")
    status, headers, page = world.api.fetch("GET", "/docs")
    same((status, b"<html" in page.lower()), (200, True), "the page")
    true("## `virtual_devices[]`" in world.near.run("config", "reference"), "the reference of gateway.yaml")
    true("media.load" in world.near.run("call", "media.load", "--describe"), "castway call --describe")


@row(20, 34, way="api,cli,events")
def version_and_what_it_can(world: World) -> None:
    """Versions are equal everywhere, and what a gateway can do is told by name: operations, and features of the event stream."""
    gateway = world.api.do("gateway.get")
    true({"session.transfer", "media.request", "queue.insert"} <= set(gateway["operations"]), "operations by name")
    same(world.near.run("--version").strip(), gateway["version"], "castway --version")
    status, _, body = world.near.admin.fetch("GET", "/version")
    true(status == 200 and gateway["version"] in body.decode(), f"/version: {status} {body!r}")
    with world.api.events() as events:
        hello = next(frame for frame in events.frames if frame.get("frame") == "hello")
        true("resume" in hello["features"], f"features of the stream: {hello}")


@row(21, way="cli")
def second_gateway_is_refused(world: World) -> None:
    """A second gateway with the same configuration ends with a status of its own, and the first goes on."""
    said = world.near.run("run", status=73)
    true("is used by a gateway that runs" in said, f"it says why: {said[-300:]}")
    same(world.api.do("gateway.health")["ready"], True, "the first one")


@row(22, way="api,cli")
def readiness(world: World) -> None:
    """gateway.health, the phase and /readyz say whether the context is there."""
    same(world.api.do("gateway.health")["ready"], True, "gateway.health")
    same(world.api.do("gateway.get")["phase"], "ready", "the phase")
    same(world.near.admin.fetch("GET", "/readyz")[0], 200, "/readyz")
    same(world.near.call("gateway.health")["ready"], True, "castway call gateway.health")


@row(24, 37, 39, 43, 58, 59, way="yaml,api,events")
def discovery_on_demand(world: World) -> None:
    """With discovery.mdns.enabled off nothing is searched for until discovery.start; discovery.stop ends it; events and state say so."""
    same(world.api.do("devices.list")["discovery"]["state"], "stopped", "the state at the start")
    with world.api.events("discovery.*") as events:
        place = events.mark()
        true(world.api.do("discovery.start")["state"] != "stopped", "discovery.start searches, or is kept from it")
        begun = events.wait(lambda f: f.get("type") in ("discovery.started", "discovery.blocked"), "it is told", place)
        same(begun["data"]["category"], "cast", "the category")
        place = events.mark()
        same(world.api.do("discovery.stop"), {"state": "stopped"}, "discovery.stop")
        same(events.event("discovery.stopped", place)["data"]["category"], "cast", "the category")
    same(world.api.do("devices.list")["discovery"]["state"], "stopped", "the state at the end")


@row(27, 121, way="yaml,api,wire")
def app_is_stopped_at_the_end(world: World) -> None:
    """sessions.stop_app_on_end has the end of a session stop its app; without it the app goes on; stop=true stops it either way."""
    def end(**more: object) -> int:
        session = world.api.do("session.start", device="tv", app=QUIZ_APP)
        place = world.tap.mark()
        world.api.do("session.end", session=session["id"], **more)
        world.tap.message("CLOSE", place)
        return world.tap.count("STOP", place)

    same(end(), 0, "STOPs by default")
    same(end(stop=True), 1, "STOPs with stop=true")
    world.reload(sessions="suspend_after: 1s, stop_app_on_end: true")
    same(end(), 1, "STOPs with sessions.stop_app_on_end")
    same(end(stop=False), 0, "STOPs with stop=false")


@row(33, way="yaml,api,events,wire")
def launch_options(world: World) -> None:
    """launch.* is what launches carry by default; a changed file is put in force and told with its keys."""
    with world.api.events("config.*") as events:
        world.reload(sections="launch: {language: de-DE, sender_name: Front desk}\n")
        true("launch.language" in events.event("config.reloaded")["data"]["changes"], "the event names the option")
    place = world.tap.mark()
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    has(world.tap.sent("LAUNCH", place), {"language": "de-DE", "senderDeviceName": "Front desk"}, "the LAUNCH")


@row(469, way="log,cli")
def log_comes_first(world: World) -> None:
    """The log is there before anything else: the first lines of a run come before any listener, and SIGTERM ends in good order."""
    gateway = world.gateway("first", "log: {format: json}\ndiscovery: {mdns: {enabled: false}}\n")
    gateway.start()
    texts = [record["msg"] for record in gateway.records()]
    true(texts.index("Starting") < texts.index("Admin listener ready"), f"the first lines: {texts[:5]}")
    with socket.create_connection(("127.0.0.1", gateway.port), 5):
        pass
    same(gateway.stop(signal.SIGTERM), 0, "the status after SIGTERM")
