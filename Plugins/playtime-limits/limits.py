"""The rules: who may play how long and when. Takes instants (seconds since 1970), asks no clock."""

import collections
import datetime
import fnmatch
import re

import castway

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DURATION = re.compile(r"([0-9]+)(h|m|s)")
_UNITS = {"h": 3600, "m": 60, "s": 1}

Rule = collections.namedtuple("Rule", "devices days daily quiet")

#: May something play? If not: why, and until when. If so: how long still; None is without end.
Standing = collections.namedtuple("Standing", "allowed reason until remaining")


def duration(text, path):
    """Seconds of a text like 1h30m."""
    parts = _DURATION.findall(text) if isinstance(text, str) else []
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise castway.ConfigError(path, "expected a duration such as 90m or 1h30m")
    return sum(int(number) * _UNITS[unit] for number, unit in parts)


def in_words(seconds):
    """The same for people, in full minutes; less than one in seconds."""
    if seconds < 60:
        return "%ds" % seconds
    hours, minutes = divmod(int(seconds) // 60, 60)
    return " ".join(part for part in ("%dh" % hours if hours else "", "%dm" % minutes if minutes else "") if part)


class Limits:
    def __init__(self, config):
        self.zone = self._zone(config.get("time_zone"))
        rules = config.get("limits")
        if not isinstance(rules, list):
            raise castway.ConfigError("/limits", "expected a list of rules")
        self.rules = [self._rule(rule, "/limits/%d" % index) for index, rule in enumerate(rules)]
        warnings = config.get("warn_before", ["10m", "1m"])
        if not isinstance(warnings, list):
            raise castway.ConfigError("/warn_before", "expected a list of durations")
        self.warnings = sorted(
            duration(text, "/warn_before/%d" % index) for index, text in enumerate(warnings))

    @staticmethod
    def _zone(name):
        if name is None:
            return None
        if name == "UTC":
            return datetime.timezone.utc
        try:
            import zoneinfo
            return zoneinfo.ZoneInfo(name)
        except (ImportError, ValueError, TypeError, KeyError, OSError) as error:
            raise castway.ConfigError(
                "/time_zone", "there is no time zone %r here; is it written as in Europe/Berlin, and are the "
                "system's time zones (tzdata) installed?" % (name,)) from error

    @staticmethod
    def _rule(rule, path):
        if not isinstance(rule, dict):
            raise castway.ConfigError(path, "expected a rule with devices, days, daily and quiet_hours")
        devices = rule.get("devices")
        if not isinstance(devices, list) or not all(isinstance(name, str) for name in devices):
            raise castway.ConfigError(path + "/devices", "expected a list of names")
        days = rule.get("days", DAYS)
        if not isinstance(days, (list, tuple)) or not all(day in DAYS for day in days):
            raise castway.ConfigError(path + "/days", "expected a list of " + ", ".join(DAYS))
        daily = rule.get("daily")
        quiet = rule.get("quiet_hours", [])
        if not isinstance(quiet, list):
            raise castway.ConfigError(path + "/quiet_hours", "expected a list of {from, to}")
        return Rule(
            devices, frozenset(DAYS.index(day) for day in days),
            None if daily is None else duration(daily, path + "/daily"),
            [Limits._period(period, "%s/quiet_hours/%d" % (path, index)) for index, period in enumerate(quiet)])

    @staticmethod
    def _period(period, path):
        ends = []
        for name in ("from", "to"):
            text = period.get(name) if isinstance(period, dict) else None
            try:
                ends.append(datetime.datetime.strptime(text, "%H:%M").time())
            except (TypeError, ValueError):
                raise castway.ConfigError("%s/%s" % (path, name), "expected a time of day such as 20:00") from None
        return tuple(ends)

    # -- days

    def local(self, now):
        return datetime.datetime.fromtimestamp(now, self.zone)

    def instant(self, date, time):
        return datetime.datetime.combine(date, time, self.zone).timestamp()

    def day(self, now):
        """The day's name, as it is stored."""
        return self.local(now).date().isoformat()

    def day_begins(self, now):
        return self.instant(self.local(now).date(), datetime.time())

    def day_ends(self, now):
        return self.instant(self.local(now).date() + datetime.timedelta(days=1), datetime.time())

    # -- rules

    def rule(self, device, date):
        for rule in self.rules:
            if date.weekday() in rule.days and any(fnmatch.fnmatchcase(device, name) for name in rule.devices):
                return rule
        return None

    def governs(self, device):
        """Whether any rule is about the device."""
        return any(fnmatch.fnmatchcase(device, name) for rule in self.rules for name in rule.devices)

    def quiet_periods(self, device, now):
        """Begin and end of the quiet hours that began yesterday, or begin today or tomorrow, in order."""
        today = self.local(now).date()
        periods = []
        for shift in (-1, 0, 1):
            date = today + datetime.timedelta(days=shift)
            rule = self.rule(device, date)
            for begin, end in rule.quiet if rule else ():
                until = date if end > begin else date + datetime.timedelta(days=1)
                periods.append((self.instant(date, begin), self.instant(until, end)))
        return sorted(periods)

    def standing(self, device, now, used):
        """What holds for a device of which so many seconds of the day are used."""
        quiet_until, quiet_from = None, None
        for begin, end in self.quiet_periods(device, now):
            if begin <= (quiet_until or now) < end:
                quiet_until = end
            elif begin > now and quiet_until is None and quiet_from is None:
                quiet_from = begin
        if quiet_until is not None:
            return Standing(False, "QUIET_HOURS", quiet_until, 0)
        rule = self.rule(device, self.local(now).date())
        daily = rule.daily if rule else None
        if daily is not None and used >= daily:
            return Standing(False, "DAILY_LIMIT", self.day_ends(now), 0)
        ends = []
        if quiet_from is not None:
            ends.append((quiet_from - now, "QUIET_HOURS"))
        if daily is not None and now + daily - used < self.day_ends(now):
            ends.append((daily - used, "DAILY_LIMIT"))
        if not ends:
            return Standing(True, None, None, None)
        remaining, reason = min(ends)
        return Standing(True, reason, None, remaining)
