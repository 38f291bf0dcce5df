"""Has Chromium, headless, wait for a device that is switched on after it asked which apps there are.

    python3 late.py --binary .build/debug/castway [--after 5,12,30,80] [--log FILE]

Starts a gateway that relays to an address at which nothing answers, and Chromium. A second gateway takes the address a while later, and the relay has to be
offered within 15 s of that. Needs the Chromium binary and the PyPI package websocket-client; without them it says so and ends with status 77.
"""

import pathlib
import sys
import tempfile
import time

from streams import HERE, ROOT, SKIPPED, check, obstacle, parser, serve

APP = "CC1AD845"
PATIENCE = 15
WATCH = """(async url => {
    const availability = await new PresentationRequest([url]).getAvailability();
    window.isOffered = availability.value;
    availability.onchange = () => { window.isOffered = availability.value; };
})"""


def device(port):
    return (
        "discovery: {mdns: {enabled: false}}\n"
        f'virtual_devices: [{{name: screen, listen: "127.0.0.1:{port}", publish: false, target: local, '
        f"apps: {{{APP}: {{player: simulated}}}}}}]\n")


def relay(port, listen):
    return (
        "connections: {verify_device_certificate: off, reconnect: {max: 1s}}\n"
        f'discovery: {{mdns: {{enabled: false}}, static: [{{name: screen, address: "127.0.0.1:{port}"}}]}}\n'
        f'virtual_devices: [{{name: lobby, listen: "127.0.0.1:{listen}", publish: false, target: {{device: screen}}}}]\n')


def wait(options, folder, page, seconds):
    """How long after the device the relay is offered."""
    from driver import Browser
    from gateway import Gateway, free_port

    binary = pathlib.Path(options.binary).resolve()
    port, listen = free_port(), free_port()
    near = Gateway(binary, folder / "near", "near", relay(port, listen))
    far = Gateway(binary, folder / "far", "far", device(port))
    browser = None
    try:
        near.start()
        # Keys take a while to be made: the device is to be there at once when it is switched on.
        far.start()
        far.stop()
        root = folder / "root.pem"
        near.output("identity", "export-root", "--output", str(root))
        browser = Browser(options.chromium, f"127.0.0.1:{listen}", root, options.log)
        tab = browser.open(page)
        url = f"cast:{APP}?clientId=1700000000000&autoJoinPolicy=origin_scoped&defaultActionPolicy=create_session"
        tab.call("Cast.enable", presentationUrl=url)
        tab.evaluate(f"{WATCH}({url!r})")
        time.sleep(seconds)
        check(tab.evaluate("isOffered") is False, f"nothing is offered for {seconds} s")
        far.start()
        start = time.monotonic()
        while not tab.evaluate("isOffered"):
            if time.monotonic() - start > PATIENCE:
                raise AssertionError(f"a device that came after {seconds} s is not offered within {PATIENCE} s")
            time.sleep(0.1)
        return time.monotonic() - start
    finally:
        if browser:
            browser.close()
        near.end()
        far.end()


def main():
    options = parser(__doc__.splitlines()[0], after="5,12,30,80").parse_args()
    if reason := obstacle(options):
        print(f"skipped: {reason}", flush=True)
        return SKIPPED
    sys.path[:0] = [str(HERE), str(ROOT / "Tests" / "SDKFeatures")]
    server, page = serve()
    try:
        for seconds in map(float, options.after.split(",")):
            with tempfile.TemporaryDirectory(prefix="castway-late-") as folder:
                took = wait(options, pathlib.Path(folder), page, seconds)
            print(f"ok     a device that came after {seconds:g} s is offered {took:.1f} s later", flush=True)
    except Exception as failure:  # a browser may fail in any way
        print(f"FAILED {type(failure).__name__}: {failure}", flush=True)
        return 1
    finally:
        server.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main())
