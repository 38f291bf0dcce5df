"""The few bytes of CASTV2 that the probe and the attackers speak. Standard library only."""

import json
import socket
import ssl
import struct

CONNECTION = "urn:x-cast:com.google.cast.tp.connection"
HEARTBEAT = "urn:x-cast:com.google.cast.tp.heartbeat"
DEVICE_AUTH = "urn:x-cast:com.google.cast.tp.deviceauth"
RECEIVER = "urn:x-cast:com.google.cast.receiver"


def varint(value):
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def text(field, value):
    value = value.encode() if isinstance(value, str) else value
    return bytes([field << 3 | 2]) + varint(len(value)) + value


def frame(namespace, payload, source="sender-0", destination="receiver-0"):
    """A message with a header; a dict becomes JSON text, bytes stay binary."""
    body = b"\x08\x00" + text(2, source) + text(3, destination) + text(4, namespace)
    if isinstance(payload, bytes):
        body += b"\x28\x01" + text(7, payload)
    else:
        body += b"\x28\x00" + text(6, payload if isinstance(payload, str) else json.dumps(payload))
    return struct.pack(">I", len(body)) + body


CONNECT = frame(CONNECTION, {"type": "CONNECT"})
CLOSE = frame(CONNECTION, {"type": "CLOSE"})
PING = frame(HEARTBEAT, {"type": "PING"})
PONG = frame(HEARTBEAT, {"type": "PONG"})
CHALLENGE = frame(DEVICE_AUTH, b"\x0a\x00")


def context(maximum=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.verify_mode = ssl.CERT_NONE
    if maximum:
        made.maximum_version = maximum
    return made


def tcp(address, port, timeout=10):
    made = socket.create_connection(("127.0.0.1", port), timeout, (address, 0))
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


class Sender:
    """A TLS connection from an address of one's own."""

    def __init__(self, address, port, tls):
        self.socket = tls.wrap_socket(tcp(address, port))
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)

    def bodies(self):
        """Bodies of the frames of one read."""
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionResetError("closed")
        self.buffer += data
        found = []
        while len(self.buffer) >= 4:
            length = struct.unpack_from(">I", self.buffer)[0]
            if len(self.buffer) < 4 + length:
                break
            found.append(self.buffer[4 : 4 + length])
            self.buffer = self.buffer[4 + length :]
        return found

    def wait(self, marker):
        """Reads until a message holds the marker; answers PING meanwhile."""
        while True:
            for body in self.bodies():
                if b'"PING"' in body:
                    self.send(PONG)
                if marker in body:
                    return

    def close(self):
        try:
            self.socket.close()
        except OSError:
            pass


def request(kind, number, **more):
    return frame(RECEIVER, {"type": kind, "requestId": number, **more})
