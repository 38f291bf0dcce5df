"""Runs the checks of `Tests/Features` with a built program, as `make features` does.

    features.py PROGRAM

Says at the end in one line of JSON how many rows were shown to work; its status is 0 when all of those on record were.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

RUN = Path(__file__).resolve().parents[2] / "Features" / "run.py"

if __name__ == "__main__":
    os.execv(sys.executable, [sys.executable, str(RUN), "--binary", sys.argv[1], "--json"])
