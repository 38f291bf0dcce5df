"""Markdown tables, and numbers as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; every column but the first is aligned to the right."""
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def whole(value: float) -> str:
    """12,345"""
    return f"{value:,.0f}"


def short(value: float) -> str:
    """Three digits that mean something: 0.98, 9.24, 12.3, 1,234"""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def added(value: float, base: float) -> str:
    """A difference with its sign."""
    return ("+" if value >= base else "-") + short(abs(value - base))


def mib(kilobytes: float) -> str:
    """kB, as the kernel counts them, in MiB."""
    return f"{kilobytes / 1024:.1f}"
