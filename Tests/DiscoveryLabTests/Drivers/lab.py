"""Hosts in network namespaces, and the programs that run on them.

What a scenario waits for is an event: a line that a program prints. Every wait ends at its deadline at the latest.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "Scripts" / "lab" / "lab.sh"


class Failure(Exception):
    """What was to happen did not happen in time."""


class Program:
    """A program on a host, whose output comes line by line."""

    def __init__(self, arguments: list[str], environment: dict[str, str], what: str) -> None:
        self.what = what
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            arguments, env=environment, stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.seen: list[str] = []
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line.decode(errors="replace").rstrip("\n"))
        self.lines.put(None)

    def line(self, wanted, seconds: float, meaning: str):
        """The first line from here on for which `wanted` gives anything; that is returned."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(deadline - time.monotonic(), 0.001))
            except queue.Empty:
                raise Failure(f"{self.what}: {meaning} not within {seconds} s; {self.story()}") from None
            if line is None:
                raise Failure(f"{self.what} ended before: {meaning}; {self.story()}")
            self.seen.append(line)
            found = wanted(line)
            if found:
                return found

    def story(self) -> str:
        self.errors.seek(0)
        errors = self.errors.read().decode(errors="replace")
        return "its output:\n" + "\n".join(self.seen[-30:]) + "\nits errors:\n" + errors[-4000:]

    def stop(self, seconds: float = 10) -> int:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure(f"{self.what} did not end; {self.story()}") from None


class Watch(Program):
    """`castway devices --watch` on a host, and the devices that it knows at the moment."""

    def __init__(self, *arguments) -> None:
        self.devices: dict[str, dict] = {}
        super().__init__(*arguments)

    def until(self, condition, meaning: str, seconds: float = 60):
        """Waits until a condition holds of the devices, which are given to it by id."""

        def follow(line: str):
            event = json.loads(line)
            device = event["device"]
            if event["event"] == "removed":
                self.devices.pop(device["deviceId"], None)
            else:
                self.devices[device["deviceId"]] = device
            return condition(self.devices)

        return condition(self.devices) or self.line(follow, seconds, meaning)

    def device(self, seconds: float = 60, **wanted) -> dict:
        """Waits until there is a device with these properties; all of `addresses` have to be there in any order."""

        def matches(device: dict) -> bool:
            return all(
                set(value) == set(device[key]) if key == "addresses" else device.get(key) == value
                for key, value in wanted.items()
            )

        def find(devices: dict[str, dict]):
            return next((device for device in devices.values() if matches(device)), None)

        return self.until(find, f"a device with {wanted}", seconds)

    def gone(self, device: dict, seconds: float = 60) -> None:
        """Waits until a device is not there any more."""
        self.until(
            lambda devices: device["deviceId"] not in devices, f"{device['friendlyName']} has gone", seconds
        )


class Gateway(Program):
    """`castway run` on a host; logs are what it prints."""

    def message(self, text: str, seconds: float = 60, **wanted) -> dict:
        """The next line of its log that says this."""

        def matches(line: str):
            with contextlib.suppress(ValueError):
                entry = json.loads(line)
                if entry.get("msg", "").startswith(text):
                    return entry if all(entry.get(k) == v for k, v in wanted.items()) else None
            return None

        return self.line(matches, seconds, f"'{text}' {wanted}")

    def messages(self, *texts: str, seconds: float = 60) -> None:
        """Waits until its log has said all of these, in whichever order."""
        missing = set(texts)

        def all_said(line: str) -> bool:
            with contextlib.suppress(ValueError):
                said = json.loads(line).get("msg", "")
                missing.difference_update([text for text in missing if said.startswith(text)])
            return not missing

        self.line(all_said, seconds, f"all of {texts}")


class Lab:
    """A network of hosts, there as long as the block is that it is made for."""

    def __init__(self, hosts: int, avahi: list[int] | None = None) -> None:
        self.hosts = hosts
        self.avahi = list(range(1, hosts + 1)) if avahi is None else avahi
        self.castway = os.environ["CASTWAY_BINARY"]
        self.stack = contextlib.ExitStack()

    def __enter__(self) -> Lab:
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="castway-lab-")))
        self.environment = dict(os.environ)
        self.environment["CASTWAY_LAB"] = str(self.folder / "hosts")
        self.environment["CASTWAY_LAB_NAME"] = f"cwlab{os.getpid()}"
        self.environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self.stack.callback(self.run, "down")
        try:
            self.run("up", str(self.hosts))
            for host in self.avahi:
                self.run("avahi", str(host))
        except BaseException:
            self.stack.close()
            raise
        return self

    def __exit__(self, *failure) -> None:
        self.stack.close()

    def run(self, *arguments: str) -> str:
        """Does something with the lab itself."""
        result = subprocess.run(
            [str(SCRIPT), *arguments], env=self.environment, stdin=subprocess.DEVNULL, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        if result.returncode != 0:
            raise Failure(f"lab.sh {' '.join(arguments)}: {result.stdout}")
        return result.stdout

    def on(self, host: int, *arguments: str, seconds: float = 60) -> str:
        """Runs a command on a host to its end."""
        result = subprocess.run(
            [str(SCRIPT), "in", str(host), *arguments], env=self.environment, stdin=subprocess.DEVNULL,
            timeout=seconds, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        if result.returncode != 0:
            raise Failure(f"{' '.join(arguments)}: status {result.returncode}\n{result.stdout}{result.stderr}")
        return result.stdout

    def say(self, host: int, *arguments: str, seconds: float = 60) -> str:
        """What a command says, however it ends."""
        result = subprocess.run(
            [str(SCRIPT), "in", str(host), *arguments], env=self.environment, stdin=subprocess.DEVNULL,
            timeout=seconds, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        return result.stdout

    def address(self, host: int, change: str, address: str) -> None:
        """Adds or deletes an address of a host."""
        space = f"{self.environment['CASTWAY_LAB_NAME']}-{host}"
        subprocess.run(["ip", "-n", space, "address", change, address, "dev", "eth0"], check=True, timeout=10)

    def cable(self, host: int, is_plugged: bool) -> None:
        """Pulls the cable of a host, or puts it in: both its ends see the carrier go and come."""
        switch = f"{self.environment['CASTWAY_LAB_NAME']}-switch"
        state = "up" if is_plugged else "down"
        subprocess.run(["ip", "-n", switch, "link", "set", f"port{host}", state], check=True, timeout=10)

    def program(self, host: int, kind, what: str, *arguments: str):
        command = [str(SCRIPT), "in", str(host), *arguments]
        program = kind(command, self.environment, f"{what} on host {host}")
        self.stack.callback(self.end, program)
        return program

    @staticmethod
    def end(program: Program) -> None:
        program.process.terminate()
        try:
            program.process.wait(5)
        except subprocess.TimeoutExpired:
            program.process.kill()
            program.process.wait(5)

    def watch(self, host: int) -> Watch:
        return self.program(
            host, Watch, "castway devices", self.castway, "devices", "--watch", "--json", "--config",
            self.configuration(f"watch-{host}", "{}"),
        )  # fmt: skip

    def configuration(self, name: str, text: str) -> str:
        """Writes a configuration, without its version."""
        path = self.folder / f"{name}.yaml"
        path.write_text(text if text.startswith("version") else f"version: 1\n{'' if text == '{}' else text}\n")
        return str(path)

    def gateway(self, host: int, name: str, text: str) -> Gateway:
        """Runs a gateway with a configuration, and a state that goes by its name."""
        state = self.folder / f"{name}-state"
        path = self.configuration(name, f"gateway: {{state_directory: {state}}}\n{text}")
        return self.program(
            host, Gateway, "castway run", "sh", "-c", 'exec "$0" run --config "$1" 2>&1', self.castway, path
        )

    def reload(self, host: int, name: str, text: str) -> None:
        state = self.folder / f"{name}-state"
        path = self.configuration(name, f"gateway: {{state_directory: {state}}}\n{text}")
        self.on(host, self.castway, "reload", "--config", path)

    def device(self, host: int, instance: str, port: int, **txt: str) -> Program:
        """Announces a device that is not Castway's, until it is stopped."""
        entries = [f"{key}={value}" for key, value in txt.items()]
        program = self.program(
            host, Program, f"avahi-publish {instance}", "sh", "-c", 'exec avahi-publish "$@" 2>&1', "sh", "-s",
            instance, "_googlecast._tcp", str(port), *entries,
        )  # fmt: skip
        program.line(lambda line: "Established" in line, 15, "established")
        return program

    def records(self, host: int, kind: str = "_googlecast._tcp") -> dict[str, dict[str, str]]:
        """What avahi-browse sees of a type on a host, by friendly name: the TXT record and `instance`."""
        records = {}
        for line in self.on(host, "avahi-browse", "-rpt", kind).splitlines():
            fields = line.split(";")
            if fields[0] != "=" or len(fields) < 10:
                continue
            entries = [entry for entry in ";".join(fields[9:]).strip('"').split('" "')]
            record = dict(entry.split("=", 1) for entry in entries)
            record.update(instance=fields[3], host=fields[6], address=fields[7], port=fields[8], order=" ".join(
                entry.split("=", 1)[0] for entry in entries))  # fmt: skip
            records[record["fn"]] = record
        return records


def expect(condition: bool, meaning: str) -> None:
    if not condition:
        raise Failure(meaning)


def main(scenario) -> None:
    """Runs a scenario; what fails is said on standard error."""
    # Whoever starts this may have blocked signals, and every program here would inherit that.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    try:
        scenario()
    except Failure as failure:
        print(failure, file=sys.stderr)
        sys.exit(1)
    print("done")
