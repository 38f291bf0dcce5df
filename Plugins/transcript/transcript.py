#!/usr/bin/env python3
"""Writes a log of messages, one JSON object a line, without what must not be written down."""

import datetime
import json
import os

import castway
from redaction import Redaction


class Transcript(castway.Plugin):
    def __init__(self):
        self.file = self.path = self.stream = None
        self.size = 0
        self.lost = 0           # lines that could not be written since the last one that was
        self.trouble = None     # why

    def configure(self, config):
        name = config.get("file", "transcript.jsonl")
        if not isinstance(name, str) or not name or name.endswith("/"):
            raise castway.ConfigError("/file", "expected the name of a file")
        limits = {"max_size": (10 << 20, 1024), "keep": (5, 0), "max_payload": (64 << 10, 0)}
        values = {}
        for key, (default, least) in limits.items():
            value = config.get(key, default)
            if type(value) is not int or value < least:
                raise castway.ConfigError("/" + key, "expected a whole number of at least %d" % least)
            values[key] = value
        names = config.get("redact", [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise castway.ConfigError("/redact", "expected a list of names")
        # Everything is checked; only now does anything change.
        self.max_size, self.keep, self.max_payload = values["max_size"], values["keep"], values["max_payload"]
        self.payloads = config.get("payloads", True)
        self.redaction = Redaction(names)
        path = os.path.join(self.state_dir or ".", name)
        if path != self.path:
            self.close()
            self.path = path
        self.file = name

    def observe(self, message, dropped):
        if dropped:
            self.write({"at": self.time(), "dropped": dropped})
        line = {"at": self.time()}
        for name in ("device", "direction", "connection", "sender", "session", "app", "source", "destination", "namespace", "type"):
            value = getattr(message, name)
            if value is not None:
                line[name] = value
        if message.request_id is not None:
            line["requestId"] = message.request_id
        self.put_payload(line, message)
        self.write(line)

    def put_payload(self, line, message):
        data = message.data
        if data is not None:
            line["binary"] = len(data)
            return
        text = message.text or ""
        size = len(text.encode("utf-8", "surrogatepass"))
        if not self.payloads or size > self.max_payload:
            line["bytes"] = size
            return
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            # What is not JSON cannot be looked through, so it is not written.
            line["bytes"] = size
            return
        line["payload"] = self.redaction.clean(value)

    def time(self):
        moment = datetime.datetime.fromtimestamp(self.clock.now(), datetime.timezone.utc)
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    # -- the file

    def write(self, line):
        try:
            if self.lost:
                self.append({"at": self.time(), "lost": self.lost, "reason": self.trouble})
                self.lost, self.trouble = 0, None
                self.gateway.health_changed("ok")
            self.append(line)
        except OSError as error:
            if not self.lost:
                self.gateway.health_changed("degraded", "%s: %s" % (self.file, error.strerror))
            self.lost += 1
            self.trouble = error.strerror
            self.close()

    def append(self, line):
        data = (json.dumps(line, separators=(",", ":")) + "\n").encode("ascii")
        if self.stream is None:
            self.stream = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self.size = os.fstat(self.stream).st_size
        if self.size and self.size + len(data) > self.max_size:
            self.rotate()
        written = os.write(self.stream, data)
        if written < len(data):
            # Half a line helps nobody: a full disk takes it back.
            os.ftruncate(self.stream, self.size)
            raise OSError(28, "no space left on device")
        self.size += written

    def rotate(self):
        self.close()
        for number in range(self.keep, 0, -1):
            older = "%s.%d" % (self.path, number)
            newer = "%s.%d" % (self.path, number - 1) if number > 1 else self.path
            if os.path.exists(newer):
                os.replace(newer, older)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        self.stream = os.open(self.path, flags | (0 if self.keep else os.O_TRUNC), 0o600)
        self.size = 0

    def close(self):
        if self.stream is not None:
            os.close(self.stream)
            self.stream = None

    def health(self):
        return ("degraded", "%s: %s" % (self.file, self.trouble)) if self.lost else "ok"

    def stop(self):
        self.close()


if __name__ == "__main__":
    castway.run(Transcript)
