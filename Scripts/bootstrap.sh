#!/usr/bin/env bash
# Installs what Castway needs on Debian 12, and says what it does. Does nothing when everything is there.
#
#   Scripts/bootstrap.sh          what it takes to build and run
#   Scripts/bootstrap.sh --tests  and the Python environment that the interop tests use, in .venv
#   Scripts/bootstrap.sh --bench  and the peers of the benchmarks, and that Python environment
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'bootstrap: %s\n' "$*"; }

if ! command -v swift >/dev/null; then
    say 'swift is not on the PATH; install Swift 6.3 from https://www.swift.org/install/linux/' >&2
    exit 1
fi

lists=(Scripts/apt-packages.txt)
[ "${1:-}" != --bench ] || lists+=(Scripts/apt-packages-bench.txt)
missing=()
while read -r package _; do
    case "$package" in '' | '#'*) continue ;; esac
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done < <(cat "${lists[@]}")

if [ "${#missing[@]}" -gt 0 ]; then
    sudo=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            say "these packages are missing, and neither root nor sudo is at hand: ${missing[*]}" >&2
            exit 1
        fi
        sudo=(sudo)
    fi
    say "installing with apt-get: ${missing[*]}"
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ "${1:-}" = --tests ] || [ "${1:-}" = --bench ]; then
    requirements=Tests/InteropTests/requirements.txt
    if ! cmp -s "$requirements" .venv/castway-requirements.txt; then
        say "installing $(grep -v '^#' "$requirements" | xargs) into .venv"
        python3 -m venv .venv
        .venv/bin/pip install --quiet --disable-pip-version-check -r "$requirements"
        cp "$requirements" .venv/castway-requirements.txt
    fi
fi
