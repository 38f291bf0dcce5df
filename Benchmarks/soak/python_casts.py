"""Runs the pychromecast senders, which live in a process with another Python, and judges what they report."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from ledger import Ledger
from processes import Child
from sender import Device

PYTHON = Path(__file__).resolve().parents[2] / ".venv" / "bin" / "python"
SENDERS = 3
GIVES_UP = "RequestTimeout"


class PythonCasts:
    """A process per phase of the run: its senders come when it begins and have left when it rests."""

    def __init__(self, devices: list[Device], folder: Path, seed: str, ledger: Ledger) -> None:
        # What the scripted device says is no Cast any more, and pychromecast may well trip over it.
        self.devices = [device for device in devices if not device.is_scripted]
        self.folder = folder
        self.seed = seed
        self.ledger = ledger
        self.phase = 0

    async def run(self, rest: asyncio.Event) -> None:
        self.phase += 1
        script = Path(__file__).with_name("pychromecast_senders.py")
        places = [f"{device.name}={device.port}" for device in self.devices]
        child = Child("pychromecast", [str(PYTHON), str(script), f"{self.seed}/{self.phase}", str(SENDERS), *places],
                      self.folder)
        await child.start(output=asyncio.subprocess.PIPE, wants_input=True)
        assert child.process and child.process.stdin and child.process.stdout
        closing = asyncio.create_task(self._close_input(child, rest))
        has_ended = False
        try:
            async with asyncio.timeout(None) as bound:
                closing.add_done_callback(
                    lambda task: task.cancelled() or bound.reschedule(asyncio.get_running_loop().time() + 60))
                while line := await child.process.stdout.readline():
                    has_ended = self._judge(json.loads(line)) or has_ended
        except TimeoutError:
            pass
        finally:
            closing.cancel()
            await child.kill()
        if not has_ended:
            self.ledger.breach("pychromecast did not end", f"see {child.error_log}")

    @staticmethod
    async def _close_input(child: Child, rest: asyncio.Event) -> None:
        await rest.wait()
        if child.process and child.process.stdin:
            child.process.stdin.close()

    def _judge(self, report: dict[str, object]) -> bool:
        if report.get("end"):
            if report["stuck"]:
                self.ledger.breach("pychromecast hangs", f"{report['stuck']} threads")
            return True
        failure = report["failure"]
        if failure == GIVES_UP:
            # A request to an app that was closed meanwhile has no answer, and pychromecast waits for it all the same.
            if report["closes"]:
                self.ledger.note("pychromecast waited for a closed app")
            else:
                self.ledger.breach("no answer", f"pychromecast {report}")
        elif failure:
            self.ledger.note(f"pychromecast {failure}")
        else:
            self.ledger.answered(f"pychromecast {report['action']}", float(str(report["seconds"])))
        return False
