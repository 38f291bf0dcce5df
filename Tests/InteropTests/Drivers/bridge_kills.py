"""Plays the short cases of `Benchmarks/bridgekills` with a built program, as `make bridge-kills` plays all of them.

    bridge_kills.py PROGRAM

Says at the end in one line of JSON how many cases there were and what came of their messages; its status is 0 when all went as it must.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

RUN = Path(__file__).resolve().parents[3] / "Benchmarks" / "bridgekills" / "run.py"

if __name__ == "__main__":
    os.execv(sys.executable, [sys.executable, str(RUN), "--binary", sys.argv[1], "--short", "--jobs", "4", "--json"])
