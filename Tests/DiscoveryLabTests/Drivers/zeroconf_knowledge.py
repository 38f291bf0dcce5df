"""What Home Assistant and its like know: python-zeroconf's ServiceBrowser, pychromecast's CastBrowser, and a running client of each device.

Prints a JSON line for each thing that happens. Runs on a host of the lab: zeroconf_knowledge.py OWN-ADDRESS [browse]
"""

from __future__ import annotations

import json
import sys
import threading
import time

import pychromecast
from pychromecast.discovery import CastBrowser, SimpleCastListener
from zeroconf import IPVersion, ServiceBrowser, ServiceListener, Zeroconf

TYPE = "_googlecast._tcp.local."
lock = threading.Lock()


def say(**what) -> None:
    with lock:
        print(json.dumps({"time": time.monotonic(), **what}), flush=True)


class Services(ServiceListener):
    def add_service(self, _zeroconf, _type, name) -> None:
        say(by="zeroconf", event="added", key=name)

    def remove_service(self, _zeroconf, _type, name) -> None:
        say(by="zeroconf", event="removed", key=name)

    def update_service(self, _zeroconf, _type, name) -> None:
        say(by="zeroconf", event="updated", key=name)


class Connection:
    def __init__(self, key: str) -> None:
        self.key = key

    def new_connection_status(self, status) -> None:
        say(by="client", event=status.status, key=self.key)


clients: dict = {}


def added(uuid, _service) -> None:
    info = browser.devices[uuid]
    say(by="pychromecast", event="added", key=str(uuid), services=len(info.services))
    if uuid in clients or "browse" in sys.argv:
        return
    clients[uuid] = client = pychromecast.get_chromecast_from_cast_info(info, zeroconf)
    client.register_connection_listener(Connection(str(uuid)))
    client.start()


def removed(uuid, _service, _info) -> None:
    say(by="pychromecast", event="removed", key=str(uuid))


def updated(uuid, _service) -> None:
    say(by="pychromecast", event="updated", key=str(uuid), services=len(browser.devices[uuid].services))


zeroconf = Zeroconf(interfaces=[sys.argv[1]], ip_version=IPVersion.V4Only)
browser = CastBrowser(SimpleCastListener(added, removed, updated), zeroconf)
browser.start_discovery()
services = ServiceBrowser(zeroconf, TYPE, Services())
say(by="driver", event="ready", key="")
threading.Event().wait()
