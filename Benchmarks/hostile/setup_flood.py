#!/usr/bin/env python3
"""What a flood of the set-up service leaves to Cast senders when descriptors are few, and what memory it takes.

Starts a gateway with so many descriptors, holds TLS connections with dripping bodies to its set-up service from one
address, and from many, and lets honest senders and health checks come meanwhile.

    setup_flood.py .build/release/castway [--descriptors 512] [--connections 600] [--senders 20]
"""

import argparse
import os
import resource
import socket
import sys
import tempfile
import threading

import attacks
import castwire
from castwire import CONNECT, Sender, request
from run import Gateway


def livez(folder):
    """The answer to GET /livez at the admin socket; empty when there is none in time."""
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.settimeout(3)
            made.connect(os.path.join(folder, "state", "admin.sock"))
            made.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            return made.recv(1024).decode(errors="replace")
    except OSError:
        return ""


def served(port, count):
    """How many of so many senders are answered, and all stay connected."""
    senders = []
    for _ in range(count):
        try:
            sender = Sender("127.0.0.1", port, castwire.context())
            sender.send(CONNECT)
            sender.send(request("GET_STATUS", 7))
            sender.wait(b'"requestId":7')
            senders.append(sender)
        except (OSError, EOFError):
            pass
    for sender in senders:
        sender.close()
    return len(senders)


class Flood(threading.Thread):
    def __init__(self, port, count, addresses):
        super().__init__(daemon=True)
        self.port, self.count, self.addresses = port, count, addresses
        self.held, self.over, self.built_up = [], threading.Event(), threading.Event()

    def run(self):
        number = 0
        while not self.over.is_set():
            for _ in range(min(50, self.count - len(self.held))):
                number += 1
                attacks.ADDRESS = self.addresses[number % len(self.addresses)]
                try:
                    self.held.append(attacks.http_connection(self.port, attacks.SLOW, True))
                except OSError:
                    pass
            for made in list(self.held):
                try:
                    made.send(b"x")
                except (castwire.ssl.SSLWantWriteError, castwire.ssl.SSLWantReadError, BlockingIOError):
                    pass
                except OSError:
                    made.close()
                    self.held.remove(made)
            if number >= self.count:
                self.built_up.set()
            self.over.wait(0.5)
        for made in self.held:
            made.close()


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("castway")
    arguments.add_argument("--descriptors", type=int, default=512)
    arguments.add_argument("--connections", type=int, default=600)
    arguments.add_argument("--senders", type=int, default=20)
    options = arguments.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    failed = False
    for addresses in (["127.0.0.2"], [f"127.0.1.{number}" for number in range(1, 101)]):
        with tempfile.TemporaryDirectory() as folder:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
            gateway = Gateway(options.castway, folder, descriptors=options.descriptors)
            try:
                served(gateway.port, 1)
                before = gateway.memory()
                flood = Flood(gateway.https, options.connections, addresses)
                flood.start()
                flood.built_up.wait(120)
                count = served(gateway.port, options.senders)
                health = livez(folder).split("\r\n")[0] or "no answer"
                held, during = gateway.descriptors(), gateway.memory()
                flood.over.set()
                flood.join()
                print(
                    f"{len(addresses):3} addresses, {options.connections} connections, {options.descriptors} descriptors:"
                    f" {count} of {options.senders} senders served, /livez {health}, {held} descriptors in use,"
                    f" memory {before:.0f} -> {during:.0f} MiB",
                    flush=True,
                )
                failed |= count < options.senders or "200" not in health
            finally:
                gateway.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
