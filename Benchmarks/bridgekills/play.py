"""Plays a case in a world, and judges it."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Coroutine
from typing import Any

from app_device import CHAT
from cases import Case
from faults import Faults
from flows import CastSender, Requester, Subscriber, call_orders, end_tasks
from judge import Book, Chat, Orders, Outcome
from world import Tail, World

DRAIN = 60.0
"""Seconds after the last start within which everything that was taken has to arrive."""
SLOW_DRAIN = 120.0
"""The same where the gateway comes back to its broker once a minute."""
STEP = (0.15, 0.7)
"""Seconds between two steps of a sequence."""
LONG_STEP = (1.5, 3.0)


class Player:
    """Plays one case after the other in one world."""

    def __init__(self, world: World, seed: str, *, has_disk: bool) -> None:
        self.world = world
        self.seed = seed
        self.faults = Faults(world, has_disk=has_disk)
        self.subscriber = Subscriber(world.broker_port)
        self.book = Book("")
        self.tails = [Tail(world.backend_ledger, self._backend_has)]
        self.tails += [Tail(ledger, self._app_has) for ledger in world.app_ledgers]
        self.unsigned = 0
        self.count = 0

    def _backend_has(self, line: dict[str, Any]) -> None:
        if not line["signed"]:
            self.book.faults.append(f"a request without a right signature: {line['id']}")
        elif line["status"] == 500:
            self.book.refused.add(line["id"])
        elif line["status"] == 200 and line["body"]["data"]["namespace"] == CHAT:
            self.book.chat_arrived("back end", line["at"], line["id"], line["body"]["data"]["json"])

    def _app_has(self, line: dict[str, Any]) -> None:
        self.book.order_arrived(line["at"], line["body"])

    async def run(self, queue: asyncio.Queue[tuple[int, Case]], done: dict[int, Outcome]) -> None:
        """Plays what is in the queue."""
        await self.world.begin()
        listening = asyncio.create_task(self.subscriber.client.run())
        await asyncio.wait_for(self.subscriber.client.ready.wait(), 20)
        self.world.save_broker()
        reading = asyncio.create_task(self._read())
        try:
            while not queue.empty():
                place, case = queue.get_nowait()
                done[place] = await self.play(case)
                print_line(case, done[place])
        finally:
            reading.cancel()
            listening.cancel()
            await self.world.end()

    async def _read(self) -> None:
        while True:
            for tail in self.tails:
                tail.read()
            await asyncio.sleep(0.02)

    async def play(self, case: Case) -> Outcome:
        if reason := self.faults.why_not(case.fault):
            return Outcome(case.name, notes=[reason])
        self.count += 1
        began = time.monotonic()
        await self.faults.prepare(case.fault)
        await self.world.start("gateway")
        await self.world.until_up()
        self.book = self.subscriber.book = book = Book(case.name)
        senders, orders = self._flows(case, book)
        holding = [asyncio.create_task(sender.run()) for sender in senders]
        flows = [asyncio.create_task(_timed(name, flow, book)) for name, flow in orders.items()]
        flows += [asyncio.create_task(_timed(sender.chat.name, sender.done.wait(), book)) for sender in senders]
        rng = random.Random(f"{self.seed}/{case.name}")
        kills = self.world.gateway_kills = []
        await asyncio.sleep(0.5)
        if case.fault:
            await self.faults.strike(case.fault)
        for index, step in enumerate(case.steps):
            if step.action == "kill":
                await self.world.kill(*step.parts)
            else:
                await self.world.start(*step.parts)
            if index == len(case.steps) // 2:
                self.end_app()
            await asyncio.sleep(rng.uniform(*(LONG_STEP if case.messages > 5000 else STEP)))
        await self.world.until_up()
        outcome = await self._finish(case, book, flows, kills)
        await end_tasks(holding)
        await self._end_gateway(case, outcome)
        outcome.seconds = time.monotonic() - began
        return outcome

    def end_app(self) -> None:
        """The app on one device ends, and is launched again by a sender: orders are kept meanwhile."""
        self.world.devices[0].signal(signal.SIGUSR1)

    async def _finish(self, case: Case, book: Book, flows: list[asyncio.Task[None]], kills: list[float]) -> Outcome:
        """Waits until everything has arrived, and judges it."""
        limit = SLOW_DRAIN if case.fault == "password changed" else DRAIN
        _, late = await asyncio.wait(flows, timeout=limit + 10 * case.messages / case.rate)
        await end_tasks(flows)
        for flow in flows:
            if not flow.cancelled() and (trouble := flow.exception()):
                raise trouble
        if late:
            names = ", ".join(task.get_name() for task in late)
            book.faults.append(f"{len(late)} of {len(flows)} streams did not come to an end: {names}")
        until = time.monotonic() + limit
        while not book.is_complete(kills) and time.monotonic() < until:
            await asyncio.sleep(0.05)
        for tail in self.tails:
            tail.read()
        if self.faults.broker:
            book.refused |= self.faults.broker.refused_ids
        return book.outcome(kills, may_overtake=case.fault in OVERTAKING)

    async def _end_gateway(self, case: Case, outcome: Outcome) -> None:
        """The gateway ends in good order, and has written what it removes from the outbox."""
        await asyncio.sleep(0.1)
        await self.world.stop_gateway()
        if rows := self.world.outbox_rows():
            outcome.notes.append(f"{rows} rows are left in the outbox")
        outcome.notes += self.faults.notes + [f"log: {line}" for line in sorted(set(self.world.warnings()))]
        self.faults.notes = []
        self.world.gateway.error_log.rename(self.world.folder / f"gateway-{self.count}.err")
        self.faults.clean(case.fault)

    def _flows(self, case: Case, book: Book) -> tuple[list[CastSender], dict[str, Coroutine[None, None, None]]]:
        world, tag = self.world, self.count
        ports = {"hall": world.hall} | {f"wall-{index + 1}": port for index, port in enumerate(world.walls)}
        senders = []
        flows: dict[str, Coroutine[None, None, None]] = {}
        for device, port in ports.items():
            chat = book.chats[f"{device}/{tag}"] = Chat(f"{device}/{tag}")
            senders.append(CastSender(port, chat, -(-case.messages // len(ports)), case.rate / len(ports)))
        self.subscriber.requesters = []
        for asks in (True, False):
            kind = "ask" if asks else "keep"
            by_api, by_mqtt = Orders(f"api-{kind}/{tag}"), Orders(f"mqtt-{kind}/{tag}")
            book.orders |= {by_api.name: by_api, by_mqtt.name: by_mqtt}
            flows[by_api.name] = call_orders(world.admin, "tv-1", by_api, case.messages // 2, case.rate / 2, asks=asks)
            requester = Requester(
                self.subscriber.client, "tv-2", by_mqtt, case.messages // 2, case.rate / 2, asks=asks)
            self.subscriber.requesters.append(requester)
            flows[by_mqtt.name] = requester.run()
        return senders, flows


OVERTAKING = {"broker refuses some messages", "back end 500 to some for long"}
"""Faults in which a message that was refused may be overtaken, by the documented rule."""


async def _timed(name: str, flow: Coroutine[None, None, object], book: Book) -> None:
    """Notes how long a stream took."""
    task = asyncio.current_task()
    assert task
    task.set_name(name)
    began = time.monotonic()
    await flow
    book.seconds[name] = time.monotonic() - began


def print_line(case: Case, outcome: Outcome) -> None:
    total = outcome.total
    verdict = "held" if not outcome.faults else "FAILED"
    if not outcome.parts:
        verdict = outcome.notes[0]
    print(f"{case.name:34} sent {total.sent:6} taken {total.taken:6} arrived {total.arrived:6} doubled {total.duplicates:5} "
          f"out of order {total.out_of_order:3} lost {total.lost:3} gap {total.gap:5.1f} s  {outcome.seconds:5.1f} s  {verdict}",
          flush=True)
    for fault in outcome.faults:
        print(f"    {fault}", flush=True)
