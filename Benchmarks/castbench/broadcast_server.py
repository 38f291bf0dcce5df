"""The peer of the event stream: a WebSocket server of PyPI's `websockets` that tells all its clients the same, so often a second.

broadcast_server.py RATE SIZE prints its port, and broadcasts for as long as it runs.
"""

from __future__ import annotations

import asyncio
import sys

from websockets.asyncio.server import ServerConnection, broadcast, serve


async def main(rate: float, size: int) -> None:
    clients: set[ServerConnection] = set()

    async def stay(client: ServerConnection) -> None:
        clients.add(client)
        try:
            await client.wait_closed()
        finally:
            clients.discard(client)

    # Compression is off, as Castway offers none: it would be the larger part of the work.
    async with serve(stay, "127.0.0.1", 0, compression=None, max_queue=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            broadcast(clients, "x" * size)
            due += 1 / rate
            await asyncio.sleep(max(0.0, due - loop.time()))


asyncio.run(main(float(sys.argv[1]), int(sys.argv[2])))
