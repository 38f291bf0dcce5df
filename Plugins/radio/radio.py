#!/usr/bin/env python3
"""Gives the built-in receiver a queue that never ends: the tracks of its configuration, again and again."""

import random

import castway


class Radio(castway.Plugin):
    def configure(self, config):
        try:
            self.places = {track["url"]: place for place, track in enumerate(config["tracks"])}
            self.tracks, self.ahead = config["tracks"], config["ahead"]
        except (KeyError, TypeError) as error:
            raise castway.ConfigError("/tracks", "tracks with urls are wanted: %s" % error)

    def item(self, place):
        track = self.tracks[place % len(self.tracks)]
        media = {"contentId": track["url"], "contentType": track.get("type", "audio/mpeg"), "streamType": "BUFFERED"}
        if "seconds" in track:
            media["duration"] = track["seconds"]
        if "title" in track:
            media["metadata"] = {"metadataType": 3, "title": track["title"]}
        return {"media": media}

    def place(self, item):
        """Where an item stands among the tracks; before the first when it is none of them."""
        return self.places.get((item or {}).get("media", {}).get("contentId"), -1)

    def behind(self, item, count):
        return [self.item(self.place(item) + step) for step in range(1, count + 1)]

    @castway.operation("queue.initialize")
    def initialize(self, call):
        """What a sender loads comes first, and the radio goes on behind it."""
        asked = {"media": call.input["request"].get("media")}
        return {"items": [asked] + self.behind(asked, self.ahead), "name": "Radio", "repeatMode": "REPEAT_OFF"}

    @castway.operation("queue.next_items")
    def next_items(self, call):
        return {"items": self.behind(call.input["item"], self.ahead)}

    @castway.operation("queue.fetch_items")
    def fetch_items(self, call):
        return {"next_items": self.behind(call.input["last"], min(call.input["nextCount"], 50))}

    @castway.operation("queue.shuffle")
    def shuffle(self, call):
        places = list(range(len(self.tracks)))
        if call.input["shuffle"]:
            random.shuffle(places)
        return {"items": [self.item(place) for place in places]}


if __name__ == "__main__":
    castway.run(Radio)
