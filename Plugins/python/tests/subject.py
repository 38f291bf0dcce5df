"""The plugin that the tests of the kit talk to."""

import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import castway

gate = threading.Event()


class Subject(castway.Plugin):
    max_in_flight = 7

    def configure(self, config):
        if config.get("color") == "wrong":
            raise castway.ConfigError("/color", "expected a color")
        self.color = config.get("color")

    def start(self, snapshot):
        self.devices = [device["name"] for device in snapshot["devices"]]

    def filter(self, message):
        return castway.reject("NOT_ALLOWED", "because")

    def handle(self, message):
        print("this goes to the log")
        return castway.reply(message.text if message.data is None else message.data)

    @castway.on("DEVICES")
    def known(self, message):
        return castway.reply({"devices": self.devices, "color": self.color, "config": self.config})

    @castway.on("EFFECTS")
    def effects(self, message):
        return (castway.handled().reply_to_sender({"a": 1}).broadcast({"b": 2}, "urn:x-cast:b").send_to_receiver("c")
                .emit("d", {"e": 5}, key="k").kv_put("f", [6]).kv_delete("g").log("info", "h"))

    @castway.operation("echo")
    def op_echo(self, call):
        return {"input": call.input, "caller": call.caller["name"], "request": call.request}

    @castway.operation("fail")
    def op_fail(self, call):
        raise castway.OperationError("no_game", "nothing is played", hint="start one")

    @castway.operation("wrong")
    def op_wrong(self, call):
        return {"set": {1, 2}}

    @castway.operation("wait")
    def op_wait(self, call):
        call.progress(0.5, "half of it")
        self.call = call
        return castway.PENDING

    @castway.operation("end")
    def op_end(self, call):
        self.call.complete({"aborted": self.call.aborted})
        return {"aborted": self.call.aborted}

    @castway.operation("early")
    def op_early(self, call):
        call.fail("no_game", "at once")
        return castway.PENDING

    @castway.operation("seek")
    def op_seek(self, call):
        return self.gateway.call("media.seek", device="hall", position=60, wait=1)

    @castway.operation("name")
    def name_devices(self, call):
        self.gateway.publish([{"name": "annex", "address": "192.0.2.1"}])
        self.gateway.withdraw(["annex"])

    @castway.on("ASK")
    def ask(self, message):
        return castway.reply({"answer": self.gateway.send("hall", "urn:x-cast:a", {"type": "Q"}, wait=1.5)})

    @castway.on("STORE")
    def store(self, message):
        self.kv.put("n", (self.kv.get("n", 0)) + 1)
        return castway.reply({"keys": self.kv.list("n")})

    @castway.on("HOLD")
    def hold(self, message):
        gate.wait()
        return castway.reply({"type": "LET_GO"})

    @castway.on("LET_GO")
    def let_go(self, message):
        gate.set()

    @castway.on("TIMERS")
    def timers(self, message):
        """Two timers are cancelled: one before it is due, and one that repeats, by itself at the third call."""
        self.calls = []
        never = self.after(0.5, lambda: self.calls.append("never"))
        never.cancel()
        never.cancel()

        def again():
            self.calls.append("again")
            if len(self.calls) == 3:
                self.again.cancel()
                self.after(1, lambda: message.complete(castway.reply({"calls": self.calls})))

        self.again = self.every(0.01, again)
        return castway.defer(10)

    @castway.on("FAIL_LATER")
    def fail_later(self, message):
        self.after(0, lambda: 1 // 0)

    @castway.on("LATER")
    def later(self, message):
        self.after(5, lambda: message.complete(castway.reply({"type": "NOW"})))
        return castway.defer(10)

    @castway.on("QUICKER")
    def quicker(self, message):
        message.complete(castway.drop("early"))
        return castway.defer()

    @castway.on("SLEEP")
    def sleep(self, message):
        self.clock.sleep(2)
        return castway.reply({"now": self.clock.now()})

    @castway.on("FAIL")
    def fail(self, message):
        raise ValueError("no such thing")

    @castway.on("NONSENSE")
    def nonsense(self, message):
        return {"type": "NO_VERDICT"}

    @castway.on("LEAVE")
    def leave(self, message):
        sys.exit(3)

    def observe(self, message, dropped):
        self.gateway.log("info", message.type, dropped=dropped)

    def event(self, event):
        self.gateway.emit("seen." + event["type"])

    def health(self):
        return "ok" if self.color == "well" else ("degraded", "feeling so")


castway.run(Subject)
