"""Rows of the context and of sessions that go beyond one start and one end: cast state, choices, facts, hand-over, background."""

from __future__ import annotations

import json

from registry import has, near, row, same, true
from world import FILM, MEDIA_APP, OTHER_APP, QUIZ, QUIZ_APP, World, settle


@row(1, 14, 15, 23, way="api,events,cli")
def cast_state(world: World) -> None:
    """gateway.get and the event gateway.cast_state say in one of four words how casting stands, with the app, discovery and sessions."""
    with world.api.events("gateway.cast_state") as events:
        same(world.api.do("gateway.get")["cast_state"], "not_connected", "with devices and no session")
        place = events.mark()
        session = world.api.do("session.start", device="tv", app=QUIZ_APP)
        told = events.wait(lambda f: f.get("type") == "gateway.cast_state" and f["data"]["state"] == "connected", "it connects")
        same(told["data"]["previous"], "connecting", "what was before")
        now = json.loads(world.near.output("call", "gateway.get"))
        has(now, {"cast_state": "connected", "sessions": [session["id"]]}, "castway call gateway.get")
        true("state" in now["discovery"], f"the state of discovery: {now['discovery']}")
        world.api.do("session.end", session=session["id"], stop=True)
        events.wait(lambda f: f.get("type") == "gateway.cast_state" and f["data"]["state"] == "not_connected", "it ends")
        words = [f["data"]["state"] for f in events.frames[place:] if f.get("type") == "gateway.cast_state"]
        same(words, ["connecting", "connected", "not_connected"], "the words")
    gateway = world.gateway("alone", "discovery: {mdns: {enabled: false}}\n")
    gateway.start()
    same(gateway.api.do("gateway.get")["cast_state"], "no_devices_available", "without a device")


@row(10, 33, way="api,events,wire,cli")
def choices_at_run_time(world: World) -> None:
    """launch.set chooses the app and what launches say while the gateway runs, kept on request; launch.reset goes back to the file."""
    with world.api.events("launch.*") as events:
        chosen = world.api.do("launch.set", receiver_app=OTHER_APP, language="fr-FR", sender_name="Foyer", keep=True)
        same(sorted(chosen["kept"]), ["language", "receiver_app", "sender_name"], "what is kept")
        told = events.event("launch.changed")
        same(sorted(told["data"]["keys"]), ["language", "receiver_app", "sender_name"], "the event")
    place = world.tap.mark()
    same(world.api.do("session.start", device="tv")["app"], OTHER_APP, "the app")
    has(world.tap.sent("LAUNCH", place), {"appId": OTHER_APP, "language": "fr-FR"}, "the LAUNCH")
    same(json.loads(world.near.output("call", "launch.get"))["receiver_app"], OTHER_APP, "castway call launch.get")
    same(world.api.do("launch.reset")["set"], [], "what is chosen after a reset")
    true("receiver_app" not in world.api.do("launch.get"), "the app of the file, which names none")


@row(31, 30, way="yaml,api,wire")
def criteria_in_order(world: World) -> None:
    """discovery.receiver_apps names apps in order: devices are asked for all, and a session launches the first; namespaces is one more."""
    place = world.tap.mark()
    world.reload(discovery=f'  receiver_apps: [{OTHER_APP}, {QUIZ_APP}]\n  namespaces: ["{QUIZ}"]\n')
    same(sorted(world.tap.sent("GET_APP_AVAILABILITY", place)["appId"]), sorted([OTHER_APP, QUIZ_APP]), "what devices are asked for")
    same(world.api.do("session.start", device="tv")["app"], OTHER_APP, "the app of a session")
    same(world.api.do("config.get")["configuration"]["discovery"]["namespaces"], [QUIZ], "the namespaces")


@row(35, way="yaml,api")
def join_policy(world: World) -> None:
    """sessions.join says which running apps operations may join: any, those of the gateway's own sessions, or none."""
    world.far.api.do("virtual_device.launch", device="den", app=MEDIA_APP)
    world.reload(sessions="suspend_after: 1s, join: own")
    status, problem = world.api.call("media.load", device="tv", url=FILM)
    true(status >= 400, f"the app of another sender is not joined: {status} {problem}")
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    same(world.api.do("media.load", device="tv", url=FILM)["content_url"], FILM, "the app of an own session")


@row(56, 498, way="api,cli,yaml")
def help_without_devices(world: World) -> None:
    """A list without a device says why, in a word and in a sentence with what to do."""
    gateway = world.gateway("empty-list", "discovery: {mdns: {enabled: false}}\n")
    gateway.start()
    reasons = gateway.api.do("devices.list")["help"]
    same([reason["code"] for reason in reasons], ["not_searching"], "the reasons")
    true(len(reasons[0]["text"]) > 20, f"the sentence: {reasons}")
    true("help" not in world.api.do("devices.list"), "no help where there are devices")
    said = gateway.run("devices", "--timeout", "1", status=69)
    true("mdns" in said or "search" in said, f"castway devices says it too: {said[-300:]}")


@row(61, 62, 72, way="api,events,cli")
def places_searches_attributes(world: World) -> None:
    """Devices have their place in the list, are waited for by any of their names, and keep texts for all callers."""
    listed = world.api.do("devices.list", sort="list")["devices"]
    same([device["index"] for device in listed], list(range(len(listed))), "the places")
    kitchen = next(device for device in listed if device["name"] == "kitchen")
    same(world.api.do("device.find", id=kitchen["id"])["device"]["name"], "kitchen", "a device by its id")
    world.api.refused("device.find", "device_not_found", 404, id="cellar-2", timeout=0.1)
    with world.api.events("device.*") as events:
        world.api.do("device.attributes", device="kitchen", set={"floor": "2", "room": "9"})
        events.wait(lambda f: f.get("type") == "device.updated" and f["data"]["device"].get("attributes") == {"floor": "2", "room": "9"},
                    "what is kept is told")
    kept = json.loads(world.near.output("call", "device.attributes", "device=kitchen", 'remove=["room"]'))
    same(kept["attributes"], {"floor": "2"}, "what is kept")
    world.api.do("device.attributes", device="kitchen", remove=["floor"])
    true("attributes" not in world.api.do("device.get", device="kitchen")["device"], "nothing is left")


@row(86, 118, 121, way="api")
def ends_and_starts_are_guarded(world: World) -> None:
    """A second end does no harm, device:NAME means the session that there is, and unless_active refuses a start beside another."""
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    world.api.refused("session.start", "invalid_state", 409, device="tv", app=OTHER_APP, unless_active=True)
    same(world.api.do("session.get", session="device:tv")["app"], QUIZ_APP, "the session is as it was")
    number = world.api.do("session.end", session="device:tv", action="stop")["id"]
    again = world.api.do("session.end", session=number)
    same(again["state"], "disconnected", "a second end")
    true(again["ended"]["at"] > 0 and "code" not in again["ended"], f"how it ended: {again['ended']}")
    session = world.api.do("session.start", device="tv", app=QUIZ_APP)["id"]
    world.api.do("session.end", session=session, action="disconnect")
    same(len(world.far.api.do("virtual_device.get", device="den")["apps"]), 1, "the app goes on after a disconnect")


@row(122, 126, 145, way="api,wire")
def options_of_a_session(world: World) -> None:
    """session.start gives the app parameters, features it has to have and a name of the sender; session.get shows options and traits."""
    place = world.tap.mark()
    session = world.api.do("session.start", device="tv", app=QUIZ_APP, language="de-DE", params={"table": 7},
                           required_features=["STREAM_TRANSFER"], sender_name="Front desk")
    launch = world.tap.sent("LAUNCH", place)
    true(launch["appParams"]["table"] == 7 and "STREAM_TRANSFER" in json.dumps(launch), f"the LAUNCH: {launch}")
    true("Front desk" in json.dumps(launch), f"the name of the sender: {launch}")
    shown = world.api.do("session.get", session=session["id"])
    has(shown["options"], {"language": "de-DE", "required_features": ["STREAM_TRANSFER"], "sender_name": "Front desk",
                           "params": ["table"], "credentials": False}, "the options")
    same(shown["status_text"], "Quiz time", "the status text")
    has(shown["traits"], {"fixed": False}, "the traits")


@row(120, way="api,events")
def reason_of_a_suspension(world: World) -> None:
    """The caller says why a session is suspended."""
    session = world.api.do("session.start", device="tv", app=QUIZ_APP)["id"]
    with world.api.events("session.*") as events:
        world.api.do("session.suspend", session=session, reason="network_error")
        same(events.event("session.did_suspend")["data"]["suspend_reason"], "network_error", "the reason")


@row(26, 131, 133, way="yaml,api,wire")
def background(world: World) -> None:
    """Without a caller sessions are suspended after a while, and resumed by the first call."""
    session = world.api.do("session.start", device="tv", app=QUIZ_APP)
    place = world.tap.mark()
    world.reload(sessions="suspend_after: 1s, suspend_when_unused: 1s")
    # A reader that leaves is gone at once, and not when it is written to next, which may take 15 seconds.
    with world.api.events("gateway.*"):
        pass
    same(world.tap.message("CLOSE", place, wait=10).destination, session["transport_id"], "what is left")
    place = world.tap.mark()
    world.api.do("gateway.get")
    same(world.tap.message("CONNECT", place).destination, session["transport_id"], "what is joined again")
    same(world.tap.count("LAUNCH", place), 0, "launches")


@row(140, way="api,events")
def transfer_is_told(world: World) -> None:
    """A transfer is told as a resumption on the other device, with the device before."""
    world.play(position=60)
    with world.api.events("session.*") as events:
        world.api.do("session.transfer", session="device:tv", to="kitchen")
        told = events.wait(lambda f: f.get("type") == "session.did_resume" and f["device"] == "kitchen", "the other device")
        has(told["data"], {"cause": "transfer", "previous_device": "tv"}, "the event")


@row(141, 256, way="api,events")
def last_state(world: World) -> None:
    """What played last, and where, is in session.did_end and in session.get for ten minutes."""
    world.play(position=120, duration=600)
    world.api.do("media.pause", device="tv")
    number = world.api.do("session.get", session="device:tv")["id"]
    with world.api.events("session.*") as events:
        world.api.do("session.end", session=number, stop=True)
        last = events.event("session.did_end", session=number)["data"]["last"]
    same(last["content_id"], FILM, "what played")
    near(last["position"], 120, "where", 3)
    same(world.api.do("session.get", session=number)["last"], last, "session.get after the end")


@row(149, way="api")
def hand_over(world: World) -> None:
    """A caller takes what plays, and the device stops when the caller says that it plays; or goes on."""
    world.play(position=90, duration=600)
    given = world.api.do("session.hand_over", session="device:tv")
    near(given["state"]["loadRequestData"]["currentTime"], 90, "where it is", 5)
    same(given["of_app"], True, "the app described it itself")
    same(world.api.do("session.handed_over", session="device:tv", taken=False)["state"], "connected", "the device goes on")
    settle(world.api, "tv", "PLAYING")
    world.api.do("session.hand_over", session="device:tv")
    world.api.do("session.handed_over", session="device:tv")
    same(world.far.api.do("virtual_device.get", device="den")["apps"], [], "what runs after it was taken")


@row(101, 154, 155, way="api,events")
def channels_of_own_sessions(world: World) -> None:
    """A caller opens a channel of the gateway's own session, hears what the app says there, and closes it."""
    session = world.api.do("session.start", device="tv", app=QUIZ_APP)["id"]
    with world.api.events("channel.*", namespaces=(QUIZ,)) as events:
        opened = world.api.do("channel.open", device="tv", namespace=QUIZ)
        has(opened, {"state": "connected", "writable": True, "session": session}, "the channel")
        events.wait(lambda f: f.get("type") == "channel.connected" and f.get("device") == "tv", "the channel is told")
        world.far.api.do("message.broadcast", device="den", namespace=QUIZ, json={"type": "NEWS"})
        heard = events.event("channel.message")
        has(heard["data"], {"via": "own", "json": {"type": "NEWS"}}, "what the app says")
        same([c["namespace"] for c in world.api.do("channels.list", device="tv")["channels"]], [QUIZ], "the list")
        world.api.do("channel.close", device="tv", namespace=QUIZ)
        events.event("channel.disconnected")
