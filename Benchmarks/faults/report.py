"""The matrix as Markdown."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable

from castbench.tables import table as markdown
from outcome import Outcome, seconds

HEAD = ["", "subject", "back", "after the announcement", "noticed", "playback untouched", "events missed / lost / doubled", "verdict"]

PAGE = """# Fault matrix

What happens when a device, the network to it or the gateway fails while media play, measured with real Avahi in
network namespaces. `make fault-matrix` measures anew and writes this page; it needs root.

The host `gateway` runs the subject, the host `device` another Castway with the built-in receiver, announced through
Avahi. An observer on the device's own host plays media and says a numbered event twenty times a second. The subject is
Castway with a sender behind it, which finds the device by mDNS or by a static address, or pychromecast, which finds
it by mDNS. Each case begins with everything freshly started.

- *Back*: from the instant at which the device can be reached again until the session can be used: the app that
  plays has answered a request, and an event that the device said since then was heard (when the device itself was started
  anew: the platform has answered). For the killed gateway it counts from the start of the new process.
- *After the announcement*: the same from the first mDNS announcement on, where there is one. A device that froze,
  or whose packets were dropped, is not announced again.
- *Noticed*: from the fault until the subject gave the connection up. Shorter faults are survived without.
- *Playback untouched*: the device's session, media session and state stayed as they were.
- *Missed* are events from the time in which the device could not be heard; *lost* are others that never arrived;
  *doubled* arrived twice.

{table}

Measured {date} at commit {version} on kernel {kernel}. The targets: back within 1 s of the device being
reachable and announced (2 s from the start of a killed gateway), a silent device noticed within 8 s, playback untouched,
nothing lost or doubled. *held* and *missed* say whether they were; pychromecast is judged by the same ones.
"""


def table(outcomes: Iterable[Outcome]) -> str:
    """A row for each fault and subject, the subjects of one fault together."""
    found = list(outcomes)
    rows = []
    for case in dict.fromkeys(outcome.case for outcome in found):
        for index, outcome in enumerate(other for other in found if other.case == case):
            untouched = {True: "yes", False: "**no**", None: "–"}[outcome.untouched]
            back = "not within 60 s" if outcome.back is None else seconds(outcome.back)
            rows.append([
                case if index == 0 else "", outcome.subject, back, seconds(outcome.back_after_announcement),
                seconds(outcome.noticed), untouched, f"{outcome.missed} / {outcome.lost} / {outcome.doubled}", outcome.verdict])
    return markdown(HEAD, rows)


def page(outcomes: list[Outcome], version: str) -> str:
    return PAGE.format(
        table=table(outcomes), date=time.strftime("%Y-%m-%d %H:%M"), version=version, kernel=platform.release())
