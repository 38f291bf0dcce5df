#!/usr/bin/env python3
"""What the tests of transcripts talk to."""

import os

import castway


class Stage(castway.Plugin):
    @castway.on("ECHO")
    def echo(self, message):
        return castway.reply(message.text)

    @castway.on("LATER")
    def later(self, message):
        self.after(3, lambda: message.complete(castway.reply({"now": int(self.clock.now() * 1000)})))
        return castway.defer(10)

    @castway.on("ASK")
    def ask(self, message):
        return castway.reply({"answer": self.gateway.send("hall", "urn:x-cast:a", {"type": "COLOR"}, wait=1)})

    @castway.on("COUNT")
    def count(self, message):
        count = self.kv.get("count", 0) + 1
        return castway.reply({"count": count}).kv_put("count", count)

    @castway.on("EMIT")
    def emit(self, message):
        return castway.handled().emit("stage.seen", {"type": message.type})

    @castway.on("WRITE")
    def write(self, message):
        with open(os.path.join(self.state_dir, "notes.txt"), "w", encoding="ascii") as notes:
            notes.write('plain\n{"a": 1}\n')

    @castway.on("DIE")
    def die(self, message):
        os._exit(9)


castway.run(Stage)
