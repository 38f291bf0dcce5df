"""The typical flow of an application in eight steps, over the API alone, on a device that plays and through others."""

from __future__ import annotations

import json

from api import Api, Events, Json
from registry import has, near, row, same, true
from world import ECHO, FILM, FLOW_APP, QUIZ, World


def flow(world: World, device: str, plays: str, of_far: bool) -> None:
    """Goes the eight steps on a device, and looks at the device that plays whether it does."""
    api = world.api
    player = (world.far if of_far else world.near).api
    with api.events(namespaces=(QUIZ,)) as messages, api.events() as events:
        chosen = choose(api.do("devices.list"), f"The {device}" if device != "tv" else "tv")
        same(chosen, device, "the choice of the dialog")
        session = api.do("session.start", device=chosen, app=FLOW_APP)
        has(session, {"app": FLOW_APP, "state": "connected"}, "the launch")
        is_real = session["kind"] == "real"
        confirm(events, chosen, session, is_real)
        ask_app(world, chosen, messages, is_real)
        control(world, chosen, player, plays)
        synchronise(world, chosen, events, player, plays, is_real)
        place = events.mark()
        api.do("session.end", session=session.get("id", session["session_id"]), stop=True)
        if is_real:
            over = events.event("session.did_end", place, session=session["id"])
            true("code" not in over["data"], f"an end on request has no error: {over['data']}")
        else:
            events.wait(lambda frame: frame.get("type") == "session.ended" and frame.get("device") == chosen
                        and frame["data"]["session_id"] == session["session_id"], "the session ends", place)
        same(player.do("virtual_device.get", device=plays)["apps"], [], "what runs on the device that played")


def choose(devices: Json, label: str) -> str:
    """Steps 1 and 2: what the scan found is offered by its name, and one is taken."""
    offered = {d["friendly_name"]: d["name"] for d in devices["virtual_devices"] + devices["devices"]}
    true(len(offered) >= 5, f"the dialog has the devices: {sorted(offered)}")
    return str(offered[label])


def confirm(events: Events, device: str, session: Json, is_real: bool) -> None:
    """Step 4: the callback says that the app was launched, and what it understands."""
    kind = "session.did_start" if is_real else "session.started"
    told = events.wait(lambda frame: frame.get("type") == kind and frame.get("device") == device
                       and frame["data"].get("session_id") == session["session_id"], f"{kind} of {device}")
    has(told["data"], {"app": FLOW_APP, "transport_id": session["transport_id"], "display_name": "Flow"}, "the callback")
    true(ECHO in told["data"]["namespaces"], "the callback names the app's namespace")


def ask_app(world: World, device: str, messages: Events, is_real: bool) -> None:
    """Step 5: a message in the app's own namespace goes there, and its answer comes back."""
    sent = {"type": "HELLO", "text": f"grüße {device}"}
    answer = world.api.do("message.send", device=device, namespace=ECHO, json=sent, answer_within=10)["answer"]
    has(answer, sent, "the answer of the app")
    if not is_real:
        world.api.do("message.send", device=device, namespace=QUIZ, json=sent)
        heard = messages.wait(
            lambda frame: frame.get("type") == "channel.message" and frame.get("device") == device
            and frame["data"]["namespace"] == QUIZ, "the message as an event")
        has(heard["data"]["json"], sent, "the message as an event")


def control(world: World, device: str, player: Api, plays: str) -> None:
    """Step 6: media are loaded, paused, moved and played; the device that plays does it."""
    api = world.api
    title = {"metadataType": 0, "title": f"On {device}"}
    loaded = api.do("media.load", device=device, url=FILM, content_type="video/mp4", metadata=title, duration=100)
    has(loaded, {"content_id": FILM, "app": FLOW_APP, "duration": 100, "title": f"On {device}"}, "the load")
    has(api.do("media.pause", device=device), {"player_state": "paused"}, "the pause")
    same(player.do("media.status", device=plays)["player_state"], "paused", "the player itself")
    near(api.do("media.seek", device=device, position=40)["position"], 40, "the seek", 1)
    near(player.do("media.status", device=plays)["position"], 40, "the player itself", 1)
    has(api.do("media.play", device=device), {"player_state": "playing"}, "the play")
    near(api.do("volume.set", device=device, level=0.25)["level"], 0.25, "the volume")
    near(player.do("volume.get", device=plays)["level"], 0.25, "the player's volume")


def synchronise(world: World, device: str, events: Events, player: Api, plays: str, is_real: bool) -> None:
    """Step 7: another sender of the device that plays pauses, and the application hears of it."""
    kind = "media.session_status" if is_real else "media.status"
    events.wait(lambda frame: frame.get("type") == kind and frame.get("device") == device
                and (frame["data"].get("status") or {}).get("playerState") == "PLAYING"
                and frame["data"]["status"]["currentTime"] >= 39, f"{device} plays from the place that was sought")
    place = events.mark()
    player.do("media.pause", device=plays)
    told = events.wait(
        lambda frame: frame.get("type") == kind and frame.get("device") == device
        and (frame["data"].get("status") or {}).get("playerState") == "PAUSED", f"{device} is paused by another sender", place)
    near(told["data"]["status"]["currentTime"], 40, "the position of the state", 5)
    has(world.api.do("media.status", device=device), {"player_state": "paused", "content_id": FILM}, "the state")
    true(json.dumps(told["data"]["status"]["media"]).count(FILM) > 0, "the state has the media")


@row(13, way="api,events")
def flow_on_a_device_that_plays(world: World) -> None:
    """Eight steps (scan, choice, launch, callback, channel, control, state, end) on a virtual device that plays itself."""
    flow(world, "hall", "hall", of_far=False)


@row(13, way="api,events")
def flow_through_a_relay(world: World) -> None:
    """The same eight steps on a virtual device with a target device; that device plays."""
    flow(world, "lobby", "stage", of_far=False)


@row(13, way="api,events")
def flow_through_a_second_gateway(world: World) -> None:
    """The same eight steps through a second gateway, whose device relays on to a third one that plays."""
    flow(world, "attic", "cellar", of_far=True)


@row(13, 74, 231, way="api,events")
def flow_on_a_session_of_the_gateway(world: World) -> None:
    """The same eight steps on a real device, by a session of the gateway's own."""
    flow(world, "tv", "den", of_far=True)
