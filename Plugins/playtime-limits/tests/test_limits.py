import datetime
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import castway
from limits import Limits, duration, in_words


def at(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class DurationTests(unittest.TestCase):
    def test_units_add_up(self):
        self.assertEqual([duration(text, "") for text in ("90m", "1h30m", "45s", "2h")], [5400, 5400, 45, 7200])

    def test_anything_else_is_refused(self):
        for text in ("", "90", "h", "1.5h", "90 m", "-1m", 90, None):
            with self.assertRaises(castway.ConfigError, msg=repr(text)):
                duration(text, "/daily")

    def test_words(self):
        self.assertEqual([in_words(seconds) for seconds in (5400, 7200, 600, 45)], ["1h 30m", "2h", "10m", "45s"])


class LimitsTests(unittest.TestCase):
    #: 2026-01-05 is a Monday.
    def limits(self, *rules, zone="UTC"):
        return Limits({"time_zone": zone, "limits": list(rules)})

    def test_a_device_without_rule_may_always_play(self):
        limits = self.limits({"devices": ["kids-*"], "daily": "1m"})
        self.assertEqual(limits.standing("hall", at("2026-01-05T12:00:00+00:00"), 9999), (True, None, None, None))
        self.assertFalse(limits.governs("hall"))

    def test_the_daily_time_ends_and_begins_anew_at_midnight(self):
        limits = self.limits({"devices": ["kids-*"], "daily": "90m"})
        noon = at("2026-01-05T12:00:00+00:00")
        self.assertEqual(limits.standing("kids-room", noon, 5000), (True, "DAILY_LIMIT", None, 400))
        self.assertEqual(
            limits.standing("kids-room", noon, 5400), (False, "DAILY_LIMIT", at("2026-01-06T00:00:00+00:00"), 0))

    def test_what_midnight_forgives_is_no_end(self):
        limits = self.limits({"devices": ["*"], "daily": "90m"})
        self.assertEqual(limits.standing("a", at("2026-01-05T23:00:00+00:00"), 0), (True, None, None, None))

    def test_quiet_hours_go_over_midnight(self):
        limits = self.limits({"devices": ["*"], "quiet_hours": [{"from": "20:00", "to": "07:00"}]})
        seven = at("2026-01-06T07:00:00+00:00")
        self.assertEqual(limits.standing("a", at("2026-01-05T19:00:00+00:00"), 0), (True, "QUIET_HOURS", None, 3600))
        self.assertEqual(limits.standing("a", at("2026-01-05T20:00:00+00:00"), 0), (False, "QUIET_HOURS", seven, 0))
        self.assertEqual(limits.standing("a", at("2026-01-06T06:59:59+00:00"), 0), (False, "QUIET_HOURS", seven, 0))
        self.assertTrue(limits.standing("a", seven, 0).allowed)

    def test_quiet_hours_that_touch_are_one(self):
        limits = self.limits({
            "devices": ["*"], "quiet_hours": [{"from": "12:00", "to": "13:00"}, {"from": "13:00", "to": "14:00"}]})
        self.assertEqual(
            limits.standing("a", at("2026-01-05T12:30:00+00:00"), 0).until, at("2026-01-05T14:00:00+00:00"))

    def test_the_first_rule_of_the_day_holds(self):
        limits = self.limits(
            {"devices": ["a"], "days": ["sat", "sun"], "daily": "3h"}, {"devices": ["*"], "daily": "1h"})
        self.assertEqual(limits.standing("a", at("2026-01-10T10:00:00+00:00"), 3600).remaining, 7200)
        self.assertFalse(limits.standing("a", at("2026-01-05T10:00:00+00:00"), 3600).allowed)

    def test_quiet_hours_belong_to_the_day_on_which_they_begin(self):
        limits = self.limits({"devices": ["*"], "days": ["fri"], "quiet_hours": [{"from": "22:00", "to": "06:00"}]})
        self.assertFalse(limits.standing("a", at("2026-01-10T05:00:00+00:00"), 0).allowed)
        self.assertTrue(limits.standing("a", at("2026-01-09T05:00:00+00:00"), 0).allowed)

    def test_the_end_that_comes_first_counts(self):
        limits = self.limits({"devices": ["*"], "daily": "1h", "quiet_hours": [{"from": "12:10", "to": "13:00"}]})
        noon = at("2026-01-05T12:00:00+00:00")
        self.assertEqual(limits.standing("a", noon, 0), (True, "QUIET_HOURS", None, 600))
        self.assertEqual(limits.standing("a", noon, 3300), (True, "DAILY_LIMIT", None, 300))

    def test_a_day_of_the_time_zone_can_have_23_hours(self):
        limits = self.limits({"devices": ["*"], "daily": "1h"}, zone="Europe/Berlin")
        noon = at("2026-03-29T12:00:00+02:00")
        self.assertEqual(limits.day(at("2026-03-28T23:30:00+00:00")), "2026-03-29")
        self.assertEqual(limits.day_ends(noon) - limits.day_begins(noon), 23 * 3600)

    def test_mistakes_are_named_by_their_place(self):
        mistakes = {
            "/limits": {"limits": "all"},
            "/limits/0": {"limits": ["a"]},
            "/limits/0/devices": {"limits": [{"devices": "a"}]},
            "/limits/0/days": {"limits": [{"devices": [], "days": ["monday"]}]},
            "/limits/0/daily": {"limits": [{"devices": [], "daily": "soon"}]},
            "/limits/0/quiet_hours/0/to": {"limits": [{"devices": [], "quiet_hours": [{"from": "20:00", "to": "24:00"}]}]},
            "/warn_before/1": {"limits": [], "warn_before": ["1m", "x"]},
            "/time_zone": {"limits": [], "time_zone": "Europe/Nowhere"},
        }
        for path, config in mistakes.items():
            with self.assertRaises(castway.ConfigError) as caught:
                Limits(config)
            self.assertEqual(caught.exception.errors[0][0], path)


if __name__ == "__main__":
    unittest.main()
