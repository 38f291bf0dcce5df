"""The configurations of the two gateways."""

from __future__ import annotations

from dataclasses import dataclass

import wire
from sender import Device

IDLE_TIMEOUT = 2
SENDER_TIMEOUT = 6
"""Seconds after which a silent sender is hung up."""
DEVICE_TIMEOUT = 3
"""Seconds after which a silent device is given up."""
SOUTH_NAME = "Soak south"
SOUTH_PORT = 8009


@dataclass(slots=True)
class Bridged:
    """Ports of what gateway A is bridged to, and of the devices that use the bridges."""

    admin: int
    broker: int
    """Where the gateway finds its broker; what refuses stands there, before Mosquitto."""
    mosquitto: int
    backend: int
    tv: int
    wall: int
    """A relay to the device whose app takes orders."""
    booth: int
    """A local device."""
    secret: str


ATTACKER_TOKEN = "soak-0123456789abcdef0123456789abcdef"


@dataclass(slots=True)
class Attacked:
    """Ports of listeners of gateway A that only attackers use."""

    api: int
    join: int
    metrics: int


@dataclass(slots=True)
class Ports:
    locals: list[int]
    relays: list[int]
    far: list[int]
    scripted: int
    extra: int
    south: int | None = None
    """Where the relay listens whose device is in a network of its own; None without such a network."""
    south_address: str = ""
    """Where that device is, for a gateway that does not find it by mDNS."""
    bridged: Bridged | None = None
    """None without Mosquitto."""
    attacked: Attacked | None = None
    """None without attackers."""


def devices(ports: Ports) -> list[Device]:
    """The virtual devices of gateway A that senders use. The last relay has the scripted device behind it."""
    found = [Device(f"local-{index + 1}", port, is_relay=False) for index, port in enumerate(ports.locals)]
    *relays, scripted = ports.relays
    found += [Device(f"relay-{index + 1}", port, is_relay=True) for index, port in enumerate(relays)]
    if ports.south is not None:
        found.append(Device("relay-south", ports.south, is_relay=True))
    return found + [Device("relay-scripted", scripted, is_relay=True, is_scripted=True)]


def _apps(indent: str = "    ") -> str:
    namespaces = ", ".join(f'"{name}"' for name in (wire.QUIZ, wire.NEAR_ECHO, wire.FAR_ECHO))
    return "\n".join(indent + line for line in (
        "apps:",
        f"  {wire.MEDIA_APP}:",
        "    name: Default Media Receiver",
        "    player: simulated",
        "    options:",
        "      load_delay: 50ms",
        "      buffering: 30ms",
        "      default_duration: 6s",
        "      failures:",
        '        - {match: "*missing*"}',
        '        - {match: "*flaky*", when: playback, after: 1s}',
        f"  {wire.QUIZ_APP}: {{name: Quiz, namespaces: [{namespaces}]}}",
        "  AAAA0001: {launch: not_allowed}",
        "  AAAA0002: {launch: cancelled}"))


def _head(name: str, log_level: str) -> str:
    return f"""version: 1
gateway: {{id: {name}, state_directory: ./state}}
log: {{format: json, level: {log_level}}}
shutdown: {{drain: 1s, total: 10s}}
connections:
  dial_timeout: 2s
  heartbeat: {{interval: 1s, timeout: {DEVICE_TIMEOUT}s}}
  reconnect: {{initial: 100ms, max: 1s}}
  senders:
    heartbeat: {{interval: 2s, timeout: {SENDER_TIMEOUT}s}}
    max_per_address: 1000
    new_per_second: unlimited
"""


def gateway_a(ports: Ports, *, extra: bool = False) -> str:
    """Gateway A: local devices, and relays to gateway B and to the scripted device.

    The last two relays before the scripted one share a device and with it a channel.
    """
    far = [f"far-{index + 1}" for index in range(len(ports.far))]
    lines = [_head("soak-a", "info"), "discovery:"]
    if ports.south is not None and not ports.south_address:
        lines.append("  mdns: {enabled: true}")
    lines.append("  static:")
    lines += [f"    - {{name: {name}, address: 127.0.0.1:{port}}}" for name, port in zip(far, ports.far, strict=True)]
    if ports.south_address:
        lines.append(f"    - {{name: south, address: {ports.south_address}:{SOUTH_PORT}}}")
    lines += [f"    - {{name: scripted, address: 127.0.0.1:{ports.scripted}}}"]
    if ports.bridged:
        lines += [f"    - {{name: tv, address: 127.0.0.1:{ports.bridged.tv}}}"]
    lines += ["virtual_devices:"]
    if ports.bridged:
        lines += [f"  - {{name: wall, listen: 127.0.0.1:{ports.bridged.wall}, idle_timeout: {IDLE_TIMEOUT}s, target: {{device: tv}}}}",
                  "  - name: booth", f"    listen: 127.0.0.1:{ports.bridged.booth}", f"    idle_timeout: {IDLE_TIMEOUT}s",
                  "    target: local", _apps()]
    for device in devices(ports):
        lines += [f"  - name: {device.name}", f"    listen: 127.0.0.1:{device.port}", f"    idle_timeout: {IDLE_TIMEOUT}s"]
        if not device.is_relay:
            lines += ["    target: local", _apps()]
        elif device.is_scripted:
            lines += ["    target: {device: scripted}"]
        elif device.port == ports.south:
            lines += [f"    target: {{device: {'south' if ports.south_address else SOUTH_NAME}}}"]
        else:
            index = int(device.name.removeprefix("relay-")) - 1
            lines += [f"    target: {{device: {far[min(index, len(far) - 1)]}}}"]
            if index == 0:
                lines += [f"    apps: [{wire.MEDIA_APP}, {wire.QUIZ_APP}, AAAA0001, AAAA0002]"]
    if extra:
        lines += ["  - name: extra", f"    listen: 127.0.0.1:{ports.extra}", "    target: local"]
    # Full after the warm-up, since it is memory that grows until then.
    lines += ["api:", "  events: {history: 1MiB}"]
    if ports.attacked:
        lines += [f"  listen: 127.0.0.1:{ports.attacked.api}", "  tls: auto",
                  f"  tokens: [{{name: load, token: {ATTACKER_TOKEN}, scopes: [read, control, messages]}}]",
                  f'  join: {{listen: "127.0.0.1:{ports.attacked.join}", tls: auto}}',
                  f'metrics: {{listen: "127.0.0.1:{ports.attacked.metrics}"}}']
    lines += ["channels:", f'  - {{namespace: "{wire.NEAR_ECHO}", handler: echo}}',
              f'  - {{namespace: "{wire.QUIZ}", handler: broadcast}}']
    if ports.bridged:
        lines += _bridges(ports.bridged)
    return "\n".join(lines) + "\n"


def _bridges(ports: Bridged) -> list[str]:
    return [
        '  - namespace: "urn:x-cast:com.example.chat"', "    deliver: [{webhook: backend}, {mqtt: true}, {events: true}]",
        f'  - namespace: "{wire.ASK}"', "    reply: {webhook: backend, deadline: 2s}",
        '  - namespace: "urn:x-cast:com.example.orders"', "    accept: [api, mqtt]", "    when_absent: {keep: 1h, at_most: 100000}",
        f'admin: {{listen: "127.0.0.1:{ports.admin}"}}',
        "bridges:", "  webhooks:", "    - name: backend", f"      url: http://127.0.0.1:{ports.backend}/cast",
        f"      secret: {ports.secret}", "      allow_private: true", "      allow_http: true", "      timeout: 2s",
        '      events: ["session.*", "bridge.*"]', "      retry: [1s, 1s, 2s, 2s, 5s, 5s, 5s, 10s, 10s]",
        "  mqtt:", f"    url: mqtt://127.0.0.1:{ports.broker}", "    scopes: [read, control, messages]"]


def gateway_c() -> str:
    """Gateway C: the device in a network of its own."""
    lines = [_head("soak-c", "info"), "virtual_devices:", "  - name: south", f"    friendly_name: {SOUTH_NAME}",
             f"    listen: 0.0.0.0:{SOUTH_PORT}", f"    idle_timeout: {IDLE_TIMEOUT}s", "    target: local", _apps(),
             "channels:", f'  - {{namespace: "{wire.FAR_ECHO}", handler: echo}}']
    return "\n".join(lines) + "\n"


def gateway_b(ports: Ports) -> str:
    """Gateway B: the devices behind the relays."""
    lines = [_head("soak-b", "info"), "virtual_devices:"]
    for index, port in enumerate(ports.far):
        lines += [f"  - name: far-{index + 1}", f"    listen: 127.0.0.1:{port}", f"    idle_timeout: {IDLE_TIMEOUT}s",
                  "    target: local", _apps()]
    lines += ["channels:", f'  - {{namespace: "{wire.FAR_ECHO}", handler: echo}}']
    return "\n".join(lines) + "\n"
