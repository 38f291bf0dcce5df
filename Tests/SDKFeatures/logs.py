"""Rows of logging."""

from __future__ import annotations

from registry import has, row, same, true
from world import FILM, MEDIA_APP, QUIZ_APP, World


def levels_since(world: World, start: int) -> dict[str, set[str]]:
    """The levels of the lines behind a place, by component."""
    seen: dict[str, set[str]] = {}
    for record in world.near.records()[start:]:
        seen.setdefault(str(record["component"]), set()).add(str(record["level"]))
    return seen


def talk(world: World) -> None:
    """Something to log: a sender acts on a virtual device."""
    sender = world.sender("hall")
    sender.cast.set_volume(0.55)
    true(sender.wait_until(lambda s: s.has_volume(0.55)), "the volume")


@row(460, 461, 468, way="api,cli,log")
def one_log(world: World) -> None:
    """All parts write to one log; a line has time, level, component, message and fields; log.get says who logs how much."""
    start = len(world.near.records())
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    lines = world.near.records()[start:]
    started = next(line for line in lines if line["msg"] == "Session started")
    has(started, {"level": "info", "component": "DeviceSession", "app": QUIZ_APP, "target": "tv"}, "a line")
    true("time" in started, "its time")
    log = world.api.do("log.get")
    same(log["level"], "info", "the level")
    true({"Gateway", "DeviceSession", "VirtualDevice"} <= set(log["components"]), "the components")
    same(world.near.call("log.get")["components"], log["components"], "castway call log.get")


@row(470, 471, 472, 485, way="api,cli,log")
def log_is_turned_on(world: World) -> None:
    """log.set has components log down to trace for a time, live; an empty mapping goes back to the file."""
    world.near.call("log.set", 'levels={"*": "trace"}', "seconds=60")
    start = len(world.near.records())
    talk(world)
    seen = levels_since(world, start)
    true(any(levels & {"trace", "debug"} for levels in seen.values()), f"the levels: {seen}")
    world.api.do("log.set", levels={})
    true("set" not in world.api.do("log.get"), "back to the file")
    start = len(world.near.records())
    talk(world)
    seen = levels_since(world, start)
    true(not any(levels & {"trace", "debug"} for levels in seen.values()), f"the levels afterwards: {seen}")


@row(473, 474, 479, way="yaml,api,log")
def levels_by_component(world: World) -> None:
    """Levels hold for components by name or by a pattern with * and ?; the first that matches decides, error silences the others."""
    world.reload(log='level: error, levels: {"Virtual*": trace, "DeviceSessio?": debug}')
    log = world.api.do("log.get")
    has(log["components"], {"VirtualDevice": "trace", "DeviceSession": "debug", "API": "error"}, "the levels")
    start = len(world.near.records())
    talk(world)
    world.play()
    seen = levels_since(world, start)
    true(seen.get("VirtualDevice"), f"lines of the component: {seen}")
    same(seen.get("Audit", set()) | seen.get("API", set()), set(), "lines of the others")
    world.api.refused("log.set", "invalid_input", 422, levels={"*": "loud"})


@row(478, way="events,log,cli,api")
def fixed_points(world: World) -> None:
    """At the points of the sample (session, request, media) there are events with stable names, at the terminal too, and log lines."""
    start = len(world.near.records())
    types = [word for kind in ("session.*", "request.*", "media.session_status") for word in ("--type", kind)]
    with world.near.follow("events", "--follow", "--json", *types) as lines:
        lines.line('"synced"')
        session = world.api.do("session.start", device="tv", app=MEDIA_APP)["id"]
        world.api.do("media.load", device="tv", url=FILM)
        lines.line('"PLAYING"')
        world.api.call("media.load", device="tv", url="http://x/missing.mp4")
        world.api.do("session.suspend", session=session)
        world.api.do("session.resume", session=session)
        world.api.do("session.end", session=session, stop=True)
        for part in ("session.did_start", "session.did_suspend", "session.did_resume", "session.did_end", "confirmed", "failed"):
            lines.line(f'"{part}"')
    texts = {record["msg"] for record in world.near.records()[start:]}
    true({"Session started", "Session ended"} <= texts, f"log lines: {sorted(texts)}")


@row(487, way="yaml,sender,log")
def wire_trace_is_redacted(world: World) -> None:
    """With log.payloads messages stand in the log at trace, and what log.redact names does not: credentials, tokens."""
    world.reload(log='level: info, payloads: true, levels: {"*": trace}')
    start = len(world.near.log())
    sender = world.sender("hall")
    sender.cast.start_app(MEDIA_APP)
    true(sender.wait_until(lambda s: s.media.namespace in s.cast.socket_client.app_namespaces), "it runs")
    sender.ask(sender.media, {"type": "LOAD", "media": {"contentId": FILM, "contentType": "video/mp4", "streamType": "BUFFERED"},
                              "credentials": "SECRET-ONE", "customData": {"token": "SECRET-TWO", "plain": "VISIBLE"}}, session=True)
    text = world.near.log()[start:]
    true(FILM in text and "VISIBLE" in text, "the messages are in the log")
    true("SECRET" not in text, "what is redacted is not")
