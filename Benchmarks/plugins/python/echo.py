#!/usr/bin/env python3
"""Sends every message back, with Castway's kit."""

import castway


class Echo(castway.Plugin):
    def handle(self, message):
        return castway.reply(message.payload)


if __name__ == "__main__":
    castway.run(Echo)
