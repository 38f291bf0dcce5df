"""A reader of all events by SSE, until a number of seconds are over: event_reader.py PORT SECONDS [POSITION].

Prints JSON: how the stream began, which numbers came, its last position, and the seconds from the request until `synced`.
"""

from __future__ import annotations

import http.client
import json
import sys
import time


def main(port: int, seconds: float, position: str | None) -> None:
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/api/v1/events", headers={"Last-Event-ID": position} if position else {})
    answer = connection.getresponse()
    frames: list[str] = []
    numbers: list[int] = []
    synced = None
    last, fields = position, {}
    while time.monotonic() - began < seconds:
        name, _, value = answer.readline().decode().rstrip("\n").partition(":")
        if name or value:
            fields[name] = value.strip()
            continue
        # Only now the event is whole.
        last = fields.get("id", last)
        if "data" in fields:
            frame = json.loads(fields["data"])
            kind = frame.get("frame")
            if kind == "synced":
                synced = time.monotonic() - began
            if kind is None:
                numbers.append(frame["seq"])
            elif kind not in frames:
                frames.append(kind)
        fields = {}
    print(json.dumps({"frames": frames, "numbers": numbers, "position": last, "synced": synced}))


main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else None)
