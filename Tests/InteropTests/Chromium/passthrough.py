"""Has Chromium, headless, use a device in another network through a passthrough, and mirror a tab to it.

    python3 passthrough.py --binary .build/debug/castway [--packets 1000] [--log FILE]

Makes three hosts in network namespaces: a gateway without forwarding between Chromium's network and the device's, each with Avahi and
real mDNS. The device is another Castway with an identity of its own, and for streams a scripted device behind that. Needs root, nftables,
Avahi, Chromium and the PyPI package websocket-client; without them it says so and ends with status 77. Exit status 0 if all of it passed.
"""

import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time

from networks import Card, Forwarding, Passage, inside
from streams import HERE, ROOT, SKIPPED, check, mirror, obstacle, parser, serve

GATEWAY, DEVICE, SENDER = 1, 2, 3
SENDERS_NETWORK = "guests0"
SENDER_ADDRESS, SOUTH, DEVICE_ADDRESS = "10.20.0.7", "10.77.0.1", "10.77.0.2"
TELEVISION, SCREEN, LOBBY, CLOSED = "10.20.0.11", "10.20.0.12", "10.20.0.13", "10.20.0.14"
PORT = 8009
# What the device sends back: one RTCP packet of its own for so many of the sender's.
EVERY = 8
STEPS = ("unavailable", "media", "refused", "connect", "join")

# The device: one that plays, and one whose app for mirroring is the scripted device's.
BEHIND = """\
gateway: {{state_directory: {state}}}
log: {{format: json, level: info}}
connections: {{verify_device_certificate: off}}
discovery: {{mdns: {{enabled: false}}, static: [{{name: scripted, address: "127.0.0.1:{scripted}"}}]}}
virtual_devices:
  - {{name: television, friendly_name: Television, listen: "0.0.0.0:8009", target: local}}
  - {{name: screen, friendly_name: Screen, listen: "0.0.0.0:8010", target: {{device: scripted}}}}
"""
BETWEEN = """\
gateway: {{state_directory: {state}}}
log: {{format: json, level: info}}
connections: {{verify_device_certificate: off}}
discovery: {{mdns: {{interfaces: [eth0]}}}}
virtual_devices:
  - {{name: room, listen: "10.20.0.11:8009", publish: {{interfaces: [guests0]}}, target: {{passthrough: Television}}}}
  - {{name: hall, listen: "10.20.0.12:8009", publish: {{interfaces: [guests0]}}, target: {{passthrough: Screen}}, mirroring: {{udp: relay}}}}
  - {{name: lobby, friendly_name: Lobby, listen: "10.20.0.13:8009", publish: {{interfaces: [guests0]}}, target: {{device: Screen}}}}
  - name: closed
    friendly_name: Closed
    listen: "10.20.0.14:8009"
    publish: {{interfaces: [guests0]}}
    target: {{device: Screen}}
    mirroring: {{udp: off}}
"""


class World:
    """The three hosts, and what runs on them."""

    def __init__(self, lab, options):
        self.lab, self.options = lab, options
        self.spaces = {host: f"{lab.environment['CASTWAY_LAB_NAME']}-{host}" for host in (GATEWAY, DEVICE, SENDER)}
        self.page = ""
        self.scripted = None
        self.roots = {}
        self.log = options.log or str(lab.folder / "chromium.log")

    def command(self, host, name, *words):
        """A command of the program on a host, about the gateway of that configuration."""
        return self.lab.on(host, self.lab.castway, *words, "--config", str(self.lab.folder / f"{name}.yaml"))

    def said(self, *words):
        """What a command of the gateway says, whatever its status."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.spaces[GATEWAY], self.lab.castway, *words, "--config", str(self.lab.folder / "between.yaml")],
            env=self.lab.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        return done.stdout + done.stderr

    def get(self, device):
        return json.loads(self.command(GATEWAY, "between", "call", "virtual_device.get", f"device={device}", "--json"))

    def text(self, template):
        return template.format(state=self.lab.folder / "between-state", scripted=self.scripted.port)

    @contextlib.contextmanager
    def browser(self, root):
        """A Chromium in the senders' network that trusts one root."""
        from driver import Browser

        browser = Browser(self.options.chromium, None, self.roots[root], self.log)
        try:
            yield browser
        finally:
            browser.close()


    def proved(self, address):
        """Whether the last Chromium says of the device at an address that it has proved itself."""
        text = pathlib.Path(self.log).read_text(errors="replace")
        return f"[{address}:{PORT}, auth=SSL_VERIFIED] Auth challenge verification succeeded" in text


@contextlib.contextmanager
def networks(options):
    """The senders' network, the gateway and the device's network, with a device in it."""
    from deployments import connect, ip, move
    from lab import Gateway, Lab
    from peers import MirroringDevice

    os.environ["CASTWAY_BINARY"] = str(pathlib.Path(options.binary).resolve())
    os.environ["CASTWAY_LAB_INTERFACES"] = f"eth0,{SENDERS_NETWORK}"
    os.environ["CASTWAY_LAB_IPV6"] = "no"
    with Lab(3, avahi=[DEVICE]) as lab, contextlib.ExitStack() as stack:
        lab.environment["CASTWAY_RUN_DIRECTORY"] = str(lab.folder / "run")
        world = World(lab, options)
        connect(lab, SENDERS_NETWORK, *(f"{address}/24" for address in (TELEVISION, SCREEN, LOBBY, CLOSED)))
        lab.run("avahi", str(GATEWAY))
        move(lab, SENDERS_NETWORK, f"{SENDER_ADDRESS}/24", SENDER)
        # Both sides would go through the gateway if it let them.
        ip(lab, SENDER, "route", "replace", "default", "via", TELEVISION)
        ip(lab, DEVICE, "route", "replace", "default", "via", SOUTH)
        numbers = itertools.count(1)
        with inside(world.spaces[DEVICE]):
            world.scripted = MirroringDevice(lab.folder, answer=lambda data: answer(next(numbers)))
        stack.callback(world.scripted.close)
        path = lab.configuration("behind", BEHIND.format(state=lab.folder / "behind-state", scripted=world.scripted.port))
        behind = lab.program(DEVICE, Gateway, "the device", "sh", "-c", 'exec "$0" run --config "$1" 2>&1', lab.castway, path)
        behind.messages("Announced", "Listening")
        world.roots["device"] = root(world, DEVICE, "behind")
        yield world


def answer(number):
    """Every so many datagrams an RTCP report of a receiver that knows no stream, different from every other."""
    return struct.pack("!BBHI", 0x80, 201, 1, number) if number % EVERY == 0 else None


def root(world, host, name):
    path = world.lab.folder / f"{name}.pem"
    world.command(host, name, "identity", "export-root", "--output", str(path))
    return path


def start(world, has_socket, has_rules):
    """Starts the gateway, which has no right of its own: the socket for streams is handed to it, or not."""
    from deployments import ENDS
    from deployments import start as start_fit
    from lab import Gateway

    text = world.text(BETWEEN)
    if has_socket and has_rules:
        return start_fit(world.lab, "between", text, is_handed=True)
    path = world.lab.configuration("between", text)
    bare = ["python3", ENDS, "handed"] if has_socket else ["setpriv", "--bounding-set", "-all", "--inh-caps", "-all"]
    return world.lab.program(
        GATEWAY, Gateway, "castway run", *bare, "sh", "-c", 'exec "$0" run --config "$1" 2>&1', world.lab.castway, path)


def certificate(space, host, port):
    """The fingerprint of the certificate that a host shows."""
    with inside(space):
        shown = ssl.get_server_certificate((host, port), timeout=20)
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(shown)).hexdigest()


def separate(world):
    """Nothing but the gateway is between both networks."""
    with inside(world.spaces[SENDER]), socket.socket() as direct:
        direct.settimeout(1)
        try:
            direct.connect((DEVICE_ADDRESS, PORT))
            reached = True
        except OSError:
            reached = False
    check(not reached, f"{SENDER_ADDRESS} cannot reach {DEVICE_ADDRESS} past the gateway")


def seen(world, name, address, seconds=30):
    """Waits until a device is announced in the senders' network at an address."""
    deadline = time.monotonic() + seconds
    while (found := world.lab.records(SENDER).get(name, {})).get("address") != address:
        if time.monotonic() > deadline:
            raise AssertionError(f"{name} is not announced at {address}: {found}")
    return found


def playing(world):
    """Finds the device by mDNS, authenticates it, launches, plays, seeks, sets the volume, stops."""
    from driver import Scenarios

    record = seen(world, "Television", TELEVISION)
    shown = json.loads(world.command(DEVICE, "behind", "identity", "show", "--json"))
    check(record["id"] in json.dumps(shown).replace("-", ""), f"announced at {TELEVISION} with the id of the device behind, {record['id']}")
    passed = certificate(world.spaces[SENDER], TELEVISION, PORT)
    check(passed == certificate(world.spaces[GATEWAY], DEVICE_ADDRESS, PORT),
          f"its certificate is that of the device behind, {passed[:16]}…")
    with inside(world.spaces[SENDER]), world.browser("device") as browser:
        scenarios = Scenarios(browser, world.page, "Television", None)
        for name in STEPS:
            began = time.monotonic()
            getattr(scenarios, name)()
            print(f"ok     Chromium, {name}: {getattr(Scenarios, name).__doc__} ({time.monotonic() - began:.1f} s)", flush=True)
        traffic = world.get("room")["traffic"]
        check(world.proved(TELEVISION), "Chromium, which trusts the device's root alone, says: Auth challenge verification succeeded")
        check(traffic["connected"] > 0 and traffic["refused"] == 0, f"the gateway has spliced: {json.dumps(traffic)}")


def mirroring(world, gateway, root, device, sink, address):
    """Mirrors a tab; what arrives, what the gateway counts, and how long it took."""
    spaces, datagrams = world.spaces, world.scripted.datagrams
    before = datagrams.packets
    places = [(SENDER, "eth0"), (GATEWAY, SENDERS_NETWORK), (GATEWAY, "eth0"), (DEVICE, "eth0")]
    cards = [Card(spaces[host], interface) for host, interface in places]
    try:
        with inside(spaces[SENDER]), world.browser(root) as browser:
            began = time.monotonic()
            tab = mirror(browser, world.page, sink)
            arrived = datagrams.until(before + world.options.packets, 90)
            seconds = time.monotonic() - began
            streams = world.get(device)["streams"]
            stopped = time.time_ns()
            tab.call("Cast.stopCasting", sinkName=sink)
        # A stream that is passed through ends with the sender's channel, and so with the browser.
        ended = gateway.message("A mirrored stream has ended", virtual_device=device) if arrived else None
    finally:
        for card in cards:
            card.close()
    count = datagrams.packets - before
    check(arrived, f"{sink}: {count} datagrams arrived, the first {world.options.packets} within {seconds:.0f} s")
    north, south = cards[0].port(SENDER_ADDRESS, address), cards[3].port(SOUTH, DEVICE_ADDRESS)
    to_device, to_sender = (
        [card.between(*pair, port) for card, pair, port in zip(cards, pairs, (north, north, south, south))]
        for pairs in (
            [(SENDER_ADDRESS, address)] * 2 + [(SOUTH, DEVICE_ADDRESS)] * 2,
            [(address, SENDER_ADDRESS)] * 2 + [(DEVICE_ADDRESS, SOUTH)] * 2))
    passed, answered = Passage(to_device[0], to_device[3], stopped), Passage(to_sender[3], to_sender[0], stopped)
    check(passed.lost == 0, f"{sink}: port {north} here, {south} there; sender to device: {passed}")
    check(answered.lost == 0 and answered.sent > 0, f"{sink}: device to sender: {answered}")
    within, back = Passage(to_device[1], to_device[2], stopped), Passage(to_sender[2], to_sender[1], stopped)
    check(within.lost == 0 and back.lost == 0, f"{sink}: of that from card to card of the gateway: {within}; back: {back}")
    # What was on its way when the device ended the stream has passed its card and has no reader.
    check(passed.sent <= count <= passed.arrived, f"{sink}: the device's program has counted {count}, its card {passed.arrived}")
    check(int(ended["packets"]) == within.arrived + back.arrived,
          f"{sink}: the gateway has counted {ended['packets']} both ways, {ended['dropped']} dropped at the end; ended by {ended['reason']}")
    shown = [(stream["sender"], stream["port"], stream["device_port"]) for stream in streams]
    check(shown == [(SENDER_ADDRESS, north, south)], f"{sink}: virtual_device.get has shown it: {shown}")


def closed(world):
    """A relay whose streams are off is no device to mirror to."""
    with inside(world.spaces[SENDER]), world.browser("gateway") as browser:
        tab = browser.open(world.page)
        tab.call("Cast.enable")
        tab.event("Cast.sinksUpdated", lambda event: any(found["name"] == "Lobby" for found in event["sinks"]))
        deadline = time.monotonic() + 30
        while not world.proved(CLOSED):
            if time.monotonic() > deadline:
                raise AssertionError("Chromium has not connected to Closed")
            time.sleep(0.2)
        tab.call("Cast.disable")
        tab.events.clear()
        tab.call("Cast.enable")
        # The apps of a device are asked for once it has proved itself.
        tab.evaluate("new Promise(done => setTimeout(done, 2000))")
        told = [event["params"]["sinks"] for event in tab.events if event["method"] == "Cast.sinksUpdated"]
        offered = [found["name"] for found in told[-1]]
        check(offered == ["Lobby"],
              f"Chromium is connected to Closed, whose streams are off, and offers for mirroring: {', '.join(offered)}")


def unfit(world, has_socket):
    """Without the rules, and without the socket: what the sender sees, and what the gateway says."""
    what = "without the rules" if has_socket else "without the right"
    gateway = start(world, has_socket, has_rules=False)
    log = gateway.message("Streams of mirroring senders are taken" if has_socket else "Mirroring does not pass")
    check(has_socket or log["level"] == "warning", f"{what}, the log: {log['msg']} ({log.get('reason', log.get('socket'))})")
    seen(world, "Screen", SCREEN)
    status = [line.strip() for line in world.said("status").splitlines() if "irror" in line]
    check(has_socket or status, f"{what}, status: {' / '.join(status) or 'nothing, since it cannot know'}")
    lines = [line.strip() for line in world.said("doctor").splitlines()]
    told = [line for line in lines if "127.0.0.1:8024:" in line or line.startswith("warn") and "nftables" in line]
    check(len(told) == 2 and told[0].startswith("ok" if has_socket else "warn"), f"{what}, doctor: {' / '.join(told)}")
    before = world.scripted.datagrams.packets
    card = Card(world.spaces[SENDER], "eth0")
    try:
        with inside(world.spaces[SENDER]), world.browser("device") as browser:
            tab = mirror(browser, world.page, "Screen")
            print(f"ok     {what}, the sender: sees the device's app for mirroring, since only the device answers, and begins")
            refusal = card.refusal(30)
            sent = sum(1 for _, end, other, _ in card.seen if end[0] == SENDER_ADDRESS and other[0] == SCREEN)
            check(refusal == (SCREEN, 3), f"{what}, the sender: {sent} datagrams sent, {len(card.refused)} answers of {SCREEN} by ICMP: port unreachable")
            tab.call("Cast.stopCasting", sinkName="Screen")
    finally:
        card.close()
    check(world.scripted.datagrams.packets == before, f"{what}: nothing arrived at the device")
    check(world.get("hall")["streams"] == [], f"{what}: the gateway shows no stream")
    gateway.stop(30)


def run(options):
    from deployments import end

    with networks(options) as world, contextlib.ExitStack() as stack:
        forwarding = Forwarding(world.spaces[GATEWAY])
        stack.callback(forwarding.close)
        check(forwarding.is_off(), "ip_forward and IPv6 forwarding are 0 in the gateway's namespace")
        separate(world)
        with inside(world.spaces[SENDER]):
            server, world.page = serve()
            stack.callback(server.shutdown)
        for has_socket in (False, True):
            unfit(world, has_socket)
        gateway = start(world, has_socket=True, has_rules=True)
        world.roots["gateway"] = root(world, GATEWAY, "between")
        playing(world)
        mirroring(world, gateway, "gateway", "lobby", "Lobby", LOBBY)
        closed(world)
        check(world.proved(LOBBY) and not world.proved(SCREEN),
              "Chromium with the gateway's root alone: the relay has proved itself, what is passed through has not")
        mirroring(world, gateway, "device", "hall", "Screen", SCREEN)
        end(world.lab, gateway)
        check(forwarding.is_off(), "ip_forward was 0 all the time, by the kernel's own notices")


def trouble(options):
    """Why this cannot run here; None when it can."""
    from deployments import obstacle as no_rules
    from lab import SCRIPT

    if reason := obstacle(options) or no_rules():
        return reason
    done = subprocess.run([str(SCRIPT), "check"], capture_output=True, text=True, timeout=60)
    return (done.stdout + done.stderr).strip() if done.returncode else None


def main():
    sys.path[:0] = [str(HERE), str(ROOT / "Tests" / "DiscoveryLabTests" / "Drivers")]
    sys.path.append(str(ROOT / "Benchmarks" / "mirroring"))
    options = parser(__doc__.splitlines()[0], packets=1000).parse_args()
    if reason := trouble(options):
        print(f"skipped: {reason}", flush=True)
        return SKIPPED
    # What was made is taken away then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        run(options)
    except Exception as failure:  # a browser may fail in any way
        print(f"FAILED {type(failure).__name__}: {failure}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
