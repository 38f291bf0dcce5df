"""Rows of speaker groups among virtual devices."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from gateway import Gateway, free_port
from pychromecast.controllers.multizone import (
    MultizoneController,
    MultiZoneControllerListener,
    MultizoneManager,
    MultiZoneManagerListener,
)
from registry import near, row, same, true
from world import FILM, World

from sender import Sender

FOLLOWER = "705D30C6"
"""The app that members of a group show while it plays."""


class Waker(MultiZoneControllerListener):
    """Has a sender look again whenever pychromecast has heard of members."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender

    def multizone_member_added(self, group_uuid: str) -> None:
        self.sender.wake()

    def multizone_member_removed(self, group_uuid: str) -> None:
        self.sender.wake()

    def multizone_status_received(self) -> None:
        self.sender.wake()


class Memberships(MultiZoneManagerListener):
    """What pychromecast's manager of groups tells of one member."""

    def __init__(self, sender: Sender) -> None:
        self.sender = sender
        self.groups: list[str] = []
        self.states: set[str] = set()
        self.apps: set[str | None] = set()

    def added_to_multizone(self, group_uuid: str) -> None:
        self.groups.append(group_uuid)
        self.sender.wake()

    def removed_from_multizone(self, group_uuid: str) -> None:
        if group_uuid in self.groups:
            self.groups.remove(group_uuid)
        self.sender.wake()

    def multizone_new_media_status(self, group_uuid: str, media_status: Any) -> None:
        self.states.add(media_status.player_state)
        self.sender.wake()

    def multizone_new_cast_status(self, group_uuid: str, cast_status: Any) -> None:
        self.apps.add(cast_status.app_id)
        self.sender.wake()


class House:
    """A gateway with the speakers `kitchen`, `hall` and `attic`, and the group `house` of the first two."""

    def __init__(self, world: World, name: str) -> None:
        self.ports = {device: free_port() for device in ("kitchen", "hall", "attic", "house")}
        self.gateway: Gateway = world.gateway(name, self.configuration("kitchen, hall"))
        self.gateway.start()
        self.api = self.gateway.api
        self._stack = contextlib.ExitStack()

    def configuration(self, members: str) -> str:
        def device(name: str, more: str = "") -> str:
            return (f'  - {{name: {name}, friendly_name: The {name}, listen: "127.0.0.1:{self.ports[name]}", publish: false, '
                    f"target: local{more}}}\n")

        return ("discovery: {mdns: {enabled: false}}\nvirtual_devices:\n" + device("kitchen") + device("hall") + device("attic")
                + device("house", f", group: {{members: [{members}]}}"))

    def sender(self, device: str, manager: MultizoneManager | None = None) -> tuple[Sender, MultizoneController]:
        """An unmodified pychromecast at a device, with its controller for groups."""
        sender = Sender(device, self.ports[device])
        controller = MultizoneController(sender.cast.uuid)
        controller.register_listener(Waker(sender))
        sender.cast.register_handler(controller)
        if manager:
            manager.add_multizone(sender.cast)
        self._stack.callback(sender.cast.disconnect, timeout=5)
        sender.connect()
        return sender, controller

    def members(self) -> dict[str, str]:
        """The ids of the members that run, by their names."""
        return {m["device"]: m["id"] for m in self.api.do("group.members", device="house")["members"] if m["running"]}

    def level(self, device: str) -> float:
        return float(self.api.do("volume.get", device=device)["level"])

    def close(self) -> None:
        self._stack.close()


@contextlib.contextmanager
def house_of(world: World, name: str) -> Iterator[House]:
    house = House(world, name)
    try:
        yield house
    finally:
        house.close()


@row(643, way="yaml,sender,api")
def group_of_virtual_devices(world: World) -> None:
    """A group of virtual devices lists its members to pychromecast, has their mean volume, and has them show what it plays."""
    with house_of(world, "house") as house:
        manager = MultizoneManager()
        group, zones = house.sender("house", manager)
        kitchen, kitchen_zones = house.sender("kitchen")
        hall, _ = house.sender("hall")
        ids = house.members()
        same(list(ids), ["kitchen", "hall"], "the members")
        true(all(str(UUID(i)) == i for i in ids.values()), f"ids with dashes: {ids}")
        zones.update_members()
        true(group.wait_until(lambda _: set(zones.members) == set(ids.values())), "pychromecast has the members")
        member = Memberships(group)
        manager.register_listener(UUID(ids["kitchen"]), member)
        same(manager.get_multizone_memberships(UUID(ids["kitchen"])), [str(group.cast.uuid)], "what the manager says")

        # The group's volume is the mean of its members'.
        house.api.do("volume.set", device="kitchen", level=0.2)
        house.api.do("volume.set", device="hall", level=0.6)
        true(group.wait_until(lambda s: s.has_volume(0.4)), "the mean")
        group.cast.set_volume(0.2)
        true(kitchen.wait_until(lambda s: s.has_volume(0.1)), "a member is turned down with the group")
        true(group.wait_until(lambda s: s.has_volume(0.2)), "the group's own")
        near(house.level("hall"), 0.3, "the other member")
        status = group.ask(zones, {"type": "GET_STATUS"}) or {}
        levels = {d["name"]: round(d["volume"]["level"], 3) for d in status["status"]["devices"]}
        same(levels, {"The kitchen": 0.1, "The hall": 0.3}, "MULTIZONE_STATUS")
        changed = group.ask(zones, {"type": "SET_DEVICE_VOLUME", "deviceId": ids["kitchen"], "volume": {"level": 0.5}}) or {}
        same(changed["type"], "MULTIZONE_STATUS", "the answer to a member's volume")
        true(kitchen.wait_until(lambda s: s.has_volume(0.5)), "the member's own volume")
        true(group.wait_until(lambda s: s.has_volume(0.4)), "the mean again")
        group.cast.set_volume_muted(True)
        true(kitchen.wait_until(lambda s: s.is_muted), "the group is muted")

        # What it plays.
        same((kitchen.ask(kitchen_zones, {"type": "GET_CASTING_GROUPS"}) or {})["status"]["groups"], [], "no group casts")
        group.media.play_media(FILM, "video/mp4", title="Film")
        true(group.wait_until(lambda s: s.status.player_state == "PLAYING"), "the group plays")
        true(kitchen.wait_until(lambda s: s.cast.app_id == FOLLOWER), "a member shows that")
        true(hall.wait_until(lambda s: s.cast.app_id == FOLLOWER), "and the other one")
        same(kitchen.cast.app_display_name, group.cast.app_display_name, "the name of the app")
        true(group.wait_until(lambda _: "PLAYING" in member.states), "the manager hands it to the member's listener")
        same(kitchen.status.player_state, "UNKNOWN", "the member itself has no media")
        groups = (kitchen.ask(kitchen_zones, {"type": "GET_CASTING_GROUPS"}) or {})["status"]["groups"]
        same([g["name"] for g in groups], ["The house"], "the groups that cast")
        # A launch at a member takes it from the group, which plays on.
        kitchen.cast.start_app("CC1AD845")
        true(kitchen.wait_until(lambda s: s.cast.app_id == "CC1AD845"), "an app of the member's own")
        same(group.cast.app_id, "CC1AD845", "the group's app")
        group.cast.quit_app()
        true(group.wait_until(lambda s: s.cast.app_id is None), "the group's app ends")
        true(hall.wait_until(lambda s: s.cast.app_id is None), "the other member's, too")


@row(643, way="yaml,cli")
def groups_are_checked(world: World) -> None:
    """What a group cannot be is said by castway check: unknown and relayed members, groups in groups, members named twice."""
    ports = {name: free_port() for name in ("hall", "lobby", "house")}

    def said(members: str) -> str:
        text = ("discovery: {mdns: {enabled: false}, static: [{name: wall, address: 192.0.2.1}]}\nvirtual_devices:\n"
                f'  - {{name: hall, listen: "127.0.0.1:{ports["hall"]}", target: local}}\n'
                f'  - {{name: lobby, listen: "127.0.0.1:{ports["lobby"]}", target: {{device: wall}}}}\n'
                f'  - {{name: house, listen: "127.0.0.1:{ports["house"]}", target: local, group: {{members: [{members}]}}}}\n')
        return world.gateway(f"check-{abs(hash(members))}", text).run("check", status=1)

    for members, code in {"attic": "CW1070", "lobby": "CW1073", "house": "CW1073", "hall, hall": "CW1059", "": "CW1052"}.items():
        true(code in said(members), f"{members or 'no members'}: {code}")


@row(147, way="api,cli,events,sender,yaml")
def members_at_run_time(world: World) -> None:
    """group.change adds members to a group that plays and removes some; senders and events tell; it holds until the file says something else."""
    with house_of(world, "changing") as house:
        manager = MultizoneManager()
        group, zones = house.sender("house", manager)
        attic, _ = house.sender("attic")
        kitchen, _ = house.sender("kitchen")
        group.media.play_media(FILM, "video/mp4", title="Film")
        true(kitchen.wait_until(lambda s: s.cast.app_id == FOLLOWER), "the group plays in the kitchen")
        zones.update_members()
        true(group.wait_until(lambda _: len(zones.members) == 2), "two members")
        with house.api.events("group.*") as events:
            changed = house.api.do("group.change", device="house", add=["attic"], remove=["kitchen"])
            same([m["device"] for m in changed["members"]], ["hall", "attic"], "the members")
            same(events.event("group.member_added", member="attic")["device"], "house", "the event")
            same(events.event("group.member_removed", member="kitchen")["device"], "house", "the other event")
        ids = house.members()
        true(group.wait_until(lambda _: set(zones.members) == set(ids.values())), "DEVICE_ADDED and DEVICE_REMOVED")
        true(attic.wait_until(lambda s: s.cast.app_id == FOLLOWER), "the new member plays at once")
        true(kitchen.wait_until(lambda s: s.cast.app_id is None), "the other one does no more")
        same(group.status.player_state, "PLAYING", "the group played all the time")

        house.api.refused("group.change", "not_a_group", 409, device="hall", add=["attic"])
        house.api.refused("group.change", "not_a_speaker", 409, device="house", add=["house"])
        house.api.refused("group.change", "unknown_device", 404, device="house", add=["cellar"])
        house.api.refused("group.change", "unknown_member", 404, device="house", remove=["kitchen"])
        house.api.refused("group.change", "member_count", 409, device="house", remove=["hall", "attic"])
        house.api.refused("group.change", "invalid_input", 422, device="house")
        same([m["device"] for m in house.gateway.call("group.members", "device=house")["members"]], ["hall", "attic"], "as before")

        # A reload that says nothing new of the members leaves them; another list puts the file in force.
        house.api.do("config.reload")
        same(list(house.members()), ["hall", "attic"], "the members after a reload")
        house.gateway.write(house.configuration("kitchen"))
        with house.api.events("group.*") as events:
            house.api.do("config.reload")
            events.event("group.member_added", member="kitchen")
        same(list(house.members()), ["kitchen"], "the members of the file")
        true(kitchen.wait_until(lambda s: s.cast.app_id == FOLLOWER), "it plays again")
