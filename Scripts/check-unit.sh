#!/usr/bin/env bash
# Checks the systemd unit: that its documentation is Castway's, that systemd understands all of it, and that its sandbox is
# as tight as it was.
# Needs no running systemd. Says so and checks no more than the documentation where systemd-analyze is not installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# In tenths, as systemd-analyze takes it; Docs/systemd.md names the figure.
threshold=12

documents=$(sed -n 's/^Documentation=//p' Scripts/systemd/castway.service)
[ -n "$documents" ] || { echo 'check-unit: the unit names no documentation'; exit 1; }
for document in $documents; do
    file=${document#file:@PREFIX@/share/doc/castway/}
    if [ "$file" = "$document" ] || [ ! -f "$file" ]; then
        echo "check-unit: Documentation=$document is nothing that 'make install' installs"
        exit 1
    fi
done

if ! command -v systemd-analyze >/dev/null; then
    echo 'check-unit: systemd-analyze is not installed, so the unit is not checked'
    exit 0
fi

prefix=$(mktemp -d)
trap 'rm -r "$prefix"' EXIT
mkdir "$prefix/bin"
# systemd looks whether the program is there.
ln -s /bin/true "$prefix/bin/castway"
sed "s,@PREFIX@,$prefix,g" Scripts/systemd/castway.service >"$prefix/castway.service"

problems=$(systemd-analyze verify --man=no "$prefix/castway.service" 2>&1) || true
if [ -n "$problems" ]; then
    printf 'check-unit: systemd-analyze verify says:\n%s\n' "$problems"
    exit 1
fi
if ! report=$(systemd-analyze security --no-pager --offline=true --threshold="$threshold" "$prefix/castway.service"); then
    printf '%s\ncheck-unit: the exposure is above %s tenths\n' "$report" "$threshold"
    exit 1
fi
