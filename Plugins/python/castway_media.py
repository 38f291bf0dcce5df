"""Media for plugins in Python: what a LOAD, a queue or a status says of a medium, with names and checks (protocol notes, 6.5 and 6.6).

    import castway_media as media

    film = media.Medium("http://192.0.2.9/film.mp4", "video/mp4", duration=600)
    film.metadata = media.Metadata(media.MOVIE, title="Harbour", studio="Quay Works")
    film.metadata.add_image("http://192.0.2.9/harbour.jpg", 480, 270)
    return castway.rewrite({**message.json, "media": film.json()})

    told = media.Medium.read(message.json["media"])
    told.metadata.whole("trackNumber", 1)

Both are dictionaries underneath: what has no name here stays in `data`, so that nothing of an app's own is lost.
One file, the standard library only, Python 3.9 or newer; it is on a plugin's path, as castway.py is.
"""

import datetime
import math
import re

__all__ = ["GENERIC", "MOVIE", "TV_SHOW", "MUSIC_TRACK", "PHOTO", "AUDIOBOOK_CHAPTER", "Medium", "Metadata"]

GENERIC, MOVIE, TV_SHOW, MUSIC_TRACK, PHOTO, AUDIOBOOK_CHAPTER = range(6)

_ALL = set(range(6))
# Each predefined key with the kind of its value, and the kinds of metadata that it belongs to.
KEYS = {
    "title": (str, _ALL), "sectionDuration": (float, _ALL), "sectionStartTimeInContainer": (float, _ALL),
    "sectionStartTimeInMedia": (float, _ALL), "sectionStartAbsoluteTime": (float, _ALL), "queueItemId": (int, _ALL),
    "releaseDate": (datetime.date, {GENERIC, MOVIE, TV_SHOW, MUSIC_TRACK}),
    "subtitle": (str, {GENERIC, MOVIE, AUDIOBOOK_CHAPTER}), "artist": (str, {GENERIC, MUSIC_TRACK, PHOTO}),
    "studio": (str, {MOVIE}), "originalAirdate": (datetime.date, {TV_SHOW}), "season": (int, {TV_SHOW}),
    "episode": (int, {TV_SHOW}), "seriesTitle": (str, {TV_SHOW}), "albumArtist": (str, {MUSIC_TRACK}),
    "albumName": (str, {MUSIC_TRACK}), "composer": (str, {MUSIC_TRACK}), "discNumber": (int, {MUSIC_TRACK}),
    "trackNumber": (int, {MUSIC_TRACK}), "creationDateTime": (datetime.date, {PHOTO}), "width": (int, {PHOTO}),
    "height": (int, {PHOTO}), "location": (str, {PHOTO}), "latitude": (float, {PHOTO}), "longitude": (float, {PHOTO}),
    "bookTitle": (str, {AUDIOBOOK_CHAPTER}), "chapterNumber": (int, {AUDIOBOOK_CHAPTER}),
    "chapterTitle": (str, {AUDIOBOOK_CHAPTER}),
}
_DATE = r"[0-9]{4}(-?[0-9]{2}(-?[0-9]{2})?)?(T[0-9:.+Z-]+)?"
_WORDS = {str: "text", int: "a whole number", float: "a number", datetime.date: "a date as in ISO 8601"}


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_date(value):
    """Whether a value is `2014`, `2014-07-28` or `20140728`, with a time behind a `T`: what the SDKs write and read."""
    return isinstance(value, str) and re.fullmatch(_DATE, value) is not None


def _date(value):
    """The day or the instant that a value is; None for any other value, and for one that the calendar does not have."""
    if not _is_date(value):
        return None
    day, _, time = value.partition("T")
    digits = day.replace("-", "")
    text = "-".join((digits[:4], digits[4:6] or "01", digits[6:] or "01"))
    try:
        if not time:
            return datetime.date.fromisoformat(text)
        return datetime.datetime.fromisoformat(text + "T" + re.sub("Z$", "+00:00", time))
    except ValueError:
        return None


def _accepts(kind, value):
    if kind is str:
        return isinstance(value, str)
    if kind is datetime.date:
        return _is_date(value)
    return _is_number(value) and (kind is float or value == int(value))


class Metadata:
    """What to show of a medium. `data` is the whole of it as the protocol has it."""

    def __init__(self, kind=GENERIC, **values):
        self.data = {"metadataType": kind}
        for key, value in values.items():
            self[key] = value

    @classmethod
    def read(cls, data):
        """Takes what came; nothing is checked, and what is no object is empty."""
        metadata = cls()
        metadata.data = dict(data) if isinstance(data, dict) else {}
        return metadata

    @property
    def kind(self):
        """GENERIC to AUDIOBOOK_CHAPTER; apps have 100 and above. GENERIC when it is not said."""
        return self.whole("metadataType", GENERIC)

    def __setitem__(self, key, value):
        if isinstance(value, (datetime.date, datetime.datetime)):
            value = value.isoformat()
        self.data[key] = value

    def __getitem__(self, key):
        return self.data[key]

    def __contains__(self, key):
        return self.data.get(key) is not None

    def keys(self):
        """Everything that is there, the app's own too; neither the kind nor the pictures."""
        return [key for key in self.data if key not in ("metadataType", "type", "images")]

    def text(self, key, default=None):
        """The text under a key; the default when it is missing or of another kind."""
        value = self.data.get(key)
        return value if isinstance(value, str) else default

    def whole(self, key, default=0):
        """The whole number under a key, or the default."""
        value = self.data.get(key)
        return int(value) if _accepts(int, value) else default

    def number(self, key, default=0.0):
        """The number under a key, or the default."""
        value = self.data.get(key)
        return float(value) if _is_number(value) else default

    def date(self, key, default=None):
        """The date, or the instant, under a key, or the default."""
        value = _date(self.data.get(key))
        return default if value is None else value

    @property
    def images(self):
        """The pictures, each with its `url`. Old senders give bare addresses instead of objects."""
        images = self.data.get("images")
        found = [{"url": one} if isinstance(one, str) else one for one in images] if isinstance(images, list) else []
        return [one for one in found if isinstance(one, dict)]

    def add_image(self, url, width=None, height=None):
        """Adds a picture behind the others; most senders show the first one."""
        image = {"url": url}
        if width is not None and height is not None:
            image.update(width=width, height=height)
        self.data["images"] = [*self.images, image]

    def remove_images(self):
        """Leaves no picture."""
        self.data.pop("images", None)

    def json(self):
        """It as the SDKs send it: with a kind, and without the predefined keys that do not belong to that kind.

        Keys of the app's own are kept. Raises ValueError for a predefined key whose value is of another kind.
        """
        kind = self.kind
        data = {**self.data, "metadataType": kind}
        for key, (wanted, kinds) in KEYS.items():
            if key not in data:
                continue
            if data[key] is None or (kind in _ALL and kind not in kinds):
                del data[key]
            elif not _accepts(wanted, data[key]):
                raise ValueError(f"the metadata {key} is not {_WORDS[wanted]}")
        return data


class Medium:
    """One medium: where it is and what it is. `data` is all of it but the metadata."""

    def __init__(self, url=None, content_type=None, duration=None, stream_type="BUFFERED", content_id=None, **more):
        values = {
            "contentId": content_id or url, "contentUrl": url, "contentType": content_type, "duration": duration,
            "streamType": stream_type, **more,
        }
        self.data = {key: value for key, value in values.items() if value is not None}
        self.metadata = None

    @classmethod
    def read(cls, data):
        """Takes what came; nothing is checked, and what is no object is empty."""
        medium = cls()
        medium.data = dict(data) if isinstance(data, dict) else {}
        metadata = medium.data.pop("metadata", None)
        medium.metadata = Metadata.read(metadata) if isinstance(metadata, dict) else None
        return medium

    @property
    def url(self):
        """What is played: the address, else the id; None when it has neither."""
        for key in ("contentUrl", "contentId"):
            if isinstance(self.data.get(key), str):
                return self.data[key]
        return None

    @property
    def duration(self):
        """Its length in seconds; None for live media."""
        return self.data["duration"] if _is_number(self.data.get("duration")) else None

    def json(self):
        """It as the protocol has it. Raises ValueError for metadata that the SDKs would not send."""
        data = dict(self.data)
        if self.metadata is not None:
            data["metadata"] = self.metadata.json()
        return data
