"""Tries the OpenAPI document against a running gateway: schemathesis, all checks, all phases.

    schemathesis_run.py PROGRAM [--examples N] [--seconds N] [--seed N]

Nothing is left out: operations that reload the gateway or restart its plugins are called like all others. Prints what was
found, and at the end one line of JSON with the number of cases. Ends with 0 when nothing failed and the gateway still ran.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from gateway_program import GatewayProgram

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--examples", type=int, default=10, help="most cases per operation and phase")
    parser.add_argument("--seconds", type=int, help="how long to go on; without it each phase is run once")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--phases", default="examples,coverage,fuzzing,stateful", help="which phases are run"
    )
    parser.add_argument("--deterministic", action="store_true", help="the same cases in every run")
    options = parser.parse_args()
    environment = os.environ | {"SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": str(HERE)}
    with GatewayProgram(options.program) as gateway:
        command = [
            str(Path(sys.executable).parent / "schemathesis"), "--config-file",
            str(HERE / "schemathesis.toml"), "run", f"http://{gateway.listen}/openapi.json",
            "--checks", "all", "--phases", options.phases, "--seed", str(options.seed),
            "--max-examples", str(options.examples), "--continue-on-failure", "--no-color",
            # Streams: the one never ends, and the other is no HTTP.
            "--exclude-path", "/api/v1/events", "--exclude-path", "/api/v1/socket",
            "--suppress-health-check", "all", "--request-timeout", "30",
        ]
        command += ["--generation-deterministic"] if options.deterministic else ["--generation-database", "none"]
        if options.seconds:
            command += ["--max-time", str(options.seconds)]
        done = subprocess.run(command, cwd=gateway.folder, env=environment, capture_output=True, text=True)
    print(done.stdout)
    print(done.stderr, file=sys.stderr)
    cases = re.search(r"(\d+) generated", done.stdout)
    operations = re.search(r"Tested: (\d+)", done.stdout)
    print(
        json.dumps(
            {
                "operations": int(operations[1]) if operations else 0,
                "cases": int(cases[1]) if cases else 0,
                "status": done.returncode,
            }
        )
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
