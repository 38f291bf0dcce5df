"""Rows of sessions: how they start and end, and what is told of each step."""

from __future__ import annotations

import json

from registry import has, near, row, same, true
from sockets import Socket
from world import FILM, MEDIA_APP, OTHER_APP, QUIZ_APP, RECEIVER, World


@row(76, 80, 81, 82, 83, 84, 117, way="api,cli")
def explicit_start_and_end(world: World) -> None:
    """session.start and session.end act without any dialog; sessions.list and session.get say whether one is connected."""
    same(world.api.do("sessions.list")["sessions"], [], "no session at first")
    session = world.api.do("session.start", device="tv", app=MEDIA_APP)
    number = session["id"]
    has(world.api.do("session.get", session=number), {"state": "connected", "device": "tv", "app": MEDIA_APP}, "the session")
    same([s["id"] for s in world.api.do("sessions.list")["sessions"]], [number], "the list")
    same(world.near.call("session.get", f"session={number}")["state"], "connected", "castway call session.get")
    same(world.near.call("session.end", f"session={number}", "stop=true")["state"], "disconnected", "castway call session.end")
    true("ended" in world.api.do("session.get", session=number), "it is known how it ended")
    world.api.refused("session.get", "unknown_session", 404, session=number + 1000)
    same(world.api.do("sessions.list")["sessions"], [], "no session at the end")


@row(77, 156, 157, way="api,wire")
def steps_of_a_start(world: World) -> None:
    """A start connects to the device, launches the app, connects to the app, and asks its media; a second one joins instead."""
    place = world.tap.mark()
    session = world.api.do("session.start", device="tv", app=MEDIA_APP)
    launch = world.tap.message("LAUNCH", place)
    same((launch.destination, launch.namespace), ("receiver-0", RECEIVER), "the LAUNCH")
    connect = world.tap.message("CONNECT", place)
    same(connect.destination, session["transport_id"], "the connection to the app")
    asked = world.tap.message("GET_STATUS", place, fits=lambda body: True)
    true(any(m.destination == session["transport_id"] and m.namespace.endswith("cast.media")
             for way, m in world.tap.messages[place:] if way == "to_device"), f"the media channel: {asked}")
    world.api.do("session.end", session=session["id"], stop=False)
    place = world.tap.mark()
    again = world.api.do("session.start", device="tv", app=MEDIA_APP)
    same(again["session_id"], session["session_id"], "the session that was joined")
    same(world.tap.count("LAUNCH", place), 0, "launches at a join")


@row(85, 118, way="api,wire")
def start_is_guarded(world: World) -> None:
    """A start on no device is refused; one with the app that runs answers the session that is there and launches nothing."""
    world.api.refused("session.start", "unknown_device", 404, device="nowhere", app=MEDIA_APP)
    first = world.api.do("session.start", device="tv", app=QUIZ_APP)
    place = world.tap.mark()
    same(world.api.do("session.start", device="tv", app=QUIZ_APP)["id"], first["id"], "the session")
    same(world.tap.count("LAUNCH", place), 0, "launches")


@row(87, 91, 92, 94, 102, 110, 111, 12, 117, 491, way="api,events")
def steps_are_told(world: World) -> None:
    """will_start, did_start, will_end and did_end come in this order, with the app, the ids and the request that caused them."""
    with world.api.events("session.*") as events:
        session = world.api.do("session.start", device="tv", app=QUIZ_APP)
        world.api.do("session.end", session=session["id"], stop=True)
        over = events.event("session.did_end", session=session["id"])
        told = [f for f in events.told() if f["data"].get("session") == session["id"]]
        steps = [f["type"] for f in told if f["type"].split(".")[1].split("_")[0] in ("will", "did")]
        same(steps, ["session.will_start", "session.did_start", "session.will_end", "session.did_end"], "the steps")
        states = [f["data"]["state"] for f in told if f["type"] in steps]
        same(states, ["connecting", "connected", "disconnecting", "disconnected"], "the states")
        started = events.event("session.did_start")
        has(started["data"], {"app": QUIZ_APP, "state": "connected", "session_id": session["session_id"],
                              "transport_id": session["transport_id"], "display_name": "Quiz"}, "did_start")
        same(started["device"], "tv", "the device")
        true("urn:x-cast:com.example.quiz" in started["data"]["namespaces"], "the app's namespaces")
        true("request" in started["cause"] and "request" in over["cause"], "the requests that caused them")
        same(events.event("session.will_end")["data"]["action"], "stop", "what becomes of the app")
        true("code" not in over["data"] and "reason" not in over["data"], f"an end on request has no error: {over['data']}")


@row(98, 99, way="api,events")
def five_words(world: World) -> None:
    """Each change has one of five words as status: started, already_connected, ended when suspended, resumed, failed_to_start."""
    with world.api.events("session.*") as events:
        session = world.api.do("session.start", device="tv", app=MEDIA_APP)["id"]
        same(events.event("session.did_start")["data"]["status"], "started", "did_start")
        world.api.do("media.load", device="tv", url=FILM)
        same(events.event("session.already_connected")["data"]["status"], "already_connected", "already_connected")
        world.api.do("session.suspend", session=session)
        same(events.event("session.did_suspend")["data"]["status"], "ended", "did_suspend")
        world.api.do("session.resume", session=session)
        same(events.event("session.did_resume")["data"]["status"], "resumed", "did_resume")
        world.api.do("session.end", session=session, stop=True)
        same(events.event("session.did_end")["data"]["status"], "ended", "did_end")
        world.api.call("session.start", device="tv", app="AAAA0002")
        same(events.event("session.did_fail_to_start")["data"]["status"], "failed_to_start", "did_fail_to_start")


@row(88, 89, 90, way="events,socket,api")
def listeners_come_and_go(world: World) -> None:
    """Any number of readers hear of sessions; one that unsubscribes hears no more, and the others do."""
    with world.api.events("session.*") as first, Socket(world.api) as second:
        second.subscribe(topics=[{"type": "session.*"}])
        second.wait(lambda f: f.get("frame") == "synced", "the socket is synced")
        session = world.api.do("session.start", device="tv", app=QUIZ_APP)
        first.event("session.did_start", session=session["id"])
        second.wait(lambda f: f.get("type") == "session.did_start", "the socket hears of it")
        same(second.ask(unsubscribe=True)["result"]["subscribed"], False, "unsubscribe")
        seen = len(second.frames)
        world.api.do("session.end", session=session["id"], stop=True)
        first.event("session.did_end", session=session["id"])
        second.call("gateway.get")
        same([f.get("type") for f in second.frames[seen:]], [], "what the reader that left still hears")


@row(91, 93, 96, 112, 120, 143, 135, way="api,events")
def suspend_and_resume(world: World) -> None:
    """session.suspend leaves the app with a reason, session.resume goes on with it; each step is told, the app is not launched anew."""
    session = world.play()["session_id"]
    number = world.api.do("sessions.list")["sessions"][0]["id"]
    with world.api.events("session.*") as events:
        has(world.api.do("session.suspend", session=number), {"suspend_reason": "app_backgrounded", "state": "disconnected"}, "suspended")
        same(events.event("session.did_suspend")["data"]["suspend_reason"], "app_backgrounded", "the reason as an event")
        same(world.api.do("session.get", session=number)["suspend_reason"], "app_backgrounded", "the reason of session.get")
        place = world.tap.mark()
        has(world.api.do("session.resume", session=number), {"state": "connected", "session_id": session}, "resumed")
        same(events.event("session.will_resume")["data"]["cause"], "foreground", "will_resume")
        same(events.event("session.did_resume")["data"]["cause"], "foreground", "did_resume")
        same(world.tap.count("LAUNCH", place), 0, "launches")


@row(95, way="api,events")
def failed_start(world: World) -> None:
    """A start that the device refuses is told with the error, its number, and the device's own word."""
    with world.api.events("session.*") as events:
        world.api.refused("session.start", "application_not_found", 404, device="tv", app="AAAA0002")
        told = events.event("session.did_fail_to_start")["data"]
        has(told, {"code": "application_not_found", "cast_code": 20, "device_reason": "NOT_FOUND", "app": "AAAA0002"}, "the event")


@row(97, 492, way="api,events")
def failed_resume(world: World) -> None:
    """A session whose app was replaced meanwhile cannot be resumed: the error, and the app that runs instead."""
    number = world.api.do("session.start", device="tv", app=QUIZ_APP)["id"]
    with world.api.events("session.*") as events:
        world.api.do("session.suspend", session=number)
        world.far.api.do("virtual_device.launch", device="den", app=OTHER_APP)
        status, problem = world.api.call("session.resume", session=number)
        same((status, problem["code"]), (409, "resume_application_mismatch"), "the refusal")
        told = events.event("session.did_fail_to_resume", session=number)["data"]
        has(told, {"running_app": OTHER_APP, "code": "resume_application_mismatch"}, "the event")
        true(told["cast_code"] in range(104, 109) and told["reason"], f"number and reason: {told}")


@row(100, way="api,events")
def already_connected(world: World) -> None:
    """When media are loaded on a session that is there already, session.already_connected says so."""
    session = world.api.do("session.start", device="tv", app=MEDIA_APP)["id"]
    with world.api.events("session.*") as events:
        world.api.do("media.load", device="tv", url=FILM)
        same(events.event("session.already_connected")["data"]["session"], session, "the session")


@row(103, 491, way="api,events")
def taken_over(world: World) -> None:
    """A session that another sender's app takes over ends with an error, its reason and the app that took the device over."""
    number = world.api.do("session.start", device="tv", app=QUIZ_APP)["id"]
    with world.api.events("session.*") as events:
        world.far.api.do("virtual_device.launch", device="den", app=OTHER_APP)
        told = events.event("session.did_end", session=number)["data"]
        has(told, {"code": "replaced", "running_app": OTHER_APP}, "the end")
        true(told["reason"], f"a reason: {told}")


@row(105, way="api,events")
def device_of_a_session(world: World) -> None:
    """A session names its device; after a transfer it is the other one."""
    session = world.play()
    number = world.api.do("sessions.list")["sessions"][0]["id"]
    same(world.api.do("session.get", session=number)["device"], "tv", "the device")
    moved = world.api.do("session.transfer", session=number, to="kitchen")
    same(moved["device"], "kitchen", f"the device after the transfer from {session['device']}")
    same(world.api.do("session.get", session=moved["id"])["device"], "kitchen", "session.get of the new session")


@row(116, 124, 346, way="api,events")
def device_tells_the_session(world: World) -> None:
    """Volume, status line and metadata of the app that the device tells are events of the session."""
    with world.api.events("session.*") as events:
        world.api.do("session.start", device="tv", app=QUIZ_APP)
        place = events.mark()
        world.far.api.do("volume.set", device="den", level=0.65, muted=True)
        told = events.wait(lambda f: f.get("type") == "session.volume" and f["data"].get("muted"), "the volume", place)["data"]
        near(told["level"], 0.65, "the level")
        near(world.api.do("device.get", device="tv")["device"]["volume"]["level"], 0.65, "the volume of device.get")
        world.far.api.do("volume.set", device="den", level=0.5, muted=False)
        place = events.mark()
        status = {"type": "RECEIVER_STATUS", "requestId": 0, "status": world.api.do("device.probe", device="tv")["status"]}
        app = status["status"]["applications"][0]
        app["statusText"], app["iconUrl"] = "Round two", "http://192.0.2.9/other.png"
        world.tap.say(_platform(status))
        same(events.event("session.device_status", place)["data"]["status_text"], "Round two", "the line")
        has(events.event("session.app_metadata", place)["data"], {"app": QUIZ_APP, "display_name": "Quiz"}, "the metadata")
        probed = world.api.do("device.probe", device="kitchen")["status"]
        true(probed["volume"], "the status of device.probe")
    icon = world.play("kitchen") and world.api.do("device.probe", device="kitchen")["status"]["applications"][0]
    has(icon, {"iconUrl": "http://192.0.2.9/icon.png", "displayName": "Default Media Receiver"}, "the app's metadata of device.probe")


@row(123, way="api,events")
def input_and_standby(world: World) -> None:
    """Whether the screen shows the device, and whether it is off, are events of the session and in device.probe."""
    with world.api.events("session.*") as events:
        world.api.do("session.start", device="tv", app=QUIZ_APP)
        status = {"type": "RECEIVER_STATUS", "requestId": 0, "status": world.api.do("device.probe", device="tv")["status"]}
        has(status["status"], {"isActiveInput": True, "isStandBy": False}, "device.probe")
        status["status"] |= {"isActiveInput": False, "isStandBy": True}
        world.tap.say(_platform(status))
        same(events.event("session.active_input")["data"]["is_active"], False, "session.active_input")
        same(events.event("session.standby")["data"]["is_standby"], True, "session.standby")


@row(119, way="api,cli,wire")
def join_by_session_id(world: World) -> None:
    """session.start with session_id joins exactly that session, by id, unique id or name of the device, and launches nothing; so does
    session.join with a link, which session.get gives."""
    app = world.far.api.do("virtual_device.launch", device="den", app=QUIZ_APP)["app"]
    for device in ("tv", "static:tv", "cast:static:tv"):
        place = world.tap.mark()
        joined = world.api.do("session.start", device=device, session_id=app["session_id"])
        has(joined, {"session_id": app["session_id"], "app": QUIZ_APP}, f"the session by {device}")
        same(world.tap.count("LAUNCH", place), 0, "launches")
        again = world.api.do("session.join", link=joined["link"])
        has(again, {"id": joined["id"], "session_id": app["session_id"]}, "the session by its link")
        same(world.tap.count("LAUNCH", place), 0, "launches of a link")
        world.api.do("session.end", session=joined["id"], stop=False)
        link = f"https://example.com/watch?name={device}&session={app['session_id']}"
        world.api.do("session.end", session=world.api.do("session.join", link=link)["id"], stop=False)
    status, problem = world.api.call("session.start", device="tv", session_id="no-such-session")
    same((status, problem["code"]), (409, "join_session_mismatch"), "another session id")


@row(125, way="api,events")
def launch_waits_for_consent(world: World) -> None:
    """A device that asks its user first is waited for, and that it asks is told."""
    with world.api.events("session.*") as events:
        problem = world.api.refused("session.start", "not_allowed", 403, device="tv", app="AAAA0001")
        same(problem["reason"], "USER_NOT_ALLOWED", "the device's word")
        first = events.event("session.launch_status")["data"]
        true("pending" in json.dumps(first).lower(), f"the first status: {first}")


@row(127, way="yaml,api,wire")
def idle_screen_is_no_app(world: World) -> None:
    """The idle screen that a device reports counts as nothing: it is not joined, and an app is launched beside it."""
    same(world.tap.sent("RECEIVER_STATUS", 0, "to_gateway")["status"]["applications"][0]["appId"], "E8C28D3C", "what den reports")
    same(world.api.do("device.get", device="tv")["device"]["apps"], [], "what runs")
    world.api.refused("media.play", "application_not_running", 409, device="tv")
    place = world.tap.mark()
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    same(world.tap.count("LAUNCH", place), 1, "launches")


def _platform(body: dict[str, object]) -> object:
    from wire import Message

    return Message("receiver-0", "*", RECEIVER, json.dumps(body))
