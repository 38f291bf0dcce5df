"""The example that controls a device with keys, on a fake client. In `Clients/python`: `python3 -m unittest discover tests`."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import host_keys  # noqa: E402
from castway import Castway, Problem  # noqa: E402
from host_keys import Decoder, Inputs, Key, Missing, Presses, Unreadable  # noqa: E402


def records(*parts: tuple[int, int, int]) -> bytes:
    """Records of an event device, each of a type, a code and a value."""
    return b"".join(host_keys.RECORD.pack(7, 9, *part) for part in parts)


def press(*codes: int) -> bytes:
    """Records of keys that are pressed and let go."""
    return b"".join(records((1, code, 1), (0, 0, 0), (1, code, 0), (0, 0, 0)) for code in codes)


class Gateway(Castway):
    """Keeps the operations that it is asked for, and answers each with the same."""

    def __init__(self, answer: dict[str, Any] | Exception) -> None:
        super().__init__()
        self.answer = answer
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def call(self, name: str, /, **values: Any) -> dict[str, Any]:
        values = {key: value for key, value in values.items() if value is not None}
        self.asked.append((name, values))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class HostKeysTests(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.said = io.StringIO()
        told = contextlib.redirect_stderr(self.said)
        told.__enter__()
        self.addCleanup(told.__exit__, None, None, None)

    def keyboard(self, name: str = "event0") -> tuple[str, int]:
        """A FIFO, with a descriptor to write to it."""
        path = str(self.folder / name)
        os.mkfifo(path)
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, descriptor)
        return path, descriptor

    def inputs(self, *paths: str) -> Inputs:
        inputs = Inputs(lambda: list(paths))
        self.addCleanup(inputs.close)
        return inputs

    def asked(self, data: bytes, answer: dict[str, Any] | Exception | None = None) -> list[tuple[str, dict[str, Any]]]:
        """The operations that records of an event device lead to."""
        path, keyboard = self.keyboard()
        inputs, presses, gateway = self.inputs(path), Presses(0.25), Gateway({} if answer is None else answer)
        self.assertTrue(inputs.look())
        os.write(keyboard, data)
        for key in inputs.read(5):
            presses.press(key)
        presses.finish()
        host_keys.act(gateway, "hall", presses)
        return gateway.asked

    def test_keys_act_on_their_device(self) -> None:
        hall = {"device": "hall"}
        self.assertEqual(self.asked(press(115, 113, 207, 201, 166, 163, 165, 114)), [
            ("volume.set", hall | {"by": 0.25}), ("volume.set", hall | {"muted": "toggle"}), ("media.play", hall),
            ("media.pause", hall), ("media.stop", hall), ("queue.next", hall), ("queue.previous", hall),
            ("volume.set", hall | {"by": -0.25}),
        ])

    def test_one_key_plays_and_pauses(self) -> None:
        states = {"playing": "pause", "buffering": "pause", "loading": "pause", "paused": "play", "idle": "play"}
        for state, operation in states.items():
            gateway = Gateway({"player_state": state})
            host_keys.perform(gateway, "hall", Key.PLAY_PAUSE)
            self.assertEqual([name for name, _ in gateway.asked], ["media.status", f"media.{operation}"])

    def test_a_refusal_loses_nothing_else(self) -> None:
        refusal = Problem(404, {"code": "unknown_device", "detail": "there is no device 'hall'"})
        self.assertEqual([name for name, _ in self.asked(press(163, 165), refusal)], ["queue.next", "queue.previous"])
        self.assertIn("a key did nothing: unknown_device: there is no device 'hall'", self.said.getvalue())

    def test_a_gateway_that_is_away_loses_nothing_else(self) -> None:
        away = ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
        self.assertEqual(len(self.asked(press(163, 165), away)), 2)
        self.assertIn("the gateway is not reached: [Errno 111] Connection refused", self.said.getvalue())

    def test_codes_are_those_of_the_kernel(self) -> None:
        self.assertEqual(Decoder().read(press(113, 114, 115, 128, 163, 164, 165, 166, 200, 201, 207, 407, 412)), [
            Key.MUTE, Key.VOLUME_DOWN, Key.VOLUME_UP, Key.STOP, Key.NEXT, Key.PLAY_PAUSE, Key.PREVIOUS, Key.STOP, Key.PLAY,
            Key.PAUSE, Key.PLAY, Key.NEXT, Key.PREVIOUS,
        ])
        others = records((1, 30, 1), (1, 0x110, 1), (2, 115, 1), (4, 4, 115), (1, 65535, 1), (1, 115, 3), (1, 115, -1))
        self.assertEqual(Decoder().read(others), [])

    def test_a_press_counts_once_and_volume_again(self) -> None:
        held = records((1, 115, 1), (1, 115, 2), (1, 115, 2), (1, 115, 0), (1, 113, 1), (1, 113, 2), (1, 164, 2))
        self.assertEqual(Decoder().read(held), [Key.VOLUME_UP] * 3 + [Key.MUTE])

    def test_pieces_are_put_together(self) -> None:
        data, decoder = press(115, 114), Decoder()
        keys = [key for place in range(0, len(data), 5) for key in decoder.read(data[place:place + 5])]
        self.assertEqual(keys, [Key.VOLUME_UP, Key.VOLUME_DOWN])

    def test_reports_that_the_kernel_lost_parts_of_are_left_out(self) -> None:
        lost = records((1, 115, 1), (0, 3, 0), (1, 114, 1), (0, 0, 0), (1, 113, 1))
        self.assertEqual(Decoder().read(lost), [Key.VOLUME_UP, Key.MUTE])

    def wishes(self, *keys: Key) -> list[Key | float]:
        presses = Presses(0.25)
        for key in keys:
            presses.press(key)
        presses.finish()
        return list(iter(presses.next, None))

    def test_changes_of_the_volume_become_one(self) -> None:
        up, down = Key.VOLUME_UP, Key.VOLUME_DOWN
        self.assertEqual(self.wishes(up, up, up), [0.75])
        self.assertEqual(self.wishes(up, down), [])
        self.assertEqual(self.wishes(down, down, up), [-0.25])
        self.assertEqual(self.wishes(*[up] * 6), [1])
        self.assertEqual(self.wishes(up, Key.MUTE, up, Key.NEXT), [0.25, Key.MUTE, 0.25, Key.NEXT])

    def test_two_presses_of_mute_are_none(self) -> None:
        self.assertEqual(self.wishes(Key.MUTE, Key.MUTE), [])
        self.assertEqual(self.wishes(Key.MUTE, Key.MUTE, Key.MUTE), [Key.MUTE])

    def test_a_few_wait(self) -> None:
        self.assertEqual(self.wishes(*[Key.NEXT] * 1000), [Key.NEXT] * Presses.LIMIT)

    def test_a_keyboard_that_is_not_there_is_looked_for(self) -> None:
        inputs = self.inputs(str(self.folder / "event0"))
        self.assertTrue(inputs.look() and inputs.look())
        self.assertEqual(self.said.getvalue().count("there is no "), 1)
        _, keyboard = self.keyboard()
        self.assertTrue(inputs.look())
        os.write(keyboard, press(163))
        self.assertEqual(inputs.read(5), [Key.NEXT])

    def test_a_keyboard_that_goes_away_is_opened_again(self) -> None:
        path, keyboard = self.keyboard()
        inputs = self.inputs(path)
        inputs.look()
        os.write(keyboard, press(163))
        with mock.patch("os.read", side_effect=OSError(errno.ENODEV, "No such device")):
            self.assertEqual(inputs.read(5), [])
        self.assertEqual(inputs.read(0), [])
        # What is in a FIFO stays while it is open anywhere.
        self.assertTrue(inputs.look())
        self.assertEqual(inputs.read(5), [Key.NEXT])
        self.assertEqual(self.said.getvalue().count(" is read"), 2)

    def test_keyboards_are_found_by_name(self) -> None:
        for entry, name in (("event2", "Remote"), ("event3", "Keyboard"), ("event4", "Remote"), ("mouse0", "Remote")):
            place = self.folder / "sys/class/input" / entry / "device"
            place.mkdir(parents=True)
            (place / "name").write_text(f"{name}\n")
        found = host_keys.named("Rem*", self.folder)
        self.assertEqual(found, [f"{self.folder}/dev/input/{entry}" for entry in ("event2", "event4")])
        with self.assertRaisesRegex(Missing, "there is no input device called 'Other'"):
            host_keys.named("Other", self.folder)

    def test_other_files_are_refused(self) -> None:
        (self.folder / "file").write_text("text")
        for path in (str(self.folder / "file"), "/dev/null", "/dev/zero"):
            with self.assertRaisesRegex(Unreadable, f"{path} is no event device, and no FIFO"):
                host_keys.open_input(path)
        self.assertFalse(self.inputs("/dev/null").look())

    def test_the_group_is_named_where_reading_is_not_allowed(self) -> None:
        with mock.patch("os.open", side_effect=PermissionError(errno.EACCES, "Permission denied")):
            self.assertFalse(self.inputs("/dev/input/event0").look())
        self.assertRegex(self.said.getvalue(), "/dev/input/event0 may not be read: .* in the group that owns it, mostly 'input'")

    def test_options(self) -> None:
        token = self.folder / "token"
        token.write_text("cwt_1\n")
        options = ["--input", "event0", "--device", "hall"]
        arguments = host_keys.options().parse_args([*options, "--token-file", str(token), "--step", "0.1"])
        self.assertEqual((arguments.step, host_keys.connect(arguments)._token), (0.1, "cwt_1"))
        for wrong in (["--device", "hall"], [*options, "--name", "a"], [*options, "--step", "0.6"], ["--input", "event0"]):
            with self.assertRaises(SystemExit):
                host_keys.options().parse_args(wrong)


if __name__ == "__main__":
    unittest.main()
