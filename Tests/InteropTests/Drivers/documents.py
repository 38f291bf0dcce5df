"""Checks the documents that the built program prints, against their standards and against what is made from them.

    documents.py PROGRAM
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from gateway_program import ROOT
from openapi_spec_validator import OpenAPIV31SpecValidator


def printed(program: str, option: str) -> str:
    return subprocess.run([program, "call", option], check=True, capture_output=True, text=True).stdout


def references(value: Any) -> list[str]:
    """Every reference of a document."""
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for member in value.values() for found in references(member)]
    return [found for element in value for found in references(element)] if isinstance(value, list) else []


def main() -> None:
    program = sys.argv[1]
    text = printed(program, "--openapi")
    document = json.loads(text)
    faults = [fault.message for fault in OpenAPIV31SpecValidator(document).iter_errors()]
    if faults:
        raise SystemExit(f"no OpenAPI 3.1: {faults}")
    everything = [(path, operation) for path, item in document["paths"].items() for operation in item.values()]
    names = {operation["operationId"] for _, operation in everything if "operationId" in operation}
    streams = {path for path, operation in everything if "operationId" not in operation}
    if streams != {"/api/v1/events", "/api/v1/socket", "/api/v1/state"}:
        raise SystemExit(f"no operations: {sorted(streams)}")
    for path in document["paths"].values():
        for operation in path.values():
            for response in operation["responses"].values():
                for link in response.get("links", {}).values():
                    if link["operationId"] not in names:
                        raise SystemExit(f"a link leads nowhere: {link}")
    used = set(references(document))
    kept = {f"#/components/{kind}/{name}" for kind, parts in document["components"].items() for name in parts}
    unused = {name for name in kept - used if "securitySchemes" not in name}
    if unused:
        raise SystemExit(f"described, and used nowhere: {sorted(unused)}")

    client = ROOT / "Clients" / "python"
    made = subprocess.run(
        [sys.executable, str(client / "generate.py")], input=text, check=True, capture_output=True, text=True
    ).stdout
    if made != (client / "castway" / "operations.py").read_text():
        raise SystemExit("Clients/python/castway/operations.py is not what the catalogue says: run make docs")
    subprocess.run([sys.executable, "-m", "unittest", "discover", "tests"], cwd=client, check=True)


if __name__ == "__main__":
    main()
