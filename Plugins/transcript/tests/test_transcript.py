import json
import os
import sys
import tempfile
import types
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import castway
from redaction import REDACTED, Redaction
from transcript import Transcript


class RedactionTests(unittest.TestCase):
    def setUp(self):
        self.redaction = Redaction(["playerName"])

    def test_secrets_are_hidden_at_any_depth_and_in_any_spelling(self):
        value = {"a": [{"Access-Token": "x", "ok": 1}], "customData": {"b": 2}, "PLAYERNAME": "Ann"}
        self.assertEqual(
            self.redaction.clean(value),
            {"a": [{"Access-Token": REDACTED, "ok": 1}], "customData": REDACTED, "PLAYERNAME": REDACTED})

    def test_what_is_empty_has_nothing_to_hide(self):
        self.assertEqual(self.redaction.clean({"customData": {}, "token": None}), {"customData": {}, "token": None})

    def test_json_within_a_text_is_looked_through(self):
        self.assertEqual(
            self.redaction.clean({"data": '{"token":"x","n":1}'}), {"data": '{"token":"%s","n":1}' % REDACTED})
        self.assertEqual(self.redaction.clean("{no json"), "{no json")

    def test_urls_lose_their_secrets(self):
        self.assertEqual(
            self.redaction.clean("https://ann:pw@cdn.example/a?x=1&token=abc&y=2#sig=q"),
            "https://%s@cdn.example/a?x=1&token=%s&y=2#sig=%s" % (REDACTED, REDACTED, REDACTED))
        self.assertEqual(self.redaction.clean("a=b&token=c"), "a=b&token=c")


class FileTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.plugin = Transcript()
        self.addCleanup(self.plugin.close)
        self.plugin.state_dir = self.folder
        self.plugin.clock = types.SimpleNamespace(now=lambda: 1767225600.5)
        self.health = []
        self.plugin.gateway = types.SimpleNamespace(health_changed=lambda *change: self.health.append(change[0]))

    def observe(self, payload="{}", dropped=0, **members):
        self.plugin.observe(castway.Message({"id": "m", "namespace": "urn:x-cast:a", "payload": payload, **members}, "observe"), dropped)

    def lines(self, name="transcript.jsonl"):
        with open(os.path.join(self.folder, name), encoding="ascii") as stream:
            return [json.loads(line) for line in stream]

    def test_a_line_has_what_is_known(self):
        self.plugin.configure({})
        self.observe('{"type":"A","credentials":"x"}', type="A", device="hall", requestId=4)
        self.assertEqual(self.lines(), [{
            "at": "2026-01-01T00:00:00.500Z", "device": "hall", "namespace": "urn:x-cast:a", "type": "A",
            "requestId": 4, "payload": {"type": "A", "credentials": REDACTED}}])
        self.assertEqual(os.stat(os.path.join(self.folder, "transcript.jsonl")).st_mode & 0o777, 0o600)

    def test_what_was_dropped_is_said(self):
        self.plugin.configure({})
        self.observe(dropped=3)
        self.assertEqual([line.get("dropped") for line in self.lines()], [3, None])

    def test_what_cannot_be_looked_through_is_not_written(self):
        self.plugin.configure({"max_payload": 10})
        self.observe("password: x")
        self.observe('{"a":"%s"}' % ("x" * 20))
        self.plugin.observe(castway.Message({"payloadB64": "AAEC"}, "observe"), 0)
        self.assertEqual([sorted(set(line) - {"at", "namespace"}) for line in self.lines()], [["bytes"], ["bytes"], ["binary"]])

    def test_the_log_is_put_aside_at_its_size(self):
        self.plugin.configure({"max_size": 1024, "keep": 2})
        for number in range(40):
            self.observe('{"n":%d,"x":"%s"}' % (number, "x" * 90))
        names = sorted(os.listdir(self.folder))
        self.assertEqual(names, ["transcript.jsonl", "transcript.jsonl.1", "transcript.jsonl.2"])
        for name in names:
            self.assertLessEqual(os.path.getsize(os.path.join(self.folder, name)), 1024)
        numbers = [line["payload"]["n"] for name in reversed(names) for line in self.lines(name)]
        self.assertEqual(numbers, list(range(numbers[0], 40)))
        self.assertLess(numbers[0], 35)

    def test_without_any_to_keep_the_log_begins_anew(self):
        self.plugin.configure({"max_size": 1024, "keep": 0})
        for number in range(40):
            self.observe('{"n":%d,"x":"%s"}' % (number, "x" * 90))
        self.assertEqual(os.listdir(self.folder), ["transcript.jsonl"])
        self.assertEqual(self.lines()[-1]["payload"]["n"], 39)

    def test_a_disk_that_takes_nothing_is_said_and_made_up_for(self):
        self.plugin.configure({"file": "later/log.jsonl"})
        self.observe()
        self.observe()
        self.assertEqual(self.plugin.health()[0], "degraded")
        os.mkdir(os.path.join(self.folder, "later"))
        self.observe()
        self.assertEqual(self.plugin.health(), "ok")
        self.assertEqual(self.lines("later/log.jsonl")[0]["lost"], 2)
        self.assertEqual(self.health, ["degraded", "ok"])

    def test_a_bad_configuration_changes_nothing(self):
        self.plugin.configure({"keep": 3})
        for wrong in ({"file": ""}, {"max_size": 5}, {"keep": True}, {"redact": "all"}, {"redact": [1]}):
            with self.assertRaises(castway.ConfigError):
                self.plugin.configure({"max_payload": 1, **wrong})
        self.assertEqual((self.plugin.keep, self.plugin.max_payload), (3, 65536))


if __name__ == "__main__":
    unittest.main()
