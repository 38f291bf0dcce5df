"""Rows of metadata: kinds, keys, pictures, by the API and by castway cast load."""

from __future__ import annotations

from loading import Json, load
from registry import has, row, same, true
from world import FILM, World

MOVIE = {"metadataType": 1, "title": "Sintel", "subtitle": "A film", "studio": "Blender", "releaseDate": "2010-09-27",
         "images": [{"url": "http://192.0.2.9/1.png", "width": 480, "height": 360}, {"url": "http://192.0.2.9/2.png"}]}


@row(182, 184, 185, 186, 187, 226, way="api,wire,sender")
def movie(world: World) -> None:
    """A film's title, subtitle, studio and pictures with their sizes reach the device, and other senders see them."""
    same(load(world, url=FILM, metadata=MOVIE)["media"]["metadata"], MOVIE, "the metadata on the wire")
    world.play("hall", metadata=MOVIE)
    sender = world.sender("hall")
    sender.cast.media_controller.update_status()
    true(sender.wait_until(lambda s: s.status.title == "Sintel"), "another sender sees the title")
    same([image.url for image in sender.status.images], ["http://192.0.2.9/1.png", "http://192.0.2.9/2.png"], "the pictures")


@row(226, 227, way="api")
def picture_for_a_use(world: World) -> None:
    """The first picture serves every use, the background has the largest or the second, and a size takes the smallest that covers it."""
    pictures = [{"url": "http://192.0.2.9/s.png", "width": 480, "height": 270}, {"url": "http://192.0.2.9/l.png", "width": 1920, "height": 1080},
                {"url": "http://192.0.2.9/m.png", "width": 780, "height": 1200}]
    world.play("hall", metadata={"metadataType": 1, "title": "Sintel", "images": pictures})

    def chosen(**wanted: object) -> object:
        return world.api.do("media.picture", device="hall", **wanted)["url"]

    for use in ("custom", "cast_dialog", "mini_controller"):
        same(chosen(use=use), pictures[0]["url"], f"the picture of {use}")
    for use in ("background", "expanded"):
        same(chosen(use=use), pictures[1]["url"], f"the picture of {use}")
    same(chosen(width=700, height=700), pictures[2]["url"], "the picture for 700 x 700")
    same(chosen(use="background", width=100, height=100), pictures[0]["url"], "the picture for 100 x 100")
    has(world.api.do("media.picture", device="hall", width=4000), {"width": 1920, "height": 1080, "index": 1, "count": 3}, "what is told of it")
    world.play("hall", metadata={"metadataType": 1, "images": [{"url": "http://192.0.2.9/1.png"}, {"url": "http://192.0.2.9/2.png"}]})
    same(chosen(use="background"), "http://192.0.2.9/2.png", "the second for the background")
    world.play("hall", metadata={"metadataType": 1, "title": "Bare"})
    world.api.refused("media.picture", "no_picture", 404, device="hall")


@row(183, 188, way="api,wire")
def generic_and_own_keys(world: World) -> None:
    """Metadata without a kind are generic, and keys of one's own are kept in any kind."""
    sent = load(world, url=FILM, metadata={"title": "X", "com.example.own": "kept", "number": 5})["media"]["metadata"]
    has(sent, {"metadataType": 0, "title": "X", "com.example.own": "kept", "number": 5}, "the metadata")


@row(222, 223, way="api,wire")
def kinds_and_keys(world: World) -> None:
    """Six kinds and those from 100 on, with the keys that each has, pass as they are."""
    kinds: dict[int, Json] = {
        1: {"title": "a", "subtitle": "b", "studio": "c", "releaseDate": "2020-01-01"},
        2: {"seriesTitle": "s", "title": "a", "season": 2, "episode": 3, "originalAirDate": "2020-01-01"},
        3: {"albumName": "n", "title": "a", "artist": "x", "albumArtist": "y", "composer": "z", "trackNumber": 4, "discNumber": 1,
            "releaseDate": "2020-01-01"},
        4: {"title": "p", "artist": "x", "location": "l", "latitude": 1.5, "longitude": 2.5, "width": 10, "height": 20,
            "creationDateTime": "2020-01-01T00:00:00Z"},
        5: {"bookTitle": "b", "chapterTitle": "c", "chapterNumber": 7, "title": "a"},
        101: {"anything": {"at": ["all"]}},
    }
    for kind, keys in kinds.items():
        whole = {"metadataType": kind} | keys
        has(load(world, url=FILM, metadata=whole)["media"]["metadata"], whole, f"kind {kind}")


@row(224, way="api,cli,wire")
def foreign_keys(world: World) -> None:
    """A key that another kind has is left out, a value of the wrong kind is refused, before anything is sent."""
    sent = load(world, url=FILM, metadata={"metadataType": 1, "title": "a", "albumName": "n", "own": 1})["media"]["metadata"]
    same(sent, {"metadataType": 1, "title": "a", "own": 1}, "the metadata")
    place = world.tap.mark()
    status, problem = world.api.call("media.load", device="tv", url=FILM, metadata={"metadataType": 2, "season": "two"})
    same(status, 422, f"a text in the place of a number: {problem}")
    world.api.do("device.probe", device="tv")
    same(world.tap.count("LOAD", place), 0, "LOADs")
    host = f"127.0.0.1:{world.ports['hall']}"
    said = world.near.run("cast", host, "load", FILM, "--kind", "tv", "--meta", "season=two", status=64)
    true("season" in said, f"the command names the key: {said[-200:]}")


@row(171, 178, 179, 185, 187, 188, 193, 196, 217, way="cli,api")
def load_by_command(world: World) -> None:
    """castway cast load gives title, subtitle, pictures, other metadata, position, duration, data and autoplay."""
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "load", FILM, "--type", "video/mp4", "--title", "T", "--subtitle", "S",
                   "--image", "http://192.0.2.9/p.png", "--kind", "movie", "--meta", "studio=Blender", "--meta", "own=1", "--at", "1:30",
                   "--duration", "10:00", "--custom-data", '{"k":"v"}', "--no-autoplay")
    status = world.api.do("media.status", device="hall", whole=True)
    has(status, {"player_state": "paused", "position": 90, "duration": 600, "content_type": "video/mp4"}, "the device")
    metadata = status["status"]["media"]["metadata"]
    has(metadata, {"metadataType": 1, "title": "T", "subtitle": "S", "studio": "Blender"}, "the metadata")
    same(metadata["images"][0]["url"], "http://192.0.2.9/p.png", "the picture")
    true("own" in metadata, "a key of one's own")
