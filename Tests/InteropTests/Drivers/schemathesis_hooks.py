"""What schemathesis cannot know of an `Idempotency-Key`: that a caller makes a new one for every call.

Keys that are not allowed stay as they were made up. What a repeated key does is tested elsewhere.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

import schemathesis

ALLOWED = re.compile(r"[\x21-\x7e]{1,255}")
numbers = itertools.count()


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    headers = case.headers or {}
    key = headers.get("Idempotency-Key")
    if not isinstance(key, str) or not ALLOWED.fullmatch(key):
        return
    headers["Idempotency-Key"] = f"{next(numbers)}-{key}"[:255]
