"""pychromecast as the subject: matrix_client.py FRIENDLY_NAME mdns | matrix_client.py FRIENDLY_NAME ADDRESS.

Finds the device, joins what plays, and asks all the time. Prints a JSON object for everything that it sees.
"""

from __future__ import annotations

import json
import sys
import threading
import time
import uuid

import pychromecast
import zeroconf
from pychromecast.controllers import BaseController
from pychromecast.models import CastInfo, HostServiceInfo

NUMBERS = "urn:x-cast:com.example.quiz"
_lock = threading.Lock()


def say(what: str, **more: object) -> None:
    with _lock:
        print(json.dumps({"t": time.monotonic(), "what": what, **more}), flush=True)


class Numbers(BaseController):
    """Hears the numbered events."""

    def __init__(self) -> None:
        super().__init__(NUMBERS)

    def receive_message(self, _message: object, data: dict) -> bool:
        if "n" in data:
            say("event", n=data["n"])
        return True




def find(name: str, where: str) -> pychromecast.Chromecast:
    if where != "mdns":
        info = CastInfo({HostServiceInfo(where, 8009)}, uuid.uuid4(), "Chromecast", name, where, 8009, "cast", "x")
        return pychromecast.get_chromecast_from_cast_info(info, None)
    found = threading.Event()
    zconf = zeroconf.Zeroconf()

    class Listener(pychromecast.discovery.SimpleCastListener):
        pass

    browser: pychromecast.CastBrowser

    def added(identity: uuid.UUID, _service: str) -> None:
        if browser.devices[identity].friendly_name == name:
            found.set()

    browser = pychromecast.CastBrowser(Listener(added), zconf)
    browser.start_discovery()
    found.wait()
    info = next(info for info in browser.devices.values() if info.friendly_name == name)
    # The browser goes on, so that the device's new addresses become known.
    return pychromecast.get_chromecast_from_cast_info(info, zconf)


def main() -> None:
    cast = find(sys.argv[1], sys.argv[2])
    cast.register_handler(Numbers())
    cast.start()
    asked = {"platform": 0.0, "media": 0.0}

    def answered(kind: str) -> object:
        def callback(is_sent: bool, answer: dict | None) -> None:
            since, asked[kind] = asked[kind], 0.0
            if not is_sent or answer is None:
                return
            if kind == "platform":
                say("good", kind=kind, since=since)
                return
            status = answer.get("status") or []
            if status and status[0].get("playerState") in ("PLAYING", "BUFFERING"):
                session = cast.status.session_id if cast.status else None
                say("good", kind=kind, since=since, session=session, media=status[0].get("mediaSessionId"))

        return callback

    while True:
        time.sleep(0.025)
        client = cast.socket_client
        if not client.is_connected:
            continue
        for kind, controller in (("platform", client.receiver_controller), ("media", cast.media_controller)):
            if asked[kind] > time.monotonic() - 1:
                continue
            asked[kind] = time.monotonic()
            try:
                if kind == "media" and cast.app_id != "CC1AD845":
                    continue
                controller.update_status(callback_function=answered(kind))
            except Exception:  # noqa: BLE001: it is not connected, or not any more
                asked[kind] = 0.0


if __name__ == "__main__":
    main()
