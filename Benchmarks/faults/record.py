"""What a subject saw, by the clock of the machine."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Record:
    """Times are seconds of the monotonic clock, which all processes share."""

    events: list[tuple[float, int]] = field(default_factory=list)
    """Numbered events as they arrived."""
    closes: list[float] = field(default_factory=list)
    """When the app was said to be gone."""
    answers: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: {"platform": [], "media": []})
    """When the device was asked, and when it answered: a request to the platform, and one to the app that plays."""
    last_session: tuple[str, int] | None = None
    """The session and the media session that were seen last."""

    def good(self, kind: str, asked: float, now: float) -> None:
        self.answers[kind].append((asked, now))

    def session(self, app: dict[str, Any] | None, media: dict[str, Any] | None) -> None:
        if app and media:
            self.last_session = app["sessionId"], media["mediaSessionId"]

    def first_after(self, kind: str, instant: float, *, asked_too: bool) -> float | None:
        """The first good answer from then on, or the first to a request from then on."""
        return next((now for asked, now in self.answers[kind] if (asked if asked_too else now) >= instant), None)
