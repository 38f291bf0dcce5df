"""Rows of device categories: devices of the gateway's own search, and those that a plugin names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from gateway import Gateway
from registry import has, row, same, true
from world import QUIZ_APP, World

ANNEX = "plugin:annex"
PLUGIN = Path(__file__).resolve().parents[2] / "Plugins" / "device-file"


def annexed(world: World) -> Gateway:
    """A gateway with one device of the file, and one that a plugin names; not started."""
    gateway = world.gateway("annexed", "\n".join([
        "connections: {verify_device_certificate: off}",
        f'discovery: {{mdns: {{enabled: false}}, static: [{{name: screen, address: "127.0.0.1:{world.ports["kitchen"]}"}}]}}',
        'launch: {language: en-US, categories: [{category: "plugin:annex", language: de-DE}]}',
        "virtual_devices: [{name: own, listen: \"127.0.0.1:0\", publish: false, target: local}]",
        "plugins:", "  directory: plugins",
        "  instances:",
        "    - {name: annex, plugin: device-file, start_timeout: 60s, grant: {provides: [devices]}, config: {interval: 0.1}}"]) + "\n")
    shutil.copytree(PLUGIN, gateway.folder / "plugins" / "device-file", ignore=shutil.ignore_patterns("tests", "__pycache__"))
    folder = gateway.folder
    for name in ("state", "plugins", "annex"):
        folder = folder / name
        folder.mkdir(mode=0o700)
    devices = [{"name": "annex-hall", "address": "127.0.0.1", "port": world.ports["cellar"]}]
    (folder / "devices.json").write_text(json.dumps(devices))
    return gateway


def has_device(frame: dict[str, Any]) -> bool:
    return frame.get("device") == "annex-hall" and isinstance(frame.get("data", {}).get("device"), dict)


@row(33, 75, 113, way="yaml,api,events,cli")
def devices_of_a_plugin(world: World) -> None:
    """Devices, sessions and their events say whose device it is, so readers tell them apart; launches have defaults of their own by category."""
    gateway = annexed(world)
    gateway.start()
    api = gateway.api
    with api.events("device.*", "session.*", "launch.*") as events:
        device = events.wait(has_device, "the plugin's device")["data"]["device"]
        has(device, {"category": ANNEX, "uniqueId": f"{ANNEX}:static:annex-hall", "source": ANNEX}, "the event of the device")
        listed = api.do("devices.list")
        same({d["name"]: d["category"] for d in listed["devices"]}, {"screen": "cast", "annex-hall": ANNEX}, "devices.list")
        same([d["category"] for d in listed["virtual_devices"]], ["virtual"], "the virtual device")
        same(api.do("device.get", device=device["uniqueId"])["device"]["name"], "annex-hall", "the device of the unique id")
        place = events.mark()
        annex = api.do("session.start", device="annex-hall", app=QUIZ_APP)
        cast = api.do("session.start", device="screen", app=QUIZ_APP)
        same((annex["category"], cast["category"]), (ANNEX, "cast"), "the answers")
        same({s["device"]: s["category"] for s in api.do("sessions.list")["sessions"]},
             {"annex-hall": ANNEX, "screen": "cast"}, "sessions.list")
        for session in (annex, cast):
            events.event("session.did_start", place, session=session["id"])
        told = [f for f in events.frames[place:] if str(f.get("type", "")).startswith("session.") and "frame" not in f]
        same({f["device"] for f in told if f["data"]["category"] == "cast"}, {"screen"}, "what a reader of Cast sessions keeps")
        true({f["type"] for f in told if f["data"]["category"] == ANNEX} >= {"session.will_start", "session.did_start"}, "the others")
        same([api.do("session.get", session=s["id"])["options"]["language"] for s in (annex, cast)], ["de-DE", "en-US"],
             "the language of the category, and that of all")

        chosen = api.do("launch.set", category=ANNEX, sender_name="Annex", keep=True)
        has(next(c for c in chosen["categories"] if c["category"] == ANNEX),
            {"language": "de-DE", "sender_name": "Annex", "set": ["sender_name"], "kept": ["sender_name"]}, "the category")
        same((chosen["set"], chosen["sender_name"]), ([], "The annexed one"), "what holds for all")
        same(events.event("launch.changed")["data"], {"keys": ["sender_name"], "category": ANNEX}, "launch.changed")
        api.refused("launch.set", "unknown_category", 404, category="plugin:anex", language="fr-FR")
        api.refused("launch.set", "invalid_input", 422, category=ANNEX, receiver_app=QUIZ_APP)
        for session in (annex, cast):
            api.do("session.end", session=session["id"], stop=True)
        again = api.do("session.start", device="annex-hall", app=QUIZ_APP)
        same(api.do("session.get", session=again["id"])["options"]["sender_name"], "Annex", "the name of the next launch")
        api.do("session.end", session=again["id"], stop=True)
    gateway.stop()
    gateway.start()
    kept = json.loads(gateway.output("call", "launch.get"))["categories"]
    same([(c["category"], c["kept"]) for c in kept], [(ANNEX, ["sender_name"])], "what is kept")
    reset = gateway.api.do("launch.reset", category=ANNEX)["categories"]
    same([(c["sender_name"], c["set"], c["language"]) for c in reset], [("The annexed one", [], "de-DE")], "back to the file")
    text = gateway.configuration.replace("category: \"plugin:annex\"", "category: \"plugin:anex\"")
    (gateway.folder / "wrong.yaml").write_text("version: 1\n" + text)
    true("plugin 'anex'" in gateway.run("check", "wrong.yaml", status=1), "castway check names a plugin that is not there")
