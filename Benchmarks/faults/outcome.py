"""What became of one fault, and whether it is what was promised."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from cases import Case
from device import LabDevice
from subjects import Subject

LAG = 0.05
"""Seconds that the watch over connections may be late; it looks a hundred times a second."""
EDGE = 0.1
"""Seconds around a fault in which it cannot be told on which side of it an event fell."""


@dataclass
class Outcome:
    """One cell of the matrix. Times are seconds; None is "not within the patience" or "does not apply"."""

    subject: str
    case: str
    back: float | None
    back_after_announcement: float | None
    noticed: float | None
    untouched: bool | None
    missed: int
    lost: int
    doubled: int
    verdict: str
    key: str = ""

    @property
    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def line(self) -> str:
        return (
            f"{self.subject}, {self.case}: back after {seconds(self.back)} ({seconds(self.back_after_announcement)} after "
            f"the announcement), noticed after {seconds(self.noticed)}, playback untouched: {self.untouched}, events missed "
            f"{self.missed}, lost {self.lost}, doubled {self.doubled}: {self.verdict}"
        )


def seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"


def judge(
    case: Case,
    subject: Subject,
    device: LabDevice,
    struck: float,
    reachable: float,
    back: float | None,
    announced: list[float],
    hung_up: list[float],
) -> Outcome:
    """Compares what was sent with what was seen."""
    heard: dict[int, int] = {}
    for _, number in subject.record.events:
        heard[number] = heard.get(number, 0) + 1
    # Before the subject was there nothing could be heard.
    began = min((time for time, _ in subject.record.events), default=struck)
    # A device that was started anew has another session, which has to be joined before it is heard.
    heard_again = next((time for time, _ in subject.record.events if time >= reachable), None)
    away_until = max(back or reachable, reachable, heard_again if case.kind == "platform" and heard_again else 0) + EDGE
    missed = lost = 0
    for time, number in device.sent:
        if number in heard or time < began + EDGE:
            continue
        is_away = struck - EDGE <= time and (back is None or time <= away_until)
        if is_away:
            missed += 1
        else:
            lost += 1
    announcement = next((time for time in announced if case.is_announced and time >= reachable), None)
    noticed = next((time for time in hung_up if time >= struck), None)
    outcome = Outcome(
        subject=subject.name,
        case=case.name,
        back=None if back is None else back - reachable,
        back_after_announcement=None if back is None or announcement is None else max(0.0, back - announcement),
        noticed=None if noticed is None else noticed - struck,
        untouched=device.is_untouched(struck) if case.keeps_playback else None,
        missed=missed,
        lost=lost,
        doubled=sum(count - 1 for count in heard.values()),
        verdict="",
    )
    outcome.verdict = "held" if not _complaints(case, outcome) else "missed: " + ", ".join(_complaints(case, outcome))
    return outcome


def _complaints(case: Case, outcome: Outcome) -> list[str]:
    complaints = []
    # "Back" counts from the instant at which the device can be reached and is announced again, whichever is later.
    took = outcome.back
    if took is not None and outcome.back_after_announcement is not None:
        took = min(took, outcome.back_after_announcement)
    if took is None or took > case.bound:
        complaints.append(f"back within {case.bound:g} s")
    if case.notices_within and (outcome.noticed is None or outcome.noticed > case.notices_within + LAG):
        complaints.append(f"noticed within {case.notices_within:g} s")
    if outcome.untouched is False:
        complaints.append("playback untouched")
    if outcome.lost or outcome.doubled:
        complaints.append("no event lost or doubled")
    return complaints
