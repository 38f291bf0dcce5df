"""Two gateways give every device of the network a virtual device, and do not copy each other's."""

from __future__ import annotations

import json

from lab import Lab, expect, main

NOWHERE = f"{9:032x}"
SCREEN = {"ve": "05", "md": "Chromecast Ultra", "ca": "4101", "ic": "/setup/icon.png", "bs": "FA8FCA8286C5"}
PORTS = (8009, 8019, 8029, 8039)
# What stands behind the announcements: it answers as devices do, and announces nothing itself.
DEVICES = "discovery: {mdns: {enabled: false}}\nvirtual_devices:\n" + "".join(
    f'  - {{name: device-{port}, listen: "0.0.0.0:{port}", target: local, publish: false}}\n' for port in PORTS
)


def configuration(name: str, more: str = "") -> str:
    return f"""discovery:
  virtual_devices:
    at_most: 4
    ports: 8100-8109
    friendly_name: "{{name}} by {name}"
    grace: 1s
    {more}
virtual_devices:
  - {{name: lounge, friendly_name: Lounge by {name}, listen: "0.0.0.0:8009", target: {{device: Lounge}}}}
  - {{name: own, friendly_name: Own of {name}, listen: "0.0.0.0:8010", target: local}}
"""


def virtual_devices(lab: Lab, host: int, name: str) -> dict[str, dict]:
    """What the gateway says of its virtual devices, those of the template alone, by the id of the device behind."""
    path = str(lab.folder / f"{name}.yaml")
    answer = json.loads(lab.on(host, lab.castway, "virtual-device", "list", "--json", "--config", path))
    return {device["device_id"]: device for device in answer["virtual_devices"] if device["origin"] == "template"}


def identities(lab: Lab) -> list[str]:
    """The ids that the devices answer with, by their ports: one that announces another is not the device that is meant."""
    path = str(lab.folder / "devices.yaml")
    shown = json.loads(lab.on(1, lab.castway, "identity", "show", "--json", "--config", path))
    ids = {device["name"]: device["id"] for device in shown["devices"]}
    return [ids[f"device-{port}"] for port in PORTS]


def scenario() -> None:
    with Lab(4) as lab:
        lab.gateway(1, "devices", DEVICES).message("Listening")
        ids = identities(lab)
        names = ["Hall", "Office", "Lounge"]
        devices = {}
        for number, name in enumerate(names):
            devices[name] = lab.device(
                1, f"Chromecast-Ultra-{ids[number]}", PORTS[number], id=ids[number], fn=name, st="0", rs="", **SCREEN,
            )  # fmt: skip
        # Announced, but at a port where nothing answers.
        lab.device(1, f"Chromecast-Ultra-{NOWHERE}", 7, id=NOWHERE, fn="Nowhere", st="0", rs="", **SCREEN)

        watch = lab.watch(4)
        first = lab.gateway(2, "first", configuration("first"))
        second = lab.gateway(3, "second", configuration("second"))
        wanted = {f"{name} by {gateway}" for name in names for gateway in ("first", "second")}
        wanted |= set(names) | {"Nowhere", "Own of first", "Own of second"}
        watch.until(
            lambda seen: {device["friendlyName"] for device in seen.values()} == wanted,
            "one virtual device of each gateway for each device", seconds=90,
        )  # fmt: skip

        # A device more, which both find after everything that they could copy of each other.
        devices["Attic"] = lab.device(
            1, f"Chromecast-Ultra-{ids[3]}", 8039, id=ids[3], fn="Attic", st="0", rs="", **SCREEN
        )
        wanted |= {"Attic", "Attic by first", "Attic by second"}
        watch.until(
            lambda seen: {device["friendlyName"] for device in seen.values()} == wanted, "the fourth", seconds=60
        )
        # Everything there is has been heard for longer than a new device has to settle, and is still all that there is.
        records = lab.records(4)
        expect(set(records) == wanted, f"who is announced: {sorted(records)}")
        expect("cw" in records["Hall by first"], f"the mark: {records['Hall by first']}")
        before = {}
        for host, name in ((2, "first"), (3, "second")):
            before[name] = virtual_devices(lab, host, name)
            # The lounge has a configured one.
            expect(
                set(before[name]) == {ids[0], ids[1], ids[3]}, f"{name} has these: {before[name]}"
            )
            expect(len({device["listen"] for device in before[name].values()}) == 3, f"ports: {before[name]}")

        # A device that goes is withdrawn by both, and has its old place when it is back.
        hall = watch.device(friendlyName="Hall by first")
        devices.pop("Hall").stop()
        watch.gone(hall)
        first.message("The device behind a virtual device is gone")
        second.message("The device behind a virtual device is gone")
        expect(virtual_devices(lab, 2, "first")[ids[0]]["state"] == "away", "it is away")
        lab.device(1, f"Chromecast-Ultra-{ids[0]}", 8009, id=ids[0], fn="Hall", st="0", rs="", **SCREEN)
        again = watch.device(friendlyName="Hall by first", deviceId=hall["deviceId"])
        expect(again["servicePort"] == hall["servicePort"], f"its port: {again}")

        # The same after a restart.
        expect(first.stop() == 0, "the end of the first gateway")
        watch.gone(again)
        first = lab.gateway(2, "first", configuration("first"))
        again = watch.device(friendlyName="Hall by first", deviceId=hall["deviceId"])
        expect(again["servicePort"] == hall["servicePort"], f"its port after a restart: {again}")

        # Without the template all of them end, and with it they are the same again.
        lab.reload(2, "first", "virtual_devices: []")
        watch.gone(again)
        lab.reload(2, "first", configuration("first"))
        again = watch.device(friendlyName="Hall by first", deviceId=hall["deviceId"])
        expect(again["servicePort"] == hall["servicePort"], f"its port after a reload: {again}")
        expect(
            {key: value["listen"] for key, value in virtual_devices(lab, 3, "second").items()}
            == {key: value["listen"] for key, value in before["second"].items()},
            "the other gateway has stayed as it was",
        )

        # What is away makes room by command.
        attic = watch.device(friendlyName="Attic by second")
        devices.pop("Attic").stop()
        watch.gone(attic)
        path = str(lab.folder / "second.yaml")
        said = lab.on(3, lab.castway, "virtual-device", "forget", "--away", "--config", path)
        expect(said == f"{before['second'][ids[3]]['name']} is forgotten\n", f"what is forgotten: {said}")
        said = lab.on(3, lab.castway, "virtual-device", "forget", "--away", "--config", path)
        expect(said == "None is away.\n", f"nothing is left to forget: {said}")
        expect(set(virtual_devices(lab, 3, "second")) == {ids[0], ids[1]}, "the others have stayed")


if __name__ == "__main__":
    main(scenario)
