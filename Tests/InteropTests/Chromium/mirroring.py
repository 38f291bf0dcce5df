"""Has Chromium, headless, mirror a tab through a relay, and counts what arrives at the device.

    python3 mirroring.py --binary .build/debug/castway [--packets 300] [--log FILE]

Starts a scripted device, a gateway that relays to it, and Chromium. Needs the Chromium binary and the PyPI package
websocket-client; without them it says so and ends with status 77. Exit status 0 if the stream passed.
"""

import argparse
import functools
import http.server
import importlib.util
import json
import pathlib
import shutil
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIPPED = 77
# Something new to show thirty times a second.
ANIMATION = "void setInterval(() => { document.body.style.background = `hsl(${Date.now() / 10 % 360}, 90%, 50%)`; }, 33)"
URL = "cast:0F5096E8?clientId=1700000000001&autoJoinPolicy=origin_scoped"


def obstacle(options):
    """Why this machine cannot run it; None when it can."""
    if not pathlib.Path(options.chromium).exists():
        return f"there is no {options.chromium}: apt-get install chromium"
    if importlib.util.find_spec("websocket") is None:
        return "the package websocket-client is missing: .venv/bin/pip install websocket-client"
    if shutil.which("openssl") is None:
        return "there is no openssl, which makes the device's certificate"
    return None


def configuration(device, listen):
    return (
        "log: {format: json, level: info}\n"
        "connections: {verify_device_certificate: off}\n"
        f'discovery: {{mdns: {{enabled: false}}, static: [{{name: screen, address: "127.0.0.1:{device}"}}]}}\n'
        "virtual_devices:\n"
        f'  - {{name: lobby, listen: "127.0.0.1:{listen}", publish: false, target: {{device: screen}}}}\n')


def check(holds, what):
    if not holds:
        raise AssertionError(what)
    print(f"ok     {what}", flush=True)


def mirror(browser, page, sink):
    """Begins to mirror a tab; gives the tab."""
    from driver import SINK_SETTLES

    tab = browser.open(page)
    tab.call("Cast.enable", presentationUrl=URL)
    tab.evaluate(f"available({json.dumps(URL)}, true)")
    tab.event("Cast.sinksUpdated", lambda event: any(found["name"] == sink for found in event["sinks"]))
    time.sleep(SINK_SETTLES)
    tab.evaluate(ANIMATION)
    tab.call("Cast.startTabMirroring", sinkName=sink)
    return tab


def run(options, folder):
    sys.path[:0] = [str(HERE), str(ROOT / "Tests" / "Features"), str(ROOT / "Benchmarks" / "mirroring")]
    from driver import Browser, Pages
    from gateway import Gateway, free_port
    from peers import MirroringDevice

    device = MirroringDevice(folder)
    listen = free_port()
    gateway = Gateway(pathlib.Path(options.binary).resolve(), folder / "gateway", "mirroring", configuration(device.port, listen))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Pages, directory=str(HERE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = None
    try:
        gateway.start()
        with gateway.api.events("mirroring.*") as events:
            root = folder / "root.pem"
            gateway.output("identity", "export-root", "--output", str(root))
            browser = Browser(options.chromium, f"127.0.0.1:{listen}", root, options.log)
            tab = mirror(browser, f"http://127.0.0.1:{server.server_port}/page.html", "Receiver-127_0_0_1")
            started = events.event("mirroring.started")["data"]
            check(started["app"] == "0F5096E8", "the stream is one of Chromium's app for mirroring")
            check(device.datagrams.until(options.packets, 60), f"{options.packets} datagrams arrive at the device")
            check(started["port"] != device.datagrams.port, "the sender was told a port of the gateway")
            check(len(device.datagrams.peers) == 1, "all of them come from the gateway's one socket")
            # A stream of Chromium's begins with RTP or RTCP, version 2.
            check(device.datagrams.first[0] >> 6 == 2, "they are RTP or RTCP")
            stream = gateway.api.do("virtual_device.get", device="lobby")["streams"][0]
            check(stream["packets"]["to_device"] >= options.packets, "the gateway has counted them")
            check(stream["dropped"] == 0, "none was dropped")
            tab.call("Cast.stopCasting", sinkName="Receiver-127_0_0_1")
            ended = events.event("mirroring.ended")["data"]
            check(ended["packets"] >= options.packets, f"the stream ended: {ended['reason']}, {ended['packets']} datagrams")
            check(gateway.api.do("virtual_device.get", device="lobby")["streams"] == [], "no stream is left")
    finally:
        if browser:
            browser.close()
        server.shutdown()
        gateway.end()
        device.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True, help="the gateway's program")
    parser.add_argument("--chromium", default="/usr/lib/chromium/chromium", help="the binary, not a wrapper script")
    parser.add_argument("--packets", type=int, default=300, help="how many datagrams have to arrive")
    parser.add_argument("--log", help="file for Chromium's own log")
    options = parser.parse_args()
    if reason := obstacle(options):
        print(f"skipped: {reason}", flush=True)
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="castway-mirroring-") as folder:
        try:
            run(options, pathlib.Path(folder))
        except Exception as failure:  # a browser may fail in any way
            print(f"FAILED {type(failure).__name__}: {failure}", flush=True)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
