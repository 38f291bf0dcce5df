"""What the drivers share that have Chromium mirror a tab."""

import argparse
import functools
import http.server
import importlib.util
import pathlib
import shutil
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SKIPPED = 77
MIRRORING = "0F5096E8"
# Something new to show thirty times a second.
ANIMATION = "void setInterval(() => { document.body.style.background = `hsl(${Date.now() / 10 % 360}, 90%, 50%)`; }, 33)"


def parser(description, packets=None, after=None):
    """The arguments that these drivers have in common."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--binary", required=True, help="the gateway's program")
    parser.add_argument("--chromium", default="/usr/lib/chromium/chromium", help="the binary, not a wrapper script")
    if packets:
        parser.add_argument("--packets", type=int, default=packets, help="how many datagrams have to arrive")
    if after:
        parser.add_argument("--after", default=after, help="after how many seconds a device comes, with commas between")
    parser.add_argument("--log", help="file for Chromium's own log")
    return parser


def obstacle(options):
    """Why this machine cannot run it; None when it can."""
    if not pathlib.Path(options.chromium).exists():
        return f"there is no {options.chromium}: apt-get install chromium"
    if importlib.util.find_spec("websocket") is None:
        return "the package websocket-client is missing: .venv/bin/pip install websocket-client"
    if shutil.which("openssl") is None:
        return "there is no openssl, which makes the device's certificate"
    return None


def check(holds, what):
    if not holds:
        raise AssertionError(what)
    print(f"ok     {what}", flush=True)


def serve():
    """Serves the page over loopback; the server, which has to be shut down, and the page's URL."""
    from driver import Pages

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Pages, directory=str(HERE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/page.html"


def mirror(browser, page, sink):
    """Begins to mirror a tab; gives the tab."""
    from driver import SINK_SETTLES

    tab = browser.open(page)
    # A page is told of no sink for this app: only the browser itself mirrors.
    tab.call("Cast.enable")
    tab.event("Cast.sinksUpdated", lambda event: any(found["name"] == sink for found in event["sinks"]))
    time.sleep(SINK_SETTLES)
    tab.evaluate(ANIMATION)
    tab.call("Cast.startTabMirroring", sinkName=sink)
    return tab
