#!/usr/bin/env python3
"""Runs the built tests in shards, several at a time.

    Scripts/test.py [SHARD]...    the shards named, or all
    Scripts/test.py --list        the shards and how many tests each has; runs nothing
    Scripts/test.py --debug ...   the same of the debug build

A shard is one run of the test program with a filter, in a process and a temporary folder of its own.
Scripts/test-shards.txt has them. Before anything runs, every test is assigned to one shard: a test in no shard, or a
shard without tests, is an error. Afterwards each shard must have run as many tests as were assigned to it.
The log of a shard is .build/tests/logs/SHARD.log. At the end every test that failed is named once more, with what it
expected; the last line is `N passed, N failed`.

JOBS=N in the environment runs N shards at a time (default: four for each processor).
"""

import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build" / ("debug" if "--debug" in sys.argv else "tests/release")
PROGRAM = BUILD / "castwayPackageTests.xctest"
LOGS = ROOT / ".build" / "tests" / "logs"
SHARDS = ROOT / "Scripts" / "test-shards.txt"


@dataclass
class Shard:
    name: str
    mode: str
    patterns: list[str]
    tests: list[str] = field(default_factory=list)

    @property
    def log(self) -> Path:
        return LOGS / f"{self.name}.log"

    @property
    def in_parallel(self) -> bool:
        return self.mode != "serial"

    def command(self) -> list[str]:
        options = ["--testing-library", "swift-testing"]
        # A few at a time: were all to begin at once, each would wait for the processors longer than its time limit allows.
        options += ["--experimental-maximum-parallelization-width", "4"] if self.in_parallel else ["--no-parallel"]
        for suite in sorted({suite_of(test) for test in self.tests}):
            options += ["--filter", f"^{re.escape(suite)}/"]
        return [str(PROGRAM), *options]


def suite_of(test: str) -> str:
    """`Module.Suite` of `Module.Suite/test()`."""
    return test.split("/")[0]


def read_shards() -> list[Shard]:
    shards: dict[str, Shard] = {}
    for line in SHARDS.read_text().splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) < 3 or words[1] not in ("alone", "parallel", "serial"):
            sys.exit(f"test: {SHARDS.name} has a malformed line: {line}")
        name, mode, patterns = words[0], words[1], words[2:]
        shard = shards.setdefault(name, Shard(name, mode, []))
        if shard.mode != mode:
            sys.exit(f"test: the shard '{name}' is both {shard.mode} and {mode}")
        shard.patterns += patterns
    return list(shards.values())


def assign(shards: list[Shard]) -> None:
    """Gives each test to the first shard that its suite fits."""
    listed = subprocess.run(
        [PROGRAM, "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True, check=True)
    problems = []
    for test in filter(None, listed.stdout.splitlines()):
        suite = suite_of(test)
        owner = next((s for s in shards if any(fnmatch.fnmatchcase(suite, pattern) for pattern in s.patterns)), None)
        if owner is None:
            problems.append(f"{test} is in no shard")
        else:
            owner.tests.append(test)
    problems += [f"the shard '{shard.name}' has no tests" for shard in shards if not shard.tests]
    if problems:
        sys.exit("".join(f"test: {problem}\n" for problem in problems) + f"test: correct {SHARDS.relative_to(ROOT)}")


@dataclass
class Outcome:
    shard: str
    passed: int
    failed: int
    skipped: int
    problems: list[str]
    failures: list[str]


def judge(shard: Shard, status: int) -> Outcome:
    """What the log of a shard says; a test that began and did not end counts as failed."""
    # The program may colour what it prints.
    text = re.sub(r"\x1b\[[0-9;]*m", "", shard.log.read_text(errors="replace"))
    shard.log.write_text(text)
    # Not at the beginning of a line only: tests that run side by side may write into each other's lines.
    passed = len(re.findall(r"✔ Test (?!run with)[^\n]*? passed after", text))
    failed = len(re.findall(r"✘ Test (?!run with)[^\n]*? failed after", text))
    skipped = len(re.findall(r"➜ Test [^\n]*? skipped", text))
    problems = []
    missing = len(shard.tests) - passed - failed - skipped
    if missing > 0:
        problems.append(f"{missing} of {len(shard.tests)} tests did not end")
        failed += missing
    elif missing < 0:
        problems.append(f"{-missing} tests more ran than are assigned to it")
    if status < 0:
        problems.append(f"the test program ended by {signal.Signals(-status).name}")
    elif status != 0 and failed == 0:
        problems.append(f"the test program ended with status {status}")
    # With the comment of the test, which says what happened.
    failures = re.findall(r"✘ Test (?!run with)[^\n]*? (?:recorded an issue|failed after)[^\n]*(?:\n↳ [^\n]*)?", text)
    return Outcome(shard.name, passed, failed, skipped, problems, failures + problems)


def report(shard: Shard, outcome: Outcome, seconds: float, busy: float) -> None:
    text = shard.log.read_text(errors="replace")
    if outcome.failed or outcome.problems:
        shown = re.findall(r"^(?:✘ .*(?:\n↳ .*)*|.*Fatal error.*|\*\*\* .*)$", text, re.M)
        print("\n".join(shown[:200]))
    for line in re.findall(r"^[✔✘] Test run with .*$", text, re.M):
        print(line)
    skipped = f", {outcome.skipped} skipped" if outcome.skipped else ""
    print(f"{shard.name}: {outcome.passed} passed, {outcome.failed} failed{skipped} in {seconds:.0f} s, {busy:.0f} s of a processor")
    for problem in outcome.problems:
        print(f"{shard.name}: {problem}; its log: {shard.log.relative_to(ROOT)}")
    sys.stdout.flush()


def run(shards: list[Shard], jobs: int) -> list[Outcome]:
    waiting = list(shards)
    running: dict[int, tuple[Shard, subprocess.Popen, float]] = {}
    outcomes = []
    # Short, since sockets of the tests have their paths in it.
    with tempfile.TemporaryDirectory(prefix="cw") as folder:
        # Other users' programs that a test starts reach their files, as in /tmp.
        Path(folder).chmod(0o755)
        try:
            while waiting or running:
                while waiting and len(running) < jobs:
                    shard = waiting.pop(0)
                    temporary = Path(folder) / str(len(shards) - len(waiting))
                    temporary.mkdir()
                    with shard.log.open("w") as log:
                        process = subprocess.Popen(
                            shard.command(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=ROOT,
                            env=os.environ | {"TMPDIR": str(temporary)}, start_new_session=True)
                    running[process.pid] = (shard, process, time.monotonic())
                pid, status, usage = os.wait3(0)
                if pid not in running:
                    continue
                shard, process, start = running.pop(pid)
                process.returncode = os.waitstatus_to_exitcode(status)
                outcome = judge(shard, process.returncode)
                # With that of the processes that it started and waited for.
                report(shard, outcome, time.monotonic() - start, usage.ru_utime + usage.ru_stime)
                outcomes.append(outcome)
        finally:
            # With the processes that its tests started.
            for pid in running:
                os.killpg(pid, signal.SIGTERM)
    return outcomes


def install_plugins() -> None:
    """Puts the programs of the plugins that ship where their manifests name them."""
    for name in ("quiz", "watch-party"):
        folder = ROOT / "Plugins" / name / "bin"
        folder.mkdir(exist_ok=True)
        # Renamed into place, since a program that runs cannot be written.
        shutil.copy2(BUILD / name, folder / f".{name}")
        (folder / f".{name}").rename(folder / name)


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    if any(argument in ("-h", "--help") for argument in arguments):
        print(__doc__)
        return 0
    if not PROGRAM.exists():
        sys.exit(f"test: {PROGRAM.relative_to(ROOT)} is not there; 'make test' builds it")
    shards = read_shards()
    assign(shards)
    if "--list" in arguments:
        for shard in shards:
            print(f"{len(shard.tests):5}  {shard.name} ({shard.mode})")
        return 0
    unknown = set(arguments) - {shard.name for shard in shards}
    if unknown:
        sys.exit(f"test: there is no shard {', '.join(sorted(unknown))}")
    chosen = [shard for shard in shards if not arguments or shard.name in arguments]
    install_plugins()
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    start = time.monotonic()
    outcomes = run([shard for shard in chosen if shard.mode == "alone"], 1)
    outcomes += run(
        [shard for shard in chosen if shard.mode != "alone"], int(os.environ.get("JOBS") or 4 * (os.cpu_count() or 1)))
    passed, failed = (sum(getattr(outcome, name) for outcome in outcomes) for name in ("passed", "failed"))
    skipped = sum(outcome.skipped for outcome in outcomes)
    for outcome in outcomes:
        for failure in outcome.failures:
            print(f"failed in {outcome.shard}: {failure[:800]}")
    if skipped:
        print(f"{skipped} skipped")
    print(f"{len(chosen)} shards in {time.monotonic() - start:.0f} s")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or any(outcome.problems for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
