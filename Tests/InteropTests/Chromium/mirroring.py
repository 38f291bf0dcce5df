"""Has Chromium, headless, mirror a tab through a relay, and counts what arrives at the device.

    python3 mirroring.py --binary .build/debug/castway [--packets 300] [--log FILE]

Starts a scripted device, a gateway that relays to it, and Chromium. Needs the Chromium binary and the PyPI package
websocket-client; without them it says so and ends with status 77. Exit status 0 if the stream passed.
"""

import pathlib
import sys
import tempfile

from streams import HERE, MIRRORING, ROOT, SKIPPED, check, mirror, obstacle, parser, serve


def configuration(device, listen):
    return (
        "log: {format: json, level: info}\n"
        "connections: {verify_device_certificate: off}\n"
        f'discovery: {{mdns: {{enabled: false}}, static: [{{name: screen, address: "127.0.0.1:{device}"}}]}}\n'
        "virtual_devices:\n"
        f'  - {{name: lobby, listen: "127.0.0.1:{listen}", publish: false, target: {{device: screen}}}}\n')


def run(options, folder):
    sys.path[:0] = [str(HERE), str(ROOT / "Tests" / "SDKFeatures"), str(ROOT / "Benchmarks" / "mirroring")]
    from driver import Browser
    from gateway import Gateway, free_port
    from peers import MirroringDevice

    device = MirroringDevice(folder)
    listen = free_port()
    gateway = Gateway(pathlib.Path(options.binary).resolve(), folder / "gateway", "mirroring", configuration(device.port, listen))
    server, page = serve()
    browser = None
    try:
        gateway.start()
        with gateway.api.events("mirroring.*") as events:
            root = folder / "root.pem"
            gateway.output("identity", "export-root", "--output", str(root))
            browser = Browser(options.chromium, f"127.0.0.1:{listen}", root, options.log)
            tab = mirror(browser, page, "Receiver-127_0_0_1")
            started = events.event("mirroring.started")["data"]
            check(started["app"] == MIRRORING, "the stream is one of Chromium's app for mirroring")
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
    options = parser(__doc__.splitlines()[0], packets=300).parse_args()
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
