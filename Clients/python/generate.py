#!/usr/bin/env python3
"""Writes `castway/operations.py` from the gateway's OpenAPI document, which it reads from its standard input.

    castway call --openapi | Clients/python/generate.py > Clients/python/castway/operations.py
"""

from __future__ import annotations

import json
import keyword
import sys
from typing import Any

HEAD = '''\
"""The operations of a gateway, made from its catalogue by `make docs`. Do not edit."""

from __future__ import annotations

from typing import Any, Literal, Protocol


class Caller(Protocol):
    """Has operations done."""

    def call(
        self, name: str, /, *, wait: float | None = None, idempotency_key: str | None = None, **values: Any
    ) -> dict[str, Any]: ...

'''

SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict[str, Any]"}


def hint(schema: dict[str, Any]) -> str:
    """The Python type of a schema."""
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(word) for word in schema['enum'])}]"
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(hint(part) for part in schema["anyOf"]))
    if schema.get("type") == "array":
        return f"list[{hint(schema.get('items', {}))}]"
    return SCALARS.get(schema.get("type", ""), "Any")


# What calls say beside their input.
OPTIONS = {"wait", "idempotency_key"}


def safe(name: str) -> str:
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) or name in OPTIONS else name


def class_name(family: str) -> str:
    return "".join(part.capitalize() for part in family.replace("-", "_").split("_")) + "Operations"


def inputs(document: dict[str, Any], operation: dict[str, Any]) -> list[tuple[str, str, bool, str]]:
    """Name, type, whether it has to be there, and meaning of each key."""
    found = []
    for parameter in operation.get("parameters", []):
        if parameter["in"] in ("path", "query") and parameter["name"] not in OPTIONS:
            schema = parameter.get("schema") or parameter["content"]["application/json"]["schema"]
            found.append((parameter["name"], hint(schema), parameter["required"], parameter["description"]))
    body = operation.get("requestBody")
    if body:
        name = body["content"]["application/json"]["schema"]["$ref"].rsplit("/", 1)[1]
        schema = document["components"]["schemas"][name]
        for key, member in schema["properties"].items():
            found.append((key, hint(member), key in schema.get("required", []), member.get("description", "")))
    return sorted(found, key=lambda item: not item[2])


def method(document: dict[str, Any], name: str, verb: str, operation: dict[str, Any]) -> list[str]:
    keys = inputs(document, operation)
    arguments = [
        f"{safe(key)}: {kind}" if required else f"{safe(key)}: {kind} | None = None" for key, kind, required, _ in keys
    ]
    passed = [f"{safe(key)}={safe(key)}" for key, _, _, _ in keys]
    extras = ([("wait", "float")] if operation["x-castway-command"] else []) + (
        [("idempotency_key", "str")] if verb != "get" else []
    )
    arguments += [f"{key}: {kind} | None = None" for key, kind in extras]
    passed += [f"{key}={key}" for key, _ in extras]
    signature = ", ".join(["self", "*", *arguments]) if arguments else "self"
    lines = [f"    def {safe(name.split('.', 1)[1].replace('.', '_'))}({signature}) -> dict[str, Any]:"]
    text = [operation["summary"] + "."] + ([""] if keys else [])
    text += [f"{safe(key)}: {meaning}." for key, _, _, meaning in keys]
    text = [line.replace("\\", "\\\\").replace('"""', "'''") for line in text]
    lines += [f'        """{text[0]}' + ('"""' if len(text) == 1 else "")]
    if len(text) > 1:
        lines += [f"        {line}".rstrip() for line in text[1:]] + ['        """']
    lines += [f"        return self._caller.call({', '.join([json.dumps(name), *passed])})", ""]
    return lines


def main() -> None:
    document = json.load(sys.stdin)
    operations = sorted(
        (operation["operationId"], verb, path, operation)
        for path, methods in document["paths"].items()
        for verb, operation in methods.items()
        # The rest are streams, which the client has by hand.
        if "operationId" in operation
    )
    families: dict[str, list[str]] = {}
    for name, verb, _, operation in operations:
        families.setdefault(name.split(".")[0], []).extend(method(document, name, verb, operation))
    lines = [HEAD]
    for family, body in families.items():
        lines += [f"class {class_name(family)}:", "    def __init__(self, caller: Caller) -> None:"]
        lines += ["        self._caller = caller", "", *body, ""]
    lines += ["class Operations:", '    """Every operation, by family."""', ""]
    lines += ["    def __init__(self, caller: Caller) -> None:"]
    lines += [f"        self.{safe(family)} = {class_name(family)}(caller)" for family in families]
    lines += ["", "", "OPERATIONS = {"]
    lines += [f"    {json.dumps(name)}: ({json.dumps(verb.upper())}, {json.dumps(path)})," for name, verb, path, _ in operations]
    lines += ["}", "", "# Keys that are JSON in a query too, whatever their value is.", "JSON_KEYS: dict[str, frozenset[str]] = {"]
    for name, _, _, operation in operations:
        keys = sorted(key["name"] for key in operation.get("parameters", []) if "content" in key)
        if keys:
            lines += [f"    {json.dumps(name)}: frozenset({json.dumps(keys)}),"]
    lines += ["}"]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
