"""The table of all rows: what is on record of each, what the checks have shown, and where the two do not agree.

Columns of `rows.tsv`: row, group, verdict, door, evidence, feature. A row that is on record as working is shown by a check
(`evidence` is empty, or a remark behind `note: `), by tests of the suites (`evidence` is `Suite/test()`, several with commas
between them), or by both; of any other `evidence` says what is lacking, or why it cannot apply.
"""

from __future__ import annotations

import collections
import json
import re
from dataclasses import dataclass
from pathlib import Path

from registry import CHECKS, OUTSIDE, WAYS, Check

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent
VERDICTS = ("works", "partly", "inside only", "missing", "n.a.")
COLUMNS = ("row", "group", "verdict", "door", "evidence", "feature")
_TEST = re.compile(r"^(\w+)/(\w+)\(\)$")


@dataclass
class Row:
    number: int
    group: str
    verdict: str
    door: str
    evidence: str
    feature: str

    @property
    def line(self) -> str:
        return "\t".join([str(self.number), self.group, self.verdict, self.door, self.evidence, self.feature])


def read() -> list[Row]:
    lines = (HERE / "rows.tsv").read_text().splitlines()
    if lines[0].split("\t") != list(COLUMNS):
        raise ValueError("rows.tsv: another head than expected")
    rows = []
    for line in lines[1:]:
        number, *others = line.split("\t")
        rows.append(Row(int(number), *others))
    numbers = [row.number for row in rows]
    wrong = [row.number for row in rows if row.verdict not in VERDICTS]
    if wrong or len(set(numbers)) != len(numbers):
        raise ValueError(f"rows.tsv: {wrong} have no verdict, or a row stands there twice")
    unknown = {number for check in CHECKS for number in check.rows} - set(numbers)
    if unknown:
        raise ValueError(f"checks name rows that rows.tsv has not: {sorted(unknown)}")
    return rows


class Suites:
    """The tests of the Swift suites, by name."""

    def __init__(self) -> None:
        self._files = [path.read_text() for path in TESTS.rglob("*.swift")]

    def missing(self, names: str) -> list[str]:
        """Those of the names that are no test of the suite that they name."""
        return [name for name in (part.strip() for part in names.split(",")) if not self._has(name)]

    def _has(self, name: str) -> bool:
        parts = _TEST.match(name)
        if not parts:
            return False
        suite = re.compile(rf"\b(struct|class|extension|enum|actor) {parts[1]}\b")
        test = re.compile(rf"\bfunc {parts[2]}\(")
        return any(suite.search(text) and test.search(text) for text in self._files)


def judge(row: Row, checks: list[Check], suites: Suites) -> str | None:
    """Sets what the table says of a row; gives what is wrong when the record says otherwise."""
    shown = [check for check in checks if check.is_shown]
    failed = [check for check in checks if check.was_run and check.failure]
    said = "; ".join(f"{check.label}: {check.says}" for check in shown)
    if checks and shown:
        ways = {way for check in shown for way in check.ways}
        row.door = ",".join(way for way in WAYS if way in ways)
    if row.verdict != "works":
        if shown:
            row.evidence = f"{row.evidence} What there is: {said}"
        return f"row {row.number}: {failed[0].label}: {failed[0].failure}" if failed else None
    if failed:
        reason = "; ".join(f"{check.label} fails: {check.failure}" for check in failed)
        row.verdict, row.evidence = ("partly" if shown else "missing"), reason
        return f"row {row.number}: {reason}"
    if row.evidence.startswith("note: "):
        note, tests = row.evidence, ""
    else:
        note, tests = "", row.evidence
    if tests:
        missing = suites.missing(tests)
        if missing:
            row.verdict, row.evidence = "missing", f"there is no test {', '.join(missing)}"
            return f"row {row.number}: {row.evidence}"
        row.evidence = "; ".join(part for part in (said, f"test {tests}") if part)
        return None
    if not shown:
        row.verdict, row.evidence = "missing", "neither a check nor a test shows it"
        return f"row {row.number}: {row.evidence}"
    row.evidence = "; ".join(part for part in (said, note) if part)
    return None


def conclude(seconds: float, table: Path | None, *, is_whole: bool, wants_json: bool) -> int:
    """Prints the counts, and writes the table after a whole run. The status of the program."""
    failed = [check for check in CHECKS if check.failure]
    if not is_whole:
        return 1 if failed else 0
    rows, suites = read(), Suites()
    by_row: dict[int, list[Check]] = collections.defaultdict(list)
    for check in CHECKS:
        for number in check.rows:
            by_row[number].append(check)
    breaches = [breach for row in rows if (breach := judge(row, by_row[row.number], suites))]
    if table:
        text = "\n".join(["\t".join(COLUMNS), *(row.line.replace("\n", " ") for row in rows)]) + "\n"
        table.write_text(text)
    outside = report(rows, by_row)
    for breach in breaches:
        print(f"NOT AS ON RECORD  {breach}")
    print(f"{'FAIL' if breaches else 'PASS'}: {len(rows)} rows, {len(CHECKS)} checks, {seconds:.0f} s", flush=True)
    if wants_json:
        print(json.dumps({"rows": len(rows), "shown": outside, "failed": len(breaches)}), flush=True)
    return 1 if breaches else 0


def report(rows: list[Row], by_row: dict[int, list[Check]]) -> int:
    """Prints how many rows have which verdict, and by which ways in those that work were shown; gives how many were shown from outside."""
    verdicts = collections.Counter(row.verdict for row in rows)
    print("verdicts: " + ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS))
    working = [row for row in rows if row.verdict == "works"]
    ways: collections.Counter[str] = collections.Counter()
    outside = 0
    for row in working:
        seen = {way for check in by_row[row.number] if check.is_shown for way in check.ways}
        ways.update(seen)
        outside += bool(seen & OUTSIDE)
    print("rows that work, by way in: " + ", ".join(f"{ways[way]} {way}" for way in WAYS))
    print(f"rows that work and were shown over HTTP, events, WebSocket, command line or by an unmodified sender: {outside}; "
          f"by tests of the suites alone: {sum(1 for row in working if not by_row[row.number])}")
    return outside
