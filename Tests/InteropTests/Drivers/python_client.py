"""The Python client against the built program: over TCP, and over the admin socket.

    python_client.py PROGRAM
"""

from __future__ import annotations

import sys
import uuid
from pathlib import Path

from gateway_program import ROOT, GatewayProgram

sys.path.insert(0, str(ROOT / "Clients" / "python"))

from castway import Castway, Problem  # noqa: E402


def expect(holds: object, what: str) -> None:
    if not holds:
        raise SystemExit(f"not so: {what}")


def refused(code: str, status: int, call: object, **values: object) -> Problem:
    try:
        answer = call(**values)  # type: ignore[operator]
    except Problem as problem:
        expect((problem.code, problem.status) == (code, status), f"{problem.status} {problem} is {status} {code}")
        return problem
    raise SystemExit(f"not refused: {answer}")


def use(url: str) -> None:
    with Castway(url) as gateway:
        about = gateway.gateway.get()
        expect(about["phase"] == "ready", "the gateway is ready")
        for name in about["operations"]:
            family, _, rest = name.partition(".")
            expect(callable(getattr(getattr(gateway, family), rest.replace(".", "_"), None)), f"{name} is a method")

        session = gateway.session.start(device="wall", app="CC1AD845")
        expect(session["device"] == "wall" and session["app"] == "CC1AD845", f"a session: {session}")
        expect([session["id"]] == [other["id"] for other in gateway.sessions.list()["sessions"]], "it is listed")
        ended = gateway.session.end(session=session["id"], stop=True)
        expect(ended["id"] == session["id"], f"it ended: {ended}")

        key = uuid.uuid4().hex
        first = gateway.handler.disable(name="media", idempotency_key=key)
        expect(gateway.handler.disable(name="media", idempotency_key=key) == first, "the same key has the same outcome")
        refused("idempotency_key_reused", 422, gateway.handler.enable, name="media", idempotency_key=key)
        gateway.handler.reset(name="media")

        refused("unknown_device", 404, gateway.session.start, device="attic", app="CC1AD845")
        refused("unknown_plugin", 404, gateway.plugin.get, plugin="a/b c")
        problem = refused("invalid_input", 422, gateway.session.start, device="wall", app="no app")
        expect(problem.errors[0]["pointer"] == "/app", f"the fault is named: {problem.errors}")
        expect(gateway.plugin.restart(plugin="quiz"), "a plugin restarts")
        expect(gateway.config.reload(dry_run=True)["dry_run"] is True, "a reload is tried")


def main() -> None:
    program = sys.argv[1]
    for over in ("tcp", "unix"):
        with GatewayProgram(program, over=over) as gateway:
            use(gateway.listen if over == "unix" else f"http://{gateway.listen}")


if __name__ == "__main__":
    main()
