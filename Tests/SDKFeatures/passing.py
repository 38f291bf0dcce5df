"""Senders that are passed through, while things change: the device, the gateway, its configuration, the guests.

No row of the feature list is about them. Screens and phones are scripted, so that it is known whose certificate a phone sees.
"""

from __future__ import annotations

import contextlib
import json
import signal
import time
from collections.abc import Iterator

from api import Events
from gateway import Gateway, free_port
from registry import has, row, same, true
from screens import Phone, Screen, phone, refused, until_connected
from world import MEDIA_APP, OTHER_APP, World

ANN, BOB = "127.0.0.21", "127.0.0.22"
BACK = 1.0
"""Seconds within which a sender is connected again when a gateway that was killed is started."""


def configuration(screens: dict[str, Screen], ports: dict[str, int], more: str = "") -> str:
    """Each screen stands in discovery.static, and a virtual device passes senders through to it."""
    static = "".join(f'    - {{name: {name}, address: "{screen.host}:{screen.port}"}}\n' for name, screen in screens.items())
    rooms = "".join(
        f'  - name: {room}\n    listen: "127.0.0.1:{port}"\n    publish: false\n    target: {{passthrough: {name}}}\n{more}'
        for name, (room, port) in zip(screens, ports.items(), strict=True))
    return (f"log: {{format: json, level: info}}\nconnections:\n  reconnect: {{initial: 50ms, max: 200ms}}\n"
            f"discovery:\n  mdns: {{enabled: false}}\n  static:\n{static}virtual_devices:\n{rooms}")


@contextlib.contextmanager
def room(world: World, name: str, more: str = "") -> Iterator[tuple[Gateway, Screen, int]]:
    """A gateway with a screen behind `room`, once its own channel to the screen stands."""
    port = free_port()
    with Screen(world.folder, name) as screen:
        gateway = world.gateway(name, configuration({"tv": screen}, {"room": port}, more))
        gateway.start()
        with gateway.api.events("device.*", devices=("tv",)) as events:
            events.wait(lambda f: "online" in json.dumps(f), "the screen is online")
        yield gateway, screen, port


def left(events: Events, since: int = 0) -> str:
    """Waits until a sender of the room has left; the reason."""
    told = events.wait(lambda f: f.get("type") == "sender.disconnected" and f.get("device") == "room", "a sender has left", since)
    return str(told["data"]["reason"])


@row(way="yaml,api,events,sender")
def a_device_restarts_with_another_certificate(world: World) -> None:
    """A restart of the device ends its splices; the next sender sees the certificate that the device has then, and the gateway follows."""
    with room(world, "restarts") as (gateway, screen, port), gateway.api.events("sender.*", "device.*", "session.*") as events:
        with phone(port) as sender:
            same(sender.identity, screen.identity, "the certificate that the sender sees")
            first = screen.identity
            screen.stop()
            sender.until_cut()
        true("device" in left(events), "the reason names the device")
        true(refused(port), "no sender is connected while the device is off")
        screen.renew()
        mark = events.mark()
        screen.start()
        with contextlib.closing(until_connected(port)) as sender:
            true(sender.identity == screen.identity != first, "the new certificate reaches the sender")
            events.wait(lambda f: f.get("type") == "device.online" and f.get("device") == "tv", "the gateway's own channel is back", mark)
            sender.ask(type="LAUNCH", appId=MEDIA_APP)
            started = events.wait(lambda f: f.get("type") == "session.started" and f.get("device") == "room", "an app is seen", mark)
            same(started["data"]["app"], MEDIA_APP, "the app")


@row(way="yaml,api,events,sender")
def a_device_moves(world: World) -> None:
    """A device at another address: its senders are cut with that reason, and the next ones are passed through to where it is."""
    with room(world, "moves") as (gateway, screen, port), Screen(world.folder, "moved", "127.0.0.62") as moved:
        with gateway.api.events("sender.*") as events, phone(port) as sender:
            same(sender.identity, screen.identity, "the first address")
            gateway.write(gateway.configuration.replace(f"{screen.host}:{screen.port}", f"{moved.host}:{moved.port}"))
            gateway.api.do("config.reload")
            sender.until_cut()
            same(left(events), "the device is at another address now", "the reason")
        with contextlib.closing(until_connected(port)) as sender:
            same(sender.identity, moved.identity, "the other address")


@row(way="yaml,api,sender")
def a_killed_gateway_is_back_within_a_second(world: World) -> None:
    """SIGKILL cuts a splice at once, and a sender that dials again has an answer of the device within a second of the next start."""
    with room(world, "killed", "    senders: {join: required}\n") as (gateway, screen, port):
        code = gateway.api.do("join_code.create", devices=["room"])["code"]
        gateway.api.do("join_code.redeem", code=code, address=ANN)
        waits = []
        for _ in range(3):
            with phone(port, ANN) as sender:
                gateway.stop(signal.SIGKILL)
                true(sender.until_cut() < 0.5, "the sender is cut when the gateway is gone")
            began = time.monotonic()
            gateway.launch()
            with contextlib.closing(until_connected(port, ANN)) as sender:
                waits.append(time.monotonic() - began)
                same(sender.identity, screen.identity, "the device")
                gateway.until_ready()
                sender.ping()
        true(refused(port, BOB), "an address that has redeemed nothing is still refused")
        # One of them, since other programs run on the machine.
        true(min(waits) <= BACK, f"seconds until a sender was connected again: {waits}")


@row(way="yaml,api,events,sender")
def two_rooms_in_one_network(world: World) -> None:
    """Two virtual devices of one network pass senders through to a screen each; what happens to one does not touch the other."""
    ports = {"left": free_port(), "right": free_port()}
    with Screen(world.folder, "left") as first, Screen(world.folder, "right", "127.0.0.63") as second:
        gateway = world.gateway("rooms", configuration({"tv-left": first, "tv-right": second}, ports))
        gateway.start()
        with (contextlib.closing(until_connected(ports["left"], ANN)) as ann,
              contextlib.closing(until_connected(ports["right"], BOB)) as bob):
            same((ann.identity, bob.identity), (first.identity, second.identity), "whose certificates they see")
            ann.ask(type="LAUNCH", appId=MEDIA_APP)
            same((first.app, second.app), (MEDIA_APP, None), "what runs")
            senders = gateway.api.do("senders.list")["senders"]
            same({(s["device"], s["address"]) for s in senders}, {("left", ANN), ("right", BOB)}, "who is connected")
            first.stop()
            ann.until_cut()
            bob.ping()


@row(way="yaml,cli,api")
def the_devices_own_network_is_refused(world: World) -> None:
    """`castway check` and a reload refuse to announce a device in the network in which it is itself; another network is taken."""
    with room(world, "own-network") as (gateway, screen, port):
        good = gateway.configuration
        gateway.write(good.replace("publish: false", "publish: {interfaces: [lo]}"))
        said = gateway.run("check", "gateway.yaml", status=1)
        true("is itself in the network of 'lo'" in said, f"what check says: {said[-400:]}")
        status, answer = gateway.api.call("config.reload")
        true(status >= 400 and "is itself in the network of" in json.dumps(answer), f"the reload is refused: {answer}")
        with phone(port) as sender:
            same(sender.identity, screen.identity, "what ran before goes on")
        gateway.write(good.replace("publish: false", "publish: {interfaces: [not-there0]}"))
        said = gateway.run("check", "gateway.yaml")
        true("is itself in the network of" not in said, f"what check says of another network: {said[-400:]}")


@row(way="yaml,api,events,sender")
def a_reload_keeps_splices(world: World) -> None:
    """Rules, hours, limits and other devices change under a connected sender."""
    with room(world, "reloads", "    volume: {max: 0.9}\n") as (gateway, screen, port), gateway.api.events("sender.*") as events:
        second = free_port()
        with phone(port) as sender:
            def change(old: str, new: str) -> None:
                gateway.write(gateway.configuration.replace(old, new))
                gateway.api.do("config.reload")
                sender.ping()

            change("volume: {max: 0.9}", "volume: {max: 0.8}")
            change("volume: {max: 0.8}", f"apps: [{MEDIA_APP}]")
            change("    apps:", "    senders: {max: 1, allow: [127.0.0.0/8]}\n    apps:")
            change("max: 1,", 'max: 1, during: ["00:00-24:00"],')
            change("virtual_devices:\n", f'virtual_devices:\n  - {{name: other, listen: "127.0.0.1:{second}", publish: false, '
                                         "target: {passthrough: tv}}\n")
            change("reconnect: {initial: 50ms, max: 200ms}", "reconnect: {initial: 60ms, max: 200ms}")
            same(events.told("sender.disconnected"), [], "who was cut")
            with phone(second) as beside:
                same(beside.identity, screen.identity, "the device that came with a reload")
            true(refused(port, BOB), "senders.max of the reload holds for others")


@row(way="yaml,api,events,sender")
def guests_from_code_to_check_out(world: World) -> None:
    """Two guests of a room: refused before the code, connected with it, cut and refused behind check-out; what plays stops with the last."""
    with room(world, "guests", "    senders: {join: required}\n") as (gateway, screen, port):
        api = gateway.api
        with api.events("sender.*", "guest.*", "session.*") as events:
            def join(address: str) -> str:
                code = api.do("join_code.create", devices=["room"])["code"]
                return str(api.do("join_code.redeem", code=code, address=address)["id"])

            true(refused(port, ANN), "before the code")
            has(events.event("sender.refused")["data"], {"sender": ANN, "reason": "the address has redeemed no join code"}, "why")
            guests = {ANN: join(ANN)}
            with phone(port, ANN) as ann:
                same(ann.identity, screen.identity, "with the code")
                true(refused(port, BOB), "another guest without a code of the own")
                guests[BOB] = join(BOB)
                with phone(port, BOB) as bob:
                    same(bob.identity, screen.identity, "the other guest with a code")
                    ann.ask(type="LAUNCH", appId=MEDIA_APP)
                    events.wait(lambda f: f.get("type") == "session.started" and f.get("device") == "room", "the app started")
                    gone = api.do("guest.check_out", guest=guests[ANN])["guests"]
                    same([(guest["closed"], guest["stopped"]) for guest in gone], [(1, [])], "one is cut, and nothing stops for the other")
                    ann.until_cut()
                    true(refused(port, ANN), "behind check-out")
                    bob.ping()
                    same(screen.app, MEDIA_APP, "what plays for the guest who stays")
                    mark = events.mark()
                    gone = api.do("guest.check_out", guest=guests[BOB])["guests"]
                    same([(guest["closed"], guest["stopped"]) for guest in gone], [(1, [f"room: {MEDIA_APP}"])], "the last one")
                    bob.until_cut()
            events.wait(lambda f: f.get("type") == "session.ended" and f.get("device") == "room", "the app ended", mark)
            same(screen.app, None, "what runs")
            true(refused(port, BOB), "the last one behind check-out")
            same(api.do("guests.list")["guests"], [], "the guests")
            # What the owner starts afterwards is no guest's.
            with contextlib.closing(Phone(screen.port)) as owner:
                owner.ask(type="LAUNCH", appId=OTHER_APP)
            join(ANN)
            with phone(port, ANN) as ann:
                api.do("guest.check_out", device="room")
                ann.until_cut()
            same(screen.app, OTHER_APP, "what the owner has started")
