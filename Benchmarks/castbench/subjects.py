"""What is measured: the device itself, nginx, HAProxy and Castway in front of it. All listen on loopback."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import paths
from .processes import Process, free_port

NGINX = """
load_module /usr/lib/nginx/modules/ngx_stream_module.so;
daemon off;
master_process off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 20000; }}
stream {{
    server {{
        listen 127.0.0.1:{port} ssl backlog=4096;
        ssl_certificate {certificate};
        ssl_certificate_key {key};
        ssl_protocols TLSv1.3;
        ssl_ecdh_curve X25519;
        ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
        ssl_session_tickets off;
        proxy_pass 127.0.0.1:{device};
        proxy_ssl on;
        proxy_ssl_protocols TLSv1.3;
        proxy_ssl_session_reuse off;
        tcp_nodelay on;
        proxy_timeout 10m;
    }}
}}
"""

NGINX_SPLICE = """
load_module /usr/lib/nginx/modules/ngx_stream_module.so;
daemon off;
master_process off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 20000; }}
stream {{
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        proxy_pass 127.0.0.1:{device};
        tcp_nodelay on;
        proxy_timeout 10m;
    }}
}}
"""

NGINX_ACCEPTING = """
        return "";
    }}
}}
"""

HAPROXY = """
global
    nbthread 1
    maxconn 9000
defaults
    mode tcp
    timeout connect 10s
    timeout client 10m
    timeout server 10m
listen relay
    bind 127.0.0.1:{port} backlog 4096 ssl crt {both} ssl-min-ver TLSv1.3 ciphersuites TLS_AES_128_GCM_SHA256 {more}
    server device 127.0.0.1:{device} ssl verify none ssl-min-ver TLSv1.3 no-ssl-reuse
"""

GATEWAY = """
version: 1
gateway: {{state_directory: {folder}/state}}
log: {{level: warning, format: text}}
discovery:
  static:
    - {{name: device, address: "127.0.0.1:{device}"}}
connections:
  senders:
    max_total: 20000
    max_per_address: 20000
{limits}virtual_devices:
{virtual}"""


@dataclass
class Subject:
    """Something that senders connect to."""

    name: str
    ports: list[int]
    # None when there is nothing in front of the device.
    process: Process | None

    @property
    def watched(self) -> list[int]:
        """The processes whose CPU time is counted."""
        return [self.process.pid] if self.process else []


def certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate of the kind that Cast devices have, and its key."""
    files = folder / "device.crt", folder / "device.key"
    words = "openssl req -x509 -newkey rsa:2048 -nodes -sha256 -days 3 -subj /CN=bench".split()
    subprocess.run([*words, "-out", str(files[0]), "-keyout", str(files[1])], check=True, capture_output=True)
    (folder / "both.pem").write_text(files[0].read_text() + files[1].read_text())
    return files


def nginx(folder: Path, files: tuple[Path, Path], device: int | None) -> Subject:
    """nginx as a stream proxy, one worker; without a device it shakes hands and closes."""
    port = free_port()
    config = folder / "nginx.conf"
    text = NGINX
    if device is None:
        text = text[: text.index("        proxy_pass")] + NGINX_ACCEPTING.lstrip("\n")
    config.write_text(text.format(folder=folder, port=port, certificate=files[0], key=files[1], device=device))
    process = Process("nginx", ["nginx", "-p", str(folder), "-c", str(config)], folder / "nginx.log")
    process.wait_for_port(port)
    return Subject("nginx", [port], process)


def nginx_splice(folder: Path, device: int, own: int | None = None) -> Subject:
    """nginx that copies bytes between a sender's connection and one to the device; it may not listen yet."""
    port = own or free_port()
    config = folder / "nginx-splice.conf"
    config.write_text(NGINX_SPLICE.format(folder=folder, port=port, device=device))
    process = Process("nginx", ["nginx", "-p", str(folder), "-c", str(config)], folder / "nginx-splice.log")
    return Subject("nginx", [port], process)


def haproxy(folder: Path, device: int) -> Subject:
    """HAProxy in mode tcp, one thread."""
    port = free_port()
    config = folder / "haproxy.cfg"
    both = folder / "both.pem"
    config.write_text(HAPROXY.format(port=port, both=both, more="curves X25519 no-tls-tickets", device=device))
    process = Process("haproxy", ["haproxy", "-db", "-f", str(config)], folder / "haproxy.log")
    process.wait_for_port(port)
    return Subject("HAProxy", [port], process)


def _accepted(config: Path) -> bool:
    words = [str(paths.castway()), "check", str(config)]
    return subprocess.run(words, capture_output=True).returncode == 0


MANY = """
version: 1
gateway: {{state_directory: {folder}/state}}
log: {{level: warning, format: text}}
discovery: {{mdns: {{enabled: false}}}}
virtual_device_defaults: {{target: local, publish: false}}
virtual_devices:
  - {{for_each: {{range: 1-{count}}}, name: "screen-{{item}}", listen: "127.0.0.1:0"}}
"""


def many(folder: Path, count: int, seconds: float) -> Process:
    """Castway with so many virtual devices, which one element makes, once senders can connect.

    A first start makes two keys for each of them, so it may take so many seconds.
    """
    config = folder / "gateway.yaml"
    config.write_text(MANY.format(folder=folder, count=count))
    process = Process("castway", [str(paths.castway()), "run", "--config", str(config)], folder / "castway.log")
    process.wait_for_line("runs (version", seconds)
    return process


def castway(folder: Path, device: int, *, relays: int = 0, locals: int = 0) -> Subject:
    """Castway with virtual devices in front of the device, or with the built-in receiver behind them."""
    ports = [free_port() for _ in range(relays + locals)]
    virtual = ""
    for index, port in enumerate(ports):
        target = "{device: device}" if index < relays else "local"
        virtual += f'  - {{name: screen-{index}, listen: "127.0.0.1:{port}", target: {target}}}\n'
    config = folder / "gateway.yaml"
    # Keys that not every version has; without them there is no such limit.
    unlimited = [f"    {key}: unlimited\n" for key in ("messages_per_second", "new_per_second")]
    for limits in ("".join(unlimited), *unlimited, ""):
        config.write_text(GATEWAY.format(folder=folder, device=device, limits=limits, virtual=virtual))
        if _accepted(config):
            break
    else:
        raise SystemExit(f"castway does not accept the configuration that is measured:\n{config.read_text()}")
    process = Process("castway", [str(paths.castway()), "run", "--config", str(config)], folder / "castway.log")
    process.wait_for_line("runs (version")
    return Subject("Castway", ports, process)


def castway_splice(folder: Path, device: int, own: int | None = None) -> Subject:
    """Castway that passes senders through to the device; it may not listen yet."""
    port = own or free_port()
    virtual = f'  - {{name: room, listen: "127.0.0.1:{port}", publish: false, target: {{passthrough: device}}}}\n'
    config = folder / "splice.yaml"
    limits = "    new_per_second: unlimited\n"
    config.write_text(GATEWAY.format(folder=folder, device=device, limits=limits, virtual=virtual))
    process = Process("castway", [str(paths.castway()), "run", "--config", str(config)], folder / "splice.log")
    return Subject("Castway", [port], process)
