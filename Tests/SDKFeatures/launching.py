"""Rows of Cast Connect: launch options, credentials, Android TV apps."""

from __future__ import annotations

import json
from typing import Any

from api import Api
from registry import has, row, same, true
from world import FILM, MEDIA_APP, QUIZ_APP, TV_APP, World


def launch(world: World, **values: object) -> dict[str, Any]:
    """Starts a session on tv, and gives the LAUNCH that the device got."""
    world.tidy("den")
    place = world.tap.mark()
    world.api.do("session.start", device="tv", **({"app": QUIZ_APP} | values))
    return world.tap.sent("LAUNCH", place)


def carried(sent: dict[str, Any]) -> object:
    """The credentials of a LAUNCH."""
    return sent["appParams"]["launchCheckerParams"]["credentialsData"]


@row(353, 364, way="yaml,api,sender,wire")
def android_app(world: World) -> None:
    """An app of the type ANDROID_TV runs on a virtual device, says what it is, and plays over the same protocol."""
    world.api.do("session.start", device="hall", app=TV_APP, android_receiver=True)
    true(world.sender("hall").wait_until(lambda s: s.cast.app_id == TV_APP), "a sender sees it")
    probed = world.api.do("device.probe", device="hall")["status"]["applications"][0]
    has(probed, {"appId": TV_APP, "appType": "ANDROID_TV"}, "the status")
    has(world.api.do("media.load", device="hall", url=FILM), {"app": TV_APP, "content_id": FILM}, "it plays")
    has(world.api.do("media.load", device="tv", app=TV_APP, url=FILM), {"app": TV_APP}, "on a real device too")


@row(354, 355, 356, 366, 367, way="yaml,api,wire")
def launch_options(world: World) -> None:
    """launch.* of the file, and session.start over it: language, kinds of app, relaunch; nothing is sent of what is not set."""
    bare = launch(world)
    true("language" not in bare and "supportedAppTypes" not in bare, f"a bare LAUNCH: {bare}")
    world.reload(sections="launch: {language: de-CH, android_receiver_compatible: true}\n")
    sent = launch(world)
    same(sent["language"], "de-CH", "the language of the file")
    same(sorted(sent["supportedAppTypes"]), ["ANDROID_TV", "WEB"], "both kinds of app")
    sent = launch(world, language="fr", android_receiver=False)
    same((sent["language"], "ANDROID_TV" in json.dumps(sent.get("supportedAppTypes", []))), ("fr", False), "what the call says")
    world.reload()
    first = world.api.do("session.start", device="tv", app=QUIZ_APP)
    place = world.tap.mark()
    again = world.api.do("session.start", device="tv", app=QUIZ_APP, relaunch=True)
    same(world.tap.count("LAUNCH", place), 1, "launches with relaunch")
    same((first["app"], again["app"]), (QUIZ_APP, QUIZ_APP), "the app")


@row(357, 358, 359, 368, way="api,cli,wire")
def credentials(world: World) -> None:
    """credentials.set gives who joins: any text, with a type (web by default), for the next launches; no answer shows it."""
    text = json.dumps({"userId": "ü-1"})
    world.api.do("credentials.set", app=QUIZ_APP, credentials=text)
    sent = launch(world)
    same(carried(sent), {"credentials": text, "credentialsType": "web"}, "what the LAUNCH carries")
    listed = world.api.do("credentials.list")
    true("userId" not in json.dumps(listed), "the list does not show them")
    same([c["source"] for c in listed["credentials"] if c.get("app") == QUIZ_APP], ["set"], "the list has the app")
    world.near.call("credentials.set", f"app={QUIZ_APP}", "credentials=by-hand", "credentials_type=cloud")
    same(carried(launch(world)), {"credentials": "by-hand", "credentialsType": "cloud"}, "another type")
    world.api.do("credentials.clear", app=QUIZ_APP, reset=True)


@row(360, way="api,events")
def credentials_wait_for_a_launch(world: World) -> None:
    """Set while an app runs, credentials wait: that is told and listed until the next launch carries them."""
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    with world.api.events("credentials.pending") as events:
        place = world.tap.mark()
        world.api.do("credentials.set", app=QUIZ_APP, credentials="later")
        events.event("credentials.pending")
        world.api.do("device.probe", device="tv")
        true(not any("later" in str(m.payload) for _, m in world.tap.messages[place:]), "the app does not learn of them")
    pending = [c.get("pending") for c in world.api.do("credentials.list")["credentials"] if c.get("app") == QUIZ_APP]
    same(pending, [True], "pending")
    true("later" in json.dumps(launch(world)), "the next launch carries them")
    pending = [c.get("pending") for c in world.api.do("credentials.list")["credentials"] if c.get("app") == QUIZ_APP]
    same(pending, [False], "pending afterwards")
    world.api.do("credentials.clear", app=QUIZ_APP, reset=True)


@row(361, 370, way="api,wire,yaml")
def credentials_are_cleared(world: World) -> None:
    """credentials.clear has launches carry none, whatever the file says, and reset has those of the file again; none are used twice."""
    world.reload(sections=f"launch: {{credentials: {{{QUIZ_APP}: {{credentials: of-the-file}}}}}}\n")
    true("of-the-file" in json.dumps(launch(world)), "those of the file")
    world.api.do("credentials.clear", app=QUIZ_APP)
    true("credentials" not in json.dumps(launch(world)), "none")
    world.api.do("credentials.clear", app=QUIZ_APP, reset=True)
    true("of-the-file" in json.dumps(launch(world)), "those of the file again")
    world.reload()
    true("once" in json.dumps(launch(world, credentials="once")), "those of one call")
    true("credentials" not in json.dumps(launch(world)), "not those of an earlier launch")


@row(362, 363, 369, way="yaml,api,wire")
def credentials_of_loads(world: World) -> None:
    """With apply_to_load a LOAD without credentials gets them; an Android TV app gets its own in their place."""
    world.reload(sections="launch:\n  android_receiver_compatible: true\n  credentials:\n"
                 f"    {MEDIA_APP}: {{credentials: web-user, apply_to_load: true}}\n"
                 f"    {TV_APP}: {{credentials: web-user, apply_to_load: true, atv_credentials: tv-user, atv_credentials_type: android}}\n")
    place = world.tap.mark()
    world.api.do("media.load", device="tv", app=MEDIA_APP, url=FILM)
    same(world.tap.sent("LOAD", place)["credentials"], "web-user", "for a web app")
    place = world.tap.mark()
    world.api.do("media.load", device="tv", app=MEDIA_APP, url=FILM, credentials="own")
    same(world.tap.sent("LOAD", place)["credentials"], "own", "the load's own")
    world.tidy("den")
    place = world.tap.mark()
    world.api.do("media.load", device="tv", app=TV_APP, url=FILM)
    sent = world.tap.sent("LOAD", place)
    true("tv-user" in json.dumps(sent), f"for an Android TV app: {sent}")


@row(370, 371, way="sender,yaml,wire")
def credentials_of_senders(world: World) -> None:
    """A sender's LAUNCH without credentials gets those of the file on its way; one with its own at the top keeps them."""
    world.near.write(world.near.configuration.replace("target: {device: screen}", "target: {device: tv}")
                     + f"launch: {{credentials: {{{QUIZ_APP}: {{credentials: of-the-file}}}}}}\n")
    world.api.do("config.reload")
    sender = world.sender("lobby")
    place = world.tap.mark()
    sender.ask(sender.cast.socket_client.receiver_controller, {"type": "LAUNCH", "appId": QUIZ_APP})
    true("of-the-file" in json.dumps(world.tap.sent("LAUNCH", place)), "those of the file")
    place = world.tap.mark()
    sender.ask(sender.cast.socket_client.receiver_controller, {"type": "LAUNCH", "appId": QUIZ_APP, "credentials": "", "language": "de"})
    has(world.tap.sent("LAUNCH", place), {"credentials": "", "language": "de"}, "the sender's own, though empty")


@row(372, way="yaml,api,wire")
def android_app_is_joined_by_launch(world: World) -> None:
    """An Android TV app that runs is joined by a LAUNCH with credentials, not by GET_STATUS."""
    world.far.api.do("session.start", device="den", app=TV_APP, android_receiver=True)
    place = world.tap.mark()
    world.api.do("session.start", device="tv", app=TV_APP, credentials="me", android_receiver=True)
    same(carried(world.tap.sent("LAUNCH", place)), {"credentials": "me"}, "the LAUNCH")


@row(126, way="api,sender,wire,yaml")
def parameters_of_a_launch(world: World) -> None:
    """virtual_device.launch gives parameters to the app; language, sender name, kinds and credentials stand in the LAUNCH."""
    world.near.write(world.near.configuration.replace("target: {device: screen}", "target: {device: tv}"))
    world.api.do("config.reload")
    place = world.tap.mark()
    world.api.do("virtual_device.launch", device="lobby", app=QUIZ_APP, language="de", params={"level": 3})
    has(world.tap.sent("LAUNCH", place), {"appParams": {"level": 3}, "language": "de"}, "the LAUNCH")


@row(375, way="wire,yaml,api")
def who_connects(world: World) -> None:
    """The gateway's own sessions say who they are: a user agent at CONNECT, a name at LAUNCH."""
    sent = launch(world)
    same(sent["senderDeviceName"], "The near one", "the name at LAUNCH")
    same(world.tap.sent("CONNECT")["userAgent"], "Castway", "the user agent at CONNECT")


@row(374, way="api,wire")
def credentials_of_a_running_app(world: World) -> None:
    """media.request sends SET_CREDENTIALS to the app that plays, for callers with the scope credentials."""
    world.play()
    token = world.api.do("token.create", name="controller", scopes=["read", "control"])["token"]
    body = {"credentials": "new-user", "credentialsType": "cloud"}
    try:
        status, problem = Api(world.near.port, token).call("media.request", device="tv", type="SET_CREDENTIALS", body=body)
        same((status, problem["code"]), (403, "scope_missing"), "a caller without the scope")
    finally:
        world.near.run("token", "revoke", "controller")
    place = world.tap.mark()
    world.api.do("media.request", device="tv", type="SET_CREDENTIALS", body=body)
    has(world.tap.sent("SET_CREDENTIALS", place), body, "SET_CREDENTIALS")
    same(world.api.do("media.request", device="tv", type="REFRESH_CREDENTIALS")["reply"]["type"], "MEDIA_STATUS", "REFRESH_CREDENTIALS")
