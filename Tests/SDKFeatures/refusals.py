"""Rows of errors: words, numbers and the device's own reasons."""

from __future__ import annotations

import json

from registry import has, row, same, true
from world import FAILURES, FILM, FLOW_APP, MEDIA, MEDIA_APP, OTHER_APP, QUIZ, World


def launch(world: World, app: str) -> dict[str, object]:
    status, problem = world.api.call("session.start", device="tv", app=app)
    true(status >= 400, f"{app} is refused")
    return problem


@row(490, 508, 503, way="api,cli,events,sender")
def failed_launches(world: World) -> None:
    """A launch that fails has a word, the SDKs' number, a sentence and the device's reason; a sender gets LAUNCH_ERROR."""
    has(launch(world, "AAAA0002"), {"code": "application_not_found", "cast_code": 20, "reason": "NOT_FOUND"}, "not there")
    has(launch(world, "AAAA0001"), {"code": "not_allowed", "cast_code": 7, "reason": "USER_NOT_ALLOWED"}, "refused")
    has(launch(world, "AAAA0003"), {"code": "launch_cancelled", "cast_code": 103, "reason": "CANCELLED"}, "cancelled")
    true(launch(world, "AAAA0001")["detail"], "a sentence")
    for languages, language, text in (("de-AT, en;q=0.4", "de", "das Gerät kennt die App nicht"), ("nl", "en", "the device does not know the app")):
        status, headers, body = world.api.fetch(
            "POST", "/api/v1/sessions", {"device": "tv", "app": "AAAA0002"}, {"Accept-Language": languages})
        problem = json.loads(body)
        same(status, 404, "the status")
        has(problem, {"code": "application_not_found", "cast_code": 20, "localized_description": text}, "the problem")
        same({name.lower(): value for name, value in headers.items()}["content-language"], language, "the language of the sentence")
    said = world.near.run("call", "session.start", "device=tv", "app=AAAA0002", "--language", "fr", status=76)
    true("l'appareil ne connaît pas l'application" in said, f"the command in French: {said}")
    sender = world.sender("hall")
    controller = sender.cast.socket_client.receiver_controller
    answer = sender.ask(controller, {"type": "LAUNCH", "appId": "AAAA0002"})
    has(answer, {"type": "LAUNCH_ERROR", "reason": "NOT_FOUND"}, "what a sender gets")


@row(499, 502, way="api,cli")
def words_and_numbers(world: World) -> None:
    """Each error of Cast has a stable word, an HTTP status, and its number; commands end with a status of their own."""
    world.api.do("session.start", device="tv", app="ABCD1234")
    has(world.api.refused("media.load", "unsupported_feature", 409, device="tv", url=FILM), {"cast_code": 93}, "unsupported")
    has(world.api.refused("message.send", "message_too_big", 413, device="tv", namespace="urn:x-cast:com.example.quiz", text="x" * 70000),
        {"cast_code": 11}, "too big")
    world.tidy()
    has(world.api.refused("media.play", "application_not_running", 409, device="tv"), {"cast_code": 21}, "no app")
    world.near.run("cast", "127.0.0.1:1", "status", "--timeout", "1s", status=69)
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "play", status=76)
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "launch", "AAAA0002", status=76)


@row(502, way="api,events,wire")
def background_disconnected_unknown(world: World) -> None:
    """A session in the background, a device that is lost before it answers, and a refusal in unknown words: 91, 92 and 99, each with its status."""
    from wire import Message

    number = world.api.do("session.start", device="tv", app=FLOW_APP)["id"]
    world.api.do("media.load", device="tv", url=FILM, content_type="video/mp4")
    world.api.do("session.suspend", session=number)
    has(world.api.refused("media.pause", "session_not_active", 409, device="tv"), {"cast_code": 91}, "in the background")
    world.api.do("session.resume", session=number)
    world.api.do("session.suspend", session=number, reason="network_error")
    has(world.api.refused("media.pause", "session_not_active", 409, device="tv"), {"cast_code": 29}, "suspended for another reason")
    transport = world.api.do("session.resume", session=number)["transport_id"]

    with world.api.events("request.changed") as events:
        def problem(request: object) -> dict[str, object]:
            over = events.wait(lambda f: f.get("type") == "request.changed" and f["data"]["id"] == request
                               and "problem" in f["data"]["request"], "the end of the request")
            return dict(over["data"]["request"]["problem"])

        world.tap.withheld = {"MEDIA_STATUS"}
        place = world.tap.mark()
        _, asked = world.api.call("media.pause", device="tv", wait=0)
        refusal = {"type": "INVALID_MOOD", "requestId": world.tap.sent("PAUSE", place)["requestId"]}
        world.tap.say(Message(transport, world.tap.message("PAUSE", place).source, MEDIA, json.dumps(refusal)))
        has(problem(asked["request"]), {"code": "request_failed", "cause": "unknown", "cast_code": 99, "status": 502}, "unknown words")

        place = world.tap.mark()
        _, asked = world.api.call("message.send", device="tv", namespace=QUIZ, json={"type": "X"}, answer_within=60, wait=0)
        world.tap.sent("X", place)
        world.tap.cut()
        has(problem(asked["request"]), {"code": "outcome_unknown", "cast_code": 92, "status": 504}, "lost before the answer")


@row(505, 504, way="api,sender,cli")
def media_errors(world: World) -> None:
    """LOAD_FAILED, LOAD_CANCELLED and INVALID_REQUEST with their reasons and detailed codes reach callers and senders."""
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    problem = world.api.refused("media.load", "media_load_failed", 502, device="tv", url="http://x/drm.mp4")
    has(problem, {"reason": "AUTHENTICATION_EXPIRED", "detailed_error": 200}, "LOAD_FAILED")
    true("MEDIA_KEYS_UNKNOWN" in problem["detail"], "the name of the detailed code")
    sender = world.sender("hall")
    sender.cast.start_app(MEDIA_APP)
    sender.wait_until(lambda s: s.media.namespace in s.cast.socket_client.app_namespaces)
    media = {"contentId": "http://x/missing.mp4", "contentType": "video/mp4", "streamType": "BUFFERED"}
    failed = sender.ask(sender.media, {"type": "LOAD", "media": media}, session=True)
    has(failed, {"type": "LOAD_FAILED", "detailedErrorCode": 104}, "what a sender gets")
    state = sender.ask(sender.media, {"type": "PAUSE", "mediaSessionId": 99}, session=True)
    true(state and state["type"] in ("INVALID_PLAYER_STATE", "INVALID_REQUEST"), f"no media: {state}")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "load", "http://x/missing.mp4", status=76)
    invalid = sender.ask(sender.media, {"type": "NO_SUCH_THING"}, session=True)
    has(invalid, {"type": "INVALID_REQUEST", "reason": "INVALID_COMMAND"}, "an unknown request")
    sender.cast.start_app(OTHER_APP)
    sender.wait_until(lambda s: s.cast.app_id == OTHER_APP and s.media.namespace in s.cast.socket_client.app_namespaces)
    answers: list[object] = []
    load = {"type": "LOAD", "media": media | {"contentId": FILM}}
    sender.media.send_message(dict(load), inc_session_id=True, callback_function=lambda _, answer: answers.append(answer))
    has(sender.ask(sender.media, dict(load), session=True), {"type": "MEDIA_STATUS"}, "the second of two loads")
    has(answers and answers[0], {"type": "LOAD_CANCELLED"}, "the first of two loads")


@row(506, 507, way="api,yaml,wire")
def reasons_and_detailed_codes(world: World) -> None:
    """Every reason and the detailed codes of each kind come from the device to the caller, as word and number."""
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    for code, reason in FAILURES.items():
        problem = world.api.refused("media.load", "media_load_failed", 502, device="tv", url=f"http://x/fails-{code}-.mp4")
        has(problem, {"reason": reason, "detailed_error": code}, f"{reason} ({code})")
        true(f"({code})" in problem["detail"], f"the sentence has the code: {problem['detail']}")


@row(505, way="api,events")
def errors_without_a_request(world: World) -> None:
    """What fails while it plays, and no request waits for, is an event with its codes."""
    with world.api.events("media.*") as events:
        world.play("kitchen", url="http://x/flaky.mp4")
        told = events.event("media.error")
        true("103" in str(told["data"]), f"the detailed code: {told['data']}")
    same(told["device"], "kitchen", "the device")


@row(500, way="yaml,events,api")
def devices_prove_themselves(world: World) -> None:
    """A device that proves itself is used with require; behind a wiretap it cannot, is told with a code, and is not used."""
    world.far.run("identity", "export-root", "--output", "root.pem")
    gateway = world.gateway("strict", "\n".join([
        "connections:", "  verify_device_certificate: require", f"  trust_anchors: [{world.far.folder}/root.pem]",
        "  reconnect: {initial: 100ms, max: 1s}",
        "discovery:", "  mdns: {enabled: false}", f'  static: [{{name: tapped, address: "127.0.0.1:{world.tap.port}"}}, '
        f'{{name: true-one, address: "127.0.0.1:{world.ports["den"]}"}}]']) + "\n")
    gateway.start()
    with gateway.api.events("device.*") as events:
        events.wait(lambda f: f.get("type") == "device.verified" and f.get("device") == "true-one", "the true one")
        told = events.wait(lambda f: f.get("type") == "device.not_verified" and f.get("device") == "tapped", "the other")["data"]
        true(told["code"] and told["reason"] and told["refused"], f"code and reason: {told}")
    has(gateway.api.do("device.get", device="tapped")["device"]["authentication"], {"outcome": "failed"}, "device.get")


@row(270, 493, way="api,cli")
def faults_of_the_input(world: World) -> None:
    """Each fault of an input is named by its place, with a hint where a word was meant."""
    problem = world.api.refused("media.seek", "invalid_input", 422, device="tv", positon=3)
    same(problem["errors"][0]["pointer"], "/positon", "the place")
    true("position" in str(problem["errors"][0]), "the hint")
    world.near.run("call", "media.seek", "device=tv", "positon=3", status=64)
