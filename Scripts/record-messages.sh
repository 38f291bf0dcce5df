#!/usr/bin/env bash
# Records what `castway check` says of bad configurations: Scripts/record-messages.sh FOLDER [NAME...]
#
# For each NAME.yaml of the folder, or those that are named, it writes NAME.expected.txt, which BadConfigTests compares. Read what it
# wrote before you commit it: a message that is wrong is recorded like one that is right. A file that is accepted is an error.
# A recorded file whose variables, or rights of files, the tests set themselves is left alone unless it is named.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$PWD/.build/debug/castway
cd "$1"
shift

status=0
for file in *.yaml; do
    name=${file%.yaml}
    if [ $# -gt 0 ]; then
        case " $* " in *" $name "*) ;; *) continue ;; esac
    elif [ -e "$name.expected.txt" ]; then
        continue
    fi
    code=0
    env -i "$program" check "$file" > "$name.expected.txt" || code=$?
    if [ "$code" -ne 1 ]; then
        echo "$name.yaml is not refused: status $code" >&2
        rm "$name.expected.txt"
        status=1
    fi
done
exit "$status"
