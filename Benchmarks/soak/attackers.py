"""Peers that make the gateway keep as much as they can, beside the senders of the soak: the load of `make budget`, in a smaller measure."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import configs
from ledger import Ledger
from processes import Child

PROGRAM = Path(__file__).resolve().parents[1] / "hostile" / "budget_attacks.py"
CONNECTIONS = 300
"""Of the larger attacks: so many that senders from the soak's own address, which are many themselves, have room beside them."""


class Attackers:
    """A process per phase of the run, which rests in quiet moments."""

    def __init__(self, ports: configs.Ports, folder: Path, ledger: Ledger) -> None:
        assert ports.attacked
        self.folder, self.ledger = folder, ledger
        self.target = {
            "cast": ports.locals, "api": ports.attacked.api, "token": configs.ATTACKER_TOKEN,
            "https": [ports.attacked.join], "http": [ports.attacked.metrics], "connections": CONNECTIONS}

    async def run(self, rest: asyncio.Event) -> None:
        child = Child("attackers", [sys.executable, str(PROGRAM), json.dumps(self.target)], self.folder)
        await child.start(output=asyncio.subprocess.PIPE, wants_input=True)
        assert child.process and child.process.stdin and child.process.stdout
        try:
            await rest.wait()
            child.process.stdin.close()
            async with asyncio.timeout(60):
                done = json.loads(await child.process.stdout.read() or b"{}")
        except TimeoutError:
            self.ledger.breach("attackers do not end", f"see {child.error_log}")
            return
        finally:
            await child.kill()
        if not done:
            self.ledger.breach("attackers did nothing", f"see {child.error_log}")
        for name, count in done.items():
            self.ledger.note(f"attack {name}", count)
