"""Network namespaces seen from inside: sockets in them, what passes their cards, and whether they forward."""

import collections
import contextlib
import ctypes
import os
import pathlib
import select
import socket
import statistics
import struct
import threading

CLONE_NEWNET = 0x40000000
ETH_P_ALL, ETH_P_IP = 0x0003, 0x0800
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
NETLINK_ROUTE = 0
# ICMP's type.
UNREACHABLE = 3
# RTNLGRP_IPV4_NETCONF and RTNLGRP_IPV6_NETCONF: the kernel tells every change of `forwarding` there.
NETCONF_GROUPS = 1 << (24 - 1) | 1 << (25 - 1)
RTM_NEWNETCONF, NETCONFA_FORWARDING = 80, 2
SWITCHES = ("ipv4/ip_forward", "ipv6/conf/all/forwarding")
_libc = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def inside(space):
    """What this thread opens and starts in the block is in a network namespace: sockets, programs and threads."""
    with open("/proc/thread-self/ns/net") as back, open(f"/run/netns/{space}") as there:
        _enter(there)
        try:
            yield
        finally:
            _enter(back)


def _enter(file):
    if _libc.setns(file.fileno(), CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


class Forwarding:
    """Follows whether a namespace forwards packets, from here on: no moment of it is missed."""

    def __init__(self, space):
        self.space = space
        with inside(space):
            self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_ROUTE)
        self.socket.bind((0, NETCONF_GROUPS))
        self.socket.setblocking(False)

    def is_off(self):
        """Whether it forwards nothing now, and has not at any moment until now."""
        with contextlib.suppress(BlockingIOError):
            while True:
                if self._says_on(self.socket.recv(65536)):
                    return False
        with inside(self.space):
            return all(pathlib.Path("/proc/sys/net", switch).read_text() == "0\n" for switch in SWITCHES)

    @staticmethod
    def _says_on(data):
        place = 0
        while place + 16 <= len(data):
            length, kind = struct.unpack_from("=IH", data, place)
            # After the header a netconfmsg, which is one byte and its padding, and then attributes.
            at = place + 20
            while kind == RTM_NEWNETCONF and at + 8 <= place + length:
                size, attribute, value = struct.unpack_from("=HHi", data, at)
                if attribute == NETCONFA_FORWARDING and value != 0:
                    return True
                at += (size + 3) & ~3
            place += (length + 3) & ~3
        return False

    def close(self):
        self.socket.close()


class Card:
    """Writes down every UDP datagram of IPv4 that passes a network card, with the kernel's instant."""

    def __init__(self, space, interface):
        with inside(space):
            # The kernel shows what leaves only to sockets for all protocols.
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
            self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
            self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            self.socket.bind((interface, ETH_P_ALL))
        self.seen = []
        self.refused = []
        """Who said by ICMP that something is unreachable, and the code of it; 3 is a port."""
        self._news = threading.Condition()
        self._end, self._ended = os.pipe()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        while True:
            ready, _, _ = select.select([self.socket, self._end], [], [])
            if self.socket not in ready:
                return
            data, more, _, place = self.socket.recvmsg(65536, 256)
            if place[1] != ETH_P_IP or len(data) < 28:
                continue
            header = (data[0] & 15) * 4
            if data[9] == socket.IPPROTO_ICMP and data[header] == UNREACHABLE:
                with self._news:
                    self.refused.append((socket.inet_ntoa(data[12:16]), data[header + 1]))
                    self._news.notify_all()
            if data[9] != socket.IPPROTO_UDP:
                continue
            seconds, rest = struct.unpack("=qq", next(
                value[:16] for level, kind, value in more if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS)))
            source, destination, length = struct.unpack_from("!HHH", data, header)
            self.seen.append((
                seconds * 1_000_000_000 + rest, (socket.inet_ntoa(data[12:16]), source),
                (socket.inet_ntoa(data[16:20]), destination), data[header + 8:header + length]))

    def refusal(self, seconds):
        """Waits for ICMP that says that something is unreachable; None when none comes."""
        with self._news:
            self._news.wait_for(lambda: self.refused, seconds)
            return self.refused[0] if self.refused else None

    def close(self):
        """Reads what has passed until now, and ends."""
        os.write(self._ended, b"x")
        self._thread.join(10)
        self.socket.close()
        for end in (self._end, self._ended):
            os.close(end)

    def port(self, source, destination):
        """The port to which most goes from one address to another; None when nothing does."""
        ports = collections.Counter(
            remote for _, (host, _), (peer, remote), _ in self.seen if (host, peer) == (source, destination))
        return max(ports, key=ports.get, default=None)

    def between(self, source, destination, port):
        """What went from one address to another, from or to a port: instants by content."""
        found = collections.defaultdict(collections.deque)
        for instant, (host, local), (peer, remote), content in self.seen:
            if (host, peer) == (source, destination) and port in (local, remote):
                found[content].append(instant)
        return found


class Passage:
    """What passed one card and then another, told apart by content: how many were lost on the way, and how long it took.

    Only what passed the first card before an instant counts as sent: what is on its way when a stream ends may be lost.
    """

    def __init__(self, before, after, until):
        self.arrived = sum(map(len, after.values()))
        """All that passed the second card, at any time."""
        self.sent, self.taken = 0, []
        for content, instants in before.items():
            timely = [instant for instant in instants if instant < until]
            self.sent += len(timely)
            # Two of the same content take their turns.
            self.taken += [then - instant for instant, then in zip(timely, after.get(content, ()))]

    @property
    def lost(self):
        return self.sent - len(self.taken)

    def __str__(self):
        if not self.taken:
            return f"{self.sent} sent, none arrived"
        taken = sorted(self.taken)
        late = taken[min(len(taken) - 1, len(taken) * 99 // 100)]
        return (f"{self.sent} sent, {len(taken)} arrived, {self.lost} lost ({100 * self.lost / self.sent:.2f} %), "
                f"median {statistics.median(taken) / 1000:.0f} µs, p99 {late / 1000:.0f} µs")
