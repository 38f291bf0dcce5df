"""Rows of queues."""

from __future__ import annotations

from typing import Any

from registry import has, near, row, same, true
from world import MEDIA_APP, World, settle

Json = dict[str, Any]


def item(name: str, **more: Any) -> Json:
    media = {"contentId": f"http://192.0.2.9/{name}.mp4", "contentType": "video/mp4", "streamType": "BUFFERED", "duration": 100}
    return {"media": media} | more


def queue(world: World, *names: str, device: str = "tv", **more: Any) -> list[int]:
    """Loads a queue, and gives the ids of its items."""
    world.api.do("media.load", device=device, app=MEDIA_APP, queue={"items": [item(name) for name in names]} | more)
    return ids(world, device)


def ids(world: World, device: str = "tv") -> list[int]:
    return [entry["id"] for entry in world.api.do("queue.list", device=device)["items"]]


def order(world: World, device: str = "tv") -> str:
    """The names of the items in their order, as one text."""
    entries = world.api.do("queue.list", device=device)["items"]
    return "".join(entry["content_id"].removeprefix("http://192.0.2.9/").removesuffix(".mp4") for entry in entries)


@row(279, 280, 281, 283, 284, 308, way="api,wire")
def items(world: World) -> None:
    """An item has its medium, whether it plays at once, where it starts, how long it lasts and data; without before it is appended."""
    queue(world, "a")
    place = world.tap.mark()
    world.api.do("queue.insert", device="tv", items=[item("b", autoplay=False, startTime=7, preloadTime=5, playbackDuration=30,
                                                         customData={"x": 1}, activeTrackIds=[])])
    sent = world.tap.sent("QUEUE_INSERT", place)
    true("insertBefore" not in sent, "appended")
    has(sent["items"][0], {"autoplay": False, "startTime": 7, "preloadTime": 5, "playbackDuration": 30, "customData": {"x": 1}}, "the item")
    same(sent["items"][0]["media"]["contentId"], "http://192.0.2.9/b.mp4", "its medium")
    same(order(world), "ab", "the queue")
    same(world.api.do("queue.next", device="tv")["content_id"], "http://192.0.2.9/b.mp4", "the next item")
    settle(world.api, "tv", "PAUSED")


@row(285, 286, 289, 305, 306, 307, way="api,wire")
def queue_data(world: World) -> None:
    """A queue has its type, id, name, description, container, items and start, and is loaded as one."""
    data: Json = {"items": [item("a"), item("b")], "queueType": "ALBUM", "id": "q1", "name": "Album", "description": "Words",
            "startIndex": 1, "startTime": 3, "shuffle": False, "repeatMode": "REPEAT_OFF", "entity": "https://e/1",
            "containerMetadata": {"containerType": 1, "title": "Book", "containerDuration": 9.5, "sections": [],
                                  "authors": ["A"], "narrators": ["N"], "publisher": "P", "releaseDate": "2020-01-01"}}
    place = world.tap.mark()
    world.api.do("media.load", device="tv", app=MEDIA_APP, queue=data)
    sent = world.tap.sent("LOAD", place)["queueData"]
    kept = ("queueType", "id", "name", "description", "startIndex", "containerMetadata", "entity")
    has(sent, {key: data[key] for key in kept}, "the queue")
    same([entry["media"]["contentId"] for entry in sent["items"]], [entry["media"]["contentId"] for entry in data["items"]], "the items")
    same(world.api.do("media.status", device="tv")["content_id"], "http://192.0.2.9/b.mp4", "what plays")
    for kind in ("GENERIC", "PLAYLIST", "AUDIOBOOK", "RADIO_STATION", "PODCAST_SERIES", "TV_SERIES", "VIDEO_PLAYLIST", "LIVE_TV", "MOVIE"):
        place = world.tap.mark()
        world.api.do("media.load", device="tv", queue={"items": [item("a")], "queueType": kind})
        same(world.tap.sent("LOAD", place)["queueData"]["queueType"], kind, "the type")


@row(287, 288, way="api,cli")
def append_or_make(world: World) -> None:
    """queue.insert appends to the queue that is there, and makes one otherwise, in the repeat mode of the last."""
    queue(world, "a", repeatMode="REPEAT_ALL")
    world.api.do("queue.insert", device="tv", items=[item("b")])
    same(order(world), "ab", "appended")
    world.api.do("media.stop", device="tv")
    world.api.do("queue.insert", device="tv", items=[item("c")])
    same(order(world), "c", "a new queue")
    same(world.api.do("queue.list", device="tv")["repeat_mode"], "all", "the repeat mode")
    host = f"127.0.0.1:{world.ports['hall']}"
    world.near.run("cast", host, "add", "http://192.0.2.9/x.mp4")
    world.near.run("cast", host, "add", "http://192.0.2.9/y.mp4")
    same(order(world, "hall"), "xy", "castway cast add")


@row(293, way="api,cli,wire")
def insert_before_and_play(world: World) -> None:
    """Items go before another one, and one of them plays at once from a place."""
    first = queue(world, "a", "b")
    world.api.do("queue.insert", device="tv", items=[item("c")], before=first[1])
    same(order(world), "acb", "before another")
    world.api.do("queue.insert", device="tv", items=[item("d")], before=first[0], playing=0, position=20)
    settle(world.api, "tv", "PLAYING")
    status = world.api.do("media.status", device="tv")
    same(status["content_id"], "http://192.0.2.9/d.mp4", "what plays")
    near(status["position"], 20, "from where", 2)


@row(294, way="api,wire")
def update_items(world: World) -> None:
    """queue.update changes items that are there."""
    first = queue(world, "a", "b")
    place = world.tap.mark()
    world.api.do("queue.update", device="tv", items=[{"itemId": first[1], "startTime": 33, "customData": {"n": 1}}])
    has(world.tap.sent("QUEUE_UPDATE", place)["items"][0], {"itemId": first[1], "startTime": 33}, "QUEUE_UPDATE")
    has(world.api.do("queue.next", device="tv"), {"content_id": "http://192.0.2.9/b.mp4"}, "the item plays")
    settle(world.api, "tv", "PLAYING")
    near(world.api.do("media.status", device="tv")["position"], 33, "from its new start", 3)


@row(295, way="api,cli,wire")
def remove_items(world: World) -> None:
    """queue.remove takes items out; without any the media session ends."""
    first = queue(world, "a", "b", "c")
    world.api.do("queue.remove", device="tv", items=[first[1]])
    same(order(world), "ac", "the queue")
    world.api.do("queue.remove", device="tv", items=[first[0], first[2]])
    true(world.api.do("media.status", device="tv")["player_state"] in ("idle", "unknown"), "an empty queue")


@row(296, way="api,cli,wire")
def move_items(world: World) -> None:
    """queue.move puts items before another, or at the end."""
    first = queue(world, "a", "b", "c")
    world.api.do("queue.move", device="tv", items=[first[2]], before=first[0])
    same(order(world), "cab", "before the first")
    world.api.do("queue.move", device="tv", items=[first[2]])
    same(order(world), "abc", "at the end")
    hall = queue(world, "a", "b", device="hall")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "move", str(hall[1]), "--before", str(hall[0]))
    same(order(world, "hall"), "ba", "castway cast move")


@row(297, 298, way="api,cli,wire,sender")
def jump_next_previous(world: World) -> None:
    """queue.jump, next and previous change the item, from a place too; a sender's buttons do the same."""
    first = queue(world, "a", "b", "c")
    place = world.tap.mark()
    same(world.api.do("queue.jump", device="tv", item=first[2], position=12)["item_id"], first[2], "the item")
    has(world.tap.sent("QUEUE_UPDATE", place), {"currentItemId": first[2], "currentTime": 12}, "QUEUE_UPDATE")
    settle(world.api, "tv", "PLAYING")
    near(world.api.do("media.status", device="tv")["position"], 12, "from where", 3)
    same(world.api.do("queue.previous", device="tv")["item_id"], first[1], "previous")
    same(world.api.do("queue.next", device="tv")["item_id"], first[2], "next")
    hall = queue(world, "a", "b", "c", device="hall")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "jump", str(hall[1]), "--at", "10")
    same(world.api.do("media.status", device="hall")["item_id"], hall[1], "castway cast jump")
    sender = world.sender("hall")
    sender.media.update_status()
    sender.wait_until(lambda s: s.status.content_id is not None)
    sender.media.queue_next()
    true(sender.wait_until(lambda s: s.raw_media.get("currentItemId") == hall[2]), "a sender's next")


@row(299, way="api,cli,wire")
def repeat_modes(world: World) -> None:
    """Repeat has the modes off, all, single and all_and_shuffle."""
    queue(world, "a", "b")
    for mode in ("all", "single", "all_and_shuffle", "off"):
        place = world.tap.mark()
        same(world.api.do("queue.repeat", device="tv", mode=mode)["repeat_mode"], mode, "the mode")
        same(world.tap.sent("QUEUE_UPDATE", place)["repeatMode"], f"REPEAT_{mode.upper()}", "the mode on the wire")
    hall = queue(world, "a", "b", device="hall")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "repeat", "single")
    same(world.api.do("queue.list", device="hall")["repeat_mode"], "single", f"castway cast repeat of {hall}")


@row(300, way="api,cli,wire")
def shuffle(world: World) -> None:
    """queue.shuffle mixes the queue, and puts it back in order."""
    names = "abcdefghijkl"
    first = queue(world, *names)
    world.api.do("queue.shuffle", device="tv", shuffled=True)
    same(sorted(ids(world)), sorted(first), "the same items")
    same(world.api.do("queue.list", device="tv")["shuffled"], True, "it says so")
    true(order(world) != names, f"another order: {order(world)}")
    world.api.do("queue.shuffle", device="tv", shuffled=False)
    same(order(world), names, "in order again")


@row(301, 304, 309, way="api,cli,wire")
def whole_queue(world: World) -> None:
    """queue.list asks for ids and items by pages, with the total and the current item, though statuses have a few items only."""
    place = world.tap.mark()
    first = queue(world, *"abcdefghijklmnopqrstuvwxyz")
    page = world.api.do("queue.list", device="tv", offset=20, limit=4)
    has(page, {"total": 26, "offset": 20, "complete": True, "item_id": first[0]}, "the page")
    same([entry["id"] for entry in page["items"]], first[20:24], "its items")
    true(world.tap.count("QUEUE_GET_ITEM_IDS", place) and world.tap.count("QUEUE_GET_ITEMS", place), "what the device is asked")
    status = world.api.do("media.status", device="tv", whole=True)["status"]
    true(len(status["items"]) < 26, f"the status has {len(status['items'])} items")
    printed = world.near.output("cast", f"127.0.0.1:{world.ports['den']}", "queue")
    true("26" in printed or len(printed.splitlines()) >= 26, "castway cast queue")


@row(302, way="events,sender,api")
def queue_changes(world: World) -> None:
    """Senders are told of what is inserted, updated and removed; readers of events get media.queue."""
    world.api.do("media.load", device="hall", app=MEDIA_APP, queue={"items": [item("a"), item("b")]})
    sender = world.sender("hall")
    sender.media.update_status()
    sender.wait_until(lambda s: s.status.content_id is not None)
    world.api.do("queue.insert", device="hall", items=[item("c")])
    true(sender.wait_until(lambda s: "INSERT" in s.queue_changes), f"INSERT: {sender.queue_changes}")
    world.api.do("queue.update", device="hall", items=[{"itemId": ids(world, "hall")[1], "customData": {"n": 1}}])
    true(sender.wait_until(lambda s: "ITEMS_CHANGE" in s.queue_changes), f"ITEMS_CHANGE: {sender.queue_changes}")
    world.api.do("queue.move", device="hall", items=[ids(world, "hall")[2]], before=ids(world, "hall")[1])
    true(sender.wait_until(lambda s: "UPDATE" in s.queue_changes), f"UPDATE: {sender.queue_changes}")
    world.api.do("queue.remove", device="hall", items=[ids(world, "hall")[1]])
    true(sender.wait_until(lambda s: "REMOVE" in s.queue_changes), f"REMOVE: {sender.queue_changes}")
    with world.api.events("media.queue") as events:
        queue(world, "a", "b", device="kitchen")
        world.api.do("queue.insert", device="kitchen", items=[item("c")])
        events.event("media.queue")


def asked(world: World, place: int) -> tuple[int, int]:
    """How often the device was asked for ids and for items since then."""
    return world.tap.count("QUEUE_GET_ITEM_IDS", place), world.tap.count("QUEUE_GET_ITEMS", place)


@row(303, way="api,events,wire")
def followed_queue(world: World) -> None:
    """A session follows the queue: media.queue says what was inserted, moved, removed and updated where, and queue.list asks for nothing twice."""
    a, b, c = queue(world, "a", "b", "c")
    with world.api.events("media.queue", devices=("tv",)) as events:

        def told(change: str, **members: Any) -> Json:
            """The event with a change, whose members are these."""
            frame = events.wait(lambda f: f.get("type") == "media.queue" and any(
                one["change"] == change and members.items() <= one.items() for one in f["data"].get("changes", [])), f"{change} {members}")
            return frame["data"]

        # Another sender changes the queue: at the device, without the gateway.
        world.far.api.do("queue.insert", device="den", items=[item("d")], before=b)
        first = told("inserted", indexes=[1], before=b)
        d = first["item_ids"][1]
        same((first["item_ids"], first["total"]), ([a, d, b, c], 4), "the ids")
        world.far.api.do("queue.move", device="den", items=[c], before=a)
        same(told("moved", items=[c], indexes=[0], before=a)["item_ids"], [c, a, d, b], "the ids after the move")
        world.far.api.do("queue.update", device="den", items=[{"itemId": b, "customData": {"n": 1}}])
        told("updated", items=[b], indexes=[3])
        world.far.api.do("queue.remove", device="den", items=[d])
        same(told("removed", items=[d], indexes=[2])["item_ids"], [c, a, b], "the ids after the removal")
    place = world.tap.mark()
    same(order(world), "cab", "the queue")
    same(asked(world, place)[0], 0, "questions for ids of a queue that is followed")
    place = world.tap.mark()
    same(order(world), "cab", "the queue again")
    same(asked(world, place), (0, 0), "questions for what is known")
    page = world.api.do("queue.list", device="tv", reload=True)
    same(([entry["id"] for entry in page["items"]], page["complete"]), ([c, a, b], True), "the queue, asked for anew")
    ids_asked, items_asked = asked(world, place)
    true(ids_asked and items_asked, f"questions after reload: {ids_asked} and {items_asked}")


@row(282, way="api,wire")
def preload_time(world: World) -> None:
    """preloadTime of an item is what the device gets; the built-in receiver prepares the next item that long before."""
    place = world.tap.mark()
    world.api.do("media.load", device="tv", app=MEDIA_APP, queue={"items": [item("a", preloadTime=3), item("b", preloadTime=9)]})
    same([entry["preloadTime"] for entry in world.tap.sent("LOAD", place)["queueData"]["items"]], [3, 9], "the LOAD")
