"""Rows of logging: how much is written, what a line looks like, and where it goes."""

from __future__ import annotations

import re
import time
from pathlib import Path

from api import PATIENCE
from logs import talk
from registry import has, row, same, true
from world import World


def messages(world: World, start: int) -> list[str]:
    """The messages of the lines behind a place."""
    return [str(record["msg"]) for record in world.near.records()[start:]]


def written(path: Path, wanted: str) -> str:
    """What stands in a file, once something of it does: a thread of the gateway's writes it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        text = path.read_text() if path.exists() else ""
        if re.search(wanted, text):
            return text
        time.sleep(0.01)
    raise AssertionError(f"{path.name} has no {wanted}")


@row(462, 463, 464, 480, way="yaml,cli,log")
def log_is_switched_off(world: World) -> None:
    """log.level off, log.sinks without the console, and levels off for a time silence the log; back to the file it speaks again."""
    for log in ("level: off", "level: trace, sinks: [{console: false}]"):
        world.reload(log=log)
        start = len(world.near.records())
        talk(world)
        same(messages(world, start), [], f"lines with {log}")
    world.reload(log="level: info")
    world.near.call("log.set", 'levels={"*": "off"}', "seconds=60")
    start = len(world.near.records())
    talk(world)
    same(messages(world, start), [], "lines while it is off for a time")
    world.near.call("log.set", "levels={}")
    world.near.call("config.reload")
    true(messages(world, start), "lines afterwards")


@row(465, 466, 467, way="yaml,cli,log")
def lines_say_where_they_were_made(world: World) -> None:
    """log.origin has function - message, location: function - message, and function - message, location."""
    forms = {
        "function": r" succeeded\(_:_:\) - Configuration reloaded",
        "location": r" ReloadProcedure:\d+: succeeded\(_:_:\) - Configuration reloaded",
        "trailing": r" succeeded\(_:_:\) - Configuration reloaded, ReloadProcedure:\d+",
    }
    for origin, form in forms.items():
        path = world.folder / f"{origin}.log"
        log = f"level: trace, sinks: [{{file: {{path: {path}}}, format: text, origin: {origin}}}]"
        world.reload(log=log)
        world.near.call("config.reload")
        written(path, form)


@row(481, way="yaml,cli,log")
def files_rotate(world: World) -> None:
    """A file of the log is renamed before it becomes larger than max_size, and max_count of them are kept."""
    path = world.folder / "rotating.log"
    world.reload(log=f"level: trace, payloads: true, sinks: [{{file: {{path: {path}, max_size: 32KiB, max_count: 2}}}}]")
    until = time.monotonic() + 2 * PATIENCE
    while not path.with_name("rotating.log.1").exists():
        true(time.monotonic() < until, "a second file")
        talk(world)
    files = sorted(world.folder.glob("rotating.log*"))
    true(all(file.stat().st_size <= 32 << 10 and file.read_bytes().endswith(b"\n") for file in files), "whole lines, and not too many")
    same([file.name for file in files], ["rotating.log", "rotating.log.1"], "the files")


@row(461, way="yaml,cli,events")
def records_are_events(world: World) -> None:
    """With a sink for events each record comes as log.record, with level, component, message, function and location, to who names it."""
    world.reload(log="level: info, sinks: [{events: true, origin: location}]")
    with world.near.follow("events", "--follow", "--json", "--type", "log.record") as lines:
        lines.line('"synced"')
        world.near.call("config.reload")
        line = lines.line("Configuration reloaded")
        true('"component":"Reload"' in line and '"level":"notice"' in line, f"the record: {line}")
        true('"function":"succeeded(_:_:)"' in line and '"location":"ReloadProcedure:' in line, f"where it was made: {line}")


@row(475, 476, 477, way="cli,api")
def classes_of_the_sdks(world: World) -> None:
    """Names of the SDKs' classes stand for components, with wildcards, and a list of names has them log at debug."""
    names = world.near.call("log.get")["class_names"]
    true({"GCKDiscoveryManager", "GCKCastChannel", "GCKUICastButton", "GCKUIImageCache", "NSMutableDictionary"} <= set(names),
         f"the classes: {sorted(names)}")
    world.near.call("log.set", 'levels=["GCKDiscoveryManager", "GCK*Session"]', "seconds=60")
    has(world.api.do("log.get")["components"], {"Discovery": "debug", "DeviceSession": "debug", "API": "info"}, "the levels")
    world.near.call("log.set", "levels={}")


@row(482, 483, way="yaml,cli,log")
def functions_and_patterns(world: World) -> None:
    """log.functions has a level for a function, log.patterns lets lines through by expressions, also without regard to case."""
    world.reload(log='level: error, functions: {"ReloadProcedure.succeeded": notice}')
    start = len(world.near.records())
    world.near.call("config.reload")
    talk(world)
    true(set(messages(world, start)) == {"Configuration reloaded, nothing has changed"}, f"one function: {messages(world, start)}")
    world.reload(log='level: trace, patterns: [{regex: "^configuration RELOADED", ignore_case: true}, {regex: "nothing", exclude: true}]')
    start = len(world.near.records())
    talk(world)
    world.near.call("config.reload")
    same(messages(world, start), [], "lines that an expression leaves out, or that none finds")
    world.reload(log='level: trace, patterns: [{regex: "^configuration RELOADED", ignore_case: true}]')
    world.near.call("config.reload")
    true("Configuration reloaded, nothing has changed" in messages(world, start), "a line that an expression finds")
