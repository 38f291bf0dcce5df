"""Follows `Docs/bridge-your-app.md` word by word, in one shell, and compares what is printed with what the page shows.

    bridge_guide.py PROGRAM

Files stand behind `<!-- file: PATH -->`, commands in blocks of the kind `console`; `…` is anything, and as a line of its own any number of
lines. The page's ports are replaced by free ones of as many digits. What the gateway does for itself takes its time, so a command
that only looks is repeated until it shows what it should. Says at the end in one line of JSON how much there was.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gateway_program import ROOT

PAGE = ROOT / "Docs/bridge-your-app.md"
EXAMPLES = ROOT / "Docs/examples/bridge-your-app"
PORTS = re.compile(r'(?<=127\.0\.0\.1:)\d{4}\b|(?<=-p )\d{4}\b|(?<="127\.0\.0\.1", )\d{4}\b')
LOOKS = ("tail ", "cat ", "castway bridge list", "castway outbox list")
BEGUN = (("backend.py", "8080"), ("castway run", "8009"), ("mosquitto", "1883"))
# Which gateway is asked, which the page tells once, and what the shell says of jobs that have ended.
LEFT_OUT = re.compile(r"castway: asks gateway |\[\d+\][+-]? ")
PATIENCE = 30.0
PAUSE = 0.2


class Differs(Exception):
    """The page and the world differ."""


def steps(page: str) -> list[tuple[str, str, list[str]]]:
    """Files as `file`, their path and their lines; commands as `command`, themselves and what they should print."""
    found: list[tuple[str, str, list[str]]] = []
    pattern = re.compile(r"(?:^<!-- file: (?P<file>[^\n]+) -->\n)?^```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.M | re.S)
    for block in pattern.finditer(page):
        lines = block["text"].splitlines()
        if block["file"]:
            found.append(("file", block["file"], lines))
        elif block["kind"] == "console":
            for line in lines:
                if line.startswith("$ "):
                    found.append(("command", line[2:], []))
                else:
                    found[-1][2].append(line)
    return found


def matches(expected: list[str], said: list[str]) -> bool:
    if not expected:
        return not said
    if expected[0] == "…":
        return any(matches(expected[1:], said[begin:]) for begin in range(len(said) + 1))
    if not said:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].rstrip().split("…"))
    return re.fullmatch(pattern, said[0].rstrip()) is not None and matches(expected[1:], said[1:])


def free_ports(page: str) -> dict[str, str]:
    """For each port of the page one that is free, below those that the system gives out by itself."""
    ports: dict[str, str] = {}
    for written in sorted(set(PORTS.findall(page))):
        while written not in ports:
            port = 2000 + secrets.randbelow(8000)
            with socket.socket() as listener:
                try:
                    listener.bind(("127.0.0.1", port))
                except OSError:
                    continue
            if str(port) not in ports.values():
                ports[written] = str(port)
    return ports


class Shell:
    """One bash, which has the background jobs of the page."""

    def __init__(self, folder: Path, program: str) -> None:
        tools = folder.parent / "bin"
        tools.mkdir()
        (tools / "castway").symlink_to(program)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CASTWAY")}
        environment["PATH"] = f"{tools}:{environment['PATH']}:/usr/sbin"
        environment["CASTWAY_RUN_DIRECTORY"] = str(folder.parent / "run")
        self.folder = folder
        self._output = folder.parent / "output"
        self._bash = subprocess.Popen(
            ["bash", "--norc"], cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        # Each job is a group of processes, by which it is ended.
        self._ask("set -m")

    def _ask(self, command: str) -> str:
        """Runs something in the shell itself, and gives what it printed; `status` is what it ended with."""
        assert self._bash.stdin and self._bash.stdout
        # `jobs` forgets those that have ended, as the prompt does for a reader.
        self._bash.stdin.write(f"{{ {command}\n}} > {self._output} 2>&1 < /dev/null; echo $?; jobs > /dev/null\n")
        self._bash.stdin.flush()
        self.status = self._bash.stdout.readline().strip()
        return self._output.read_text()

    def run(self, command: str) -> list[str]:
        jobs = self._ask(f"jobs -p {command.removeprefix('kill ').removeprefix('-9 ')}") if command.startswith("kill ") else ""
        output = self._ask(command)
        status = self.status
        if jobs:
            # What is killed is gone before a reader types on.
            self._ask(f"wait {' '.join(jobs.split())}")
            self.status = status
        return [line for line in output.splitlines() if not LEFT_OUT.match(line)]

    def close(self) -> None:
        for pid in self._ask("jobs -p").split():
            try:
                os.killpg(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        assert self._bash.stdin
        self._bash.stdin.close()
        self._bash.wait(timeout=20)


def until_begun(command: str, folder: Path, ports: dict[str, str]) -> None:
    """A reader types the next command when the program that was started is there."""
    port = ports[next(port for word, port in BEGUN if word in command)]
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if "mosquitto_sub" in command:
            if "Sending SUBACK to chat" in (folder / "broker.log").read_text():
                return
        else:
            with socket.socket() as caller:
                if caller.connect_ex(("127.0.0.1", int(port))) == 0:
                    return
        time.sleep(PAUSE)
    raise Differs(f"$ {command}\ndid not begin: {logs(folder)}")


def logs(folder: Path) -> str:
    return "\n".join(f"{path.name}: {path.read_text()[-1500:]}" for path in sorted(folder.glob("*.log")))


def follow(page: str, shell: Shell) -> dict[str, int]:
    ports = free_ports(page)
    counts = {"files": 0, "commands": 0, "lines": 0}
    for kind, what, lines in steps(page):
        if kind == "file":
            # The first version of a file is the one that can be had as an example.
            if counts["files"] < 2 and (EXAMPLES / what).read_text().splitlines() != lines:
                raise Differs(f"{what} on the page is not {EXAMPLES / what}")
            counts["files"] += 1
            text = "".join(f"{line}\n" for line in lines)
            (shell.folder / what).write_text(PORTS.sub(lambda match: ports[match[0]], text))
            continue
        command = PORTS.sub(lambda match: ports[match[0]], what)
        lines = [PORTS.sub(lambda match: ports[match[0]], line) for line in lines]
        until = time.monotonic() + PATIENCE
        said = shell.run(command)
        while not matches(lines, said) and what.startswith(LOOKS) and time.monotonic() < until:
            time.sleep(PAUSE)
            said = shell.run(command)
        if shell.status != "0" or not matches(lines, said):
            raise Differs(
                "\n".join([f"$ {command}", "should print:", *lines, f"but prints, with {shell.status}:", *said])
                + "\n" + logs(shell.folder)
            )
        if command.endswith(" &"):
            until_begun(command, shell.folder, ports)
        counts["commands"] += 1
        counts["lines"] += len(lines)
    return counts


def main() -> None:
    # The threads of tests block signals, and what they start inherits that: jobs would not hear that they are to end.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    # Sent by a test that ends early; the programs of the shell are ended then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="castway-guide-") as place:
        folder = Path(place) / "reader"
        folder.mkdir()
        shell = Shell(folder, str(Path(sys.argv[1]).resolve()))
        try:
            counts = follow(PAGE.read_text(), shell)
        except Differs as difference:
            raise SystemExit(str(difference)) from None
        finally:
            shell.close()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
