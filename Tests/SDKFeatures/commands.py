"""Rows by further ways in: events at the terminal, and MQTT with Mosquitto."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from typing import Any

from api import PATIENCE
from gateway import end_with_parent, free_port
from registry import row, same, true
from world import FILM, MEDIA_APP, QUIZ, QUIZ_APP, World


@row(41, 50, 45, 46, way="cli,events")
def devices_at_the_terminal(world: World) -> None:
    """castway events --follow prints devices that come and go."""
    with world.near.follow("events", "--follow", "--json", "--type", "device.*") as lines:
        lines.line('"synced"')
        world.reload(static={"late": world.ports["cellar"]})
        inserted = json.loads(lines.line('"device.inserted"'))
        same((inserted["device"], inserted["data"]["device"]["friendlyName"]), ("late", "late"), "the device")
        world.reload()
        lines.line('"device.removed"')


@row(233, 116, way="cli,sender")
def watching_at_the_terminal(world: World) -> None:
    """castway cast watch prints what changes: volume, app, what plays."""
    with world.near.follow("cast", f"127.0.0.1:{world.ports['hall']}", "watch", "--json") as lines:
        world.play("hall")
        lines.line("PLAYING")
        world.api.do("volume.set", device="hall", level=0.35)
        lines.line("RECEIVER_STATUS")


@row(47, 53, 76, way="cli")
def lists_at_the_terminal(world: World) -> None:
    """castway status, sessions and senders show what runs."""
    world.play()
    world.sender("hall")
    true("tv" in world.near.output("sessions") and "CC1AD845" in world.near.output("sessions", "--json"), "castway sessions")
    true("127.0.0.1" in world.near.output("senders"), "castway senders")
    status = world.near.output("status")
    true("hall" in status and "tv" in status, "castway status")


class Broker:
    """Mosquitto on loopback, and a client of it."""

    def __init__(self, world: World) -> None:
        from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5

        self.port = free_port()
        folder = world.folder / "broker"
        folder.mkdir(exist_ok=True)
        user = "user root\n" if os.getuid() == 0 else ""
        (folder / "mosquitto.conf").write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n{user}")
        with (folder / "log").open("ab") as log:
            self._process = subprocess.Popen(["mosquitto", "-c", str(folder / "mosquitto.conf")], stdout=log, stderr=log,
                                             preexec_fn=end_with_parent)
        self._news = threading.Condition()
        self.topics: dict[str, list[Any]] = {}
        self._client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
        self._client.on_message = self._take
        self._client.on_connect = lambda client, *_: client.subscribe("#")

    def __enter__(self) -> Broker:
        # It listens some time after it was started; the client tries again until then.
        self._client.reconnect_delay_set(1, 1)
        self._client.connect_async("127.0.0.1", self.port)
        self._client.loop_start()
        return self

    def __exit__(self, *_: object) -> None:
        self._client.loop_stop()
        self._process.terminate()
        self._process.wait(timeout=PATIENCE)

    def _take(self, _client: object, _data: object, message: Any) -> None:
        with self._news:
            self.topics.setdefault(message.topic, []).append(message.payload.decode())
            self._news.notify_all()

    def wait(self, topic: str, part: str) -> str:
        """Waits for a payload of a topic that has a text in it."""
        found: list[str] = []

        def look() -> bool:
            found[:] = [payload for payload in self.topics.get(topic, []) if part in payload]
            return bool(found)

        with self._news:
            if not self._news.wait_for(look, timeout=PATIENCE):
                raise AssertionError(f"{topic} had no {part!r}: {self.topics.get(topic)}; topics: {sorted(self.topics)[:20]}")
        return found[-1]

    def say(self, topic: str, payload: str) -> None:
        self._client.publish(topic, payload, qos=1)


@row(12, 81, 88, 160, 161, 191, 236, 237, 238, 239, 342, 348, way="mqtt,api,yaml")
def broker(world: World) -> None:
    """Over MQTT devices are launched, loaded, played and made louder; state, media, events and messages of apps are topics."""
    if not shutil.which("mosquitto"):
        raise AssertionError("Mosquitto is not installed")
    with Broker(world) as mqtt:
        world.reload(sections=(
            f"bridges: {{mqtt: {{url: 'mqtt://127.0.0.1:{mqtt.port}', scopes: [read, control, messages], events: ['session.*']}}}}\n"
            f'channels: [{{namespace: "{QUIZ}", devices: [hall], deliver: [{{mqtt: true}}], direction: both, accept: [api, mqtt]}}]\n'))
        top = "castway/near"
        mqtt.wait(f"{top}/bridge/state", "online")
        mqtt.say(f"{top}/device/hall/cmd/launch", MEDIA_APP)
        mqtt.wait(f"{top}/device/hall/state", MEDIA_APP)
        mqtt.say(f"{top}/device/hall/cmd/load", FILM)
        mqtt.wait(f"{top}/device/hall/media", '"playing"')
        mqtt.say(f"{top}/device/hall/cmd/pause", "")
        mqtt.wait(f"{top}/device/hall/media", '"paused"')
        mqtt.say(f"{top}/device/hall/cmd/seek", "200")
        mqtt.wait(f"{top}/device/hall/media", '"position":200')
        mqtt.say(f"{top}/device/hall/cmd/volume", "0.25")
        mqtt.wait(f"{top}/device/hall/state", '"volume":0.25')
        mqtt.say(f"{top}/device/hall/cmd/volume", "up")
        mqtt.wait(f"{top}/device/hall/state", '"volume":0.3')
        mqtt.say(f"{top}/device/hall/cmd/stop", "")
        mqtt.wait(f"{top}/device/hall/media", '"idle"')
        same(world.api.do("device.get", device="hall")["virtual_device"]["apps"][0]["app"], MEDIA_APP, "the app stays")
        mqtt.say(f"{top}/device/hall/cmd/launch", QUIZ_APP)
        mqtt.wait(f"{top}/device/hall/event", "session.started")
        mqtt.wait(f"{top}/device/hall/state", QUIZ_APP)
        with world.api.events(namespaces=(QUIZ,)) as events:
            mqtt.say(f"{top}/device/hall/msg/tx/com.example.quiz", json.dumps({"payload": {"type": "BY_MQTT"}}))
            events.wait(lambda f: f.get("type") == "channel.message" and f["data"].get("json", {}).get("type") == "BY_MQTT", "tx")
        sender = world.sender("hall")
        true(sender.wait_until(lambda s: QUIZ in s.cast.socket_client.app_namespaces), "the app runs")
        sender.cast.socket_client.send_app_message(QUIZ, {"type": "BY_SENDER"})
        mqtt.wait(f"{top}/device/hall/msg/rx/com.example.quiz", "BY_SENDER")
        mqtt.say(f"{top}/rpc/media.status", json.dumps({"device": "hall", "reply_to": f"{top}/rpc-reply/me", "id": "1"}))
        mqtt.wait(f"{top}/rpc-reply/me", '"ok"')
