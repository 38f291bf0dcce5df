#!/usr/bin/env python3
"""Writes the manual pages of castway from what the program says of itself.

    castway --experimental-dump-help | Scripts/man-pages.py FOLDER

There is castway.1, and castway-COMMAND.1 for each of its commands, with the commands below it. No date stands in them, so that
the same program gives the same pages.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

Command = dict[str, Any]


def escaped(text: str) -> str:
    """A text as roff shows it: no character of it is a command or becomes another one."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti").replace("…", "...").replace("→", "to")
    return "\n".join("\\&" + line if line.startswith((".", "\\(aq")) else line for line in text.split("\n"))


def commands(command: Command) -> list[Command]:
    """The commands below a command, without the one that only shows help."""
    return [child for child in command.get("subcommands") or [] if child["commandName"] != "help" and child["shouldDisplay"]]


def arguments(command: Command) -> list[dict[str, Any]]:
    return [argument for argument in command.get("arguments") or [] if argument["shouldDisplay"]]


def spelling(name: dict[str, str]) -> str:
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def value(argument: dict[str, Any]) -> str:
    return f"\\fI{escaped(argument.get('valueName') or 'value')}\\fR"


def synopsis(path: str, command: Command) -> str:
    parts = [f"\\fB{escaped(path)}\\fR"]
    children = commands(command)
    if children:
        parts.append("\\fIcommand\\fR ...")
    for argument in arguments(command):
        if argument["kind"] == "positional":
            part = value(argument)
        else:
            part = f"\\fB{escaped(spelling(argument['preferredName']))}\\fR"
            if argument["kind"] == "option":
                part += f" {value(argument)}"
        if argument["isRepeating"]:
            part += " ..."
        parts.append(f"[{part}]" if argument["isOptional"] else part)
    return " ".join(parts)


def options(command: Command) -> list[str]:
    lines: list[str] = []
    for argument in arguments(command):
        names = [f"\\fB{escaped(spelling(name))}\\fR" for name in argument.get("names") or []]
        if argument["kind"] == "positional":
            tag = value(argument)
        else:
            # The short one first, as people look for it.
            tag = ", ".join(sorted(names, key=len))
            if argument["kind"] == "option":
                tag += f" {value(argument)}"
        words = escaped(argument.get("abstract") or "")
        choices = argument.get("allValues") or []
        if choices and not all(choice in words for choice in map(escaped, choices)):
            words += f" One of {', '.join(map(escaped, choices))}."
        if argument.get("defaultValue") and "default" not in words:
            words += f" Default: {escaped(argument['defaultValue'])}."
        lines += [".TP", tag, words or "\\&"]
    return lines


def discussion(text: str) -> list[str]:
    """Paragraphs are filled; what is indented stands as it is."""
    lines: list[str] = []
    is_verbatim = False
    for line in text.split("\n"):
        if line.startswith("  ") and line.strip():
            if not is_verbatim:
                lines += [".PP", ".nf", ".RS"]
                is_verbatim = True
            lines.append(escaped(line[2:]))
            continue
        if is_verbatim:
            lines += [".RE", ".fi"]
            is_verbatim = False
        if not line.strip():
            if lines and lines[-1] != ".PP":
                lines.append(".PP")
        else:
            lines.append(escaped(line))
    if is_verbatim:
        lines += [".RE", ".fi"]
    while lines and lines[-1] == ".PP":
        lines.pop()
    cleaned: list[str] = []
    for line in lines:
        if line == ".PP" and (not cleaned or cleaned[-1] == ".PP"):
            continue
        cleaned.append(line)
    return cleaned


def section(path: str, command: Command) -> list[str]:
    """A command within the page of the one above it."""
    lines = [f".SS {escaped(path)}", escaped(command.get("abstract") or ""), ".PP", synopsis(path, command)]
    if command.get("discussion"):
        lines += [".PP"] + discussion(command["discussion"])
    lines += options(command)
    for child in commands(command):
        lines += section(f"{path} {child['commandName']}", child)
    return lines


def page(path: str, command: Command, version: str, others: list[str], below: bool) -> str:
    title = path.replace(" ", "-")
    lines = [f'.TH {title.upper()} 1 "" "Castway {version}" "Castway"'.replace("-", "\\-")]
    lines += [".SH NAME", f"{escaped(title)} \\- {escaped((command.get('abstract') or '').rstrip('.'))}"]
    lines += [".SH SYNOPSIS", synopsis(path, command)]
    if command.get("discussion"):
        lines += [".SH DESCRIPTION"] + discussion(command["discussion"])
    if arguments(command):
        lines += [".SH OPTIONS"] + options(command)
    children = commands(command)
    if children:
        lines.append(".SH COMMANDS")
        for child in children:
            name = f"{path} {child['commandName']}"
            if below:
                lines += section(name, child)
            else:
                lines += [".TP", f"\\fB{escaped(name)}\\fR(1)", escaped(child.get("abstract") or "")]
    if others:
        lines += [".SH SEE ALSO", ",\n".join(f".BR {escaped(other)} (1)" for other in others).replace(" (1),", " (1),")]
    return re.sub(r"\n{2,}", "\n", "\n".join(lines)) + "\n"


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    root = json.load(sys.stdin)["command"]
    name = root["commandName"]
    version = sys.argv[2] if len(sys.argv) > 2 else ""
    children = commands(root)
    pages = {name: page(name, root, version, [f"{name}-{child['commandName']}" for child in children], below=False)}
    for child in children:
        pages[f"{name}-{child['commandName']}"] = page(f"{name} {child['commandName']}", child, version, [name], below=True)
    for title, text in pages.items():
        (folder / f"{title}.1").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
