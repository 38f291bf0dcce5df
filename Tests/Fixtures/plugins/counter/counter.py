"""A plugin that counts: each answer says which process of which version gave it, and each message goes into a ledger."""

import os

import castway

VERSION = "0"  # The installed copy has its own.


class Counter(castway.Plugin):
    handled = 0
    ledger = None

    def configure(self, config):
        self.ledger = os.path.join(config["ledger"], str(os.getpid()))

    def handle(self, message):
        self.handled += 1
        with open(self.ledger, "a", encoding="ascii") as ledger:
            ledger.write("%d\n" % message.payload["number"])
        return castway.reply({
            "type": "COUNTED", "number": message.payload["number"], "plugin": self.name, "version": VERSION,
            "mood": self.config["mood"], "process": os.getpid(), "sequence": self.handled,
            "granted": [claim["match"] for claim in self.grant["namespaces"]],
        })


if __name__ == "__main__":
    castway.run(Counter)
