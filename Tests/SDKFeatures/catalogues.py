"""Rows of catalogues: lists of videos that the gateway fetches, and whose items are loaded."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from registry import has, row, same, true
from world import MEDIA_APP, World

Json = dict[str, Any]

LIST: Json = {"categories": [{
    "name": "Movies", "hls": "https://m.example/hls/", "mp4": "https://m.example/mp4/", "images": "https://m.example/images/",
    "tracks": "https://m.example/tracks/",
    "videos": [{
        "title": "Big Buck Bunny", "subtitle": "A rabbit", "studio": "Blender Foundation", "duration": 596,
        "image-480x270": "480x270/bunny.jpg", "image-780x1200": "780x1200/bunny.jpg",
        "sources": [{"type": "mp4", "mime": "video/mp4", "url": "bunny.mp4"},
                    {"type": "hls", "mime": "application/x-mpegurl", "url": "bunny.m3u8"}],
        "tracks": [{"id": "1", "type": "text", "subtype": "captions", "contentId": "bunny.vtt", "name": "English", "language": "en-US"}],
    }, {"title": "Sintel", "sources": [{"type": "mp4", "mime": "video/mp4", "url": "sintel.mp4"}]}],
}]}


class ListServer:
    """A web server with one list, while the `with` block lasts."""

    def __init__(self) -> None:
        self.status, self.body, self.asked = 200, json.dumps(LIST), 0
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                owner.asked += 1
                body = owner.body.encode()
                self.send_response(owner.status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]

    def __enter__(self) -> ListServer:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def section(self) -> str:
        return (f"catalogues:\n  - {{name: films, url: 'http://127.0.0.1:{self.port}/films.json', allow_private: true,\n"
                "     allow_http: true}\n")


@row(206, 207, 208, 209, 211, way="api,events,yaml,wire,cli")
def list_of_videos(world: World) -> None:
    """A list is fetched and read, which an event tells; its items have what is shown, and one is loaded as the medium that it is."""
    with ListServer() as server, world.api.events("catalogue.read") as events:
        world.reload(sections=server.section)
        events.event("catalogue.read", catalogue="films", items=2)
        page = world.api.do("catalogue.get", catalogue="films", search="BUNNY")
        same((page["total"], page["categories"]), (1, ["Movies"]), "the page")
        item = page["page"][0]
        has(item, {"item": "big-buck-bunny", "title": "Big Buck Bunny", "category": "Movies"}, "the item")
        same([s["url"] for s in item["sources"]], ["https://m.example/mp4/bunny.mp4", "https://m.example/hls/bunny.m3u8"], "its sources")
        place = world.tap.mark()
        world.api.do("media.load", device="tv", app=MEDIA_APP, catalogue="films", item="big-buck-bunny")
        media = world.tap.sent("LOAD", place)["media"]
        has(media, {"contentUrl": "https://m.example/mp4/bunny.mp4", "contentType": "video/mp4", "duration": 596,
                    "streamType": "BUFFERED"}, "the medium")
        has(media["metadata"], {"metadataType": 1, "title": "Big Buck Bunny", "subtitle": "A rabbit", "studio": "Blender Foundation",
                                "images": [{"url": "https://m.example/images/480x270/bunny.jpg", "width": 480, "height": 270},
                                           {"url": "https://m.example/images/780x1200/bunny.jpg", "width": 780, "height": 1200}]},
            "what is shown")
        has(media["tracks"][0], {"trackId": 1, "type": "TEXT", "trackContentId": "https://m.example/tracks/bunny.vtt"}, "its track")
        place = world.tap.mark()
        world.api.do("media.load", device="tv", catalogue="films", item="big-buck-bunny", content_type="application/x-mpegurl")
        same(world.tap.sent("LOAD", place)["media"]["contentUrl"], "https://m.example/hls/bunny.m3u8", "the source that was asked for")
        place = world.tap.mark()
        world.api.do("queue.insert", device="tv", items=[{"catalogue": "films", "item": "sintel"}])
        same(world.tap.sent("QUEUE_INSERT", place)["items"][0]["media"]["contentUrl"], "https://m.example/mp4/sintel.mp4", "the queue item")
        world.api.refused("media.load", "unknown_item", 404, device="tv", catalogue="films", item="none")
        world.api.refused("catalogue.get", "unknown_catalogue", 404, catalogue="music")


@row(509, way="api,events")
def list_cannot_be_read(world: World) -> None:
    """A status that is not 200 and a list that is no JSON are told by an event with the reason; the last good list stays."""
    with ListServer() as server, world.api.events("catalogue.read", "catalogue.failed") as events:
        world.reload(sections=server.section)
        events.event("catalogue.read", catalogue="films", items=2)
        server.status = 503
        has(world.api.do("catalogue.refresh", catalogue="films"), {"state": "failed", "code": "http_status", "items": 2}, "the refresh")
        events.event("catalogue.failed", catalogue="films", code="http_status", status=503)
        server.status, server.body = 200, "<html>"
        has(world.api.do("catalogue.refresh", catalogue="films"), {"state": "failed", "code": "malformed", "items": 2}, "the refresh")
        events.event("catalogue.failed", catalogue="films", code="malformed")
        same(world.api.do("catalogue.get", catalogue="films")["total"], 2, "the items that stay")
        warnings = world.api.do("gateway.status").get("warnings", [])
        true(any(w["code"] == "catalogue_failed" for w in warnings), f"the warning in {warnings}")
        server.body = json.dumps(LIST)
        has(world.api.do("catalogue.refresh", catalogue="films"), {"state": "read", "items": 2}, "the refresh")
        true(server.asked >= 4, "every refresh asks the server")
