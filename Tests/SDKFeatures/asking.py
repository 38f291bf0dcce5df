"""Rows of requests: each command is one that can be looked at, cancelled, and replaced."""

from __future__ import annotations

import time

from api import Events
from registry import has, row, same, true
from world import FILM, MEDIA_APP, World

FROZEN = {"type": "X"}


def is_over(frame: dict[str, dict[str, dict[str, object]]], request: str) -> bool:
    return (frame.get("type") == "request.changed" and "frame" not in frame and frame["data"]["id"] == request
            and "ended_at" in frame["data"]["request"])


def end_of(events: Events, request: str) -> str:
    """Waits for the end of a request, and gives its state."""
    return str(events.wait(lambda f: is_over(f, request), "its end")["data"]["request"]["state"])


@row(248, 249, 250, 271, way="api,events,cli")
def requests_can_be_followed(world: World) -> None:
    """A command with wait=0 is a request with an id: it is accepted, and its end is told and kept."""
    world.play()
    with world.api.events("request.changed") as events:
        status, request = world.api.call("media.pause", device="tv", wait=0)
        same((status, request["operation"]), (202, "media.pause"), "the answer")
        true(request["state"] in ("accepted", "sent"), "its state")
        number = request["request"]
        over = events.wait(lambda f: is_over(f, number), "its end")
        has(over["data"]["request"], {"state": "confirmed", "device": "tv", "operation": "media.pause"}, "the event")
        has(world.api.do("request.get", request=number), {"state": "confirmed", "request": number}, "request.get")
    printed = world.near.output("call", "media.play", "device=tv", "--wait", "0", "--json")
    true('"request"' in printed, f"castway call --wait 0: {printed}")


@row(251, 493, 271, way="api,events")
def requests_fail(world: World) -> None:
    """A request that fails is told with the error: word, number, sentence; the call gets the same."""
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    with world.api.events("request.changed") as events:
        problem = world.api.refused("media.load", "media_load_failed", 502, device="tv", url="http://x/missing.mp4")
        told = events.wait(lambda f: f.get("type") == "request.changed" and f["data"]["request"]["state"] == "failed", "the failure")
        has(told["data"]["request"]["problem"], {"code": "media_load_failed", "cast_code": 30, "detailed_error": 104}, "the event")
        true(problem["detail"], "a sentence")
        has(world.api.do("request.get", request=told["data"]["id"])["problem"], {"code": "media_load_failed"}, "request.get")


@row(252, 272, 494, way="api,events")
def requests_are_cancelled(world: World) -> None:
    """request.cancel takes a command back: it ends as cancelled, or unknown when it was sent already; that is no failure."""
    world.api.do("session.start", device="tv", app="ABCD1234")
    world.tap.withheld = {"X"}
    with world.api.events("request.changed") as events:
        _, request = world.api.call("message.send", device="tv", namespace="urn:x-cast:com.example.quiz", json=FROZEN,
                                    answer_within=60, wait=0)
        true(request["request"] in [r["request"] for r in world.api.do("requests.list")["requests"]], "requests.list has it")
        world.api.do("request.cancel", request=request["request"])
        over = events.wait(lambda f: is_over(f, request["request"]), "its end")["data"]["request"]
        true(over["state"] in ("cancelled", "unknown"), f"its end: {over}")
    same(world.api.do("request.get", request=request["request"])["state"], over["state"], "what is kept")


@row(253, 494, 352, way="api,events,wire")
def requests_are_replaced(world: World) -> None:
    """Of volumes that wait for the device the newest counts: those before it end as superseded."""
    with world.api.events("request.changed") as events:
        requests = [world.api.call("volume.set", device="tv", level=0.1 + number / 100, wait=0)[1]["request"] for number in range(12)]
        ends = [end_of(events, request) for request in requests]
        same(ends[-1], "confirmed", "the newest")
        true(set(ends) <= {"confirmed", "superseded"}, f"the others: {ends}")
    same(round(world.api.do("volume.get", device="tv")["level"], 2), 0.21, "the volume")


@row(274, way="cli,api")
def requests_time_out(world: World) -> None:
    """An app that does not answer in time ends the request with timeout; castway cast takes the time as an option."""
    world.api.do("session.start", device="tv", app="ABCD1234")
    world.tap.withheld = {"X"}
    problem = world.api.refused("message.send", "timeout", 504, device="tv", namespace="urn:x-cast:com.example.quiz", json=FROZEN,
                                answer_within=0.2)
    same(problem["cast_code"], 2, "the number of the SDKs")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "--timeout", "1s", "status")


@row(275, way="api,wire")
def user_actions(world: World) -> None:
    """USER_ACTION goes to the app by media.request, with its context."""
    world.play()
    place = world.tap.mark()
    world.api.call("media.request", device="tv", type="USER_ACTION", body={"userAction": "LIKE", "userActionContext": {"a": 1}})
    has(world.tap.sent("USER_ACTION", place), {"userAction": "LIKE", "userActionContext": {"a": 1}, "mediaSessionId": 1}, "USER_ACTION")


@row(278, way="sender,api,cli")
def other_media_session(world: World) -> None:
    """A command for a media session that is not there gets INVALID_MEDIA_SESSION_ID; the gateway's own refreshes and tries again."""
    world.play("hall")
    sender = world.sender("hall")
    sender.media.update_status()
    sender.wait_until(lambda s: s.status.player_state == "PLAYING")
    answer = sender.ask(sender.media, {"type": "PAUSE", "mediaSessionId": 4711}, session=True)
    true(answer is not None and answer.get("reason") == "INVALID_MEDIA_SESSION_ID", f"the answer: {answer}")
    world.play()
    world.far.api.do("media.load", device="den", url=FILM)
    has(world.api.do("media.pause", device="tv"), {"player_state": "paused"}, "the gateway's own command")


@row(16, way="api")
def asked_twice_done_once(world: World) -> None:
    """A call with the same Idempotency-Key is done once, and another input under it is refused."""
    world.api.do("volume.set", device="hall", level=0.5)
    answers = [world.api.call("volume.set", device="hall", by=0.1, idempotency_key="features-key") for _ in range(2)]
    same(answers[0], answers[1], "the second answer")
    same(round(world.api.do("volume.get", device="hall")["level"], 2), 0.6, "the volume")
    same(world.api.call("volume.set", device="hall", by=0.2, idempotency_key="features-key")[1]["code"], "idempotency_key_reused", "another input")


@row(274, way="yaml,api,wire")
def requests_time_out(world: World) -> None:
    """sessions.timeouts says how long a device and its app may take; what takes longer fails with timeout, and a reload changes the times of sessions that run."""
    world.play()
    world.reload(sessions="suspend_after: 1s, timeouts: {answer: 1s, load: 2s}")
    # They arrive nowhere, while pings do: the device is in reach, and does not answer.
    world.tap.withheld = {"SET_VOLUME", "PAUSE", "LOAD"}
    for operation, longest, values in (("volume.set", 8, {"level": 0.3}), ("media.pause", 8, {}),
                                       ("media.load", 12, {"url": "http://192.0.2.9/other.mp4", "content_type": "video/mp4"})):
        began = time.monotonic()
        problem = world.api.refused(operation, "timeout", 504, device="tv", **values)
        took = time.monotonic() - began
        true(took < longest, f"{operation} took {took:.1f} s")
        same(problem["cast_code"], 2, f"the number of the error of {operation}")
