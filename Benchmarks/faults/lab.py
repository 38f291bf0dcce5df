"""The network of Scripts/lab/lab.sh: hosts in namespaces on a switch, each with its own D-Bus and mDNS daemon.

Needs root, iproute2, dbus, avahi-daemon, avahi-utils and nftables. Nothing outside of the namespaces is touched.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

NETWORK = "10.77.0"
LOGS = Path(__file__).resolve().parents[2] / ".build" / "benchmarks" / "lab-logs"
"""Where the logs go when something went wrong."""
SERVICE = "_googlecast._tcp"
SCRIPT = Path(__file__).resolve().parents[2] / "Scripts" / "lab" / "lab.sh"
_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)

class LabError(Exception):
    """The lab cannot be made, or something in it did not start."""


def ip(*words: str) -> None:
    """Runs `ip`."""
    done = subprocess.run(["ip", *words], capture_output=True, text=True)
    if done.returncode:
        raise LabError(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Host:
    """One host: a namespace with `eth0` at the switch."""

    def __init__(self, lab: Lab, name: str, number: int) -> None:
        self.lab, self.name, self.number = lab, name, number
        self.namespace = f"{lab.prefix}-{number}"
        self.address = f"{NETWORK}.{number}"
        self.folder = lab.folder / str(number)

    @property
    def environment(self) -> dict[str, str]:
        """What clients of the host's D-Bus need."""
        return os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.folder}/bus"}

    def words(self, *words: str) -> list[str]:
        """A command line that runs in this host."""
        return ["ip", "netns", "exec", self.namespace, *words]

    def run(self, *words: str, check: bool = True) -> str:
        """Runs a command to its end; its standard output."""
        done = subprocess.run(self.words(*words), capture_output=True, text=True, env=self.environment, timeout=60)
        if check and done.returncode:
            raise LabError(f"{self.name}: {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def start(self, name: str, *words: str, **more: object) -> subprocess.Popen[bytes]:
        """Starts a process, with its output in a file unless said otherwise; it ends with the lab at the latest."""
        with (self.folder / f"{name}.log").open("ab") as log:
            settings = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log} | more
            # `ip netns exec` becomes the command, so the process id is the command's own.
            process = subprocess.Popen(self.words(*words), env=self.environment, start_new_session=True, **settings)
        self.lab.processes.append(process)
        return process

    @contextlib.contextmanager
    def network(self) -> Iterator[None]:
        """Sockets that this thread makes meanwhile belong to this host."""
        own = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        other = os.open(f"/run/netns/{self.namespace}", os.O_RDONLY)
        try:
            if _libc.setns(other, _CLONE_NEWNET) != 0:
                raise LabError(f"cannot enter {self.namespace}: {os.strerror(ctypes.get_errno())}")
            yield
        finally:
            if _libc.setns(own, _CLONE_NEWNET) != 0:
                os._exit(70)  # never go on in the wrong network
            os.close(own)
            os.close(other)

    # MARK: Faults

    def cable(self, is_plugged: bool) -> None:
        """Pulls the cable out of the switch, or puts it in: both ends see the carrier go and come."""
        ip("-n", self.lab.switch, "link", "set", f"port{self.number}", "up" if is_plugged else "down")

    def move(self, address: str) -> None:
        """Gives the host another address in place of its own."""
        # The old one first: with it the kernel would take away the others of its network.
        ip("-n", self.namespace, "addr", "del", f"{self.address}/24", "dev", "eth0")
        ip("-n", self.namespace, "addr", "add", f"{address}/24", "broadcast", f"{NETWORK}.255", "dev", "eth0")
        ip("-n", self.namespace, "route", "replace", "default", "via", f"{NETWORK}.254", "dev", "eth0")
        self.address = address

    def drop_tcp(self, is_dropped: bool) -> None:
        """Lets TCP from and to the network vanish, and mDNS pass."""
        if is_dropped:
            rules = "table inet matrix {\nchain in { type filter hook input priority 0; iifname eth0 meta l4proto tcp drop; }\n"
            rules += "chain out { type filter hook output priority 0; oifname eth0 meta l4proto tcp drop; }\n}\n"
            subprocess.run(self.words("nft", "-f", "-"), input=rules, text=True, check=True, timeout=20)
        else:
            self.run("nft", "delete", "table", "inet", "matrix")

    def reset_tcp(self, port: int) -> None:
        """Ends the connections from the network to this port by RST."""
        self.run("ss", "-K", "-t", "state", "established", "sport", "=", f":{port}", "src", self.address)

    def connection(self, address: str, port: int) -> str | None:
        """This host's end of an open connection to there."""
        wanted = "".join(f"{int(part):02X}" for part in reversed(address.split("."))) + f":{port:04X}"
        pid = int((self.folder / "dbus.pid").read_text())
        for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[2] == wanted and fields[3] == "01":
                return fields[1]
        return None

    # MARK: mDNS

    def publish(self, name: str, port: int, text: dict[str, str]) -> subprocess.Popen[bytes]:
        """Announces a Cast device until the process ends; returns when it is established."""
        log = self.folder / "publish.log"
        log.unlink(missing_ok=True)
        words = [f"{key}={value}" for key, value in text.items()]
        process = self.start("publish", "avahi-publish", "-s", name, SERVICE, str(port), *words)
        self._wait(lambda: "Established" in log.read_text(), "avahi-publish")
        return process

    def _wait(self, is_there: object, what: str) -> None:
        end = time.monotonic() + 15
        while not is_there():  # type: ignore[operator]
            if time.monotonic() > end:
                raise LabError(f"{what} does not start in {self.name}; see {LOGS}")
            time.sleep(0.02)


class Announcements:
    """Listens to what a host's network hears of mDNS."""

    def __init__(self, host: Host) -> None:
        with host.network():
            self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            self.socket.bind(("", 5353))
            member = socket.inet_aton("224.0.0.251") + socket.inet_aton(host.address)
            self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        self.socket.setblocking(False)

    def read(self, sender: str) -> bool:
        """Whether this sender has answered or announced a Cast service since the last look."""
        found = False
        while True:
            try:
                packet, (host, _) = self.socket.recvfrom(9000)
            except BlockingIOError:
                return found
            is_response = len(packet) > 2 and packet[2] & 0x80
            found = found or bool(host == sender and is_response and b"_googlecast" in packet)


class Lab:
    """The switch and its hosts; everything is gone behind the `with` block, the folder too.

    With the `prefix` of another lab, and its folder and names, its hosts can be used from another process.
    """

    def __init__(self, folder: Path, *names: str, prefix: str = "") -> None:
        self.folder = folder
        self.prefix = prefix or f"castway-lab{os.getpid()}"
        self.switch = f"{self.prefix}-switch"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.hosts = [Host(self, name, number) for number, name in enumerate(names, 1)]

    def _script(self, *words: str) -> str:
        names = {"CASTWAY_LAB": str(self.folder), "CASTWAY_LAB_NAME": self.prefix, "CASTWAY_LAB_IPV6": "no"}
        # To a file, since the daemons keep what they were started with.
        with tempfile.TemporaryFile() as output:
            done = subprocess.run(
                [str(SCRIPT), *words], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=os.environ | names,
                timeout=60)
            output.seek(0)
            said = output.read().decode(errors="replace").strip()
        if done.returncode:
            raise LabError(f"lab.sh {' '.join(words)}: {said}")
        return said

    def __enter__(self) -> Lab:
        try:
            self._script("check")
            self._script("up", str(len(self.hosts)))
            for host in self.hosts:
                self._script("avahi", str(host.number))
        except BaseException:
            self._clean()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind and kind is not SystemExit:
            # What was going on, to tell the cause.
            for log in self.folder.glob("*/*.log"):
                LOGS.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, LOGS / f"{log.parent.name}-{log.name}")
        self._clean()

    def _clean(self) -> None:
        for process in reversed(self.processes):
            end(process)
        with contextlib.suppress(LabError):
            self._script("down")


def end(process: subprocess.Popen[bytes], number: signal.Signals = signal.SIGTERM) -> None:
    """Ends a process by its own id, frozen or not, and takes leave of it."""
    if process.poll() is None:
        for signal_number in (number, signal.SIGCONT):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal_number)
    try:
        process.wait(8)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
