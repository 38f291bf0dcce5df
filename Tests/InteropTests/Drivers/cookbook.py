"""Tries a deployment of the cookbook: what its rules allow works, and what they forbid is refused."""

from __future__ import annotations

import faulthandler
import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from pychromecast.controllers import BaseController
from pychromecast.error import RequestTimeout

from scene import LIFETIME, report
from sender import HOST, MEDIA_APP, Message, Sender
from turns import take_turns

FROM = "from-"
"""What stands before the address that a sender has, in the place of the host that it connects to."""

SILENCE = 2.0
"""Seconds after which a message is taken to have disappeared."""

ACCEPTED = {"RECEIVER_STATUS", "MEDIA_STATUS", "GET_APP_AVAILABILITY"}


class SocketOfItsOwn(socket.socket):
    """A socket that leaves from an address of this machine: to rules, senders differ by that."""

    def connect(self, address: Any) -> None:
        host, port = address[:2]
        if isinstance(host, str) and host.startswith(FROM):
            self.bind((host.removeprefix(FROM), 0))
            address = (HOST, port)
        super().connect(address)


class Channel(BaseController):
    """A custom namespace of an app."""

    def __init__(self, namespace: str, owner: Sender) -> None:
        super().__init__(namespace)
        self.received: list[Message] = []
        self._owner = owner
        owner.cast.register_handler(self)

    def receive_message(self, _message: object, data: Message) -> bool:
        self.received.append(data)
        self._owner.wake()
        return True


class Visitor:
    """A sender with an address of its own, at one device."""

    def __init__(self, address: str, port: int) -> None:
        self.sender = Sender(address, port, host=FROM + address)
        self.sender.connect()

    def ask(self, controller: BaseController, message: Message, *, session: bool = False) -> Message:
        """Sends a request, and gives its answer; an empty one when none comes."""
        done = threading.Event()
        answers: list[Message | None] = []

        def answered(_sent: bool, answer: Message | None) -> None:
            answers.append(answer)
            done.set()

        controller.send_message(message, inc_session_id=session, callback_function=answered)
        done.wait(SILENCE * 5)
        return (answers[0] if answers else None) or {}

    def platform(self, kind: str, **fields: Any) -> Message:
        return self.ask(self.sender.cast.socket_client.receiver_controller, {"type": kind, **fields})

    def launch(self, app: str) -> Message:
        answer = self.platform("LAUNCH", appId=app)
        if answer.get("type") == "RECEIVER_STATUS":
            self.sender.wait_until(lambda s: s.cast.app_id == app)
        return answer

    def load(self, url: str = "http://192.0.2.1/one.mp4") -> Message:
        self.sender.wait_until(lambda s: s.media.namespace in s.cast.socket_client.app_namespaces)
        media = {"contentId": url, "contentType": "video/mp4", "streamType": "BUFFERED"}
        return self.ask(self.sender.media, {"type": "LOAD", "media": media, "autoplay": True}, session=True)

    def stop(self) -> Message:
        status = self.sender.cast.status
        return self.platform("STOP", sessionId=status.session_id if status else None)

    def volume(self, level: float) -> float | None:
        """Asks for a volume, and gives the one that holds then; None when it is refused."""
        answer = self.platform("SET_VOLUME", volume={"level": level})
        if answer.get("type") != "RECEIVER_STATUS":
            return None
        return round(answer["status"]["volume"]["level"], 3)

    def available(self, *apps: str) -> list[str]:
        answer = self.platform("GET_APP_AVAILABILITY", appId=list(apps)).get("availability", {})
        return [app for app in apps if answer.get(app) == "APP_AVAILABLE"]

    def runs(self, app: str | None) -> bool:
        return self.sender.wait_until(lambda s: s.cast.app_id == app)


def check(what: str, holds: bool, seen: object = None) -> None:
    report("check", what=what, holds=holds, seen=str(seen))


def works(what: str, answer: Message) -> None:
    check(what, answer.get("type", answer.get("responseType")) in ACCEPTED, answer)


def is_refused(what: str, answer: Message, reason: str = "NOT_ALLOWED") -> None:
    kind = answer.get("type")
    check(what, kind not in ACCEPTED and kind is not None and answer.get("reason") == reason, answer)


def is_let_in(address: str, port: int) -> bool:
    """Whether a device speaks to a sender of an address at all."""
    with SocketOfItsOwn(socket.AF_INET, socket.SOCK_STREAM) as connection:
        connection.settimeout(SILENCE)
        try:
            connection.connect((FROM + address, port))
            return connection.recv(1) != b""
        except TimeoutError:
            # The device waits for the sender to begin.
            return True
        except OSError:
            return False


def tells_its_status(address: str, port: int) -> bool:
    """Whether a sender of an address is told what a device does."""
    sender = Sender(address, port, host=FROM + address)
    try:
        sender.cast.wait(timeout=SILENCE)
    except RequestTimeout:
        return False
    return True


def hotel(ports: dict[str, int]) -> None:
    guest = Visitor("127.0.0.11", ports["room-101"])
    works("a guest starts the media app in the own room", guest.launch(MEDIA_APP))
    works("and plays", guest.load())
    check("not louder than the house allows", guest.volume(0.9) == 0.6)
    is_refused("an app that is not of the house", guest.launch("ABCD1234"))
    check("the screen of another room says nothing", not tells_its_status("127.0.0.11", ports["room-102"]))
    works("the guest of that room", Visitor("127.0.0.12", ports["room-102"]).launch(MEDIA_APP))
    at_the_bar = Visitor("127.0.0.11", ports["bar"])
    works("what plays at the bar may be asked", at_the_bar.platform("GET_STATUS"))
    is_refused("and not be changed", at_the_bar.launch(MEDIA_APP))
    staff = Visitor("127.0.0.13", ports["bar"])
    works("the staff plays at the bar", staff.launch(MEDIA_APP))
    check("as loud as it likes", staff.volume(0.9) == 0.9)
    works("and in every room", Visitor("127.0.0.13", ports["room-101"]).platform("STOP"))


def lessons(ports: dict[str, int]) -> None:
    pupil, teacher = Visitor("127.0.0.11", ports["aula"]), Visitor("127.0.0.12", ports["aula"])
    is_refused("a pupil in a lesson", pupil.launch(MEDIA_APP))
    works("a pupil may look", pupil.platform("GET_STATUS"))
    works("a teacher in a lesson", teacher.launch(MEDIA_APP))
    works("plays", teacher.load())
    check("and not loud", teacher.volume(1) == 0.4)


def afternoon(ports: dict[str, int]) -> None:
    pupil = Visitor("127.0.0.11", ports["aula"])
    works("a pupil after the lessons", pupil.launch(MEDIA_APP))
    works("plays", pupil.load())
    check("and not loud either", pupil.volume(1) == 0.4)


def window(ports: dict[str, int]) -> None:
    office, passer = Visitor("127.0.0.11", ports["window"]), Visitor("127.0.0.12", ports["window"])
    check("senders are told of the one app", passer.available("ABCD1234", MEDIA_APP) == ["ABCD1234"])
    is_refused("a passer-by starts it", passer.launch("ABCD1234"))
    works("the back office starts it", office.launch("ABCD1234"))
    works("and plays", office.load())
    is_refused("the back office starts another", office.launch(MEDIA_APP), "NOT_FOUND")
    check("a passer-by sees what runs", passer.runs("ABCD1234"))
    works("and may ask", passer.platform("GET_STATUS"))
    is_refused("but not stop it", passer.stop())


def home(ports: dict[str, int]) -> None:
    family, guest = (Visitor(address, ports["living-room"]) for address in ("127.0.0.11", "127.0.0.12"))
    apps = ["CC1AD845", "C35B0678", "A078F6B0", "B45F4572", "84912283", "233637DE"]
    seen = guest.available(*apps)
    check("what the television plays is available", seen == ["CC1AD845", "C35B0678", "B45F4572"], seen)
    works("a guest starts the app of Music Assistant", guest.launch("C35B0678"))
    works("and plays", guest.load())
    is_refused("a guest stops", guest.stop())
    check("a guest changes the volume", guest.volume(0.9) is None)
    is_refused("an app that is not listed", guest.launch("233637DE"), "NOT_FOUND")
    check("the family changes the volume", family.volume(0.9) == 0.9)
    check("the family sees what runs", family.runs("C35B0678"))
    works("and stops it", family.stop())
    # The television shows its idle screen again.
    check("nothing plays", guest.sender.wait_until(lambda s: s.cast.status.session_id is None or s.cast.is_idle))


def meeting(ports: dict[str, int]) -> None:
    port = ports["meeting-room"]
    check("other networks are not let in", not is_let_in("127.0.0.13", port))
    check("the meeting room is", is_let_in("127.0.0.11", port))
    colleague = Visitor("127.0.0.11", port)
    works("who sits there casts", colleague.launch(MEDIA_APP))
    works("plays", colleague.load())
    check("and is not loud", colleague.volume(0.8) == 0.5)
    answers = [colleague.launch(MEDIA_APP) for _ in range(3)]
    works("twice more", answers[1])
    is_refused("but not four times in a minute", answers[2])
    works("the help desk may", Visitor("127.0.0.12", port).launch(MEDIA_APP))


def museum(ports: dict[str, int]) -> None:
    attendant, visitor = Visitor("127.0.0.12", ports["exhibit"]), Visitor("127.0.0.11", ports["exhibit"])
    works("the guide is started", attendant.launch("ABCD1234"))
    visitor.runs("ABCD1234")
    guides = {who: Channel("urn:x-cast:com.example.guide", who.sender) for who in (attendant, visitor)}
    guides[attendant].send_message({"type": "STATION", "number": 0})
    heard = lambda who, count: who.sender.wait_until(lambda _: len(guides[who].received) >= count)  # noqa: E731
    heard(attendant, 1)
    guides[visitor].send_message({"type": "RESET"})
    guides[visitor].send_message({"type": "STATION", "number": 7})
    check("visitors are heard", heard(attendant, 2) and heard(visitor, 1))
    kinds = [(message["type"], message.get("number")) for message in guides[attendant].received]
    check("in their own words alone", kinds == [("STATION", 0), ("STATION", 7)], kinds)
    is_refused("a visitor stops the guide", visitor.stop())
    is_refused("a visitor starts another app", visitor.launch(MEDIA_APP))
    works("an attendant stops it", attendant.stop())


def laboratory(ports: dict[str, int]) -> None:
    steady, flaky = Visitor("127.0.0.11", ports["steady"]), Visitor("127.0.0.11", ports["flaky"])
    works("a sender finds the app that it looks for", steady.launch("C35B0678"))
    works("which plays", steady.load())
    works("the flaky one starts", flaky.launch(MEDIA_APP))
    works("what is there", flaky.load())
    for url, code in (("http://192.0.2.1/missing.mp4", 104), ("http://192.0.2.1/drm.mp4", 200)):
        answer = flaky.load(url)
        check(f"what fails with {code}", answer.get("detailedErrorCode") == code, answer)
    check("the volume stays", flaky.volume(0.9) in (None, 0.5))
    is_refused("an app that may not run", flaky.launch("AAAA0001"))
    is_refused("an app that is gone", flaky.launch("AAAA0002"), "NOT_FOUND")


def bridge(ports: dict[str, int]) -> None:
    resident, stranger = Visitor("127.0.0.11", ports["front-door"]), Visitor("127.0.0.12", ports["front-door"])
    works("the app starts", resident.launch("ABCD1234"))
    stranger.runs("ABCD1234")
    doors = {who: Channel("urn:x-cast:dev.castway.echo", who.sender) for who in (resident, stranger)}
    doors[resident].send_message({"type": "OPEN", "door": 3})
    answered = resident.sender.wait_until(lambda _: bool(doors[resident].received))
    check("the program answers a resident", answered, doors[resident].received)
    answer = stranger.ask(doors[stranger], {"type": "OPEN", "door": 3})
    check("and not a stranger", answer.get("type") != "OPEN", answer)


def kiosk(ports: dict[str, int]) -> None:
    visitor = Visitor("127.0.0.11", ports["kiosk"])
    check("the plugin starts the app", visitor.runs("ABCD1234"))
    is_refused("a sender starts one", visitor.launch("ABCD1234"))
    is_refused("a sender stops it", visitor.stop())
    check("a sender changes the volume", visitor.volume(0.1) is None)
    works("a sender may ask", visitor.platform("GET_STATUS"))
    app = Channel("urn:x-cast:com.example.kiosk", visitor.sender)
    app.send_message({"type": "TICKET"})
    check("and speak to the app", visitor.sender.wait_until(lambda _: bool(app.received)))


def night(ports: dict[str, int]) -> None:
    parents, child = Visitor("127.0.0.11", ports["parlour"]), Visitor("127.0.0.11", ports["children"])
    works("the parlour plays", parents.launch(MEDIA_APP))
    works("at night too", parents.load())
    check("and quietly", parents.volume(0.7) == 0.2)
    is_refused("the children's room does not", child.launch(MEDIA_APP))


def day(ports: dict[str, int]) -> None:
    parents, child = Visitor("127.0.0.11", ports["parlour"]), Visitor("127.0.0.11", ports["children"])
    works("the children's room plays", child.launch(MEDIA_APP))
    works("by day", child.load())
    check("and the parlour is as loud as it likes", parents.volume(0.7) == 0.7)


SCENARIOS: dict[str, Callable[[dict[str, int]], None]] = {
    scenario.__name__: scenario
    for scenario in (
        hotel, lessons, afternoon, window, home, meeting, museum, laboratory, bridge, kiosk, night, day,
    )
}


def main() -> None:
    faulthandler.dump_traceback_later(LIFETIME, exit=True)
    take_turns()
    logging.getLogger("pychromecast").setLevel(logging.CRITICAL)
    socket.socket = SocketOfItsOwn  # type: ignore[misc]
    SCENARIOS[sys.argv[1]](json.loads(sys.argv[2]))
    report("end")
    # The senders' threads would go on.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
