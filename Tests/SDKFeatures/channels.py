"""Rows of custom channels: messages of apps in namespaces of their own, both ways, and the bridges behind them."""

from __future__ import annotations

import base64
import json

from backends import SECRET, BackEnd, Json
from registry import has, row, same, true
from world import ECHO, FLOW_APP, MEDIA, QUIZ, QUIZ_APP, World

from sender import Sender, Tap


def heard_by(sender: Sender, namespace: str) -> list[dict[str, object]]:
    """What a sender receives in a namespace, from now on."""
    heard: list[dict[str, object]] = []

    def take(data: dict[str, object]) -> None:
        heard.append(data)
        sender.wake()

    sender.cast.register_handler(Tap(namespace, take))
    return heard


def say(sender: Sender, namespace: str, body: dict[str, object]) -> None:
    """A message of a sender to the app that runs."""
    sender.cast.socket_client.send_app_message(namespace, body)


def in_app(world: World, device: str = "hall", app: str = QUIZ_APP) -> Sender:
    """A sender that is connected to an app."""
    sender = world.sender(device)
    sender.cast.start_app(app)
    true(sender.wait_until(lambda s: s.cast.app_id == app and QUIZ in s.cast.socket_client.app_namespaces), f"{app} runs")
    # pychromecast connects to an app with its first message.
    say(sender, QUIZ, {"type": "JOIN"})
    return sender


@row(152, 163, way="yaml,sender,api")
def channel_without_code(world: World) -> None:
    """A channel of gateway.yaml takes a sender's messages in its namespace and answers them, without any code."""
    sender = in_app(world)
    heard = heard_by(sender, ECHO)
    say(sender, ECHO, {"type": "PING_ME", "n": 7})
    true(sender.wait_until(lambda _: bool(heard)), "an answer")
    has(heard[0], {"type": "PING_ME", "n": 7}, "the answer")
    claims = {h["name"]: h["enabled"] for h in world.api.do("handlers.list")["handlers"]}
    true(any(ECHO in name for name in claims), f"the handler of the channel: {sorted(claims)}")


@row(153, way="yaml,api,cli")
def namespaces_are_checked(world: World) -> None:
    """A namespace must begin with urn:x-cast:, and may not be one of the transport; file, command and API say so."""
    gateway = world.gateway("spaces", 'channels: [{namespace: "com.example.quiz", handler: echo}]\n')
    true("CW1057" in gateway.run("check", status=1), "what is no namespace")
    gateway.write('channels: [{namespace: "urn:x-cast:com.google.cast.tp.heartbeat", handler: echo}]\n')
    true("CW1072" in gateway.run("check", status=1), "a namespace of the transport")
    world.api.refused("message.send", "invalid_input", 422, device="hall", namespace="com.example.quiz", json={})
    world.api.do("session.start", device="hall", app=QUIZ_APP)
    world.api.refused("message.send", "reserved_namespace", 422, device="hall", namespace=MEDIA, json={"type": "PLAY"})


@row(160, 624, way="events,sender,api")
def messages_are_received(world: World) -> None:
    """What senders and apps say in a namespace is an event for readers that name it, with its direction, ends and content."""
    sender = in_app(world)
    with world.api.events(namespaces=(QUIZ,)) as events:
        say(sender, QUIZ, {"type": "ANSWER", "text": "42"})
        told = events.wait(lambda f: f.get("type") == "channel.message" and f["data"]["json"]["type"] == "ANSWER", "the message")
        has(told["data"], {"namespace": QUIZ, "direction": "to_receiver"}, "the message")
        has(told["data"]["json"], {"type": "ANSWER", "text": "42"}, "its content")
        same(told["device"], "hall", "the device")
    heard = heard_by(sender, ECHO)
    with world.api.events(namespaces=(ECHO,)) as events:
        say(sender, ECHO, {"type": "ECHOED", "n": 8})
        told = events.wait(lambda f: f.get("type") == "channel.message", "a message that a channel answers")
        has(told["data"], {"namespace": ECHO, "direction": "to_receiver", "via": "local"}, "the message")
        has(told["data"]["json"], {"type": "ECHOED", "n": 8}, "its content")
    true(sender.wait_until(lambda _: bool(heard)), "the answer")


@row(161, 624, way="api,cli,sender,wire")
def messages_are_sent(world: World) -> None:
    """message.send and castway cast send say something to the app; what the app answers comes back."""
    sender = in_app(world)
    with world.api.events(namespaces=(QUIZ,)) as events:
        world.api.do("message.send", device="hall", namespace=QUIZ, json={"type": "FROM_API"})
        events.wait(lambda f: f.get("type") == "channel.message" and f["data"].get("json", {}).get("type") == "FROM_API", "it passes")
    said = world.near.output("cast", f"127.0.0.1:{world.ports['hall']}", "send", ECHO, '{"type":"FROM_CLI"}', "--answer", "--json")
    true("FROM_CLI" in said, f"what the command printed: {said}")
    place = world.tap.mark()
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    world.api.do("message.send", device="tv", namespace=QUIZ, json={"type": "TO_TV", "x": [1, 2]})
    has(world.tap.sent("TO_TV", place), {"x": [1, 2]}, "what the device got")
    true(sender.is_up, "the sender stays connected")


@row(162, way="api,wire")
def request_ids(world: World) -> None:
    """With answer_within the gateway adds a requestId of its own, and takes the message that bears it for the answer."""
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    numbers = []
    for text in ("one", "two"):
        place = world.tap.mark()
        answer = world.api.do("message.send", device="tv", namespace=ECHO, json={"type": "ASK", "text": text}, answer_within=10)
        sent = world.tap.sent("ASK", place)
        same(answer["answer"], sent, "the answer")
        numbers.append(sent["requestId"])
    true(numbers[0] > 0 and numbers[1] > numbers[0], f"the numbers: {numbers}")


@row(164, way="sender,api,events")
def app_must_list_the_namespace(world: World) -> None:
    """Where the app does not list the namespace, a caller is refused, a sender gets INVALID_REQUEST, and no channel connects."""
    sender = world.sender("hall")
    sender.cast.start_app("BBBB2222")
    true(sender.wait_until(lambda s: s.cast.app_id == "BBBB2222" and s.media.namespace in s.cast.socket_client.app_namespaces), "it runs")
    world.api.refused("message.send", "unsupported_namespace", 409, device="hall", namespace=QUIZ, json={})
    with world.api.events("channel.*") as events:
        same([f for f in events.snapshot() if f["data"].get("namespace") == ECHO and f.get("device") == "hall"], [], "channels")
    heard = heard_by(sender, "urn:x-cast:com.example.none")
    client = sender.cast.socket_client
    client.send_message(client.destination_id, "urn:x-cast:com.example.none", {"type": "X", "requestId": 9}, force=True)
    true(sender.wait_until(lambda _: bool(heard)), "an answer")
    same(heard[0]["type"], "INVALID_REQUEST", "the answer")


@row(159, 101, way="events,sender,api")
def channels_connect(world: World) -> None:
    """A channel is told as connected and writable when a sender, or the gateway's own session, is in its app; and when it is gone."""
    with world.api.events("channel.*") as events:
        sender = in_app(world)
        told = events.wait(lambda f: f.get("type") == "channel.connected" and f.get("device") == "hall"
                           and f["data"]["namespace"] == ECHO, "connected")
        has(told["data"], {"namespace": ECHO, "app": QUIZ_APP, "writable": True}, "connected")
        world.api.do("virtual_device.stop", device="hall")
        true(sender.wait_until(lambda s: s.cast.app_id is None), "the sender sees that it is gone")
        gone = events.wait(lambda f: f.get("type") == "channel.disconnected" and f.get("device") == "hall", "disconnected")
        true(gone["data"]["reason"], "a reason")
        number = world.api.do("session.start", device="tv", app=QUIZ_APP)["id"]
        told = events.wait(lambda f: f.get("type") == "channel.connected" and f.get("device") == "tv", "the session's channel")
        same(told["data"]["session"], number, "the session")
        world.api.do("session.end", session=number, stop=True)
        events.wait(lambda f: f.get("type") == "channel.disconnected" and f.get("device") == "tv", "gone with the session")


@row(165, way="api,yaml,sender")
def messages_have_limits(world: World) -> None:
    """What is longer than 64 KiB is refused as message_too_big; a channel's own limit refuses shorter ones."""
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    problem = world.api.refused("message.send", "message_too_big", 413, device="tv", namespace=QUIZ, text="x" * 70000)
    same(problem["cast_code"], 11, "the number of the SDKs")
    world.reload(sections=f'channels: [{{namespace: "{QUIZ}", devices: [hall], handler: echo, limits: {{size: 1KiB}}}}]\n')
    sender = in_app(world)
    with world.api.events("message.rejected") as events:
        say(sender, QUIZ, {"type": "LONG", "text": "x" * 2000})
        true("MESSAGE_TOO_BIG" in json.dumps(events.event("message.rejected")["data"]).upper().replace(" ", "_"), "why it is refused")


@row(166, way="api,wire")
def binary_payloads(world: World) -> None:
    """Bytes are sent as bytes, and their answer comes back as bytes."""
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    data = bytes(range(256))
    place = world.tap.mark()
    world.api.do("message.send", device="tv", namespace=ECHO, bytes=base64.b64encode(data).decode())
    world.api.do("message.send", device="tv", namespace=ECHO, json={"type": "BEHIND"}, answer_within=10)
    sent = [(way, m.payload) for way, m in world.tap.messages[place:] if m.namespace == ECHO and isinstance(m.payload, bytes)]
    same(sent, [("to_device", data), ("to_gateway", data)], "the bytes on the wire")


@row(167, 635, way="api,sender,yaml")
def broadcasts(world: World) -> None:
    """message.broadcast, and a channel with the handler broadcast, reach every sender of the app."""
    first, second = in_app(world), in_app(world)
    heard = [heard_by(first, QUIZ), heard_by(second, QUIZ)]
    with world.api.events("channel.connected") as events:
        events.wait(lambda _: len([f for f in events.frames if f.get("device") == "hall"]) > 1, "both are in the app")
    world.api.do("message.broadcast", device="hall", namespace=QUIZ, json={"type": "ALL"})
    for sender, got in zip((first, second), heard, strict=True):
        true(sender.wait_until(lambda _, got=got: any(m["type"] == "ALL" for m in got)), "the broadcast")
    world.api.refused("message.broadcast", "not_virtual", 409, device="tv", namespace=QUIZ, json={})
    same(len({s["id"] for s in world.api.do("senders.list")["senders"] if s["device"] == "hall"}), 2, "the senders")
    world.reload(sections=f'channels: [{{namespace: "{QUIZ}", devices: [hall], handler: broadcast}}]\n')
    say(first, QUIZ, {"type": "ROUND"})
    true(second.wait_until(lambda _: any(m["type"] == "ROUND" for m in heard[1])), "what the first says reaches the second")


@row(635, way="api,sender")
def one_sender_is_told(world: World) -> None:
    """message.send_to_sender reaches one sender of the app and no other, and says when there is no such sender."""
    first, second = in_app(world), in_app(world)
    heard = [heard_by(first, QUIZ), heard_by(second, QUIZ)]
    with world.api.events("channel.connected") as events:
        events.wait(lambda _: len([f for f in events.frames if f.get("device") == "hall"]) > 1, "both are in the app")
    listed = [s for s in world.api.do("senders.list")["senders"] if s["device"] == "hall"]
    same([s.get("user_agent") for s in listed], ["PyChromecast"] * 2, "the senders")
    for number, sender in enumerate(listed):
        answer = world.api.do("message.send_to_sender", device="hall", sender=sender["id"], namespace=QUIZ,
                              json={"type": "ONE", "number": number})
        has(answer, {"sender": sender["id"], "ends": 1}, "the answer")
    world.api.do("message.broadcast", device="hall", namespace=QUIZ, json={"type": "LAST"})
    for sender, got in zip((first, second), heard, strict=True):
        true(sender.wait_until(lambda _, got=got: any(m["type"] == "LAST" for m in got)), "the last message")
    numbers = [[m["number"] for m in got if m["type"] == "ONE"] for got in heard]
    same(sorted(numbers), [[0], [1]], "what each heard")
    world.api.refused("message.send_to_sender", "unknown_sender", 404, device="hall", sender="c0", namespace=QUIZ, json={})
    world.api.refused("message.send_to_sender", "not_virtual", 409, device="tv", sender="c0", namespace=QUIZ, json={})


@row(168, way="yaml,sender,api")
def formats(world: World) -> None:
    """An app declares its namespaces before it starts, and a channel takes only the format that it names."""
    world.reload(sections=f'channels: [{{namespace: "{QUIZ}", devices: [hall], handler: echo, format: json}}]\n')
    sender = in_app(world)
    true({QUIZ, ECHO} <= set(sender.cast.status.namespaces), "the namespaces of the app's status")
    world.api.refused("message.send", "wrong_format", 422, device="hall", namespace=QUIZ, text="no json")
    has(world.api.do("message.send", device="hall", namespace=QUIZ, json={"type": "J"}, answer_within=5)["answer"], {"type": "J"}, "json")


@row(169, 88, 249, way="webhook,events,sender,api")
def webhook_bridge(world: World) -> None:
    """A channel delivers to a webhook in order, signed, with retries; events go there too; a webhook's answer is the app's reply."""
    with BackEnd() as backend:
        world.reload(sections=(
            f"bridges:\n  webhooks:\n    - {{name: back, url: 'http://127.0.0.1:{backend.port}/cast', secret: {SECRET},\n"
            f"       allow_private: true, allow_http: true, retry: [100ms, 100ms], events: [session.started, request.changed]}}\n"
            f'channels: [{{namespace: "{QUIZ}", devices: [hall], deliver: [{{webhook: back}}]}},\n'
            f'           {{namespace: "{ECHO}", devices: [hall], reply: {{webhook: back, deadline: 10s}}}}]\n'))
        backend.refuse_next()
        sender = in_app(world)
        for number in range(5):
            say(sender, QUIZ, {"type": "N", "n": number})
        def numbers(got: list[Json]) -> list[int]:
            return [m["data"]["json"]["n"] for m in got if m.get("type") == "channel.message" and "n" in m["data"]["json"]]

        backend.wait(lambda got: numbers(got)[4:], "five messages")
        order = numbers(backend.got)
        same(order, list(range(5)), "their order")
        backend.wait(lambda got: [m for m in got if m.get("type") == "session.started"], "the event of the launch")
        world.api.do("volume.set", device="hall", level=0.4)
        backend.wait(lambda got: [m for m in got if m.get("type") == "request.changed"], "the end of a request")
        heard = heard_by(sender, ECHO)
        backend.answer = {"reply": {"type": "FROM_BACK_END"}}
        say(sender, ECHO, {"type": "ASK", "requestId": 4})
        true(sender.wait_until(lambda _: bool(heard)), "the reply")
        true("FROM_BACK_END" in json.dumps(heard), f"the reply: {heard}")
        true(backend.is_genuine and backend.refused == 1, "every signature is right, and what was refused came again")


@row(169, way="webhook,yaml,sender")
def webhook_url_of_each_message(world: World) -> None:
    """The path and the query of a webhook's url are filled in for each message; an unknown placeholder is refused when the file is read."""
    def section(place: str) -> str:
        return (f"bridges:\n  webhooks:\n    - {{name: back, url: '{place}', secret: {SECRET}, allow_private: true, allow_http: true}}\n"
                f'channels: [{{namespace: "{QUIZ}", devices: [hall], deliver: [{{webhook: back}}]}}]\n')

    with BackEnd() as backend:
        world.reload(sections=section(f"http://127.0.0.1:{backend.port}/cast/{{device}}/{{channel}}?app={{app}}"))
        say(in_app(world), QUIZ, {"type": "N", "n": 1})
        backend.wait(lambda got: got, "the message")
        same(backend.paths[0], f"/cast/hall/{QUIZ.removeprefix('urn:x-cast:')}?app={QUIZ_APP}", "where it came")
        world.near.write(world.near_configuration(sections=section("http://127.0.0.1:1/{room}")))
        status, problem = world.api.call("config.reload")
        true(status >= 400 and "{room}" in json.dumps(problem), f"an unknown placeholder: {status} {problem}")
        world.reload()


@row(155, 154, way="api,wire")
def own_sessions_send_while_they_last(world: World) -> None:
    """The gateway's own session sends to its app from its start to its end, and not afterwards."""
    number = world.api.do("session.start", device="tv", app=FLOW_APP)["id"]
    has(world.api.do("message.send", device="tv", namespace=ECHO, json={"type": "IN"}, answer_within=10)["answer"], {"type": "IN"}, "in it")
    world.api.do("session.end", session=number, stop=True)
    world.api.refused("message.send", "application_not_running", 409, device="tv", namespace=ECHO, json={"type": "OUT"})
