"""A gateway's virtual devices are announced, follow their apps and their configuration, and say goodbye."""

from __future__ import annotations

import hashlib

from lab import Lab, expect, main

MEDIA = "_%9E5E7C8F47989526C9BCD95D24084F6F0B27C5ED._sub._googlecast._tcp"
ORDER = "id cd rm ve md ic fn ca st bs nf rs cw"


def configuration(hall: str = "Great hall", publish: str = "true", bath: bool = True) -> str:
    devices = [
        f'{{name: hall, friendly_name: {hall}, listen: "0.0.0.0:8009", publish: {publish}, target: local, '
        "apps: {CC1AD845: {player: simulated}, ABCD1234: {namespaces: ['urn:x-cast:com.example.quiz']}}}"
    ]
    if bath:
        devices.append('{name: bath, friendly_name: Bath, model: Nest Mini, listen: "10.77.0.1:8010", target: local}')
    devices.append('{name: own, friendly_name: Own, listen: "127.0.0.1:8011", target: local}')
    return "virtual_devices: [" + ", ".join(devices) + "]"


def scenario() -> None:
    with Lab(2) as lab:
        watch = lab.watch(2)
        gateway = lab.gateway(1, "first", configuration())
        hall = watch.device(friendlyName="Great hall")
        bath = watch.device(friendlyName="Bath")

        records = lab.records(2)
        expect(sorted(records) == ["Bath", "Great hall"], f"who is announced: {sorted(records)}")
        record = records["Great hall"]
        expect(record["order"] == ORDER, f"the record's order: {record}")
        expect(record["ve"] == "05" and record["ca"] == "4101" and record["nf"] == "1", f"the record: {record}")
        expect(record["st"] == "0" and record["rs"] == "", f"the record at rest: {record}")
        expect(len(record["id"]) == 32 and len(record["cd"]) == 32 and len(record["bs"]) == 12, f"digits: {record}")
        expect(record["instance"] == f"Chromecast-{hall['deviceId']}", f"the instance: {record}")
        expect(records["Bath"]["instance"].startswith("Nest-Mini-"), f"another instance: {records['Bath']}")
        # It listens on one address, which gets a name of its own.
        expect(records["Bath"]["address"] == "10.77.0.1", f"its address: {records['Bath']}")
        expect(records["Bath"]["host"].replace("-", "") == f"{bath['deviceId']}.local", f"its host: {records['Bath']}")
        expect(sorted(lab.records(2, MEDIA)) == ["Bath", "Great hall"], "who answers to the media subtype")
        expect(sorted(lab.records(2, "_ABCD1234._sub._googlecast._tcp")) == ["Great hall"], "who has the app")

        # The record follows the app.
        lab.on(2, lab.castway, "cast", "10.77.0.1", "load", "http://192.0.2.1/film.mp4", "--title", "Film")
        watch.device(friendlyName="Great hall", status="busy", statusText="Casting: Film")
        lab.on(2, lab.castway, "cast", "10.77.0.1", "launch", "ABCD1234")
        watch.device(friendlyName="Great hall", status="busy", statusText="ABCD1234")
        quiz = f"_%{hashlib.sha1(b'urn:x-cast:com.example.quiz').hexdigest().upper()}"
        expect(sorted(lab.records(2, f"{quiz}._sub._googlecast._tcp")) == ["Great hall"], "the app's namespace")
        lab.on(2, lab.castway, "cast", "10.77.0.1", "quit")
        watch.device(friendlyName="Great hall", status="idle", statusText="")

        # And the configuration: renamed, not announced any more, removed.
        lab.reload(1, "first", configuration(hall="Small hall"))
        watch.device(friendlyName="Small hall", deviceId=hall["deviceId"])
        lab.reload(1, "first", configuration(hall="Small hall", publish="false"))
        watch.gone(hall)
        lab.reload(1, "first", configuration(hall="Tall hall", bath=False))
        watch.gone(bath)
        hall = watch.device(friendlyName="Tall hall", deviceId=hall["deviceId"])

        expect(gateway.stop() == 0, "the gateway's end")
        watch.gone(hall)


if __name__ == "__main__":
    main(scenario)
