#!/usr/bin/env bash
# Installs what Castway needs on Debian 12, and says what it does. Does nothing when everything is there.
#
#   Scripts/bootstrap.sh           what it takes to build and run: apt-packages.txt
#   Scripts/bootstrap.sh --checks  and what tests and checks need: apt-packages-checks.txt
#   Scripts/bootstrap.sh --tests   and in .venv pychromecast and what checks interfaces, which the interop tests use
#   Scripts/bootstrap.sh --bench   and the peers of the benchmarks: apt-packages-bench.txt
#   Scripts/bootstrap.sh --chromium  and Chromium with what it takes to run it between networks: apt-packages-chromium.txt
#   Scripts/bootstrap.sh --unit    and what runs the systemd unit in a Debian of its own: apt-packages-unit.txt
#   Scripts/bootstrap.sh --install and Python, by which the manual pages are made
#   Scripts/bootstrap.sh --python  Python and pychromecast in .venv alone, for senders in Python
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'bootstrap: %s\n' "$*"; }

lists=(Scripts/apt-packages.txt)
extra=()
python=
requirements=(Tests/InteropTests/requirements.txt)
case "${1:-}" in
    '') ;;
    --checks) lists+=(Scripts/apt-packages-checks.txt) ;;
    --tests)
        lists+=(Scripts/apt-packages-checks.txt) python=yes
        requirements+=(Tests/InteropTests/requirements-checks.txt)
        ;;
    --bench) lists+=(Scripts/apt-packages-checks.txt Scripts/apt-packages-bench.txt) python=yes ;;
    --chromium)
        lists+=(Scripts/apt-packages-checks.txt Scripts/apt-packages-chromium.txt) python=yes
        requirements+=(Tests/InteropTests/Chromium/requirements.txt)
        ;;
    --unit) lists+=(Scripts/apt-packages-checks.txt Scripts/apt-packages-unit.txt) ;;
    --install) extra=(python3) ;;
    --python) lists=() extra=(ca-certificates python3 python3-venv) python=yes ;;
    *)
        say "unknown option '$1'; there are --checks, --tests, --bench, --chromium, --unit, --install and --python" >&2
        exit 64
        ;;
esac

if [ "${1:-}" != --python ] && ! command -v swift >/dev/null; then
    say 'swift is not on the PATH; install Swift 6.3 from https://www.swift.org/install/linux/' >&2
    exit 1
fi

missing=()
while read -r package _; do
    case "$package" in '' | '#'*) continue ;; esac
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done < <(printf '%s\n' "${extra[@]}"; [ "${#lists[@]}" -eq 0 ] || cat "${lists[@]}")

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
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ -n "$python" ]; then
    have=.venv/castway-requirements.txt
    wanted=$(cat "${requirements[@]}" | grep -v '^#')
    # What is there may be more than is wanted now.
    if [ ! -f "$have" ] || grep -qvxFf "$have" <<<"$wanted"; then
        say "installing $(xargs <<<"$wanted") into .venv"
        python3 -m venv .venv
        .venv/bin/pip install --quiet --disable-pip-version-check "${requirements[@]/#/-r}"
        printf '%s\n' "$wanted" >"$have"
    fi
fi
