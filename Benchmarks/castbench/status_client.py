"""A pychromecast sender that asks for the status again and again: status_client.py PORT SECONDS."""

from __future__ import annotations

import json
import sys
import threading
import time
import uuid

import pychromecast


def main() -> None:
    port, seconds = int(sys.argv[1]), float(sys.argv[2])
    cast = pychromecast.get_chromecast_from_host(("127.0.0.1", port, uuid.uuid4(), "Chromecast", "bench"), timeout=10)
    cast.wait(timeout=10)
    receiver = cast.socket_client.receiver_controller
    answered = threading.Event()
    latencies: list[float] = []

    def on_answer(is_sent: bool, _answer: dict | None) -> None:
        if is_sent:
            answered.set()

    began, used = time.perf_counter(), time.process_time()
    while time.perf_counter() - began < seconds:
        answered.clear()
        asked = time.perf_counter()
        receiver.update_status(callback_function=on_answer)
        if not answered.wait(10):
            sys.exit("no answer within ten seconds")
        latencies.append(time.perf_counter() - asked)
    took = time.perf_counter() - began
    used = time.process_time() - used
    cast.disconnect(timeout=5)
    latencies.sort()
    report = {
        "per_second": len(latencies) / took,
        "p50": 1e6 * latencies[len(latencies) // 2],
        "p99": 1e6 * latencies[len(latencies) * 99 // 100],
        "client_cpu": used / took,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
