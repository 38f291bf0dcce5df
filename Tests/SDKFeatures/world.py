"""The gateways that the checks use, one behind the other, with a wiretap between them.

    senders ─► near: hall (plays itself), lobby (relays to stage, which plays), attic (relays to far's porch)
               near's own sessions ─► tv (far's den, through the wiretap), kitchen, fixed
               far: den, kitchen, cellar and fixed play themselves; porch relays to cellar
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

from api import Api, Events, Refusal
from gateway import Gateway, free_port
from wiretap import Wiretap

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "InteropTests" / "Drivers"))

from sender import Sender

Json = dict[str, Any]
MEDIA_APP, QUIZ_APP, TV_APP, OTHER_APP, FLOW_APP = "CC1AD845", "ABCD1234", "AAAA7777", "BBBB2222", "CCCC3333"
QUIZ, ECHO = "urn:x-cast:com.example.quiz", "urn:x-cast:com.example.echo"
MEDIA, RECEIVER = "urn:x-cast:com.google.cast.media", "urn:x-cast:com.google.cast.receiver"
FILM = "http://192.0.2.9/film.mp4"

CHANNELS = f'channels: [{{namespace: "{ECHO}", devices: [hall, stage], handler: echo}}]\n'

FAILURES = {
    100: "GENERIC_LOAD_ERROR", 101: "APP_ERROR", 102: "NOT_SUPPORTED", 103: "SKIP_LIMIT_REACHED", 110: "CONTENT_FILTERED",
    200: "AUTHENTICATION_EXPIRED", 201: "PREMIUM_ACCOUNT_REQUIRED", 202: "PARENTAL_CONTROL_RESTRICTED",
    203: "CONCURRENT_STREAM_LIMIT", 301: "NOT_AVAILABLE_IN_REGION", 311: "CONTENT_ALREADY_PLAYING", 321: "VIDEO_DEVICE_REQUIRED",
    331: "LANGUAGE_NOT_SUPPORTED", 411: "DUPLICATE_REQUEST_ID", 412: "END_OF_QUEUE", 421: "INVALID_COMMAND",
    431: "INVALID_MEDIA_SESSION_ID", 500: "INVALID_PARAMS", 600: "INVALID_REQUEST", 905: "CANCELLED",
}
"""Reasons that the media app fails with, each with one of the detailed codes, at addresses that have the code."""
_FAILURES = "".join(f'            - {{match: "*fails-{code}-*", reason: {reason}, detailed_error_code: {code}}}\n'
                    for code, reason in FAILURES.items())

FAST = "load_delay: 5ms, buffering: 5ms, launch_delay: 1ms"
APPS = f"""\
    apps:
      CC1AD845:
        player: simulated
        icon_url: http://192.0.2.9/icon.png
        options:
          {FAST.replace(', ', chr(10) + '          ')}
          failures:
{_FAILURES}            - {{match: "*missing*", detailed_error_code: 104}}
            - {{match: "*drm*", reason: AUTHENTICATION_EXPIRED, detailed_error_code: 200}}
            - {{match: "*flaky*", when: playback, detailed_error_code: 103}}
      ABCD1234: {{name: Quiz, namespaces: ["{QUIZ}", "{ECHO}"], status_text: Quiz time, options: {{launch_delay: 1ms}}}}
      BBBB2222: {{name: Other, player: simulated, options: {{load_delay: 300ms, buffering: 5ms, launch_delay: 1ms}}}}
      CCCC3333: {{name: Flow, player: simulated, namespaces: ["{QUIZ}", "{ECHO}"], options: {{{FAST}}}}}
      AAAA7777: {{name: Television, type: ANDROID_TV, player: simulated, options: {{{FAST}}}}}
      AAAA0001: {{name: Refused, launch: not_allowed, options: {{launch_delay: 1ms}}}}
      AAAA0002: {{name: Not there, launch: not_found}}
      AAAA0003: {{name: Cancelled, launch: cancelled, options: {{launch_delay: 1ms}}}}
"""


def settle(api: Api, device: str, state: str) -> None:
    """Waits until a device plays, or is paused: loads and jumps are answered when the device begins with them."""
    with api.events("media.session_status", "media.status", devices=(device,)) as events:
        events.wait(lambda f: (f.get("data", {}).get("status") or {}).get("playerState") == state, f"{device} is {state}")


class World:
    """Both gateways, and all that the checks take from them. They are started once for all checks."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self.binary, self.folder = binary, folder
        self.ports = {name: free_port() for name in (
            "den", "kitchen", "cellar", "porch", "fixed", "hall", "stage", "lobby", "attic", "setup", "setups")}
        self.far = Gateway(binary, folder / "far", "far", self._far())
        self.tap = Wiretap(folder, self.ports["den"])
        self.near = Gateway(binary, folder / "near", "near", self.near_configuration())
        self.api: Api = self.near.api
        self._senders: list[Sender] = []
        self._others: list[Gateway] = []

    def _local(self, name: str, more: str = "") -> str:
        return (f'  - name: {name}\n    friendly_name: The {name}\n    listen: "127.0.0.1:{self.ports[name]}"\n    publish: false\n'
                f"    target: local\n{more}{APPS}")

    def _relay(self, name: str, device: str) -> str:
        return (f'  - name: {name}\n    friendly_name: The {name}\n    listen: "127.0.0.1:{self.ports[name]}"\n    publish: false\n'
                f"    target: {{device: {device}}}\n")

    def _static(self, devices: dict[str, int], more: str = "") -> str:
        return (f"discovery:\n  mdns: {{enabled: false}}\n{more}  static:\n" + "".join(
            f'    - {{name: {name}, address: "127.0.0.1:{port}"}}\n' for name, port in devices.items()))

    def _far(self) -> str:
        return ("connections:\n  reconnect: {initial: 50ms, max: 500ms}\n  verify_device_certificate: off\n"
                + self._static({"cellar-screen": self.ports["cellar"]}) + "virtual_devices:\n"
                + self._local("den", "    backdrop: true\n    idle_timeout: 10m\n") + self._local("kitchen") + self._local("cellar")
                + self._local("fixed", "    volume: {control: fixed, level: 1}\n") + self._relay("porch", "cellar-screen")
                + f'channels: [{{namespace: "{ECHO}", devices: [den, kitchen, cellar], handler: echo}}]\n')

    def near_configuration(self, *, discovery: str = "", sections: str = "", sessions: str = "suspend_after: 1s",
                           static: dict[str, int] | None = None, log: str = "level: info") -> str:
        """gateway.yaml of the near gateway; a check that reloads puts further lines into it."""
        devices = {"tv": self.tap.port, "kitchen": self.ports["kitchen"], "fixed": self.ports["fixed"],
                   "chain": self.ports["porch"], "screen": self.ports["stage"]} | (static or {})
        return (f"log: {{format: json, {log}}}\n"
                "connections:\n  reconnect: {initial: 50ms, max: 500ms}\n  dial_timeout: 2s\n"
                "  verify_device_certificate: off\n  heartbeat: {interval: 1s, timeout: 3s}\n"
                f"sessions: {{{sessions}}}\n" + self._static(devices, discovery) + "virtual_devices:\n"
                + self._local("hall", f'    setup: {{http: "127.0.0.1:{self.ports["setup"]}", '
                                      f'https: "127.0.0.1:{self.ports["setups"]}"}}\n')
                + self._local("stage") + self._relay("lobby", "screen") + self._relay("attic", "chain")
                + ("" if "channels:" in sections else CHANNELS) + sections)

    def start(self) -> None:
        # Each makes keys for seconds, and can do so beside the other.
        for gateway in (self.far, self.near):
            gateway.launch()
        for gateway in (self.far, self.near):
            gateway.until_ready()
        with self.api.events("device.online") as events:
            for name in ("tv", "kitchen", "fixed", "chain", "screen"):
                self._until_online(events, name)

    def _until_online(self, events: Events, name: str) -> None:
        events.wait(lambda frame: frame.get("type") == "device.online" and frame.get("device") == name, f"{name} is online")

    def end(self) -> None:
        self.leave()
        self.tap.cut()
        for gateway in (self.near, self.far):
            gateway.end()

    def leave(self) -> None:
        """Ends what a check has left: senders, further gateways."""
        for sender in self._senders:
            with contextlib.suppress(Exception):
                sender.cast.disconnect(timeout=5)
        self._senders.clear()
        for gateway in self._others:
            gateway.end()
        self._others.clear()
        self.tap.withheld.clear()
        self.tap.mend()

    def restore(self, configuration: str) -> str | None:
        """Ends what a check has left, and puts the near gateway back to a configuration. What a gateway did that ended by itself."""
        self.leave()
        ended = [gateway for gateway in (self.near, self.far) if not gateway.is_alive]
        for gateway in ended:
            if gateway is self.near:
                gateway.write(configuration)
            gateway.start()
        if self.near.configuration != configuration:
            self.near.write(configuration)
            try:
                self.near.api.do("config.reload")
            except (AssertionError, Refusal, OSError) as error:
                self.near.end()
                self.near.start()
                return f"the configuration does not come back: {error}"
        return f"{ended[0].name} ended: {ended[0].log()[-500:]}" if ended else None

    # What checks take.

    def sender(self, device: str = "hall") -> Sender:
        """An unmodified pychromecast that is connected to a virtual device."""
        sender = Sender("features", self.ports[device])
        self._senders.append(sender)
        sender.connect()
        return sender

    def gateway(self, name: str, configuration: str) -> Gateway:
        """One more gateway, not started, that ends with the check."""
        gateway = Gateway(self.binary, self.folder / name, name, configuration)
        self._others.append(gateway)
        return gateway

    def tidy(self, *devices: str) -> None:
        """Ends sessions and apps, so that a check begins with idle devices."""
        for session in self.api.do("sessions.list")["sessions"]:
            if session["kind"] == "real":
                self.api.call("session.end", session=session["id"], stop=True)
        for gateway in (self.near, self.far):
            for device in gateway.api.do("virtual_devices.list")["virtual_devices"]:
                if device["name"] in devices or not devices:
                    gateway.api.call("virtual_device.stop", device=device["name"])

    def play(self, device: str = "tv", url: str = FILM, **more: Any) -> Json:
        """Loads a film on a device, with the default media app; gives the answer of media.load."""
        return self.api.do("media.load", device=device, url=url, content_type="video/mp4", app=MEDIA_APP, **more)

    def reload(self, **changes: Any) -> Json:
        """Puts the near gateway's configuration with changes in force; without any, the first one again."""
        self.near.write(self.near_configuration(**changes))
        return self.near.api.do("config.reload")
