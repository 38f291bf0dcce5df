"""Connects to many devices with pychromecast and listens: devices_client.py FIRST_ADDRESS PORT COUNT.

Prints `{"connected": COUNT}` once every device has said its status, and after a line on standard input how many events
of media it was told.
"""

from __future__ import annotations

import ipaddress
import json
import sys
import threading
import uuid

import pychromecast
from pychromecast.models import CastInfo, HostServiceInfo


class Listener:
    """Counts; called on the thread of a device."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def new_media_status(self, _status: object) -> None:
        with self._lock:
            self.count += 1

    def load_media_failed(self, _item: int, _code: int) -> None:
        pass


def main() -> None:
    first, port, count = ipaddress.IPv4Address(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    listener = Listener()
    casts = []
    for index in range(count):
        host = str(first + index)
        # Everything is said beforehand, so that it need not ask by HTTP.
        info = CastInfo({HostServiceInfo(host, port)}, uuid.uuid4(), "Chromecast", f"bench {index}", host, port, "cast", "x")
        cast = pychromecast.get_chromecast_from_cast_info(info, None, timeout=30)
        cast.media_controller.register_status_listener(listener)
        cast.start()
        casts.append(cast)
    for cast in casts:
        cast.wait(timeout=60)
    print(json.dumps({"connected": count}), flush=True)
    for _ in sys.stdin:
        print(json.dumps({"events": listener.count}), flush=True)


if __name__ == "__main__":
    main()
