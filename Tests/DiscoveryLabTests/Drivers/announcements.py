"""Prints when a host was heard to answer or announce a Cast service: monotonic seconds, a line each.

Usage: announcements.py OWN-ADDRESS SENDER
"""

from __future__ import annotations

import socket
import sys
import time


def main(own: str, sender: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # To the group alone: what is sent to the host itself is for its daemon.
        heard.bind(("224.0.0.251", 5353))
        member = socket.inet_aton("224.0.0.251") + socket.inet_aton(own)
        heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        print("ready", flush=True)
        while True:
            packet, (host, _) = heard.recvfrom(9000)
            if host == sender and len(packet) > 2 and packet[2] & 0x80 and b"_googlecast" in packet:
                print(time.monotonic(), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
