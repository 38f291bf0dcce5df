"""Devices that are not Castway's come, change and go, and `castway devices` follows."""

from __future__ import annotations

from lab import Lab, expect, main

ID = "0123456789abcdef0123456789abcdef"
GROUP = "89abcdef-0123-4567-89ab-cdef01234567"
SCREEN = {"ve": "05", "md": "Chromecast Ultra", "ca": "4101", "ic": "/setup/icon.png"}
HOUSE = {"ve": "05", "md": "Google Cast Group", "ca": "198692", "fn": "House", "cd": GROUP, "id": GROUP}


def scenario() -> None:
    with Lab(3) as lab:
        watch = lab.watch(3)
        screen = lab.device(1, f"Chromecast-Ultra-{ID}", 8009, id=ID.upper(), fn="Hall", st="0", rs="", **SCREEN)
        found = watch.device(friendlyName="Hall", addresses=["10.77.0.1:8009", "[fd77::1]:8009"])
        expect(found["deviceId"] == ID, f"its id: {found}")
        expect(found["networkAddress"] == "10.77.0.1", f"IPv4 comes first: {found}")
        expect(found["type"] == "tv" and found["status"] == "idle", f"what it is: {found}")

        # Whoever asks once sees the same.
        table = lab.on(3, lab.castway, "devices", "--timeout", "2", "--config", lab.configuration("once", "{}"))
        expect("Hall" in table and ID in table, f"the table: {table}")
        denied = lab.configuration("denied", "discovery: {deny: [H*]}")
        table = lab.on(3, lab.castway, "devices", "--timeout", "2", "--config", denied)
        expect("No devices." in table, f"the table without it: {table}")

        # The daemon takes no other record under the name before it is withdrawn; a device restarts like that.
        screen.stop()
        screen = lab.device(1, f"Chromecast-Ultra-{ID}", 8010, id=ID, fn="Great hall", st="1", rs="Film", **SCREEN)
        renamed = watch.device(friendlyName="Great hall", servicePort=8010)
        expect(renamed["deviceId"] == ID, f"it is the same: {renamed}")
        expect(renamed["status"] == "busy" and renamed["statusText"] == "Film", f"what it does: {renamed}")

        lab.address(1, "del", "10.77.0.1/24")
        lab.address(1, "add", "10.77.0.41/24")
        watch.device(friendlyName="Great hall", addresses=["10.77.0.41:8010", "[fd77::1]:8010"])

        # A group: for a moment there are two leaders, then only the new one (protocol notes, 9, quirk 1).
        plain = GROUP.replace("-", "")
        first = lab.device(1, f"Google-Cast-Group-{plain}", 42539, **HOUSE)
        group = watch.device(friendlyName="House", networkAddress="10.77.0.41")
        expect(group["deviceId"] == plain and group["type"] == "speaker_group", f"the group: {group}")
        lab.device(2, f"Google-Cast-Group-{plain}-1", 42539, **HOUSE)
        both = watch.device(friendlyName="House", networkAddress="10.77.0.2")
        expect("10.77.0.41:42539" in both["addresses"], f"the old leader: {both}")
        first.stop()
        alone = watch.device(friendlyName="House", addresses=["10.77.0.2:42539", "[fd77::2]:42539"])
        expect(alone["host"] == "host-2.local", f"the new leader: {alone}")

        screen.stop()
        watch.gone(renamed)


if __name__ == "__main__":
    main(scenario)
