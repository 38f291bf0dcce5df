#!/usr/bin/env python3
"""Daily limits and quiet hours for what plays on a device."""

import threading

import castway
from limits import Limits, in_words

MEDIA = "urn:x-cast:com.google.cast.media"
PLAYTIME = "urn:x-cast:dev.castway.playtime"
#: Counted time is stored, and what plays is looked at, at least this often while something plays.
INTERVAL = 15.0
#: A longer leap of the clock is no playing: the machine slept, or its clock was set.
LONGEST_STEP = 60.0
ENDINGS = {"DAILY_LIMIT": "the playing time of today (%s) is used up", "QUIET_HOURS": "these are quiet hours"}


class Screen:
    """What is known of one device."""

    def __init__(self, name):
        self.name = name
        self.day, self.used = None, 0.0     # the day, and how much of it was played, in seconds
        self.stored = None                  # what the store has of these
        self.counted = None                 # up to when; None while nothing plays
        self.players = {}                   # (transport, media session) -> session id, of what plays
        self.warned = set()
        self.ended = None                   # the reason that was told


class PlaytimeLimits(castway.Plugin):
    def __init__(self):
        self.lock = threading.RLock()       # filters and observers run beside each other
        self.screens = {}
        self.limits = None
        self.alarm = 0                      # the number of the timer that counts; older ones are void

    def configure(self, config):
        limits = Limits(config)
        with self.lock:
            for screen in self.screens.values():
                self.count(screen)
            self.limits, self.pauses = limits, config.get("at_the_end", "pause") == "pause"
            self.launches = config.get("launch", False)
        if self.screens:
            self.look()

    def start(self, snapshot):
        for key in self.kv.list("used/"):
            record = self.kv.get(key)
            if isinstance(record, dict):
                screen = self.screen(key[len("used/"):])
                screen.day, screen.used = record.get("day"), float(record.get("seconds", 0))
                screen.stored = (screen.day, screen.used)
        # What plays already counts from now on.
        transports = {(session.get("device"), session.get("id")): session.get("transport") for session in snapshot["sessions"]}
        try:
            for media in self.gateway.query("media").get("media", []):
                device, session = media.get("device"), media.get("session")
                transport = transports.get((device, session), session)
                self.note(device, session, transport, [media.get("status")], complete=False)
        except castway.GatewayError as error:
            self.gateway.log("debug", "what plays is not known yet: %s" % error)
        self.look()

    # -- messages

    @castway.on("LAUNCH", phase="filter")
    def launch(self, message):
        return None if self.launches else self.filter(message)

    def filter(self, message):
        with self.lock:
            screen = self.screen(message.device)
            standing = self.standing(screen)
        if standing.allowed:
            return castway.passed()
        return castway.reject("NOT_ALLOWED", self.in_words(screen, standing))

    @castway.on("GET_PLAYTIME")
    def playtime(self, message):
        with self.lock:
            screen = self.screen(message.device)
            standing = self.standing(screen)
            answer = {"type": "PLAYTIME", "usedSeconds": int(screen.used), "allowed": standing.allowed}
        if standing.remaining is not None:
            answer["remainingSeconds"] = int(standing.remaining)
        if standing.reason is not None:
            answer["reason"] = standing.reason
        if standing.until is not None:
            answer["until"] = self.limits.local(standing.until).isoformat()
        return castway.reply(answer)

    @castway.on("MEDIA_STATUS", phase="observe", namespace=MEDIA)
    def media_status(self, message, dropped):
        statuses = message.payload.get("status")
        if isinstance(statuses, list):
            self.note(message.device, message.session, message.source, statuses)
            self.look()

    @castway.on("RECEIVER_STATUS", phase="observe")
    def receiver_status(self, message, dropped):
        status = message.payload.get("status")
        if not isinstance(status, dict):
            return
        apps = [app for app in status.get("applications") or () if isinstance(app, dict)]
        alive = {app.get("transportId") for app in apps} | {app.get("sessionId") for app in apps}
        with self.lock:
            screen = self.screen(message.device)
            for player in [player for player in screen.players if player[0] not in alive]:
                self.forget(screen, player)
        self.look()

    # -- counting

    def now(self):
        """Milliseconds are exact enough, and sums of them are exact."""
        return round(self.clock.now(), 3)

    def screen(self, name):
        with self.lock:
            return self.screens.setdefault(name, Screen(name))

    def note(self, device, session, transport, statuses, complete=True):
        """Takes what an app says of what plays. A status that is complete and names nothing means that nothing does."""
        with self.lock:
            screen = self.screen(device)
            statuses = [status for status in statuses if isinstance(status, dict)]
            if complete and not statuses:
                for player in [player for player in screen.players if player[0] == transport]:
                    self.forget(screen, player)
            for status in statuses:
                player = (transport, status.get("mediaSessionId"))
                if status.get("playerState") == "PLAYING":
                    if not screen.players:
                        screen.counted = self.now()
                    screen.players[player] = session
                elif player in screen.players:
                    self.forget(screen, player)

    def forget(self, screen, player):
        self.count(screen)
        screen.players.pop(player, None)
        if not screen.players:
            screen.counted, screen.ended = None, None

    def count(self, screen):
        """Adds what was played since the last time, and begins anew with a day."""
        now = self.now()
        day = self.limits.day(now)
        played = 0.0
        if screen.counted is not None:
            step = now - screen.counted
            played = step if 0 <= step <= LONGEST_STEP else 0.0
            screen.counted = now
        if screen.day != day:
            screen.day, screen.used = day, 0.0
            screen.warned.clear()
            played = min(played, now - self.limits.day_begins(now))
        screen.used = round(screen.used + played, 3)

    def standing(self, screen):
        self.count(screen)
        return self.limits.standing(screen.name, self.now(), screen.used)

    def look(self):
        """Counts, stores, warns and ends, on every screen; then sets the clock for the next time."""
        done, wait = [], None
        with self.lock:
            self.alarm += 1
            alarm = self.alarm
            for screen in self.screens.values():
                if not self.limits.governs(screen.name):
                    continue
                standing = self.standing(screen)
                record = (screen.day, screen.used)
                if screen.used and record != screen.stored:
                    screen.stored = record
                    done.append((self.kv.put, "used/" + screen.name, {"day": record[0], "seconds": record[1]}))
                if not screen.players:
                    continue
                wait = min(wait or INTERVAL, INTERVAL)
                if not standing.allowed:
                    done += self.endings(screen, standing)
                    continue
                screen.ended = None
                if standing.remaining is None:
                    continue
                due = [before for before in self.limits.warnings if standing.remaining <= before]
                screen.warned.intersection_update(due)
                if due and due[0] not in screen.warned:
                    done += self.warnings(screen, standing)
                screen.warned.update(due)
                ahead = [standing.remaining] + [
                    standing.remaining - before for before in self.limits.warnings if before < standing.remaining]
                wait = max(0.05, min([wait] + ahead))
        if wait is not None:
            self.after(wait, lambda: self.look() if alarm == self.alarm else None)
        for call, *arguments in done:
            try:
                call(*arguments)
            except castway.GatewayError as error:
                self.gateway.log("warning", "not done: %s" % error)

    def warnings(self, screen, standing):
        facts = {"device": screen.name, "reason": standing.reason, "remainingSeconds": round(standing.remaining)}
        return self.telling(screen, "PLAYTIME_WARNING", facts) + [(self.gateway.emit, "playtime.warning", facts)]

    def endings(self, screen, standing):
        """What plays is ended every time; the reason is told once."""
        done = []
        kind = "PAUSE" if self.pauses else "STOP"
        for (transport, media_session), session in screen.players.items():
            payload = {"type": kind, "mediaSessionId": media_session}
            done.append((self.gateway.send, screen.name, MEDIA, payload, session))
        if screen.ended != standing.reason:
            screen.ended = standing.reason
            until = self.limits.local(standing.until).isoformat()
            facts = {"device": screen.name, "reason": standing.reason, "until": until}
            done += self.telling(screen, "PLAYTIME_OVER", {**facts, "message": self.in_words(screen, standing)})
            done.append((self.gateway.emit, "playtime.over", {**facts, "usedSeconds": round(screen.used)}))
        return done

    def telling(self, screen, kind, facts):
        sessions = sorted({session for session in screen.players.values() if session})
        return [
            (self.gateway.broadcast, screen.name, PLAYTIME, {"type": kind, **facts}, session) for session in sessions]

    def in_words(self, screen, standing):
        now = self.now()
        rule = self.limits.rule(screen.name, self.limits.local(now).date())
        text = ENDINGS[standing.reason]
        if standing.reason == "DAILY_LIMIT":
            text %= in_words(rule.daily)
        until = self.limits.local(standing.until)
        return "%s, until %s" % (text, until.strftime("%H:%M" if standing.until - now < 86400 else "%A %H:%M"))

    def drain(self):
        self.look()


if __name__ == "__main__":
    castway.run(PlaytimeLimits)
