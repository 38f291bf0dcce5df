"""A broker that refuses: it stands before Mosquitto, passes packets on, and answers itself what it is told to refuse."""

from __future__ import annotations

import asyncio
import contextlib

import mqtt5


class RefusingBroker:
    """Listens where the gateway believes its broker to be."""

    def __init__(self, port: int, behind: int) -> None:
        self.port, self.behind = port, behind
        self.connack = 0
        """The reason of every CONNACK, from 0x80; 0 passes connections on."""
        self.puback = 0
        """The reason with which publications are refused that want an acknowledgement; 0 passes them on."""
        self.each = 1
        """Only each so many of them is refused."""
        self.withholds = False
        """Whether acknowledgements are not passed on."""
        self.refused = 0
        self.refused_ids: set[str] = set()
        """The ids of the messages that were refused."""
        self._count = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def begin(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)

    def hang_up(self) -> None:
        """Ends all connections."""
        for writer in list(self._writers):
            writer.transport.abort()

    def end(self) -> None:
        if self._server:
            self._server.close()
        self.hang_up()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        back: asyncio.StreamWriter | None = None
        answers: asyncio.Task[None] | None = None
        packets = mqtt5.Packets()
        try:
            while data := await reader.read(65536):
                for kind, flags, body, whole in packets.feed(data):
                    if kind == mqtt5.CONNECT:
                        if self.connack:
                            self.refused += 1
                            writer.write(mqtt5.packet(mqtt5.CONNACK, 0, bytes([0, self.connack, 0])))
                            await writer.drain()
                            return
                        far, back = await asyncio.open_connection("127.0.0.1", self.behind)
                        answers = asyncio.create_task(self._answer(far, writer))
                    if back is None:
                        return
                    if kind == mqtt5.PUBLISH and self.puback and flags >> 1 & 3 == 1 and not flags & 1:
                        self._count += 1
                        if self._count % self.each == 0:
                            message = mqtt5.read_publish(flags, body)
                            self.refused += 1
                            self.refused_ids.add(message.user.get("id", ""))
                            writer.write(mqtt5.puback(message.packet, self.puback))
                            continue
                    back.write(whole)
                if back:
                    await back.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            if answers:
                answers.cancel()
            for end in (writer, back):
                if end:
                    end.close()
            self._writers.discard(writer)

    async def _answer(self, far: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        packets = mqtt5.Packets()
        with contextlib.suppress(OSError):
            while data := await far.read(65536):
                for kind, _, _, whole in packets.feed(data):
                    if not (self.withholds and kind == mqtt5.PUBACK):
                        writer.write(whole)
                await writer.drain()
        writer.close()
