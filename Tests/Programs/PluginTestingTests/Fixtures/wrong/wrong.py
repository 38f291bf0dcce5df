#!/usr/bin/env python3
"""A plugin that does one thing wrong, named by its argument, and everything else right."""

import json
import os
import re
import sys

FAULT = sys.argv[1]


def write(text):
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))
    sys.stdout.buffer.flush()


def say(**members):
    if FAULT == "pretty-printed":
        write(json.dumps({"jsonrpc": "2.0", **members}, indent=2) + "\n")
    elif FAULT == "no-jsonrpc-member":
        write(json.dumps(members) + "\n")
    elif FAULT == "in-a-batch":
        write(json.dumps([{"jsonrpc": "2.0", **members}]) + "\n")
    elif FAULT == "no-newline":
        write(json.dumps({"jsonrpc": "2.0", **members}))
    elif FAULT == "latin-1" and "payload" in json.dumps(members):
        sys.stdout.buffer.write((json.dumps({"jsonrpc": "2.0", **members}, ensure_ascii=False) + "\n").encode("latin-1", "replace"))
        sys.stdout.buffer.flush()
    else:
        write(json.dumps({"jsonrpc": "2.0", **members}) + "\n")


def answer(id, result):
    if FAULT == "next-id" and isinstance(id, int):
        id += 1
    if FAULT == "ids-as-text":
        id = str(id)
    if FAULT == "ids-as-numbers" and isinstance(id, str) and id.isdigit():
        id = int(id)
    if FAULT == "small-ids" and isinstance(id, int):
        id &= 0xFFFFFFFF
    say(id=id, result=result)
    if FAULT == "answers-twice":
        say(id=id, result=result)


def refuse(id, code, message):
    say(id=id, error={"code": code, "message": message})


def decide(params):
    message = params["message"]
    if FAULT == "wrong-verdict":
        return {"disposition": "rewrite", "payload": message.get("payload", "")}
    if FAULT == "unknown-verdict":
        return {"disposition": "maybe"}
    if FAULT == "emits-unasked":
        return {"disposition": "pass", "effects": [{"do": "emit", "event": "wrong.seen", "data": {}}]}
    if FAULT == "needs-a-type":
        return {"disposition": "reply", "payload": {"type": message["type"]}}
    if FAULT == "text-only":
        return {"disposition": "reply", "payload": message["payload"]}
    if FAULT == "latin-1":
        return {"disposition": "reply", "payload": message.get("payload", "")}
    if FAULT == "parses-everything":
        return {"disposition": "reply", "payload": json.loads(message.get("payload", "{}"))}
    return {"disposition": "pass"}


waiting = []


def take(line):
    try:
        wire = json.loads(line)
    except ValueError:
        if FAULT == "dies-of-nonsense":
            raise
        return
    if isinstance(wire, list) and FAULT == "takes-batches":
        for one in wire:
            take(json.dumps(one))
        return
    if not isinstance(wire, dict):
        return
    method, id, params = wire.get("method"), wire.get("id"), wire.get("params")
    if method is None:
        if FAULT == "trusts-answers" and ("result" in wire or "error" in wire):
            raise KeyError(id)
        return
    if id is None:
        if FAULT == "answers-notifications":
            refuse(None, -32601, "unknown notification")
        return
    if method == "initialize":
        versions = params["protocol"]
        if FAULT != "any-protocol" and not versions["min"] <= 1 <= versions["max"]:
            return refuse(id, -32602, "only protocol 1")
        if FAULT == "strict-members" and set(params) - {
                "protocol", "gateway", "plugin", "instance", "features", "limits", "grant", "config", "stateDir"}:
            return refuse(id, -32602, "unknown members")
        answer(id, {
            "protocol": versions["max"] if FAULT == "newest-protocol" else 1,
            "plugin": {
                "id": "another" if FAULT == "other-id" else "wrong",
                "version": "2.0.0" if FAULT == "other-version" else "1.0.0"},
            **({"claims": [{"match": "urn:x-cast:com.google.cast.media", "phase": "handle"}]} if FAULT == "claims-more" else {})})
    elif method == "start":
        if FAULT == "prints":
            print("ready!", flush=True)
        answer(id, {})
    elif method == "message":
        if FAULT == "drops-crowds":
            waiting.append(id)
            if len(waiting) > 8:
                return
        if FAULT == "late-at-drain":
            waiting.append((id, params))
            if len(waiting) < 8:
                return
        if not isinstance(params, dict) or not isinstance(params.get("message"), dict):
            return refuse(id, -32602, "no message")
        answer(id, decide(params))
    elif method == "health":
        answer(id, {"status": "fine" if FAULT == "feels-fine" else "ok"})
    elif method == "reload":
        if FAULT == "exits-at-reload":
            sys.exit(1)
        if not isinstance(params, dict):
            return refuse(id, -32602, "no configuration")
        answer(id, {"outcome": "applied"})
    elif method == "drain":
        answer(id, {})
    elif method == "shutdown":
        answer(id, {})
        if FAULT == "stays":
            return
        sys.exit(1 if FAULT == "exits-with-1" else 0)
    elif FAULT == "knows-everything":
        answer(id, {})
    elif FAULT == "silent-about-unknown":
        return
    elif FAULT == "own-codes":
        refuse(id, 404, "not found")
    else:
        refuse(id, -32601, "unknown method")


def read_lines():
    rest = b""
    while True:
        data = os.read(0, 4096)
        if not data:
            return
        if FAULT == "a-read-is-a-line":
            yield data.rstrip(b"\n")
            continue
        if FAULT == "short-lines" and len(rest) > 32768:
            rest = b""
        *lines, rest = (rest + data).split(b"\n")
        yield from lines


def main():
    if FAULT == "cannot-start":
        sys.exit("no such luck")
    for line in read_lines():
        take(line.decode("utf-8", "replace"))
    if FAULT == "outlives":
        import threading
        threading.Event().wait()
    if FAULT == "exits-with-1-at-the-end":
        sys.exit(1)


main()
