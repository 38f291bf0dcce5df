"""Drives Chromium, headless, as a Cast sender against one device, and checks what the pages see.

    python3 driver.py --device 127.0.0.1:8009 --root root.pem [--steps media,app] [--restart COMMAND]

Nothing may run on the device, and no other sender may use it. Needs the Chromium binary and the PyPI package websocket-client.
The device has to offer CC1AD845 with the simulated player and ABCD1234 with the namespace urn:x-cast:com.example.echo,
which a channel echoes. Exit status 0 if every step passed.
"""

import argparse
import contextlib
import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import websocket

MEDIA_APP = "CC1AD845"
CHANNEL_APP = "ABCD1234"
ECHO = "urn:x-cast:com.example.echo"
# Chromium lists a sink for mirroring a moment before it knows its apps, and dies when asked in between.
SINK_SETTLES = 0.3


class Failure(Exception):
    pass


class Pages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Tab:
    """One page, driven over the DevTools protocol."""

    def __init__(self, url):
        self.socket = websocket.create_connection(url, suppress_origin=True, timeout=60)
        self.number = 0
        self.events = []
        for domain in ("Page", "Runtime"):
            self.call(f"{domain}.enable")

    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise Failure(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def event(self, method, test=lambda parameters: True):
        """The first event of the kind, past or to come, for which the test holds; it is not given twice."""
        while True:
            for index, message in enumerate(self.events):
                if message.get("method") == method and test(message["params"]):
                    return self.events.pop(index)["params"]
            self.events.append(json.loads(self.socket.recv()))

    def evaluate(self, expression):
        """The value of an expression, of its promise if it gives one."""
        result = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def close(self):
        with contextlib.suppress(Failure, OSError, websocket.WebSocketException):
            self.call("Page.close")
        self.socket.close()


class Browser:
    """A Chromium with a profile of its own. Without the address of a device it has to find one by mDNS."""

    def __init__(self, binary, device, root, log):
        self.arguments = (binary, device, root, None)
        self.profile = tempfile.mkdtemp(prefix="chromium-")
        self.log = open(log, "wb") if log else subprocess.DEVNULL
        self.process = subprocess.Popen(
            [
                binary, "--headless=new", "--no-sandbox", f"--user-data-dir={self.profile}",
                "--remote-debugging-port=0", "--no-first-run", "--disable-gpu", "--disable-background-networking",
                "--disable-component-update", f"--cast-developer-certificate-path={os.path.abspath(root)}",
                *([f"--media-router-cast-device-ips={device}", "--enable-features=CastAllowAllIPs"] if device else []),
                "--enable-logging=stderr",
                "--vmodule=cast_socket=1,cast_auth_util=1,cast_trust_store=1,cast_message_handler=1", "about:blank",
            ],
            stdout=self.log, stderr=self.log)
        self.port = self._port()

    def _port(self):
        # Chromium tells its port in this file and nowhere else.
        file = pathlib.Path(self.profile, "DevToolsActivePort")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Failure("Chromium ended at once")
            if file.exists() and "\n" in (text := file.read_text()):
                return int(text.split("\n")[0])
            time.sleep(0.05)
        raise Failure("Chromium did not start")

    def open(self, url):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=30) as answer:
            tab = Tab(json.load(answer)["webSocketDebuggerUrl"])
        tab.events.clear()
        tab.call("Page.navigate", url=url)
        tab.event("Page.loadEventFired")
        return tab

    def another(self):
        """A second browser that knows the same device."""
        return Browser(*self.arguments)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Scenarios:
    def __init__(self, browser, page, sink, restart):
        self.browser = browser
        self.page = page
        self.sink = sink
        self.restart_command = restart
        self.client = 1700000000000

    def url(self, app, extra="", policy="origin_scoped"):
        self.client += 1
        return (
            f"cast:{app}?clientId={self.client}&autoJoinPolicy={policy}"
            f"&defaultActionPolicy=create_session&launchTimeout=30000{extra}", str(self.client))

    def ready(self, app, extra=""):
        """A tab whose sink is known and offers the app; and its URL and client id."""
        tab = self.browser.open(self.page)
        url, client = self.url(app, extra)
        # DevTools must be told exactly the URL that the page starts.
        tab.call("Cast.enable", presentationUrl=url)
        tab.evaluate(f"available({json.dumps(url)}, true)")
        tab.event("Cast.sinksUpdated", lambda event: any(sink["name"] == self.sink for sink in event["sinks"]))
        time.sleep(SINK_SETTLES)
        tab.call("Cast.setSinkToUse", sinkName=self.sink)
        return tab, url, client

    def start(self, app, extra=""):
        tab, url, client = self.ready(app, extra)
        session = tab.evaluate(f"start({json.dumps(url)}, {json.dumps(client)})")
        check(session["appId"] == app, "the session runs the app", session)
        return tab, session

    def stop(self, tab):
        tab.evaluate("session.post('v2_message', {type: 'STOP', sessionId: session.session.sessionId})")
        tab.evaluate("session.states.first(s => s.state === 'terminated')")

    # The steps.

    def unavailable(self):
        """An app that the device does not offer is not offered to the page."""
        tab, _, _ = self.ready(MEDIA_APP)
        url, _ = self.url("DEADBEEF")
        value = tab.evaluate(f"new PresentationRequest([{json.dumps(url)}]).getAvailability().then(a => a.value)")
        check(value is False, "an unknown app is not available", value)
        tab.close()

    def media(self):
        """LOAD, PAUSE, SEEK, PLAY, volume, the end of the media, STOP."""
        tab, session = self.start(MEDIA_APP)
        check(session["namespaces"], "the session has namespaces", session)
        media = {"contentId": "http://192.0.2.77/one.mp4", "contentType": "video/mp4", "streamType": "BUFFERED",
                 "duration": 120, "metadata": {"metadataType": 0, "title": "One"}}
        status = self.command(tab, {"type": "LOAD", "media": media, "autoplay": True, "customData": {"k": "v"}})
        tab.evaluate("session.playerState('PLAYING')")
        number = status["mediaSessionId"]
        check(status["media"]["metadata"]["title"] == "One", "the status tells the media", status)
        status = self.command(tab, {"type": "PAUSE", "mediaSessionId": number})
        check(status["playerState"] == "PAUSED", "PAUSE pauses", status)
        status = self.command(tab, {"type": "SEEK", "mediaSessionId": number, "currentTime": 20})
        check(abs(status["currentTime"] - 20) < 0.5, "SEEK seeks", status)
        status = self.command(tab, {"type": "PLAY", "mediaSessionId": number})
        check(status["playerState"] in ("PLAYING", "BUFFERING"), "PLAY plays", status)
        status = self.command(
            tab, {"type": "MEDIA_SET_VOLUME", "mediaSessionId": number, "volume": {"level": 0.25}})
        check(abs(status["volume"]["level"] - 0.25) < 0.01, "the stream has a volume", status)
        tab.evaluate("session.command({type: 'SET_VOLUME', volume: {level: 0.35, muted: false}})")
        tab.evaluate(
            "session.inbox.first(m => m.type === 'update_session'"
            " && Math.abs(m.message.receiver.volume.level - 0.35) < 0.01)")
        status = self.command(tab, {"type": "STOP_MEDIA", "mediaSessionId": number})
        check(status["playerState"] == "IDLE" and status["idleReason"] == "CANCELLED", "STOP ends the media", status)
        self.stop(tab)
        tab.close()

    def refused(self):
        """A command for media that do not exist is refused."""
        tab, _ = self.start(MEDIA_APP)
        answer = tab.evaluate("session.command({type: 'PAUSE', mediaSessionId: 4711})")
        check("MEDIA_STATUS" not in json.dumps(answer), "PAUSE of nothing is refused", answer)
        self.stop(tab)
        tab.close()

    def app(self):
        """Messages in an app's own namespace."""
        tab, _ = self.start(CHANNEL_APP)
        answer = tab.evaluate(f"session.appMessage({json.dumps(ECHO)}, {{word: 'hello', list: [1, 'ä', null]}})")
        check(answer.get("message") is None, "the message is acknowledged", answer)
        tab.evaluate(f"session.echo({json.dumps(ECHO)}, 'hello')")
        self.stop(tab)
        tab.close()

    def connect(self):
        """Launch parameters of Cast Connect do no harm."""
        parameters = json.dumps(
            {"launchCheckerParams": {"credentialsData": {"credentials": "{\"u\":1}", "credentialsType": "web"}}},
            separators=(",", ":"))
        extra = f"&appParams={urllib.request.quote(parameters)}&supportedAppTypes=ANDROID_TV,WEB"
        tab, _ = self.start(MEDIA_APP, extra)
        self.stop(tab)
        tab.close()

    def join(self):
        """A second tab joins the session, both see what either does, and the session outlives the first tab."""
        first, session = self.start(MEDIA_APP)
        self.command(first, {"type": "LOAD", "media": {
            "contentId": "http://192.0.2.77/two.mp4", "contentType": "video/mp4", "streamType": "BUFFERED",
            "duration": 60}})
        first.evaluate("session.playerState('PLAYING')")
        second = self.browser.open(self.page)
        url, client = self.url(MEDIA_APP)
        joined = second.evaluate(f"join({json.dumps(url)}, {json.dumps(client)}, 'auto-join')")
        check(joined["sessionId"] == session["sessionId"], "the second tab is in the same session", joined)
        check(joined["media"] and joined["media"][0]["playerState"] == "PLAYING", "it knows what plays", joined)
        mark = first.evaluate("session.inbox.messages.length")
        self.command(second, {"type": "PAUSE", "mediaSessionId": joined["media"][0]["mediaSessionId"]})
        first.evaluate(f"session.playerState('PAUSED', {mark})")
        first.close()
        status = self.command(second, {"type": "PLAY", "mediaSessionId": joined["media"][0]["mediaSessionId"]})
        check(status["playerState"] in ("PLAYING", "BUFFERING"), "the session outlives the first tab", status)
        self.stop(second)
        second.close()

    def takeover(self):
        """The launch of another app ends the first session."""
        first, _ = self.start(MEDIA_APP)
        second, _ = self.start(CHANNEL_APP)
        first.evaluate("session.states.first(() => true)")
        self.stop(second)
        first.close()
        second.close()

    def stranger(self):
        """Another browser, with a profile of its own, joins the session by its id."""
        first, session = self.start(MEDIA_APP)
        with contextlib.closing(self.browser.another()) as browser:
            others = Scenarios(browser, self.page, self.sink, None)
            second, _, _ = others.ready(MEDIA_APP)
            url, client = self.url(MEDIA_APP)
            identifier = f"cast-session_{session['sessionId']}"
            joined = second.evaluate(f"join({json.dumps(url)}, {json.dumps(client)}, {json.dumps(identifier)})")
            check(joined["sessionId"] == session["sessionId"], "it is the same session", joined)
            self.command(second, {"type": "LOAD", "media": {
                "contentId": "http://192.0.2.77/four.mp4", "contentType": "video/mp4", "streamType": "BUFFERED",
                "duration": 60}})
            first.evaluate("session.playerState('PLAYING')")
            second.close()
        self.stop(first)
        first.close()

    def restart(self):
        """The session, which lives on the device, outlives a restart of the gateway that relays to it."""
        tab, session = self.start(MEDIA_APP)
        self.command(tab, {"type": "LOAD", "media": {
            "contentId": "http://192.0.2.77/three.mp4", "contentType": "video/mp4", "streamType": "BUFFERED",
            "duration": 600}})
        status = tab.evaluate("session.playerState('PLAYING')")["message"]["status"][0]
        mark = tab.evaluate("session.inbox.messages.length")
        subprocess.run(self.restart_command, shell=True, check=True)
        # Chromium tries again after 15 s or so; it tells the page by nothing but a fresh status.
        deadline = time.monotonic() + 90
        while True:
            try:
                paused = self.command(tab, {"type": "PAUSE", "mediaSessionId": status["mediaSessionId"]})
                break
            except (Failure, KeyError, TypeError) as failure:
                states = tab.evaluate("[session.connection.state, session.states.messages]")
                if time.monotonic() > deadline or states[0] != "connected":
                    raise Failure(f"no control after the restart: {states} {failure}") from None
                time.sleep(1)
        check(paused["playerState"] == "PAUSED", f"control is back (messages from {mark})", paused)
        self.stop(tab)
        tab.close()

    def command(self, tab, body):
        """Sends a media command; the first status of the answer."""
        answer = tab.evaluate(f"session.command({json.dumps(body)})")
        try:
            return answer["message"]["status"][0]
        except (KeyError, IndexError, TypeError):
            raise Failure(f"{body['type']} was answered {answer}") from None


STEPS = ("unavailable", "media", "refused", "app", "connect", "join", "stranger", "takeover", "restart")


def check(truth, what, seen):
    if not truth:
        raise Failure(f"not so: {what}; seen: {json.dumps(seen)[:2000]}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", required=True, help="HOST:PORT of the virtual device")
    parser.add_argument("--root", required=True, help="PEM file of the developer root")
    parser.add_argument("--chromium", default="/usr/lib/chromium/chromium", help="the binary, not a wrapper script")
    parser.add_argument("--steps", default=",".join(STEPS), help="which steps, with commas between")
    parser.add_argument("--restart", help="shell command; restarts the relaying gateway, returns when it listens")
    parser.add_argument("--log", help="file for Chromium's own log")
    return parser.parse_args()


def main():
    options = arguments()
    names = options.steps.split(",")
    if unknown := set(names) - set(STEPS):
        sys.exit(f"no such step: {', '.join(sorted(unknown))}")
    directory = str(pathlib.Path(__file__).resolve().parent)
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Pages, directory=directory))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = Browser(options.chromium, options.device, options.root, options.log)
    # A sink that was given by address is called after it.
    sink = "Receiver-" + options.device.rpartition(":")[0].replace(".", "_")
    failed = 0
    try:
        page = f"http://127.0.0.1:{server.server_port}/page.html"
        scenarios = Scenarios(browser, page, sink, options.restart)
        for name in names:
            began = time.monotonic()
            if name == "restart" and not options.restart:
                print("skipped restart: no --restart", flush=True)
                continue
            try:
                getattr(scenarios, name)()
                print(f"ok     {name} ({time.monotonic() - began:.1f} s)", flush=True)
            except (Failure, OSError, websocket.WebSocketException) as failure:
                failed += 1
                print(f"FAILED {name}: {failure!r}", flush=True)
                if browser.process.poll() is not None:
                    print("Chromium is gone", flush=True)
                # What runs on the device now would fail the other steps too.
                break
    finally:
        browser.close()
        server.shutdown()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
