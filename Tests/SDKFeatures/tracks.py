"""Rows of tracks and of advertisements."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from loading import load
from registry import has, row, same, true
from world import FILM, MEDIA_APP, World

TRACKS = [
    {"trackId": 1, "type": "TEXT", "subtype": "SUBTITLES", "name": "Deutsch", "language": "de", "trackContentId": "http://192.0.2.9/de.vtt",
     "trackContentType": "text/vtt"},
    {"trackId": 2, "type": "TEXT", "subtype": "CAPTIONS", "language": "en", "trackContentId": "http://192.0.2.9/en.ttml",
     "trackContentType": "application/ttml+xml", "roles": ["caption"], "isInband": False},
    {"trackId": 3, "type": "AUDIO", "language": "fr", "name": "Français",
     "audioTrackInfo": {"audioCodec": "aac", "numAudioChannels": 2, "spatialAudio": True}},
    {"trackId": 4, "type": "AUDIO", "language": "de"},
    {"trackId": 5, "type": "TEXT", "subtype": "SUBTITLES", "language": "es", "trackContentType": "text/cea608"},
]


@row(311, 312, 317, way="api,cli,wire,sender")
def active_tracks(world: World) -> None:
    """media.tracks chooses text and sound by their numbers, none with an empty list; the status and other senders have them."""
    world.play(tracks=TRACKS)
    place = world.tap.mark()
    same(world.api.do("media.tracks", device="tv", active=[1, 3])["active_tracks"], [1, 3], "the tracks")
    same(world.tap.sent("EDIT_TRACKS_INFO", place)["activeTrackIds"], [1, 3], "EDIT_TRACKS_INFO")
    same(world.api.do("media.tracks", device="tv", active=[])["active_tracks"], [], "none")
    world.play("hall", tracks=TRACKS)
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "tracks", "2")
    same(world.api.do("media.status", device="hall")["active_tracks"], [2], "castway cast tracks")
    sender = world.sender("hall")
    sender.media.update_status()
    true(sender.wait_until(lambda s: s.status.current_subtitle_tracks == [2]), "a sender sees it")


@row(313, 316, 325, 326, way="api,wire,cli")
def tracks_of_a_load(world: World) -> None:
    """Tracks with id, address, MIME type, kind, subtype, name, language, roles and what an audio track is reach the device as they are."""
    same(load(world, url=FILM, tracks=TRACKS)["media"]["tracks"], TRACKS, "the tracks")
    whole = world.api.do("media.status", device="tv", whole=True)["status"]["media"]["tracks"]
    same(whole, TRACKS, "what the device has")
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "load", FILM, "--subtitles", "de=http://192.0.2.9/de.vtt")
    status = world.api.do("media.status", device="hall", whole=True)
    track = status["status"]["media"]["tracks"][0]
    has(track, {"type": "TEXT", "language": "de", "trackContentType": "text/vtt"}, "castway cast load --subtitles")
    same(status["active_tracks"], [track["trackId"]], "the first are shown")


@row(312, way="api,wire")
def text_ids(world: World) -> None:
    """A track whose id is a text gets a number."""
    sent = load(world, url=FILM, tracks=[TRACKS[0] | {"trackId": "7"}])["media"]["tracks"][0]
    same(sent["trackId"], 7, "the id")


@row(318, way="api,wire")
def incompatible_tracks(world: World) -> None:
    """Tracks that cannot be active together, or are not there, are refused with INVALID_PARAMS, and nothing changes."""
    world.play(tracks=TRACKS)
    world.api.do("media.tracks", device="tv", active=[1])
    for active in ([3, 4], [99]):
        status, problem = world.api.call("media.tracks", device="tv", active=active)
        same((status, problem["code"]), (422, "invalid_request"), f"{active}: {problem}")
    same(world.api.do("media.status", device="tv")["active_tracks"], [1], "the tracks")


@row(319, 637, way="api,cli,wire")
def tracks_by_language(world: World) -> None:
    """media.tracks chooses by language, for text and for sound, and switches text off."""
    world.play(tracks=TRACKS)
    place = world.tap.mark()
    same(world.api.do("media.tracks", device="tv", text_language="de")["active_tracks"], [1], "text in German")
    same(world.tap.sent("EDIT_TRACKS_INFO", place)["language"], "de", "EDIT_TRACKS_INFO")
    true(3 in world.api.do("media.tracks", device="tv", audio_language="fr")["active_tracks"], "sound in French")
    true(world.tap.count("EDIT_AUDIO_TRACKS", place), "EDIT_AUDIO_TRACKS")
    true(1 not in world.api.do("media.tracks", device="tv", text=False)["active_tracks"], "no text")
    world.play("hall", tracks=TRACKS)
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "tracks", "--text", "en")
    same(world.api.do("media.status", device="hall")["active_tracks"], [2], "castway cast tracks --text")


@row(314, 320, 321, way="api,cli,wire")
def text_style(world: World) -> None:
    """The twelve fields of a text style go with the load and change later; what is not given stays."""
    style = {"font_scale": 1.5, "foreground_color": "#FF0000FF", "background_color": "#00000080", "edge_type": "outline",
             "edge_color": "#0000FFFF", "window_type": "rounded_corners", "window_color": "#11223344", "window_corner_radius": 8,
             "font_family": "Arial", "font_generic_family": "serif", "font_style": "bold", "custom_data": {"a": 1}}
    sent = load(world, url=FILM, tracks=TRACKS, text_style=style)["media"]["textTrackStyle"]
    has(sent, {"fontScale": 1.5, "foregroundColor": "#FF0000FF", "edgeType": "OUTLINE", "windowType": "ROUNDED_CORNERS",
               "fontGenericFamily": "SERIF", "fontStyle": "BOLD", "windowRoundedCornerRadius": 8, "customData": {"a": 1}}, "the style")
    same(len(sent), 12, f"its fields: {sorted(sent)}")
    place = world.tap.mark()
    world.api.do("media.text_style", device="tv", style={"font_scale": 2})
    changed = world.tap.sent("EDIT_TRACKS_INFO", place)["textTrackStyle"]
    same(changed["fontScale"], 2, "the change")
    whole = world.api.do("media.status", device="tv", whole=True)["status"]["media"]["textTrackStyle"]
    has(whole, {"fontScale": 2}, "what the device has")
    world.play("hall", tracks=TRACKS)
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "text-style", "--scale", "1.3")
    now = world.api.do("media.status", device="hall", whole=True)["status"]["media"]["textTrackStyle"]
    same(now["fontScale"], 1.3, "castway cast text-style")


BREAKS = [{"id": "pre", "position": 0, "breakClipIds": ["c1"], "isWatched": False},
          {"id": "post", "position": -1, "breakClipIds": ["c2"], "isEmbedded": False}]
CLIPS = [{"id": "c1", "duration": 30, "title": "Shoes", "clickThroughUrl": "http://x/c", "contentUrl": "http://x/ad.mp4",
          "contentType": "video/mp4", "contentId": "ad1", "posterUrl": "http://x/p.png", "whenSkippable": 0},
         {"id": "c2", "duration": 10, "whenSkippable": -1, "vastAdsRequest": {"adTagUrl": "http://x/vast"}}]


@row(327, 333, 334, 337, way="api,wire")
def breaks_of_a_load(world: World) -> None:
    """Breaks and clips with all their fields, VAST of a clip and VMAP of the medium, are what the device gets."""
    media = load(world, url=FILM, breaks=BREAKS, break_clips=CLIPS, vmap={"adTagUrl": "http://x/vmap"})["media"]
    same((media["breaks"], media["breakClips"]), (BREAKS, CLIPS), "breaks and clips")
    same(media["vmapAdsRequest"], {"adTagUrl": "http://x/vmap"}, "VMAP")


@row(335, 336, 340, 637, way="api,cli,wire,events,sender")
def breaks_play(world: World) -> None:
    """While a break plays its clip, times and when it may be skipped are told; media.skip_ad skips it, and the film goes on."""
    world.play("hall", breaks=BREAKS[:1], break_clips=CLIPS[:1])
    with world.api.events("media.status", devices=("hall",)) as events:
        told = events.wait(lambda f: "breakStatus" in (f.get("data", {}).get("status") or {}), "the break")["data"]["status"]["breakStatus"]
        has(told, {"breakId": "pre", "breakClipId": "c1"}, "the break status")
        true("whenSkippable" in told and "currentBreakTime" in told, f"its times: {told}")
        sender = world.sender("hall")
        sender.media.update_status()
        true(sender.wait_until(lambda s: "breakStatus" in s.raw_media), "a sender sees it")
        place = events.mark()
        world.api.do("media.skip_ad", device="hall")
        events.wait(lambda f: "breakStatus" not in f["data"]["status"] and f["data"]["status"]["playerState"] == "PLAYING", "film", place)
    world.play("hall", breaks=BREAKS[:1], break_clips=CLIPS[:1])
    world.near.run("cast", f"127.0.0.1:{world.ports['hall']}", "skip-ad")
    true("breakStatus" not in world.api.do("media.status", device="hall", whole=True)["status"], "castway cast skip-ad")
    with world.api.events("media.status", devices=("hall",)) as events:
        world.play("hall", breaks=[{"id": "mid", "position": 20, "breakClipIds": ["c1"]}], break_clips=[{"id": "c1", "duration": 0.3}])
        place = events.mark()
        world.api.do("media.seek", device="hall", position=60)
        events.wait(lambda f: f["data"]["status"].get("breakStatus", {}).get("breakId") == "mid", "a break that was sought over", place)
        events.wait(lambda f: "breakStatus" not in f["data"]["status"] and f["data"]["status"]["currentTime"] >= 60, "the film", place)
    with world.api.events("media.session_status", devices=("tv",)) as events:
        world.api.do("media.load", device="tv", app=MEDIA_APP, url=FILM, breaks=BREAKS[:1], break_clips=CLIPS[:1])
        events.wait(lambda f: (f.get("data", {}).get("status") or {}).get("breakStatus", {}).get("breakId") == "pre", "a real device")
    whole = world.api.do("media.status", device="tv", whole=True)["status"]
    has(whole["breakStatus"], {"breakId": "pre"}, "the break of a real device")


class Shelf(BaseHTTPRequestHandler):
    """A server of media: /open has what a receiver needs, /closed says nothing to pages of other origins, /plain says the wrong type."""

    def do_GET(self) -> None:
        if self.path.startswith("/gone"):
            self.send_error(404)
            return
        self.send_response(206)
        types = {"vtt": "text/vtt", "mp4": "video/mp4", "jpg": "image/jpeg"}
        self.send_header("Content-Type", "text/plain" if "plain" in self.path else types[self.path.rsplit(".", 1)[1]])
        if "closed" not in self.path:
            self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Length", "1")
        self.end_headers()
        self.wfile.write(b"W")

    def log_message(self, *words: object) -> None:
        pass


@row(324, way="api,cli,yaml")
def servers_are_checked(world: World) -> None:
    """media.check says before a load which server of a track sends no Access-Control-Allow-Origin, the wrong type, or nothing."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Shelf)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    load = {"device": "tv", "url": f"{base}/open.mp4", "content_type": "video/mp4", "tracks": [
        {"trackId": n, "type": "TEXT", "trackContentId": f"{base}/{name}"}
        for n, name in enumerate(("open.vtt", "closed.vtt", "plain.vtt", "gone.vtt"), 1)]}
    try:
        refused = world.api.do("media.check", **load)
        same({one["findings"][0]["code"] for one in refused["urls"]}, {"refused_address"}, "servers here without leave")
        world.reload(sections="media: {check: {allow_private: true}}\n")
        told = world.api.do("media.check", **load)
        same([[f["code"] for f in one["findings"]] for one in told["urls"]],
             [[], [], ["no_cors"], ["wrong_type"], ["http_status"]], "the findings")
        same(told["fine"], False, "all of it")
        fine = world.near.call("media.check", "device=tv", f"url={base}/open.mp4", "content_type=video/mp4")
        same(fine["fine"], True, "castway call")
        place = f"127.0.0.1:{world.ports['hall']}"
        said = world.near.run("cast", place, "check", f"{base}/open.mp4", "--subtitles", f"{base}/open.vtt")
        true(f"fine: media {base}/open.mp4" in said and "error" not in said, f"castway cast check: {said}")
        said = world.near.run("cast", place, "check", f"{base}/open.mp4", "--subtitles", f"{base}/closed.vtt", status=76)
        true(f"error: track {base}/closed.vtt" in said and "no_cors: " in said, f"castway cast check of a closed server: {said}")
    finally:
        server.shutdown()
        server.server_close()
