"""pychromecast finds virtual devices by zeroconf, as its users do, and plays on one. Runs on a host of the lab."""

from __future__ import annotations

import json
import sys
import threading

import pychromecast
from pychromecast.discovery import CastBrowser, SimpleCastListener
from zeroconf import IPVersion, Zeroconf

names = set(sys.argv[1:])
found: dict = {}
complete = threading.Event()


def added(uuid, _service) -> None:
    info = browser.devices[uuid]
    found[info.friendly_name] = info
    if names <= found.keys():
        complete.set()


zeroconf = Zeroconf(interfaces=["10.77.0.2"], ip_version=IPVersion.V4Only)
browser = CastBrowser(SimpleCastListener(added, None, added), zeroconf)
browser.start_discovery()
if not complete.wait(20):
    sys.exit(f"found only {sorted(found)}")
print(json.dumps({name: [str(info.uuid), info.model_name, info.host, info.port] for name, info in found.items()}))
cast = pychromecast.get_chromecast_from_cast_info(found[sys.argv[1]], zeroconf)
cast.wait(timeout=20)
cast.media_controller.play_media("http://192.0.2.1/film.mp4", "video/mp4", title="Film")
cast.media_controller.block_until_active(timeout=20)
print(cast.media_controller.status.title or cast.app_id)
cast.disconnect(timeout=5)
browser.stop_discovery()
zeroconf.close()
