"""Lets senders, devices and faults loose on a gateway for a while, and holds it to account.

    Benchmarks/soak/soak.py --binary .build/release/castway --minutes 30 [--seed TEXT]

The same seed gives the same plan; how it interleaves is up to the machine. Exit status 0 when nothing happened that
must not, else 1. Logs lie in Benchmarks/soak/logs/SEED.

As root, everything runs in a network of its own: one more device stands behind a switch, announced by Avahi, and every
twenty seconds it is killed, frozen or moved, or its link is cut. There the gateway under test has
512 MiB and no more (--memory). Without root this part is left out.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

for neighbour in ("faults", "hostile"):
    sys.path.insert(1, str(Path(__file__).resolve().parents[1] / neighbour))

import bridged
import configs
from actors import Actor
from attackers import Attackers
from control_group import ControlGroup
from faults import FarWeather, Reloads, ScriptedWeather, SouthWeather, until_online
from lab import Lab, LabError, end
from ledger import Ledger
from logs import LogReader
from measure import MEGABYTE, Meter, Sample
from processes import Gateway, ScriptedProcess, end_all_and_wait, free_ports
from python_casts import PYTHON, PythonCasts
from quiet import Janitor
from verdict import judge_outbox, judge_resources, summary

ACTORS = 12
BETWEEN_QUIETS = 300.0


class Soak:
    """One run."""

    def __init__(self, binary: Path, minutes: float, seed: str, folder: Path, lab: Lab | None = None, *,
                 attacks: bool = True, group: int | None = None) -> None:
        """`lab` is the network whose first host is this one, if there is one; `group` is the control group of gateway A."""
        self.binary = binary
        self.seconds = minutes * 60
        self.seed = seed
        self.folder = folder
        self.ledger = Ledger(folder)
        ports = free_ports(10, random.Random())
        self.ports = configs.Ports(
            locals=ports[:3], relays=ports[3:7], far=ports[7:9], scripted=ports[9], extra=free_ports(1, random.Random())[0])
        self.south = lab.hosts[1] if lab else None
        if self.south:
            self.ports.south = free_ports(1, random.Random())[0]
            if not self._finds_by_mdns():
                self.ports.south_address = self.south.address
        if shutil.which("mosquitto"):
            self.ports.bridged = configs.Bridged(*free_ports(7, random.Random()), secret=bridged.secret())
        if attacks:
            self.ports.attacked = configs.Attacked(*free_ports(3, random.Random()))
        self.programs: bridged.BridgedPrograms | None = None
        self.outbox_sizes: list[int] = []
        self.devices = configs.devices(self.ports)
        self.a = Gateway("a", binary, folder / "a", [device.port for device in self.devices])
        self.a.control_group = group
        self.b = Gateway("b", binary, folder / "b", self.ports.far)
        self.scripted = ScriptedProcess(folder, self.ports.scripted)
        self.c = Gateway("c", binary, folder / "c", [configs.SOUTH_PORT], self.south) if self.south else None
        self.quiets: list[Sample] = []

    def _finds_by_mdns(self) -> bool:
        """Whether this gateway knows discovery: what it does not know it refuses."""
        probe = self.folder / "mdns.yaml"
        probe.write_text(configs.gateway_a(self.ports))
        words = [self.binary, "check", probe]
        return subprocess.run(words, capture_output=True, timeout=20, check=False).returncode == 0

    @property
    def gateways(self) -> list[Gateway]:
        """All of them, the one that is put to the test first."""
        return [self.a, self.b] + ([self.c] if self.c else [])

    @property
    def warm_up(self) -> float:
        """Seconds before memory is looked at; devices and faults are already at work."""
        return min(max(10.0, self.seconds * 0.2), 180.0)

    async def run(self) -> bool:
        """True when all went as it must."""
        self.a.config.write_text(configs.gateway_a(self.ports))
        self.b.config.write_text(configs.gateway_b(self.ports))
        if self.c:
            self.c.config.write_text(configs.gateway_c())
        await self.scripted.make_certificate()
        if self.ports.bridged:
            self.programs = bridged.BridgedPrograms(
                self.folder / "bridged", self.ports.bridged, self.scripted.certificate, self.scripted.key)
            await self.programs.run()
        await asyncio.gather(*(gateway.run() for gateway in self.gateways[1:]), self.scripted.run())
        if self.south and self.ports.south_address:
            # Versions that find devices announce their own too.
            text = {"id": "5f0c2d1e7a344b589c6d2e8f10a3b4c8", "ve": "05", "md": "Chromecast", "fn": configs.SOUTH_NAME,
                    "ca": "4101", "st": "0", "ic": "/setup/icon.png", "rs": ""}
            self.south.publish("Chromecast-soak-south", configs.SOUTH_PORT, text)
        await self.a.run()
        logs = [LogReader(gateway.error_log, f"gateway {gateway.name.upper()}", self.ledger) for gateway in self.gateways]
        meter = Meter(self.a.pid, self.ledger)
        janitor = Janitor(self.devices, self.scripted, meter, self.ledger, has_bridges=self.programs is not None)
        relays = [device for device in self.devices if device.is_relay]
        for device in relays:
            await until_online(device, self.ledger, "the start")
        start = await janitor.look()
        janitor.baseline = start
        players = self._players(relays, logs)
        if self.programs:
            user = bridged.BridgedPlayer(self.programs, self.ledger)
            await user.begin()
            pause = (2.0, 6.0) if self.seconds < 300 else (5.0, 25.0)
            players += [user, bridged.BridgedWeather(self.programs, user, self.seed, self.ledger, pause)]
        else:
            self.ledger.note("no bridges: there is no Mosquitto")
        measuring = asyncio.create_task(meter.run())
        watching = asyncio.create_task(self._watch(logs))
        try:
            for length in self._phases():
                await self._play(players, length, watching)
                self.quiets.append(await janitor.look())
                self.outbox_sizes.append(bridged.outbox_size(self.a.folder / "state"))
        finally:
            measuring.cancel()
            watching.cancel()
        await self._stop(logs)
        memory = judge_resources(
            self.ledger, meter.samples, self.quiets, self.quiets[0].time, attacked=self.ports.attacked is not None)
        if self.programs:
            judge_outbox(self.ledger, self.a.folder / "state" / "outbox.db", self.outbox_sizes)
        print(summary(self.ledger, memory, start, self.quiets))
        if self.programs:
            print("  outbox       in quiet moments " + ", ".join(f"{size / 1024:.0f}" for size in self.outbox_sizes) + " KiB")
        for log in logs:
            levels = ", ".join(f"{count} {level}" for level, count in log.levels.most_common())
            print(f"  log of {log.gateway}: {levels}" + "".join(f"\n    {n} x {text}" for text, n in log.warnings.items()))
        return not self.ledger.breaches

    def _players(self, relays: list, logs: list[LogReader]) -> list:
        pause = (3.0, 8.0) if self.seconds < 300 else (5.0, 30.0)
        seed, ledger = self.seed, self.ledger
        players: list = [Actor(f"actor{number}", self.devices, ledger, seed) for number in range(ACTORS)]
        far = [item for item in relays if not item.is_scripted and item.port != self.ports.south]
        players.append(FarWeather(self.b, far, logs[1], seed, ledger, pause))
        if self.south and self.c:
            south = [item for item in relays if item.port == self.ports.south]
            is_found = not self.ports.south_address
            players.append(SouthWeather(self.c, self.south, south, logs[2], seed, ledger, is_found=is_found))
        else:
            ledger.note("no faults in the south: they need root")
        scripted = [item for item in relays if item.is_scripted]
        players.append(ScriptedWeather(self.scripted, scripted, seed, ledger, (pause[0] / 4, pause[1] / 4)))
        if PYTHON.exists():
            players.append(PythonCasts(self.devices, self.folder, seed, ledger))
        else:
            ledger.note("no pychromecast: Scripts/bootstrap.sh --tests installs it")
        if self.ports.attacked:
            players.append(Attackers(self.ports, self.folder, ledger))
        # A command that does not exist prints the general help, with exit status 0.
        probe = subprocess.run([self.binary, "reload", "--help"], capture_output=True, text=True, timeout=20, check=False)
        if probe.returncode == 0 and "USAGE: castway reload" in probe.stdout:
            players.append(Reloads(self.a, self.ports, logs[0], seed, ledger, (2 * pause[0], 2 * pause[1])))
        else:
            ledger.note("no reload: this gateway does not have it")
        return players

    def _phases(self) -> list[float]:
        """How long senders act between quiet moments; the first is the warm-up."""
        rest = self.seconds - self.warm_up
        count = max(1, round(rest / BETWEEN_QUIETS))
        return [self.warm_up] + [rest / count] * count

    async def _play(self, players: list, length: float, watching: asyncio.Task[None]) -> None:
        rest = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for player in players:
                group.create_task(player.run(rest))
            await asyncio.wait([watching], timeout=length)
            rest.set()
            # Every player ends within its own bounds; this is for the case that one does not.
            asyncio.get_running_loop().call_later(120, self._give_up, group)
        if watching.done():
            await watching

    def _give_up(self, group: asyncio.TaskGroup) -> None:
        for task in group._tasks:  # empty once the group has ended
            task.cancel()
            self.ledger.breach("a player does not end", str(task.get_coro()))

    async def _watch(self, logs: list[LogReader]) -> None:
        """Reads the logs as they grow; ends when gateway A does, which it must not."""
        while self.a.is_alive:
            for log in logs:
                log.read()
            await asyncio.sleep(1)
        status = self.a.process.returncode if self.a.process else None
        self.ledger.breach("gateway A ended", f"with status {status}; see {self.a.error_log}")
        raise RuntimeError("gateway A ended")

    async def _stop(self, logs: list[LogReader]) -> None:
        """SIGTERM ends the gateways in good order."""
        for gateway in self.gateways:
            gateway.signal(signal.SIGTERM)
            status = await gateway.ended(15)
            if status != 0:
                self.ledger.breach("did not stop in good order", f"gateway {gateway.name}: {status}")
        for log in logs:
            log.read(may_be_cut=True)


async def supervised(soak: Soak) -> bool:
    """A run that ends when it is interrupted, and has a last bound in time."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        async with asyncio.timeout(2 * soak.seconds + 600):
            return await soak.run()
    finally:
        await end_all_and_wait()


def in_lab(words: list[str], group: ControlGroup) -> int:
    """Runs this program again, within a network of its own."""
    with tempfile.TemporaryDirectory(prefix="castway-soak-", ignore_cleanup_errors=True) as folder, \
            Lab(Path(folder), "gateway", "device") as lab:
        host = lab.hosts[0]
        words = [*words, "--lab", f"{lab.prefix}:{lab.folder}"]
        passed = ()
        if group.folder:
            words += ["--group", str(group.descriptor)]
            passed = (group.descriptor,)
        # Not by `ip netns exec`, which hides the control groups, so that the gateway would not know its limit.
        enter = ["nsenter", f"--net=/run/netns/{host.namespace}", "--"]
        child = subprocess.Popen([*enter, sys.executable, __file__, *words], env=host.environment, pass_fds=passed)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: child.send_signal(signal.SIGINT))
        return child.wait()


def in_group(words: list[str], memory: int) -> int:
    """Runs this program again, within a network of its own and with a limit for the gateway under test."""
    group = ControlGroup(memory)
    try:
        return in_lab(words, group)
    finally:
        charged = group.peak()
        group.remove()
        print(group.kind + ("" if charged is None else f"; charged at most {charged / MEGABYTE:.0f} MiB"))


def has_lab() -> bool:
    """Whether a network of its own can be made."""
    return os.geteuid() == 0 and all(shutil.which(name) for name in ("ip", "avahi-daemon", "avahi-publish", "dbus-daemon"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Soaks a gateway.")
    parser.add_argument("--binary", type=Path, required=True, help="the castway to test")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", default="", help="repeats a plan")
    parser.add_argument("--lab", default="", help=argparse.SUPPRESS)
    parser.add_argument("--group", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--attacks", action=argparse.BooleanOptionalAction, default=True,
                        help="whether other peers meanwhile make the gateway keep as much as they can")
    parser.add_argument("--memory", type=int, default=512, help="MiB that the gateway under test has in a network of its own")
    parser.add_argument("--no-lab", action="store_true", help="leaves the faults in the south out")
    arguments = parser.parse_args()
    if not arguments.lab and not arguments.no_lab and has_lab():
        try:
            return in_group(sys.argv[1:], arguments.memory << 20)
        except LabError as problem:
            print(f"There is no network for the faults in the south: {problem}", flush=True)
    lab = None
    if arguments.lab:
        prefix, _, place = arguments.lab.partition(":")
        lab = Lab(Path(place), "gateway", "device", prefix=prefix)
    seed = arguments.seed or secrets.token_hex(4)
    folder = Path(__file__).resolve().parent / "logs" / seed.replace("/", "_")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"Soaking {arguments.binary} for {arguments.minutes:g} minutes with SEED={seed}", flush=True)
    is_good = False
    try:
        is_good = asyncio.run(supervised(Soak(arguments.binary.resolve(), arguments.minutes, seed, folder, lab,
                                             attacks=arguments.attacks, group=arguments.group)))
    except (asyncio.CancelledError, KeyboardInterrupt):
        print("interrupted")
    except Exception:
        traceback.print_exc()
    finally:
        for process in lab.processes if lab else []:
            end(process)
    print(f"PASS with SEED={seed}" if is_good else f"FAIL with SEED={seed}; logs are in {folder}")
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
