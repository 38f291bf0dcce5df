"""The peer of the bridges, in Python: a Cast sender made with pychromecast that passes an app's messages on.

    bridge_peer.py webhook URL        POSTs each by `requests`, and sends the body of the answer back to the app
    bridge_peer.py mqtt PORT TOPIC    publishes each with QoS 1 by paho-mqtt

For each line `PORT COUNT` on standard input it connects COUNT senders to the device on PORT and joins them to its app, instead of those that
it had before; `0 0` ends them.
"""

from __future__ import annotations

import sys
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress

import pychromecast
from pychromecast.controllers import BaseController
from pychromecast.models import CastInfo, HostServiceInfo

NAMESPACE = "urn:x-cast:com.example.bench"


class Asking(BaseController):
    """Has a web server answer the app. Each sender has a thread, so each has a session, which keeps its connection."""

    def __init__(self, url: str) -> None:
        super().__init__(NAMESPACE)
        import requests

        self._url = url
        self._session = requests.Session()
        self._session.headers["content-type"] = "application/json"

    def receive_message(self, message, _data: dict) -> bool:
        answer = self._session.post(self._url, data=message.payload_utf8.encode(), timeout=2)
        answer.raise_for_status()
        # pychromecast would put a requestId of its own in the place of the app's.
        self.send_message(answer.json(), no_add_request_id=True)
        return True


class Publishing(BaseController):
    """Publishes what the app says. Nothing of it is kept on disk."""

    def __init__(self, publish: Callable[[bytes], object]) -> None:
        super().__init__(NAMESPACE)
        self._publish = publish

    def receive_message(self, message, _data: dict) -> bool:
        self._publish(message.payload_utf8.encode())
        return True


def publisher(port: int, topic: str) -> Callable[[bytes], object]:
    """A client of the broker with the defaults of paho-mqtt."""
    import paho.mqtt.client as mqtt

    connected = threading.Event()
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.on_connect = lambda *_: connected.set()
    client.connect("127.0.0.1", port)
    client.loop_start()
    if not connected.wait(10):
        sys.exit("the broker does not answer")
    return lambda payload: client.publish(topic, payload, qos=1)


def main() -> None:
    if sys.argv[1] == "webhook":
        make = lambda: Asking(sys.argv[2])  # noqa: E731
    else:
        publish = publisher(int(sys.argv[2]), sys.argv[3])
        make = lambda: Publishing(publish)  # noqa: E731
    print("ready", flush=True)
    casts: list[pychromecast.Chromecast] = []
    for line in sys.stdin:
        port, count = map(int, line.split())
        for cast in casts:
            # The device may have gone before.
            with suppress(TimeoutError):
                cast.disconnect(timeout=5)
        casts = []
        for index in range(count):
            # Everything is said beforehand, so that it need not ask by HTTP.
            info = CastInfo(
                {HostServiceInfo("127.0.0.1", port)}, uuid.uuid4(), "Chromecast", f"{index}", "127.0.0.1", port, "cast", "x"
            )
            cast = pychromecast.get_chromecast_from_cast_info(info, None, tries=1, retry_wait=0.1, timeout=10)
            cast.register_handler(make())
            cast.start()
            casts.append(cast)


if __name__ == "__main__":
    main()
