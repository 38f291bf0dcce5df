#!/usr/bin/env python3
"""Names the Cast devices of a file, which another program writes: of a network that multicast does not reach, for example."""

import json
import os

import castway


class DeviceFile(castway.Plugin):
    def __init__(self):
        self.named, self.seen, self.trouble, self.timer = {}, None, None, None

    def configure(self, config):
        if not isinstance(config.get("file"), str) or not isinstance(config.get("interval"), (int, float)):
            raise castway.ConfigError("", "a file and an interval in seconds are wanted")
        self.path, self.interval, self.seen = os.path.join(self.state_dir or ".", config["file"]), config["interval"], None
        if self.timer is not None:
            self.timer.cancel()
            self.timer = self.every(self.interval, self.look)

    def start(self, snapshot):
        self.look()
        self.timer = self.every(self.interval, self.look)

    def look(self):
        """Reads the file when it has changed, and tells what is new, what has changed, and what is gone."""
        try:
            status = os.stat(self.path)
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if stamp == self.seen:
                return
            with open(self.path, encoding="utf-8") as file:
                devices = {device["name"]: device for device in json.load(file)}
            changed = [device for name, device in devices.items() if self.named.get(name) != device]
            gone = [name for name in self.named if name not in devices]
            if gone:
                self.gateway.withdraw(gone)
            self.named = {name: device for name, device in self.named.items() if name in devices}
            if changed:
                self.gateway.publish(changed)
            self.named, self.seen, trouble = devices, stamp, None
        except (OSError, ValueError, KeyError, TypeError, castway.GatewayError) as error:
            trouble = "%s: %s" % (os.path.basename(self.path), error)
        if trouble != self.trouble:
            self.trouble = trouble
            self.gateway.health_changed("degraded" if trouble else "ok", trouble)

    def health(self):
        return ("degraded", self.trouble) if self.trouble else "ok"


if __name__ == "__main__":
    castway.run(DeviceFile)
