"""Streams of mirroring senders that pass a relay, and the rules for those that are passed through. No row of the feature list is about them."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from gateway import free_port
from registry import has, row, same, true
from world import World

sys.path.append(str(Path(__file__).resolve().parents[2] / "Benchmarks" / "mirroring"))

from peers import MIRRORING, MirroringDevice, MirroringSender

PACKET = bytes(range(256)) * 4


@contextlib.contextmanager
def cinema(world: World, mirroring: str = "") -> Iterator[tuple[MirroringDevice, int]]:
    """A device that takes streams, and a relay to it; the relay's port."""
    device, port = MirroringDevice(world.folder, answer=lambda data: data[:8]), free_port()
    attic = world._relay("attic", "chain")
    relay = (f'  - name: cinema\n    listen: "127.0.0.1:{port}"\n    publish: false\n    target: {{device: beamer}}\n{mirroring}')
    try:
        with world.api.events("device.online") as events:
            world.near.write(world.near_configuration(static={"beamer": device.port}).replace(attic, attic + relay))
            world.api.do("config.reload")
            events.wait(lambda f: f.get("type") == "device.online" and f.get("device") == "beamer", "the device is online")
        yield device, port
    finally:
        device.close()


@row(way="api,events,sender,cli")
def stream_passes_both_ways(world: World) -> None:
    """A stream goes from the sender to the device and back, is counted, and ends with the sender's channel."""
    with cinema(world) as (device, port), world.api.events("mirroring.*") as events:
        sender = MirroringSender(port)
        true(sender.available(), "the app for mirroring is there")
        true(not MirroringSender(world.ports["hall"]).available(), "and not on the built-in receiver")
        told = sender.mirror()
        true(told != device.datagrams.port, "the sender is told a port of the gateway")
        started = events.event("mirroring.started")["data"]
        has(started, {"app": MIRRORING, "sender": "127.0.0.1", "port": told, "device_port": device.datagrams.port}, "the event")
        for _ in range(50):
            sender.send(PACKET, told)
        true(device.datagrams.until(50) and sender.datagrams.until(50), "all arrive, and are answered")
        same(sender.datagrams.peer, ("127.0.0.1", told), "where the answers come from")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.bind(("127.0.0.2", 0))
            stranger.sendto(PACKET, ("127.0.0.1", told))
        sender.send(PACKET, told)
        true(device.datagrams.until(51) and sender.datagrams.until(51), "the stream goes on")
        stream = world.near.call("virtual_device.get", "device=cinema")["streams"][0]
        has(stream, {"packets": {"to_device": 51, "to_sender": 51}, "bytes": {"to_device": 51 * len(PACKET), "to_sender": 51 * 8},
                     "dropped": 1, "drops": {"foreign_address": 1}, "port": told}, "what passed and what did not")
        status, _, metrics = world.near.admin.fetch("GET", "/metrics")
        true(status == 200 and b'castway_mirroring_dropped_total{reason="foreign_address"} 1' in metrics, "the metric")
        sender.close()
        has(events.event("mirroring.ended")["data"], {"reason": "sender_gone", "packets": 102, "dropped": 1}, "the end")
        same(world.api.do("virtual_device.get", device="cinema")["streams"], [], "the streams that are left")


@row(way="yaml,events,sender")
def mirroring_is_switched_off(world: World) -> None:
    """A reload that turns mirroring off ends the stream, and the apps for it are gone; with ports only these are used."""
    first = free_port()
    with cinema(world, f"    mirroring: {{ports: {first}-{first + 9}}}\n") as (device, port), \
            world.api.events("mirroring.*") as events:
        sender = MirroringSender(port)
        told = sender.mirror()
        true(first <= told <= first + 9, f"the port {told} is one of the range")
        sender.send(PACKET, told)
        true(device.datagrams.until(1), "the stream passes")
        on = world.near.configuration
        world.near.write(on.replace(f"ports: {first}-{first + 9}", "udp: off"))
        world.api.do("config.reload")
        has(events.event("mirroring.ended")["data"], {"reason": "reconfigured", "packets": 2}, "the end")
        true(not sender.available(), "the app is not there any more")
        answer = sender.ask({"type": "LAUNCH", "appId": MIRRORING})
        has(answer, {"type": "LAUNCH_ERROR", "reason": "NOT_FOUND"}, "the answer to LAUNCH")


@row(way="events,sender")
def answers_that_lead_nowhere(world: World) -> None:
    """A port that is none is refused: the sender gets an ANSWER with an error in its place."""
    with cinema(world) as (device, port), world.api.events("mirroring.*") as events:
        device.rewrite = lambda message: {**message, "answer": {**message["answer"], "udpPort": 70000}}
        sender = MirroringSender(port)
        sender.launch()
        has(sender.offer(), {"type": "ANSWER", "result": "error"}, "what the sender is told")
        true("70000" in events.event("mirroring.refused")["data"]["reason"], "the reason")
        device.rewrite = lambda message: message
        sender.send(PACKET, sender.offer()["answer"]["udpPort"])
        true(device.datagrams.until(1), "the next offer is taken")
        device.stop_app()
        has(events.event("mirroring.ended")["data"], {"reason": "closed_by_device"}, "the end")


@row(way="cli")
def rules_for_devices_that_are_passed_through(world: World) -> None:
    """castway mirroring rules prints one line for each device that carries streams, and castway check refuses two at one address."""
    path = world.folder / "screens.yaml"

    def write(second: str, mirroring: str = "{udp: relay}") -> None:
        path.write_text(
            "version: 1\ndiscovery: {static: [{name: tv, address: 192.0.2.1}]}\nvirtual_devices:\n" + "".join(
                f'  - {{name: {name}, listen: "{address}:8009", publish: false, target: {{passthrough: tv}}, mirroring: {mirroring}}}\n'
                for name, address in (("room-12", "10.20.12.1"), ("room-13", second))))

    write("10.20.13.1")
    rules = world.near.output("mirroring", "rules", "--config", str(path))
    for address in ("10.20.12.1", "10.20.13.1"):
        true(f'ip daddr {address} udp dport 1024-65535 goto streams' in rules, f"the rule for {address}")
    true("tproxy ip to 127.0.0.1:8024 accept" in rules, "where they bring datagrams")
    write("10.20.13.1", "{udp: off}")
    same(world.near.output("mirroring", "rules", "--config", str(path)),
         "table inet castway_mirroring\ndelete table inet castway_mirroring\n", "the rules without such a device")
    write("10.20.12.1")
    world.near.run("check", str(path), status=1)
    world.near.run("mirroring", "rules", "--config", str(path), status=1)
