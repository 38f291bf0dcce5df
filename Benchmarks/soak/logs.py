"""Reads a gateway's log: JSON lines, and no error that the plan did not ask for."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from ledger import Ledger

FIELDS = {"time", "level", "msg", "component"}
SEVERE = ("error", "critical")


class LogReader:
    """Judges every line of a log once, as it grows."""

    def __init__(self, path: Path, gateway: str, ledger: Ledger) -> None:
        self.path = path
        self.gateway = gateway
        self.ledger = ledger
        self.levels: Counter[str] = Counter()
        self.warnings: Counter[str] = Counter()
        self.expected_errors: set[str] = set()
        """Words in the component or message of errors that the plan provokes."""
        self._offset = 0

    def read(self, *, may_be_cut: bool = False) -> None:
        """Reads what is new. A log may end in the middle of a line when its gateway was killed."""
        with self.path.open("rb") as file:
            file.seek(self._offset)
            data = file.read()
        whole = data if may_be_cut else data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        lines = whole.split(b"\n")
        for index, line in enumerate(lines):
            if line:
                self._judge(line, is_last=may_be_cut and index == len(lines) - 1)

    def _judge(self, line: bytes, *, is_last: bool) -> None:
        try:
            record = json.loads(line)
            missing = FIELDS - set(record)
        except (ValueError, TypeError):
            if not is_last:
                self.ledger.breach("log line that is no JSON", f"{self.gateway} {line[:200]!r}")
            return
        if missing:
            self.ledger.breach("log line without fields", f"{self.gateway} lacks {sorted(missing)}: {line[:200]!r}")
            return
        level, text = record["level"], f"{record['component']}: {record['msg']}"
        self.levels[level] += 1
        if level == "warning":
            self.warnings[text] += 1
        if level in SEVERE:
            if any(word in text.lower() for word in self.expected_errors):
                self.ledger.note("expected error in the log")
            else:
                self.ledger.breach("error in the log", f"{self.gateway} {line[:300]!r}")
