"""The back end of the bridge: a process of its own, so that it can be killed. It writes down what it has before it answers.

    backend.py PORT SECRET LEDGER MODE

Each line of LEDGER is one request: the instant (monotonic seconds), the `webhook-id`, whether the signature was right, the status, and the
body. MODE is a file with one line of JSON that says how it answers, and is read before each answer:

    {}                                200
    {"status": 500}                   that status; with "share": 0.3 to so many of the messages, each of them every time it comes
    {"status": 429, "after": 2}       that status with `Retry-After`, until the file is changed
    {"hang": true}                    nothing at all
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import os
import sys
import time
import zlib
from pathlib import Path
from typing import Any

ASK = "urn:x-cast:com.example.ask"
"""What is asked there is answered."""
REASONS = {200: "OK", 401: "Unauthorized", 429: "Too Many Requests", 500: "Internal Server Error"}


class Backend:
    """What all connections share."""

    def __init__(self, secret: str, ledger: Path, mode: Path) -> None:
        self.key = base64.b64decode(secret.removeprefix("whsec_"))
        self.secret = secret
        self.ledger = os.open(ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.mode_path = mode
        self._mode: dict[str, Any] = {}
        self._mode_time = 0
        try:
            from standardwebhooks import Webhook

            self.library: Any = Webhook(secret)
        except ImportError:
            self.library = None
        self.count = 0

    @property
    def mode(self) -> dict[str, Any]:
        changed = self.mode_path.stat().st_mtime_ns
        if changed != self._mode_time:
            self._mode, self._mode_time = json.loads(self.mode_path.read_text()), changed
        return self._mode

    def is_signed(self, headers: dict[str, str], body: bytes) -> bool:
        """Standard Webhooks; now and then its own library is asked too, which is slower."""
        id, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
        if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
            return False
        mac = hmac.digest(self.key, f"{id}.{stamp}.".encode() + body, hashlib.sha256)
        wanted = "v1," + base64.b64encode(mac).decode()
        is_right = any(hmac.compare_digest(wanted, given) for given in headers.get("webhook-signature", "").split())
        self.count += 1
        if is_right and self.library and self.count % 100 == 1:
            self.library.verify(body, headers)
        return is_right

    def take(self, headers: dict[str, str], body: bytes) -> tuple[int, str, bytes] | None:
        """Writes a request down; the status, more headers and the body, or None for no answer."""
        mode = self.mode
        status, more = 200, ""
        is_right = self.is_signed(headers, body)
        if not is_right:
            status = 401
        elif mode.get("hang"):
            status = 0
        elif "status" in mode:
            # By the id, so that a message that is refused is refused again.
            chance = zlib.crc32(headers.get("webhook-id", "").encode()) % 1000 / 1000
            if chance < mode.get("share", 1):
                status = mode["status"]
                more = f"retry-after: {mode['after']}\r\n" if "after" in mode else ""
        event = json.loads(body)
        line = {"at": time.monotonic(), "id": headers.get("webhook-id"), "signed": is_right, "status": status, "body": event}
        os.write(self.ledger, json.dumps(line, separators=(",", ":")).encode() + b"\n")
        reply = b""
        if status == 200 and event["data"].get("namespace") == ASK:
            reply = json.dumps({"type": "ANSWER", "n": event["data"]["json"]["n"]}).encode()
        return (status, more, reply) if status else None


class Connection(asyncio.Protocol):
    """One keep-alive connection of HTTP/1.1."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.buffer = b""
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            lines = self.buffer[:end].decode().split("\r\n")
            headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
            length = int(headers["content-length"])
            if len(self.buffer) < end + 4 + length:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + length], self.buffer[end + 4 + length :]
            answer = self.backend.take(headers, body)
            if answer:
                status, more, reply = answer
                head = f"HTTP/1.1 {status} {REASONS[status]}\r\n{more}content-length: {len(reply)}\r\n\r\n"
                self.transport.write(head.encode() + reply)


async def main() -> None:
    port, secret, ledger, mode = int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])
    backend = Backend(secret, ledger, mode)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(backend), "127.0.0.1", port)
    print("ready", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
