"""What hostile senders do. Each attack runs in a process of its own until it is ended, from 127.0.0.2."""

import os
import socket
import ssl
import time

import castwire
from castwire import CHALLENGE, CLOSE, CONNECT, PING, Sender, request, tcp

ADDRESS = "127.0.0.2"
TLS = castwire.context()


def forever(step):
    """Repeats, whatever the gateway does about it."""

    def attack(port):
        while True:
            try:
                step(port)
            except (OSError, ssl.SSLError):
                pass

    return attack


def pour(data, first=CONNECT, connections=1):
    """As much of the data as the gateway takes, over so many connections at once; what comes back is thrown away."""

    def step(port):
        senders = []
        try:
            for _ in range(connections):
                sender = Sender(ADDRESS, port, TLS)
                senders.append(sender)
                sender.send(first)
                sender.socket.setblocking(False)
            while True:
                idle = True
                for sender in senders:
                    try:
                        sender.socket.send(data)
                        idle = False
                    except (ssl.SSLWantWriteError, ssl.SSLWantReadError, BlockingIOError):
                        pass
                    try:
                        while sender.socket.recv(65536):
                            idle = False
                    except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
                        pass
                if idle:
                    time.sleep(0.001)
        finally:
            for sender in senders:
                sender.close()

    return forever(step)


def malformed(data):
    def step(port):
        sender = Sender(ADDRESS, port, TLS)
        try:
            sender.send(data)
            sender.socket.recv(1024)
        finally:
            sender.close()

    return forever(step)


def churn(port):
    """Handshake, close, again."""
    while True:
        try:
            Sender(ADDRESS, port, TLS).close()
        except (OSError, ssl.SSLError):
            pass


def connections_without_handshake(port):
    """Holds as many TCP connections as it gets, and asks for more."""
    held = []
    while True:
        try:
            held.append(tcp(ADDRESS, port))
            if len(held) > 900:
                held.pop(0).close()
        except OSError:
            time.sleep(0.001)


def garbage_for_tls(port):
    data = os.urandom(16384)
    while True:
        try:
            made = tcp(ADDRESS, port)
            made.sendall(data)
            made.close()
        except OSError:
            pass


def bytes_in_records(port):
    """One byte a TLS record: much work for TLS, no message for a long time."""
    data = request("GET_STATUS", 1)

    def step(port):
        sender = Sender(ADDRESS, port, TLS)
        try:
            sender.send(CONNECT)
            while True:
                for byte in data:
                    sender.send(bytes([byte]))
        finally:
            sender.close()

    forever(step)(port)


def drip(port):
    """Sixty connections that send a byte a second each."""
    data = request("GET_STATUS", 1)
    senders = []
    while True:
        while len(senders) < 60:
            try:
                senders.append([Sender(ADDRESS, port, TLS), 0])
            except (OSError, ssl.SSLError):
                time.sleep(0.05)
                break
        for entry in list(senders):
            try:
                entry[0].send(data[entry[1] % len(data) :][:1])
                entry[1] += 1
            except (OSError, ssl.SSLError):
                entry[0].close()
                senders.remove(entry)
        time.sleep(1)


def never_reads(port):
    """Sixty connections that never read; one that makes the device speak to all of them."""
    deaf = []
    speaker = None
    number = 2
    while True:
        try:
            while len(deaf) < 60:
                sender = Sender(ADDRESS, port, TLS)
                sender.send(CONNECT)
                deaf.append(sender)
            if speaker is None:
                speaker = Sender(ADDRESS, port, TLS)
                speaker.send(CONNECT)
            for _ in range(50):
                number += 1
                speaker.send(request("SET_VOLUME", number, volume={"level": (number % 100) / 100}))
            speaker.wait(b'"requestId":%d' % number)
        except (OSError, ssl.SSLError):
            if speaker:
                speaker.close()
            speaker = None
            for sender in deaf:
                sender.close()
            deaf = []


def renegotiate(port):
    """A ClientHello where none belongs: what a renegotiating client of TLS 1.2 sends is refused like this record."""
    while True:
        try:
            sender = Sender(ADDRESS, port, castwire.context(ssl.TLSVersion.TLSv1_2))
            raw = socket.socket(fileno=os.dup(sender.socket.fileno()))
            raw.sendall(b"\x16\x03\x03\x00\x30" + os.urandom(48))
            raw.recv(1024)
            raw.close()
            sender.close()
        except (OSError, ssl.SSLError):
            pass


def http_connection(port, beginning, secure):
    made = tcp(ADDRESS, port)
    if secure:
        made = TLS.wrap_socket(made)
    made.sendall(beginning)
    made.setblocking(False)
    return made


def set_up(beginning, secure, connections=600):
    """Holds as many connections to the set-up service as it gets, each of which says a byte a second."""

    def attack(port):
        held = []
        while True:
            for _ in range(min(50, connections - len(held))):
                try:
                    held.append(http_connection(port, beginning, secure))
                except OSError:
                    break
            for made in list(held):
                try:
                    made.send(b"x")
                except (ssl.SSLWantWriteError, ssl.SSLWantReadError, BlockingIOError):
                    pass
                except OSError:
                    made.close()
                    held.remove(made)
            time.sleep(1)

    attack.target = "https" if secure else "http"
    return attack


def set_up_without_reading(port):
    """Asks for the device's information again and again, and never reads an answer."""
    question = b"GET /setup/eureka_info HTTP/1.1\r\nHost: a\r\n\r\n" * 100
    held = []
    while True:
        try:
            if len(held) < 60:
                held.append(http_connection(port, b"", False))
        except OSError:
            pass
        for made in list(held):
            try:
                made.send(question)
            except BlockingIOError:
                pass
            except OSError:
                made.close()
                held.remove(made)
        time.sleep(0.01)


set_up_without_reading.target = "http"
ENDLESS = b"POST /setup/eureka_info HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n"
SLOW = b"POST /setup/eureka_info HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n"

DEEP = castwire.frame(
    castwire.RECEIVER, '{"type":"LAUNCH","requestId":7,"appId":' + "[" * 10000 + "]" * 10000 + "}"
)

# Name, the attack, and what the gateway's log has to say of it (one of the texts; none when nothing is wrong).
ATTACKS = [
    ("length 0xFFFFFFFF", malformed(b"\xff\xff\xff\xff"), ("frame_too_large", "turned away")),
    ("missing fields", malformed(b"\x00\x00\x00\x02\x08\x00"), ("missing_field", "turned away")),
    ("64 KiB of anything", malformed(b"\x00\x01\x00\x00" + os.urandom(65536)), ("malformed_field", "turned away")),
    ("garbage for TLS", garbage_for_tls, ("tls_failed", "turned away")),
    ("record out of place", renegotiate, ("tls_failed", "turned away")),
    ("JSON 10,000 deep", pour(DEEP * 3), ("throttled",)),
    ("no CONNECT", pour(request("GET_STATUS", 1) * 500, first=PING), ("throttled",)),
    ("GET_STATUS flood", pour(request("GET_STATUS", 1) * 500), ("throttled",)),
    ("GET_STATUS, 60 connections", pour(request("GET_STATUS", 1) * 100, connections=60), ("throttled",)),
    ("SET_VOLUME flood", pour(request("SET_VOLUME", 1, volume={"level": 0.3}) * 200), ("throttled",)),
    ("LAUNCH flood", pour(request("LAUNCH", 1, appId="CC1AD845") * 200), ("too many launches", "throttled")),
    ("PING flood", pour(PING * 500), ("heartbeat_flood",)),
    ("CONNECT flood", pour(CONNECT * 500), ("connect_flood",)),
    ("CLOSE flood", pour(CLOSE * 500), ("connect_flood",)),
    ("challenge flood", pour(CHALLENGE * 20), ("challenge_flood",)),
    ("64 KiB messages", pour(castwire.frame(castwire.RECEIVER, "x" * 65000)), ("throttled",)),
    ("a byte a record", bytes_in_records, ()),
    ("a byte a second", drip, ("slow_frame",)),
    ("TLS churn", churn, ("turned away",)),
    ("TCP without TLS", connections_without_handshake, ("turned away",)),
    ("never reads", never_reads, ()),
    ("set-up: dripping bodies", set_up(SLOW, False), ("turned away",)),
    ("set-up: the same with TLS", set_up(SLOW, True), ("turned away",)),
    ("set-up: endless bodies", set_up(ENDLESS, True), ("turned away",)),
    ("set-up: no request", set_up(b"", False), ("turned away",)),
    ("set-up: never reads", set_up_without_reading, ("turned away",)),
]
