#!/usr/bin/env bash
# Builds with `swift build` and Castway's flags: Scripts/build.sh [arguments of swift build]
#
# Every debug build takes the same flags, so that `make run`, `make sanitize` and `make docs` share .build. Tests, and what is
# checked beside them, are built into .build/tests, the modules of a message's way optimised: `Scripts/build.sh --tested [arguments]`. It prints what `swift build`
# prints, without what swiftc says about the flags themselves; its exit status is that of `swift build`.
set -euo pipefail
cd "$(dirname "$0")/.."

# Modules may import only what Package.swift declares for them, so the layers hold. The index is for editors, which make their own.
flags=(--explicit-target-dependency-import-check error --disable-index-store)
if [ "${1:-}" = --tested ]; then
    shift
    # Package.swift asks for it.
    export CASTWAY_TESTS=1
    set -- -c release --scratch-path .build/tests "$@"
fi
# In debug builds a module is compiled as a whole, since parsing it anew for every batch of its files costs most of the time.
case " $* " in
    *' release '*) ;;
    *) flags+=(-Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 2) ;;
esac

# Progress stays on one line of a terminal, as `swift build` itself would have it.
width=
[ ! -t 1 ] || width=$(tput cols 2>/dev/null || echo 80)
show() {
    local line
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
            "warning: ignoring '-enable-batch-mode'"* | 'remark: Incremental compilation has been disabled'*) continue ;;
        esac
        if [ -z "$width" ]; then
            printf '%s\n' "$line"
        elif [[ $line =~ ^\[[0-9]+/[0-9]+\] ]]; then
            printf '\r\033[K%.*s' "$((width - 1))" "$line"
        else
            printf '\r\033[K%s\n' "$line"
        fi
    done
}

swift build "${flags[@]}" "$@" 2>&1 | show
