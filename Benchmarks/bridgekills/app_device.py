"""A device behind a relay, whose app writes down what it is sent, and answers what has a `requestId`.

    app_device.py PORT CERTIFICATE KEY LEDGER

The device is the scripted one of the soak. `SIGUSR1` ends the app, which a sender may launch again.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import ssl
import sys
import time
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "soak"))

import scripted_device
from scripted_device import Channel, Json, ScriptedDevice
from wire import Message

APP = "ABCD1234"
CHAT = "urn:x-cast:com.example.chat"
ORDERS = "urn:x-cast:com.example.orders"


class AppChannel(Channel):
    """A channel on which the app hears orders."""

    ledger = -1

    def answer(self, message: Message, body: Json, kind: str | None) -> None:
        if message.namespace == ORDERS:
            line = json.dumps({"at": time.monotonic(), "body": body}, separators=(",", ":"))
            os.write(self.ledger, line.encode() + b"\n")
            if "requestId" in body:
                answer = {"type": "DONE", "requestId": body["requestId"], "n": body.get("n")}
                self.send(ORDERS, answer, message.destination, message.source)
        elif message.namespace != CHAT:
            super().answer(message, body, kind)


async def main() -> None:
    port, certificate, key, ledger = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    AppChannel.ledger = os.open(ledger, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    scripted_device.APPS[APP] = ("Bridged", [CHAT, ORDERS])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    device = ScriptedDevice()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, device.stop)
    await loop.create_server(lambda: AppChannel(device), "127.0.0.1", port, ssl=context)
    print("ready", flush=True)
    while True:
        await asyncio.sleep(0.2)
        device.tick()


if __name__ == "__main__":
    asyncio.run(main())
