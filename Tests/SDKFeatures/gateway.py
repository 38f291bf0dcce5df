"""A gateway of the built program, in a folder of its own, and the commands of the program that speak with it."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import random
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

from api import PATIENCE, Api

Json = dict[str, Any]
TOKEN = "features-" + os.urandom(20).hex()

PORTS = range(20000, 32000)
"""Below the ports that the system gives to clients, so that none takes a port before its gateway does."""
_given: set[int] = set()
SIGKILL_WITH_PARENT = 1  # PR_SET_PDEATHSIG
_libc = ctypes.CDLL(None)


def end_with_parent() -> None:
    """Has the kernel end a new process with the thread that started it."""
    _libc.prctl(SIGKILL_WITH_PARENT, signal.SIGKILL)


def free_port() -> int:
    """A port that was free a moment ago, and that was not given before."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as listener, contextlib.suppress(OSError):
            listener.bind(("127.0.0.1", port))
            if port not in _given:
                _given.add(port)
                return port


class Gateway:
    """Runs `castway run` with a configuration; its API takes a token with every right."""

    def __init__(self, binary: Path, folder: Path, name: str, configuration: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.binary, self.folder, self.name = binary, folder, name
        self.port, self.admin_port = free_port(), free_port()
        self.api = Api(self.port, TOKEN)
        self.admin = Api(self.admin_port)
        self.process: subprocess.Popen[bytes] | None = None
        self.extra: dict[str, str] = {}
        """Further environment."""
        self.prefix: list[str] = []
        """What stands before each command, as to run it in another network."""
        self.write(configuration)

    def write(self, configuration: str) -> None:
        """Writes gateway.yaml; a running gateway takes it at its next reload."""
        self.configuration = configuration
        (self.folder / "gateway.yaml").write_text(
            f"version: 1\n"
            f"gateway: {{id: {self.name}, name: The {self.name} one, state_directory: state}}\n"
            f'admin: {{listen: "127.0.0.1:{self.admin_port}"}}\n'
            f'api:\n  listen: "127.0.0.1:{self.port}"\n  limits: {{requests_per_second: off}}\n'
            f"  tokens: [{{name: features, token: {TOKEN}, scopes: [read, control, messages, credentials, admin]}}]\n"
            f"shutdown: {{drain: 100ms}}\n" + configuration)

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"CASTWAY_RUN_DIRECTORY": str(self.folder / "run"), "NO_COLOR": "1"} | self.extra

    def start(self) -> None:
        """Starts it, and waits until it is ready."""
        self.launch()
        self.until_ready()

    def launch(self) -> None:
        """Starts it, and does not wait. It ends with this process at the latest."""
        path = self.folder / "notify"
        path.unlink(missing_ok=True)
        self._notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notices.bind(str(path))
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [*self.prefix, str(self.binary), "run"], cwd=self.folder, env=self.environment | {"NOTIFY_SOCKET": str(path)},
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log, preexec_fn=end_with_parent)

    def until_ready(self) -> None:
        """Waits until it says that it is ready, by systemd's protocol."""
        assert self.process
        with self._notices as notices:
            notices.settimeout(60)
            try:
                while b"READY=1" not in notices.recv(4096):
                    pass
            except TimeoutError:
                self.process.kill()
                raise AssertionError(f"{self.name} did not start: {self.log()[-3000:]}") from None

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends it by a signal, and gives its status."""
        assert self.process
        self.process.send_signal(number)
        try:
            return self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"{self.name} does not stop") from None

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def records(self) -> list[Json]:
        """The lines of the log, which are JSON."""
        return [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]

    def run(self, *words: str, status: int = 0, wait: float = 60) -> str:
        """Runs a command of the program in the gateway's folder; it has to end with the status. Gives what it printed."""
        output, errors = self._run(words, status, wait)
        return output + errors

    def output(self, *words: str, status: int = 0, wait: float = 60) -> str:
        """The same, without what goes to standard error."""
        return self._run(words, status, wait)[0]

    def _run(self, words: tuple[str, ...], status: int, wait: float) -> tuple[str, str]:
        done = subprocess.run(
            [*self.prefix, str(self.binary), *words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=wait, check=False)
        output, errors = done.stdout.decode(), done.stderr.decode()
        if done.returncode != status:
            said = (output + errors)[-600:]
            raise AssertionError(f"castway {' '.join(words)} ended with {done.returncode} and not {status}: {said}")
        return output, errors

    def call(self, operation: str, *words: str) -> Json:
        """`castway call`; gives what it printed as an object."""
        return dict(json.loads(self.output("call", operation, *words, "--json")))

    def follow(self, *words: str) -> Following:
        """A command of the program that goes on until it is ended."""
        return Following(self, words)


class Following:
    """A command that goes on; its lines come in on a thread, until the `with` block ends."""

    def __init__(self, gateway: Gateway, words: tuple[str, ...]) -> None:
        self._words = words
        self._process = subprocess.Popen(
            [*gateway.prefix, str(gateway.binary), *words], cwd=gateway.folder, env=gateway.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._news = threading.Condition()
        self.lines: list[str] = []
        self._is_over = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> Following:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join(PATIENCE)

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            with self._news:
                self.lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._is_over = True
            self._news.notify_all()

    def line(self, part: str, since: int = 0) -> str:
        """Waits for a line that has a text in it."""
        found: list[str] = []

        def look() -> bool:
            found[:] = [line for line in self.lines[since:] if part in line][:1]
            return bool(found) or self._is_over

        with self._news:
            self._news.wait_for(look, timeout=PATIENCE)
        if not found:
            raise AssertionError(f"castway {' '.join(self._words)} did not print {part!r}; it printed {self.lines[-5:]}")
        return found[0]
