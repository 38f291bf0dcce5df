#!/usr/bin/env bash
# The house rules that neither the compiler nor the formatter checks. Prints every breach and fails if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."

breaches=0
breach() {
    printf '%s\n' "$1" "$2" ''
    breaches=1
}

sources() { git ls-files -co --exclude-standard 'Package.swift' 'Sources/*.swift' 'Plugins/*.swift' 'Tests/*.swift' 'Benchmarks/*.swift' | grep -v '\.pb\.swift$'; }
product() { sources | grep '^Sources/'; }
# A line that has to break a rule says why behind "lint:allow".
search() { xargs -r grep -nE "$1" /dev/null | grep -v 'lint:allow' || true; }

long=$(sources | xargs wc -l | awk '$2 != "total" && $1 > 600 { print "  " $2 ": " $1 " lines" }')
[ -z "$long" ] || breach 'Files over 600 lines:' "$long"

traps=$(product | search '\btry!|\bas!|\bfatalError\(|\bpreconditionFailure\(|\bTODO\b|\bFIXME\b')
[ -z "$traps" ] || breach 'Traps and leftovers in Sources:' "$traps"

tasks=$(product | search '(^|[^A-Za-z.])Task( ?\{|\.detached|\.init)')
[ -z "$tasks" ] || breach 'Tasks without an owner (use a task group or Service.run()):' "$tasks"

sleeps=$(sources | grep '^Tests/' | search 'Task\.sleep|usleep\(|Thread\.sleep|[^a-zA-Z.]sleep\(')
[ -z "$sleeps" ] || breach 'Sleeps in tests (wait for the event instead):' "$sleeps"

texts=$(product | search '"(port|pid|uid|count|seconds|bytes|attempts?|suppressed|left_out|[a-z_]+_(count|seconds|bytes|attempts|milliseconds|microseconds))": "\\\(|": "\\\([A-Za-z.]*is[A-Z][A-Za-z]*\)"')
[ -z "$texts" ] || breach 'Numbers and truth values logged as text (use .stringConvertible, so that JSON logs keep what they are):' "$texts"

# Words that leave the actor open, in comments and pages.
words=$( (
    sources | xargs -r grep -niE '//.*\b(nobody|whoever|somebody)\b' /dev/null
    git ls-files -co --exclude-standard '*.md' | xargs -r grep -niwE 'nobody|whoever|somebody' /dev/null
) | grep -vE 'lint:allow|`nobody`' || true)
[ -z "$words" ] || breach 'Words that leave the actor open (name it: the sender, the caller, the device, the plugin, the operator):' "$words"

vague=$(sources | grep -E '/(Utils|Util|Helpers|Helper|Extensions|Manager|Misc|Common)\.swift$' || true)
[ -z "$vague" ] || breach 'Files whose name says nothing:' "$vague"

# The gateway has the kit for Python on the path of every plugin.
copies=$(git ls-files -co --exclude-standard ':(glob)**/castway.py' | grep -vx 'Plugins/python/castway.py' | sed 's/^/  /' || true)
[ -z "$copies" ] || breach 'Copies of Plugins/python/castway.py (it is on the path of every plugin):' "$copies"

exit "$breaches"
