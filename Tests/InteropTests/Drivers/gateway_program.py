"""A gateway of the built program, in a folder of its own, with what the examples of the documents name.

It has a virtual device `hall`, a real device `wall` that leads to `hall`, an app, and a plugin `quiz`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

ROOT = Path(__file__).resolve().parents[3]

CONFIGURATION = """\
version: 1
gateway: {{state_directory: state}}
admin: {{listen: "{admin}"}}
discovery:
  mdns: {{enabled: false}}
  receiver_app: CC1AD845
  static: [{{name: wall, address: "127.0.0.1:{port}"}}]
shutdown: {{drain: 100ms}}
virtual_devices:
  - name: hall
    listen: "127.0.0.1:{port}"
    target: local
    publish: false
    # A player takes its time to load; with that a run of many loads is nothing but waiting.
    apps: {{CC1AD845: {{options: {{load_delay: 1ms, buffering: 1ms}}}}}}
plugins:
  directory: {plugins}
  instances:
    - {{name: quiz, plugin: echo, grant: {{namespaces: [{{match: "urn:x-cast:dev.castway.echo", phase: handle}}]}}}}
"""


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class GatewayProgram:
    """Runs the program while the `with` block does; `listen` is where its admin listener is."""

    def __init__(self, program: str, over: str = "tcp") -> None:
        self._program = str(Path(program).resolve())
        self._folder = tempfile.TemporaryDirectory(prefix="castway-api-")
        self.folder = Path(self._folder.name)
        self.listen = f"127.0.0.1:{free_port()}" if over == "tcp" else f"unix:{self.folder}/admin.sock"
        (self.folder / "gateway.yaml").write_text(
            CONFIGURATION.format(admin=self.listen, port=free_port(), plugins=ROOT / "Plugins")
        )
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> GatewayProgram:
        self.start()
        return self

    def start(self) -> None:
        """Starts the program, for the first time or after `kill`, and waits until it is ready."""
        # systemd's protocol says when it is ready, without asking again and again.
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notices:
            path = str(self.folder / "notify")
            Path(path).unlink(missing_ok=True)
            notices.bind(path)
            notices.settimeout(30)
            environment = os.environ | {"CASTWAY_RUN_DIRECTORY": str(self.folder / "run"), "NOTIFY_SOCKET": path}
            with open(self.folder / "log", "a") as log:
                self._process = subprocess.Popen(
                    [self._program, "run"], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL, stderr=log,
                )
            try:
                while b"READY=1" not in notices.recv(4096):
                    pass
            except TimeoutError:
                self._process.kill()
                raise RuntimeError(f"the gateway did not start: {(self.folder / 'log').read_text()}") from None

    def kill(self) -> None:
        """Ends the program as `kill -9` does."""
        assert self._process
        self._process.kill()
        self._process.wait(timeout=20)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process
        alive = self._process.poll() is None
        self._process.terminate()
        status = self._process.wait(timeout=20)
        log = (self.folder / "log").read_text()
        self._folder.cleanup()
        if kind is None and not (alive and status == 0):
            raise RuntimeError(f"the gateway ended with {status}: {json.dumps(log[-4000:])}")
