"""mDNS as a host sees it on the wire.

    wire.py listen OWN-ADDRESS                  prints each message as a JSON line, goodbyes and questions too
    wire.py ask OWN-ADDRESS HOST NAME SECONDS   asks for the PTR records of a name, from a port of its own, so that the answer comes here alone;
                                                prints what a host has answered
    wire.py rooms PREFIX HOST-END               prints the room in which a host announces a Cast device: what follows the prefix in the name of an
                                                interface; the host's addresses end so

Records are `[name, type, lifetime, content]`, the content of PTR records alone.
"""

from __future__ import annotations

import json
import random
import selectors
import socket
import struct
import sys
import time

from zeroconf import DNSIncoming

GROUP = ("224.0.0.251", 5353)
PTR = 12
IP_MULTICAST_ALL = 49


def records(message: DNSIncoming) -> list:
    return [[record.name, record.type, record.ttl, getattr(record, "alias", "")] for record in message.answers()]


def listen(own: str) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as heard:
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # To the group alone: what is sent to the host itself is for its daemon.
        heard.bind(GROUP)
        member = socket.inet_aton(GROUP[0]) + socket.inet_aton(own)
        heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        print("ready", flush=True)
        while True:
            packet, (host, port) = heard.recvfrom(9000)
            message = DNSIncoming(packet)
            line = {
                "time": time.monotonic(), "from": host, "port": port, "response": message.is_response(),
                "questions": [[question.name, question.type] for question in message.questions],
                "records": records(message),
            }  # fmt: skip
            print(json.dumps(line), flush=True)


def question(name: str) -> bytes:
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.rstrip(".").split("."))
    return struct.pack(">6H", random.randrange(65536), 0, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">2H", PTR, 1)


def ask(own: str, host: str, name: str, seconds: float) -> list:
    answers = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.bind((own, 0))
        asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
        asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
        asking.sendto(question(name), GROUP)
        deadline = time.monotonic() + seconds
        while (rest := deadline - time.monotonic()) > 0:
            asking.settimeout(rest)
            try:
                packet, (sender, _) = asking.recvfrom(9000)
            except TimeoutError:
                break
            if sender == host:
                answers += records(DNSIncoming(packet))
    return answers


def rooms(prefix: str, host_end: str) -> None:
    selector = selectors.DefaultSelector()
    for index, name in socket.if_nameindex():
        if not name.startswith(prefix):
            continue
        heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        # What comes by this interface, and not what another socket has joined.
        heard.setsockopt(socket.IPPROTO_IP, IP_MULTICAST_ALL, 0)
        heard.bind(GROUP)
        member = socket.inet_aton(GROUP[0]) + struct.pack("4xi", index)
        heard.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        selector.register(heard, selectors.EVENT_READ, name.removeprefix(prefix))
    print("ready", flush=True)
    while True:
        for key, _ in selector.select():
            packet, (host, _) = key.fileobj.recvfrom(9000)
            message = DNSIncoming(packet)
            if host.endswith(host_end) and message.is_response() and any(
                    record.name.startswith("_googlecast._tcp") and record.ttl for record in message.answers()):
                print(key.data, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "listen":
        listen(sys.argv[2])
    elif sys.argv[1] == "rooms":
        rooms(sys.argv[2], sys.argv[3])
    else:
        print(json.dumps(ask(sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5]))))
