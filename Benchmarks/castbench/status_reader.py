"""What following a device's status costs a program in Python: status_reader.py websockets|pychromecast PORT SECONDS.

Prints JSON: how many statuses came, and the CPU time of this process for each, in microseconds.
"""

from __future__ import annotations

import json
import sys
import time
import uuid


def by_websockets(port: int, seconds: float) -> int:
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    topics = [{"type": "receiver.status", "device": "hall"}]
    count = 0
    with connect(f"ws://127.0.0.1:{port}/api/v1/socket", compression=None) as socket:
        socket.send(json.dumps({"id": 1, "subscribe": {"topics": topics}}))
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                count += json.loads(socket.recv(timeout=left)).get("type") == "receiver.status"
            except (TimeoutError, ConnectionClosed):
                break
    return count


def by_pychromecast(port: int, seconds: float) -> int:
    import pychromecast

    class Listener:
        count = 0

        def new_cast_status(self, _status: object) -> None:
            self.count += 1

    listener = Listener()
    cast = pychromecast.get_chromecast_from_host(("127.0.0.1", port, uuid.uuid4(), "Chromecast", "bench"), timeout=10)
    cast.wait(timeout=10)
    cast.register_status_listener(listener)
    time.sleep(seconds)
    count = listener.count
    cast.disconnect(timeout=5)
    return count


def main() -> None:
    by = {"websockets": by_websockets, "pychromecast": by_pychromecast}[sys.argv[1]]
    used = time.process_time()
    count = by(int(sys.argv[2]), float(sys.argv[3]))
    print(json.dumps({"count": count, "cpu_us": 1e6 * (time.process_time() - used) / max(1, count)}))


main()
