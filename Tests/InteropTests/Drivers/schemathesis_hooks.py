"""What schemathesis cannot know.

A caller makes a new `Idempotency-Key` for every call. Keys that are not allowed stay as they were made up. What a repeated key does is
tested elsewhere.

`device.find` waits as long as it is told to for a device that is not there; here it is told not to.

An input that fits the document is never refused as `invalid_input`, whatever the device makes of it.
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
    if case.operation.path.endswith("/device-search") and isinstance(case.body, dict) and case.body.get("timeout", 5) != 0:
        # A time that is not allowed stays as it was made up.
        given = case.body.get("timeout", 5)
        if isinstance(given, int | float) and not isinstance(given, bool) and 0 <= given <= 300:
            case.body["timeout"] = 0
    headers = case.headers or {}
    key = headers.get("Idempotency-Key")
    if not isinstance(key, str) or not ALLOWED.fullmatch(key):
        return
    headers["Idempotency-Key"] = f"{next(numbers)}-{key}"[:255]


@schemathesis.check
def right_inputs_are_taken(context: Any, response: Any, case: Any) -> None:
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 422):
        return
    try:
        problem = response.json()
    except ValueError:
        problem = {}
    errors = problem.get("errors") or []
    # JSON Schema has no range of durations; the document has it in words.
    if errors and all(re.search(r"must be \d+(ms|s|m|h) to \d+(ms|s|m|h), not", error["detail"]) for error in errors):
        return
    code = problem.get("code")
    assert code not in ("invalid_input", "bad_request", None), f"right by the document, refused: {response.text}"
