"""Rows of loading: what media.load and castway cast load say to a device, and what the device then has."""

from __future__ import annotations

import json
from typing import Any

from registry import has, near, row, same, true
from world import FILM, MEDIA_APP, OTHER_APP, QUIZ_APP, World, settle

Json = dict[str, Any]


def load(world: World, **values: Any) -> Json:
    """Loads on tv, and gives the LOAD that the device got."""
    place = world.tap.mark()
    world.api.do("media.load", device="tv", app=MEDIA_APP, **values)
    return world.tap.sent("LOAD", place)


@row(170, 197, 200, 270, 247, way="api")
def order_of_steps(world: World) -> None:
    """Loading takes an app, commands take media: each step that is left out is refused by a code of its own where nothing is launched
    unasked, and the default app is launched otherwise; then all of it works."""
    first = world.near.configuration
    world.near.write(first.replace("  static:\n", "  receiver_app: none\n  static:\n", 1))
    world.api.do("config.reload")
    world.api.refused("media.load", "application_not_running", 409, device="tv", url=FILM)
    same(world.api.do("media.status", device="tv")["player_state"], "unknown", "the state before anything")
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    world.api.refused("media.load", "unsupported_feature", 409, device="tv", url=FILM)
    world.near.write(first)
    world.api.do("config.reload")
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    world.api.refused("media.pause", "no_media_session", 409, device="tv")
    world.api.do("session.start", device="tv", app=QUIZ_APP)
    world.api.do("media.load", device="tv", url=FILM)
    same(world.api.do("session.get", session="device:tv")["app"], MEDIA_APP, "the app that was launched")
    has(world.api.do("media.pause", device="tv"), {"player_state": "paused"}, "the command")


@row(171, 173, 174, 175, 176, 177, 178, 191, way="api,wire")
def media_information(world: World) -> None:
    """One medium by address or id, with stream type, MIME type, metadata and duration: the LOAD has it, and the device plays it."""
    media = load(world, url=FILM, content_type="video/mp4", stream_type="buffered", duration=321,
                 metadata={"metadataType": 0, "title": "T"})["media"]
    has(media, {"contentUrl": FILM, "contentId": FILM, "contentType": "video/mp4", "streamType": "BUFFERED", "duration": 321}, "media")
    same(media["metadata"]["title"], "T", "the metadata")
    status = world.api.do("media.status", device="tv")
    has(status, {"content_id": FILM, "content_type": "video/mp4", "stream_type": "buffered", "duration": 321, "title": "T"}, "the device")
    same(load(world, content_id="asset-7", content_type="audio/mp4")["media"]["contentId"], "asset-7", "an id alone")


@row(230, way="api,wire")
def address_and_id(world: World) -> None:
    """With an address and an id the address is played, and the id stays the id."""
    media = load(world, url=FILM, content_id="asset-8")["media"]
    has(media, {"contentUrl": FILM, "contentId": "asset-8"}, "the media")
    has(world.api.do("media.status", device="tv"), {"content_url": FILM, "content_id": "asset-8"}, "the status")


@row(179, 181, 623, way="api,wire")
def custom_data(world: World) -> None:
    """Data for the app (a token, DRM) pass unchanged: those of the media and those of the request."""
    secret = {"drm": {"license": "https://x/l", "token": "abc"}, "list": [1, None, "ü"]}
    sent = load(world, url=FILM, media_custom_data=secret, custom_data={"from": "shop"})
    same(sent["media"]["customData"], secret, "the data of the media")
    same(sent["customData"], {"from": "shop"}, "the data of the request")
    whole = world.api.do("media.status", device="tv", whole=True)["status"]
    same(whole["media"]["customData"], secret, "what the device has")


@row(180, 205, 314, 313, way="api,wire")
def everything_at_load(world: World) -> None:
    """Breaks, clips, tracks and the text style may be given with the load, or all be left out."""
    sent = load(world, url=FILM, breaks=[{"id": "b1", "position": 60, "breakClipIds": ["c1"]}],
                break_clips=[{"id": "c1", "duration": 15, "title": "Ad"}],
                tracks=[{"trackId": 1, "type": "TEXT", "subtype": "SUBTITLES", "language": "de",
                         "trackContentId": "http://192.0.2.9/de.vtt", "trackContentType": "text/vtt"}],
                text_style={"font_scale": 1.5}, active_tracks=[1])
    media = sent["media"]
    same((media["breaks"][0]["id"], media["breakClips"][0]["title"]), ("b1", "Ad"), "the breaks")
    same((media["tracks"][0]["language"], media["textTrackStyle"]["fontScale"]), ("de", 1.5), "the tracks")
    same(sent["activeTrackIds"], [1], "the active tracks")
    bare = load(world, url=FILM)["media"]
    same({"tracks", "metadata", "breaks", "textTrackStyle"} & set(bare), set(), "what a bare load has")


@row(192, 193, 196, 217, 221, way="api,wire")
def load_options(world: World) -> None:
    """Position, autoplay, rate, tracks, data and credentials of a load are what the device gets; it plays at once unless told not to."""
    has(load(world, url=FILM), {"autoplay": True}, "a plain load")
    sent = load(world, url=FILM, position=42.5, autoplay=False, rate=1.5, custom_data={"a": 1}, credentials="u1",
                credentials_type="cloud", tracks=[{"trackId": 3, "type": "TEXT", "subtype": "SUBTITLES", "language": "de",
                                                   "trackContentId": "http://x/a.vtt"}], active_tracks=[3])
    has(sent, {"currentTime": 42.5, "autoplay": False, "playbackRate": 1.5, "customData": {"a": 1}, "credentials": "u1",
               "credentialsType": "cloud", "activeTrackIds": [3]}, "the LOAD")
    settle(world.api, "tv", "PAUSED")
    has(world.api.do("media.status", device="tv"), {"player_state": "paused", "position": 42.5, "active_tracks": [3]}, "the device")


@row(218, way="api,wire")
def autoplay_has_three_states(world: World) -> None:
    """autoplay is true, false, or by_item: then the item of the queue says, and one medium alone waits."""
    def by_item(starts: bool) -> object:
        item = {"media": {"contentId": FILM, "contentType": "video/mp4", "streamType": "BUFFERED"}, "autoplay": starts}
        return load(world, queue={"items": [item]}, autoplay="by_item")["autoplay"]

    same((by_item(True), by_item(False)), (True, False), "what the item says")
    same([load(world, url=FILM, autoplay=value)["autoplay"] for value in (True, False)], [True, False], "true and false")
    settle(world.api, "tv", "PAUSED")
    same(load(world, url=FILM, autoplay="by_item")["autoplay"], False, "one medium alone")


@row(219, way="api,wire")
def no_position(world: World) -> None:
    """Without a position the LOAD has none: a film begins at its start, a live stream at its edge."""
    true("currentTime" not in load(world, url=FILM), "the LOAD of a film")
    near(world.api.do("media.status", device="tv")["position"], 0, "where it begins", 2)
    true("currentTime" not in load(world, url="http://192.0.2.9/live.m3u8", stream_type="live"), "the LOAD of a stream")


@row(194, 195, 292, way="api,wire")
def request_with_all(world: World) -> None:
    """One request may have media and a queue, its start, its repeat mode, credentials and data."""
    items = [{"media": {"contentId": f"http://192.0.2.9/{n}.mp4", "contentType": "video/mp4", "streamType": "BUFFERED"}} for n in "abc"]
    sent = load(world, queue={"items": items, "startIndex": 1, "repeatMode": "REPEAT_ALL"}, position=5, custom_data={"q": 1},
                credentials="who")
    has(sent["queueData"], {"startIndex": 1, "repeatMode": "REPEAT_ALL"}, "the queue")
    has(sent, {"currentTime": 5, "customData": {"q": 1}, "credentials": "who"}, "the request")
    has(world.api.do("media.status", device="tv"), {"content_id": "http://192.0.2.9/b.mp4", "repeat_mode": "all"}, "the device")


@row(198, 199, 220, way="api,cli")
def wrong_loads_are_caught(world: World) -> None:
    """A load with no address that can be one, or with nothing to load, is refused before anything is sent."""
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    place = world.tap.mark()
    problem = world.api.refused("media.load", "invalid_request", 422, device="tv", url="no address at all")
    true(problem["detail"], "it says what is wrong")
    world.api.refused("media.load", "invalid_input", 422, device="tv")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "load", "no address at all", status=64)
    world.api.do("device.probe", device="tv")
    same(world.tap.count("LOAD", place), 0, "LOADs")


@row(201, 235, way="api,events")
def last_media_information(world: World) -> None:
    """What was loaded stays known, though statuses leave it out; other media are told as media.metadata."""
    with world.api.events("media.*") as events:
        world.play("fixed", metadata={"metadataType": 0, "title": "Kept"})
        same(events.event("media.metadata")["data"]["media"]["metadata"]["title"], "Kept", "the event")
        world.api.do("media.pause", device="fixed")
    whole = world.api.do("media.status", device="fixed", whole=True)["status"]
    has(whole, {"playerState": "PAUSED", "repeatMode": "REPEAT_OFF", "activeTrackIds": []}, "the status")
    same(whole["media"]["metadata"]["title"], "Kept", "the media after a status without them")


@row(202, 203, way="api,sender")
def video_info(world: World) -> None:
    """What the picture is (width, height, HDR) is in the status of what plays."""
    world.play()
    whole = world.api.do("media.status", device="tv", whole=True)["status"]
    same(whole["videoInfo"], {"width": 1920, "height": 1080, "hdrType": "sdr"}, "videoInfo")


@row(204, 77, way="api,cli,wire")
def session_and_load_in_one_call(world: World) -> None:
    """media.load with app starts the session and loads; castway cast load does so at a device of its own."""
    place = world.tap.mark()
    world.play()
    order = [m.payload for way, m in world.tap.messages[place:] if way == "to_device"]
    kinds = [json.loads(str(p)).get("type") for p in order]
    true(kinds.index("LAUNCH") < kinds.index("CONNECT") < kinds.index("LOAD"), f"the order: {kinds}")
    said = world.near.output("cast", f"127.0.0.1:{world.ports['stage']}", "load", FILM, "--title", "By hand")
    has(world.api.do("media.status", device="stage"), {"content_id": FILM, "title": "By hand"}, f"after {said[-80:]}")


@row(212, way="api,wire")
def stream_types(world: World) -> None:
    """The stream types are buffered (when nothing is said), live and none."""
    same([load(world, url=FILM, **({} if t is None else {"stream_type": t}))["media"]["streamType"] for t in (None, "live", "none")],
         ["BUFFERED", "LIVE", "NONE"], "stream types")


@row(213, way="api,cli,wire")
def entities(world: World) -> None:
    """A deep link loads what the app makes of it: alone as LOAD_BY_ENTITY, with media in the LOAD; the command has --entity."""
    world.api.do("session.start", device="tv", app=MEDIA_APP)
    place = world.tap.mark()
    world.api.call("media.load", device="tv", entity="https://example.com/watch/1")
    has(world.tap.sent("LOAD_BY_ENTITY", place), {"entity": "https://example.com/watch/1"}, "LOAD_BY_ENTITY")
    true("--entity" in world.near.run("cast", "load", "--help"), "the option of the command")
    sent = load(world, media={"contentId": "x1", "streamType": "BUFFERED", "contentType": "video/mp4", "entity": "https://e/2"})
    same(sent["media"]["entity"], "https://e/2", "an entity beside media")


@row(214, 215, 216, way="api,wire")
def further_fields(world: World) -> None:
    """Absolute start, HLS formats, and what CAF has beside (category, rating, user actions, ids) pass to the device."""
    media = load(world, url="http://192.0.2.9/a.m3u8", start_absolute_time=1700000000, hls_segment_format="fmp4",
                 hls_video_segment_format="fmp4")["media"]
    has(media, {"startAbsoluteTime": 1700000000, "hlsSegmentFormat": "fmp4", "hlsVideoSegmentFormat": "fmp4"}, "the media")
    more = {"contentId": "y", "contentType": "video/mp4", "streamType": "BUFFERED", "mediaCategory": "AUDIO", "contentRating": "PG",
            "userActionStates": [{"userAction": "LIKE"}], "appContentId": "app-1", "atvEntity": "atv://1"}
    has(load(world, media=more)["media"], more, "media as they are")


@row(362, 369, way="api,wire")
def credentials_of_android(world: World) -> None:
    """A load may carry credentials, and others for an Android TV app."""
    sent = load(world, url=FILM, credentials="web-user", atv_credentials="tv-user", atv_credentials_type="android")
    has(sent, {"credentials": "web-user"}, "for the web app")
    true("tv-user" in json.dumps(sent), f"for the Android TV app: {sent.get('atvCredentials')}")


@row(229, 276, way="api,wire")
def preload_and_raw_requests(world: World) -> None:
    """media.request sends any type of the media namespace: PRELOAD and PRECACHE, CUSTOM_COMMAND, DISPLAY_STATUS."""
    world.play()
    for kind, body in (("PRECACHE", {"data": "x"}), ("PRELOAD", {"itemId": 1}), ("CUSTOM_COMMAND", {"data": {"a": 1}}),
                       ("DISPLAY_STATUS", {}), ("FOCUS_STATE", {"state": "IN_FOCUS"})):
        place = world.tap.mark()
        world.api.call("media.request", device="tv", type=kind, body=body)
        has(world.tap.sent(kind, place), dict(body), kind)


@row(276, way="api,wire")
def requests_of_assistants(world: World) -> None:
    """A receiver acknowledges what assistants and the cloud send by the status of its media, and refuses a type that it does not know."""
    world.play()
    for kind, body in (("PLAY_STRING", {"stringId": "WELCOME", "arguments": ["a"]}), ("EXECUTE_ACTION_SCRIPT", {"data": "x"}),
                       ("CLOUD_STATUS", {"status": 1}), ("SHOW_REMOTE_CONTROL_OVERLAY", {})):
        place = world.tap.mark()
        answer = world.api.do("media.request", device="tv", type=kind, body=body)
        same(answer["reply"]["type"], "MEDIA_STATUS", f"the answer to {kind}")
        has(world.tap.sent(kind, place), dict(body), kind)
    world.api.refused("media.request", "invalid_request", 422, device="tv", type="NONSENSE")
    world.api.refused("media.request", "invalid_request", 422, device="tv", type="PLAY_STRING")


@row(9, 200, way="api,wire")
def another_media_app(world: World) -> None:
    """Any app that lists the media namespace plays, by its own id."""
    answer = world.api.do("media.load", device="tv", url=FILM, app=OTHER_APP)
    has(answer, {"app": OTHER_APP, "content_id": FILM}, "the load")
