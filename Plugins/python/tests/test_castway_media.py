"""castway_media.py against the vectors that the gateway's own model is tested with."""

import datetime
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import castway_media as media  # noqa: E402

VECTORS = HERE.parent.parent.parent / "Tests" / "Fixtures" / "Media" / "metadata.json"


class MetadataTests(unittest.TestCase):
    def test_vectors(self):
        vectors = json.loads(VECTORS.read_text())
        self.assertGreater(len(vectors), 10)
        for vector in vectors:
            with self.subTest(vector=vector):
                metadata = media.Metadata.read(vector["given"])
                if "refused" in vector:
                    with self.assertRaisesRegex(ValueError, vector["refused"]):
                        metadata.json()
                else:
                    self.assertEqual(metadata.json(), vector["sent"])

    def test_it_is_built_and_read(self):
        built = media.Metadata(media.MUSIC_TRACK, title="Harbour", trackNumber=4, mine={"a": 1})
        built["releaseDate"] = datetime.date(2014, 7, 28)
        built.add_image("http://192.0.2.9/a.jpg", 480, 270)
        read = media.Metadata.read(json.loads(json.dumps(built.json())))
        self.assertEqual(read.kind, media.MUSIC_TRACK)
        self.assertEqual((read.text("title"), read.whole("trackNumber", 1)), ("Harbour", 4))
        self.assertEqual(read.date("releaseDate"), datetime.date(2014, 7, 28))
        self.assertEqual(read.images, [{"url": "http://192.0.2.9/a.jpg", "width": 480, "height": 270}])
        self.assertEqual(sorted(read.keys()), ["mine", "releaseDate", "title", "trackNumber"])
        self.assertIn("title", read)
        self.assertNotIn("artist", read)
        read.remove_images()
        self.assertEqual(read.images, [])

    def test_defaults(self):
        metadata = media.Metadata.read({"trackNumber": "four", "images": ["http://192.0.2.9/b.jpg", 7]})
        self.assertEqual(metadata.whole("trackNumber", 1), 1)
        self.assertEqual(metadata.number("latitude", 1.5), 1.5)
        self.assertIsNone(metadata.text("title"))
        self.assertIsNone(metadata.date("releaseDate"))
        self.assertEqual(metadata.images, [{"url": "http://192.0.2.9/b.jpg"}])
        for nothing in (None, [], "x", 7):
            self.assertEqual(media.Metadata.read(nothing).kind, media.GENERIC)

    def test_dates(self):
        read = media.Metadata.read
        self.assertEqual(read({"d": "20140728"}).date("d"), datetime.date(2014, 7, 28))
        self.assertEqual(read({"d": "2014"}).date("d"), datetime.date(2014, 1, 1))
        instant = datetime.datetime(2014, 7, 28, 10, 15, 30, tzinfo=datetime.timezone.utc)
        self.assertEqual(read({"d": "2014-07-28T10:15:30Z"}).date("d"), instant)
        self.assertIsNone(read({"d": "2014-13-45"}).date("d"))


class MediumTests(unittest.TestCase):
    def test_it_is_built(self):
        film = media.Medium("http://192.0.2.9/film.mp4", "video/mp4", duration=600, customData={"a": 1})
        film.metadata = media.Metadata(media.MOVIE, title="Harbour")
        self.assertEqual(
            film.json(),
            {
                "contentId": "http://192.0.2.9/film.mp4", "contentUrl": "http://192.0.2.9/film.mp4",
                "contentType": "video/mp4", "duration": 600, "streamType": "BUFFERED", "customData": {"a": 1},
                "metadata": {"metadataType": 1, "title": "Harbour"},
            },
        )

    def test_it_keeps_what_it_does_not_know(self):
        told = {"contentId": "x", "streamType": "LIVE", "own": [1], "metadata": {"metadataType": 0, "title": "T"}}
        medium = media.Medium.read(told)
        self.assertEqual(medium.json(), told)
        self.assertEqual((medium.url, medium.duration), ("x", None))
        self.assertIsNone(media.Medium.read("nothing").url)


if __name__ == "__main__":
    unittest.main()
