#!/usr/bin/env bash
# Writes the manual pages and the completions for bash, zsh and fish of a built castway, where a share folder has them:
# Scripts/manual.sh PROGRAM SHARE
set -euo pipefail
program=$(realpath "$1") share=$2
cd "$(dirname "$0")/.."

install -d -m 755 "$share/man/man1"
"$program" --experimental-dump-help | Scripts/man-pages.py "$share/man/man1" "$("$program" --version)"
chmod 644 "$share"/man/man1/castway*.1

completion() { # SHELL FILE
    install -d -m 755 "$(dirname "$share/$2")"
    "$program" --generate-completion-script "$1" > "$share/$2"
    chmod 644 "$share/$2"
}
completion bash bash-completion/completions/castway
completion zsh zsh/site-functions/_castway
completion fish fish/vendor_completions.d/castway.fish
