"""Rows of pictures: chosen, fetched by the gateway, kept, given to callers, and replaced by a plugin."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import struct
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from api import Api
from registry import has, row, same, true
from world import World

THUMBNAILS = Path(__file__).resolve().parents[2] / "Plugins" / "thumbnails"


def png(width: int, height: int) -> bytes:
    """A black picture."""
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    lines = zlib.compress(b"".join(b"\0" * (1 + 3 * width) for _ in range(height)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", lines)
            + chunk(b"IEND", b""))


class PictureServer:
    """A web server with pictures, and with some things that are none, while the `with` block lasts."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.asked.append(self.path)
                kind, body, status, more = owner.answer(self.path)
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                for name, value in more.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.place = f"http://127.0.0.1:{self._server.server_address[1]}"

    @staticmethod
    def answer(path: str) -> tuple[str, bytes, int, dict[str, str]]:
        if path.startswith("/page"):
            return "text/html", b"<script>alert(1)</script>", 200, {}
        if path.startswith("/lie"):
            return "image/png", b"<script>alert(1)</script>", 200, {}
        if path.startswith("/drawing"):
            return "image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'/>", 200, {}
        if path.startswith("/huge"):
            return "image/png", png(4, 4) + b"\0" * 200_000, 200, {}
        if path.startswith("/bomb"):
            return "image/png", png(4, 4)[:16] + struct.pack(">II", 60_000, 60_000) + png(4, 4)[24:], 200, {}
        if path.startswith("/inside"):
            return "text/plain", b"", 302, {"location": "http://169.254.169.254/latest/meta-data"}
        if path.startswith("/none"):
            return "text/plain", b"", 404, {}
        side = 16 if path.startswith("/small") else 4
        return "image/jpeg", png(side, side), 200, {}

    def __enter__(self) -> PictureServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def section(more: str = "") -> str:
    return f"pictures: {{allow_private: true, allow_http: true, size: 100KiB{more}}}\n"


def play(world: World, *addresses: str) -> None:
    world.play("hall", metadata={"metadataType": 1, "title": "Sintel", "images": [{"url": a} for a in addresses]})


def named(address: str, device: str = "hall") -> str:
    return f"/api/v1/devices/{device}/pictures/{hashlib.sha256(address.encode()).hexdigest()[:32]}"


def kept(world: World) -> int:
    return int(world.api.do("pictures.clear")["pictures"])


@row(189, 190, way="api,yaml")
def bytes_of_a_picture(world: World) -> None:
    """The picture that is chosen is fetched once for all callers, checked, kept, and given with a tag; only what a device names is there."""
    with PictureServer() as server:
        first, second = f"{server.place}/a%20b.png?x=1&y=%C3%A4", f"{server.place}/second.png"
        play(world, first, second)
        true("cached_url" not in world.api.do("media.picture", device="hall"), "no address while pictures are off")
        same(world.api.fetch("GET", named(first))[0], 404, "pictures are off")
        world.reload(sections=section())
        play(world, first, second)
        chosen = world.api.do("media.picture", device="hall")
        has(chosen, {"url": first, "cached_url": named(first)}, "the picture and where its bytes are")
        with ThreadPoolExecutor(20) as callers:
            answers = list(callers.map(lambda _: world.api.fetch("GET", chosen["cached_url"]), range(100)))
        same({(status, body) for status, _, body in answers}, {(200, png(4, 4))}, "what all callers get")
        same(server.asked, ["/a%20b.png?x=1&y=%C3%A4"], "what the server was asked")
        headers = {name.lower(): value for name, value in answers[0][1].items()}
        same(headers["content-type"], "image/png", "the type is that of the bytes, not what the server says")
        same(headers["x-content-type-options"], "nosniff", "nothing else is made of it")
        true("sandbox" in headers["content-security-policy"], "a browser runs nothing in it")
        true(headers["cache-control"].startswith("private"), "it is kept by the caller alone")
        status, _, body = world.api.fetch("GET", chosen["cached_url"], headers={"If-None-Match": f'"x", {headers["etag"]}'})
        same((status, body), (304, b""), "what the caller has already")
        status, _, body = world.api.fetch("HEAD", chosen["cached_url"])
        same((status, body), (200, b""), "the headers alone")
        background = world.api.do("media.picture", device="hall", use="background")
        same(background["cached_url"], named(second), "the second picture")
        same(world.api.fetch("GET", background["cached_url"])[0], 200, "its bytes")
        same(world.api.fetch("GET", named(f"{server.place}/other.png"))[0], 404, "what nothing names is not there")
        same(world.api.fetch("GET", named(first, "stage"))[0], 404, "what another device names is not there")
        same(world.api.fetch("POST", named(first), {})[0], 405, "only reading")
        play(world, second)
        same(world.api.fetch("GET", named(first))[0], 404, "what is not named any more is gone")
        same(kept(world), 2, "pictures that were kept")
        same(world.api.fetch("GET", named(second))[0], 200, "one that was forgotten is fetched again")
        same(server.asked.count("/second.png"), 2, "requests for it")


@row(189, 190, way="api,yaml")
def what_is_no_picture(world: World) -> None:
    """Pages, drawings with scripts, what is too large, and addresses that may not be asked are refused with a word that says why, and once."""
    with PictureServer() as server:
        world.reload(sections=section())
        for path, cause in {"page": "content_type", "lie": "not_a_picture", "drawing": "content_type", "huge": "too_large",
                            "bomb": "too_many_pixels", "inside": "refused_address", "none": "http_status"}.items():
            address = f"{server.place}/{path}.png"
            play(world, address)
            status, _, body = world.api.fetch("GET", named(address))
            true(status == 502 and f'"cause":"{cause}"'.encode() in body.replace(b'": "', b'":"'), f"{path}: {status} {body!r}")
            true(b"alert" not in body, "nothing of what came is passed on")
            same(world.api.fetch("GET", named(address))[0], 502, "the second time")
            same(server.asked.count(f"/{path}.png"), 1, "requests to the server")
        for address in ("http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "javascript:alert(1)"):
            play(world, address)
            same(world.api.fetch("GET", named(address))[0], 502, address)
        world.reload(sections="pictures: {allow_http: true}\n")
        play(world, f"{server.place}/fine.png")
        same(world.api.fetch("GET", named(f"{server.place}/fine.png"))[0], 502, "this machine is asked only where the file says so")
        same(server.asked.count("/fine.png"), 0, "requests to this machine")


@row(189, way="api,yaml")
def who_may_have_pictures(world: World) -> None:
    """A caller without a token, without the scope, or that is limited to another device, gets no picture."""
    with PictureServer() as server:
        address = f"{server.place}/a.png"
        world.reload(sections=section())
        play(world, address)
        same(Api(world.near.port).fetch("GET", named(address))[0], 401, "without a token")
        for values, status in (({"devices": ["hall"], "scopes": ["read"]}, 200), ({"devices": ["stage"], "scopes": ["read"]}, 403),
                               ({"scopes": ["messages"]}, 403)):
            token = world.api.do("token.create", name=f"pictures-{status}-{len(values)}", **values)
            caller = Api(world.near.port, token["token"])
            same(caller.fetch("GET", named(address))[0], status, f"the caller with {values}")
            world.api.do("token.revoke", id=token["id"])


@row(228, way="yaml,api")
def plugin_gives_pictures(world: World) -> None:
    """A plugin gives the bytes of a picture or another address in the place of the gateway's own fetching, and is checked the same."""
    folder = world.near.folder / "plugins" / "thumbnails"
    if not folder.exists():
        shutil.copytree(THUMBNAILS, folder)
    with PictureServer() as server, world.api.events("plugin.*") as events:
        own = {"app:logo": base64.b64encode(png(2, 2)).decode(), "app:page": base64.b64encode(b"<html>").decode()}
        config = json.dumps({"server": f"{server.place}/small?of=", "own": own})
        world.reload(sections=section(", source: {plugin: thumbnails}") + "plugins:\n  directory: plugins\n  instances:\n"
                     f"    - {{name: thumbnails, plugin: thumbnails, config: {config}}}\n")
        events.wait(lambda f: f.get("type") == "plugin.ready", "the plugin runs")
        address = "https://cdn.example/poster.png"
        play(world, address, "app:logo", "app:page")
        chosen = world.api.do("media.picture", device="hall")
        status, _, body = world.api.fetch("GET", chosen["cached_url"])
        same((status, body), (200, png(16, 16)), "the picture of the address that the plugin gives")
        same(server.asked, ["/small?of=https%3A%2F%2Fcdn.example%2Fposter.png"], "what was asked for")
        status, _, body = world.api.fetch("GET", named("app:logo"))
        same((status, body), (200, png(2, 2)), "the bytes that the plugin gives")
        same(world.api.fetch("GET", named("app:page"))[0], 502, "bytes that are no picture")
