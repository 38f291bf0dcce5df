"""Reads what callgrind wrote: instructions, and who allocated how often."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# What Swift code allocates with, and the C library's own for everybody else. Those of Swift call these, so a call from
# one to the other is not counted.
SWIFT = {"swift_allocObject", "swift_slowAlloc", "swift_slowAllocTyped", "swift_allocBox", "swift_allocEmptyBox"}
LIBC = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}
ALLOCATORS = SWIFT | LIBC


@dataclass
class Profile:
    instructions: int
    # Allocations by the function that asked.
    allocations: Counter[str]


def read(path: Path) -> Profile:
    """Reads a file of callgrind's (format: callgrind manual, "Callgrind Format Specification")."""
    names: dict[str, str] = {}
    caller = callee = ""
    allocations: Counter[str] = Counter()
    instructions = None
    with path.open(errors="replace") as lines:
        for line in lines:
            if match := re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line.rstrip()):
                kind, number, name = match.groups()
                if name is not None:
                    # The same function may have several entries, by how deep it recurses and where it is inlined.
                    names[number] = name.split("'")[0].split("@")[0]
                if kind == "fn":
                    caller = names[number]
                else:
                    callee = names[number]
            elif line.startswith("calls="):
                if callee in ALLOCATORS and caller not in ALLOCATORS:
                    allocations[caller] += int(line[6:].split()[0])
            elif match := re.match(r"(?:summary|totals): (\d+)", line):
                instructions = int(match.group(1))
    if instructions is None:
        raise SystemExit(f"callgrind wrote no total into {path}")
    return Profile(instructions, allocations)
