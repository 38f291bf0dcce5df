#!/usr/bin/env python3
"""Controls a device with the keys of a keyboard, a remote control or a knob at this machine, through the gateway's API.

    host_keys.py --name "*Consumer Control" --device living-room
    host_keys.py --input /dev/input/event3 --device kitchen --step 0.02 --token-file token

Volume keys change the volume, again while they are held; mute, play, pause, play/pause, stop, next and previous do what they
say. An event device that is not there, or goes away, is looked for until it is there. A token needs the scopes `read` and
`control`.
"""

from __future__ import annotations

import argparse
import enum
import errno
import fcntl
import fnmatch
import functools
import os
import select
import stat
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

# The client beside this program; without it the one that is installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from castway import Castway, Problem  # noqa: E402


class Key(enum.Enum):
    """A key that something is done for."""

    VOLUME_UP = "volume up"
    VOLUME_DOWN = "volume down"
    MUTE = "mute"
    PLAY = "play"
    PAUSE = "pause"
    PLAY_PAUSE = "play/pause"
    STOP = "stop"
    NEXT = "next"
    PREVIOUS = "previous"


# The codes of linux/input-event-codes.h.
CODES = {
    113: Key.MUTE,  # KEY_MUTE
    114: Key.VOLUME_DOWN,  # KEY_VOLUMEDOWN
    115: Key.VOLUME_UP,  # KEY_VOLUMEUP
    128: Key.STOP,  # KEY_STOP
    163: Key.NEXT,  # KEY_NEXTSONG
    164: Key.PLAY_PAUSE,  # KEY_PLAYPAUSE
    165: Key.PREVIOUS,  # KEY_PREVIOUSSONG
    166: Key.STOP,  # KEY_STOPCD
    200: Key.PLAY,  # KEY_PLAYCD
    201: Key.PAUSE,  # KEY_PAUSECD
    207: Key.PLAY,  # KEY_PLAY
    407: Key.NEXT,  # KEY_NEXT
    412: Key.PREVIOUS,  # KEY_PREVIOUS
}
VOLUME_KEYS = {Key.VOLUME_UP, Key.VOLUME_DOWN}

# `struct input_event` of linux/input.h: a time of two words, then type, code and value.
RECORD = struct.Struct("@llHHi")
EV_SYN, EV_KEY = 0, 1
SYN_REPORT, SYN_DROPPED = 0, 3
PRESSED, REPEATED = 1, 2
EVIOCGVERSION = 0x80044501

PAUSE = 2.0
"""Seconds after which event devices that are not there are looked for again."""

Wish = Key | float
"""A wish of a key: a change of the volume, or what the key says."""


def tell(text: str) -> None:
    """Prints a line to standard error."""
    print(text, file=sys.stderr, flush=True)


# Event devices.


class Missing(Exception):
    """An event device that is not there."""


class Unreadable(Exception):
    """An event device that may not be read, or something that is none."""


class Decoder:
    """Reads the records of one event device, which may come in pieces."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_lost = False

    def read(self, data: bytes) -> list[Key]:
        """Gives the keys that were pressed, or held, in their order."""
        data = self._rest + data
        end = len(data) - len(data) % RECORD.size
        self._rest = data[end:]
        keys = [self._key(kind, code, value) for _, _, kind, code, value in RECORD.iter_unpack(data[:end])]
        return [key for key in keys if key]

    def _key(self, kind: int, code: int, value: int) -> Key | None:
        if kind == EV_SYN:
            # The kernel has lost parts of the report that SYN_DROPPED stands in.
            self._is_lost = code == SYN_DROPPED or self._is_lost and code != SYN_REPORT
        key = CODES.get(code) if kind == EV_KEY and not self._is_lost else None
        is_repeat = value == REPEATED and key in VOLUME_KEYS
        return key if value == PRESSED or is_repeat else None


def named(pattern: str, root: Path = Path("/")) -> list[str]:
    """Finds the event devices whose name fits a pattern; raises `Missing` when there are none."""
    paths = []
    for entry in (root / "sys/class/input").glob("event*"):
        try:
            name = (entry / "device/name").read_text(errors="replace").removesuffix("\n")
        except OSError:
            continue
        if fnmatch.fnmatchcase(name, pattern):
            paths.append(str(root / "dev/input" / entry.name))
    if not paths:
        raise Missing(f"there is no input device called '{pattern}'")
    return sorted(paths)


def open_quickly(path: str, mode: int) -> int:
    """Opens a file without waiting for anything; raises `Missing` or `Unreadable`."""
    try:
        return os.open(path, mode | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
            raise Missing(f"there is no {path}") from None
        if error.errno in (errno.EACCES, errno.EPERM):
            advice = "the user that runs this program has to be in the group that owns it, mostly 'input'"
            raise Unreadable(f"{path} may not be read: {advice}") from None
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from None


def open_input(path: str) -> int:
    """Opens an event device or a FIFO; raises `Missing` or `Unreadable`. The caller closes it."""
    descriptor = open_quickly(path, os.O_RDONLY)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISCHR(mode) and is_event_device(descriptor):
        return descriptor
    if stat.S_ISFIFO(mode):
        return open_lasting(path, descriptor)
    os.close(descriptor)
    raise Unreadable(f"{path} is no event device, and no FIFO")


def open_lasting(path: str, descriptor: int) -> int:
    """Opens a FIFO for writing too, in place of a descriptor, so that it does not end with the programs that write to it."""
    try:
        lasting = open_quickly(path, os.O_RDWR)
    except (Missing, Unreadable):
        return descriptor
    os.close(descriptor)
    return lasting


def is_event_device(descriptor: int) -> bool:
    """Says whether a device knows its version of `linux/input.h`."""
    try:
        fcntl.ioctl(descriptor, EVIOCGVERSION, bytes(4))
    except OSError:
        return False
    return True


class Inputs:
    """The event devices that are meant: those that are there are open, the others are looked for."""

    def __init__(self, find: Callable[[], list[str]]) -> None:
        self._find = find
        self._open: dict[int, tuple[str, Decoder]] = {}
        self._told: set[str] = set()
        self._faults: set[str] = set()

    def look(self) -> bool:
        """Opens what is there and not open yet, and tells what is new. False when nothing is open and waiting will not help."""
        faults: list[Missing | Unreadable] = []
        try:
            paths = self._find()
        except Missing as fault:
            faults, paths = [fault], []
        is_open = {path for path, _ in self._open.values()}
        for path in paths:
            if path not in is_open:
                try:
                    self._add(path)
                except (Missing, Unreadable) as fault:
                    faults.append(fault)
        self._tell_new(faults)
        return bool(self._open) or not any(isinstance(fault, Unreadable) for fault in faults)

    def read(self, timeout: float) -> list[Key]:
        """Waits for records, at most for some seconds, and gives the keys."""
        ready, _, _ = select.select(list(self._open), [], [], timeout)
        return [key for descriptor in ready for key in self._read(descriptor)]

    def close(self) -> None:
        """Closes all event devices."""
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()

    def _add(self, path: str) -> None:
        self._open[open_input(path)] = (path, Decoder())
        if path not in self._told:
            tell(f"{path} is read")
        self._told.add(path)

    def _tell_new(self, faults: list[Missing | Unreadable]) -> None:
        texts = {str(fault): isinstance(fault, Missing) for fault in faults}
        for text, is_missing in texts.items():
            if text not in self._faults:
                tell(f"{text}; it is looked for until it is there" if is_missing else text)
        self._faults = set(texts)

    def _read(self, descriptor: int) -> list[Key]:
        path, decoder = self._open[descriptor]
        try:
            data = os.read(descriptor, 64 * RECORD.size)
        except BlockingIOError:
            return []
        except OSError:
            # It was taken away; that it is read again is news.
            self._told.discard(path)
            data = b""
        if not data:
            del self._open[descriptor]
            os.close(descriptor)
        return decoder.read(data)


# What keys do.


class Presses:
    """Keeps what keys want of the device, in their order, while it is busy with what they wanted before.

    A device takes a moment for each change, and a key that is held comes thirty times a second: changes of the volume that
    follow one another become one, two presses of mute are none, and of anything else a few wait.
    """

    LIMIT = 8
    """Wishes that wait at most; what comes beyond is lost."""

    def __init__(self, step: float) -> None:
        self._step = step
        self._wishes: deque[Wish] = deque()
        self._news = threading.Condition()
        self._is_over = False

    def press(self, key: Key) -> None:
        """Takes a key that was pressed, or held."""
        with self._news:
            if key in VOLUME_KEYS:
                self._change(self._step if key is Key.VOLUME_UP else -self._step)
            elif key is Key.MUTE and self._wishes and self._wishes[-1] is Key.MUTE:
                self._wishes.pop()
            else:
                self._add(key)
            self._news.notify()

    def finish(self) -> None:
        """Says that no more keys come."""
        with self._news:
            self._is_over = True
            self._news.notify()

    def next(self) -> Wish | None:
        """Waits for the next wish, and takes it out; None when no more come."""
        with self._news:
            self._news.wait_for(lambda: self._wishes or self._is_over)
            return self._wishes.popleft() if self._wishes else None

    def _change(self, amount: float) -> None:
        if not self._wishes or not isinstance(before := self._wishes[-1], float):
            self._add(amount)
            return
        self._wishes.pop()
        total = min(1.0, max(-1.0, before + amount))
        # Steps up and down make none, but for the error of the sum.
        if abs(total) > self._step / 1000:
            self._wishes.append(total)

    def _add(self, wish: Wish) -> None:
        if len(self._wishes) < self.LIMIT:
            self._wishes.append(wish)


def perform(gateway: Castway, device: str, wish: Wish) -> None:
    """Has the gateway do what a key wants."""
    if isinstance(wish, float):
        gateway.volume.set(device=device, by=wish)
    elif wish is Key.MUTE:
        gateway.volume.set(device=device, muted="toggle")
    elif wish is Key.PLAY_PAUSE:
        plays = gateway.media.status(device=device).get("player_state") in ("playing", "buffering", "loading")
        perform(gateway, device, Key.PAUSE if plays else Key.PLAY)
    else:
        operations = {
            Key.PLAY: gateway.media.play, Key.PAUSE: gateway.media.pause, Key.STOP: gateway.media.stop,
            Key.NEXT: gateway.queue.next, Key.PREVIOUS: gateway.queue.previous,
        }
        operations[wish](device=device)


def act(gateway: Castway, device: str, presses: Presses) -> None:
    """Performs what keys want, one after the other, until no more come."""
    while (wish := presses.next()) is not None:
        try:
            perform(gateway, device, wish)
        except Problem as problem:
            tell(f"a key did nothing: {problem}")
        except (OSError, HTTPException) as error:
            tell(f"a key did nothing: the gateway is not reached: {error}")


def watch(inputs: Inputs, presses: Presses) -> None:
    """Passes keys on for ever, and looks for event devices that are not there."""
    try:
        last = time.monotonic()
        while True:
            for key in inputs.read(PAUSE):
                presses.press(key)
            if time.monotonic() - last >= PAUSE:
                inputs.look()
                last = time.monotonic()
    finally:
        presses.finish()


# The command line.


def step(text: str) -> float:
    """Reads the value of `--step`."""
    value = float(text)
    if not 0.005 <= value <= 0.5:
        raise argparse.ArgumentTypeError(f"{text} is not from 0.005 to 0.5")
    return value


def options() -> argparse.ArgumentParser:
    """Makes the options of the program."""
    parser = argparse.ArgumentParser(
        description="Controls a device with the keys of a keyboard or a remote control at this machine.")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--input", metavar="PATH", help="the event device, or a FIFO that a program writes the same records to")
    source.add_argument(
        "--name", metavar="GLOB", help="all event devices that the kernel calls so; /proc/bus/input/devices lists the names")
    parser.add_argument("--device", required=True, metavar="NAME", help="the device that is controlled, virtual or real")
    parser.add_argument("--step", type=step, default=0.05, help="by how much a press changes the volume; %(default)s by default")
    parser.add_argument("--url", default="http://127.0.0.1:8480", help="where the gateway is; %(default)s by default")
    parser.add_argument("--token-file", type=Path, metavar="PATH", help="a file with the token")
    parser.add_argument("--fingerprint", help="the fingerprint of the certificate that the gateway made")
    parser.add_argument("--cafile", metavar="PATH", help="a file with the root of the gateway's certificate")
    return parser


def connect(arguments: argparse.Namespace) -> Castway:
    """Makes the client that the options describe."""
    token = arguments.token_file.read_text().strip() if arguments.token_file else None
    return Castway(arguments.url, token=token, fingerprint=arguments.fingerprint, cafile=arguments.cafile)


def main() -> int:
    """Runs until it is interrupted; 1 when it cannot."""
    arguments = options().parse_args()
    inputs = Inputs(functools.partial(named, arguments.name) if arguments.name else lambda: [arguments.input])
    presses = Presses(arguments.step)
    try:
        with connect(arguments) as gateway:
            if not inputs.look():
                return 1
            threading.Thread(target=watch, args=(inputs, presses), daemon=True).start()
            act(gateway, arguments.device, presses)
    except (OSError, ValueError) as error:
        tell(f"host_keys.py: {error}")
    except KeyboardInterrupt:
        return 130
    return 1


if __name__ == "__main__":
    sys.exit(main())
