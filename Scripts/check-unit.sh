#!/usr/bin/env bash
# Checks the systemd units: that their documentation is Castway's, that systemd understands all of them, that their user is made, and
# that their sandboxes are as tight as they were.
# Needs no running systemd. Says so and checks no more than the documentation where systemd-analyze is not installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# In tenths, as systemd-analyze takes it; Docs/systemd.md names the figure.
threshold=12
# Of castway-mirroring.service, which is root with one right.
mirroring_threshold=19

documents=$(sed -n 's/^Documentation=//p' Scripts/systemd/castway*)
[ -n "$documents" ] || { echo 'check-unit: the units name no documentation'; exit 1; }
for document in $documents; do
    file=${document#file:@PREFIX@/share/doc/castway/}
    if [ "$file" = "$document" ] || [ ! -f "$file" ]; then
        echo "check-unit: Documentation=$document is nothing that 'make install' installs"
        exit 1
    fi
done

if ! command -v systemd-analyze >/dev/null; then
    echo 'check-unit: systemd-analyze is not installed, so the units are not checked'
    exit 0
fi

prefix=$(mktemp -d)
trap 'rm -r "$prefix"' EXIT
mkdir "$prefix/bin"
# systemd looks whether the program is there.
ln -s /bin/true "$prefix/bin/castway"
for unit in castway.service castway-mirroring.service castway-mirroring.socket; do
    sed "s,@PREFIX@,$prefix,g" "Scripts/systemd/$unit" >"$prefix/$unit"
done
# The package may be missing here; only its line is left out then.
[ -x /usr/sbin/nft ] ||
    sed -i 's,=\(-\?\)nft ,=\1/bin/true ,' "$prefix/castway-mirroring.service"

problems=$(systemd-analyze verify --man=no "$prefix"/castway* 2>&1) || true
if [ -n "$problems" ]; then
    printf 'check-unit: systemd-analyze verify says:\n%s\n' "$problems"
    exit 1
fi
if command -v systemd-sysusers >/dev/null; then
    user=$(sed -n 's/^User=//p' Scripts/systemd/castway.service)
    if ! said=$(systemd-sysusers --dry-run --root="$prefix" "$PWD/Scripts/systemd/castway.sysusers" 2>&1) ||
        ! grep -q "^u $user " Scripts/systemd/castway.sysusers; then
        printf '%s\ncheck-unit: castway.sysusers does not make the user %s of castway.service\n' "$said" "$user"
        exit 1
    fi
fi
if ! report=$(systemd-analyze security --no-pager --offline=true --threshold="$threshold" "$prefix/castway.service"); then
    printf '%s\ncheck-unit: the exposure is above %s tenths\n' "$report" "$threshold"
    exit 1
fi
if ! report=$(systemd-analyze security --no-pager --offline=true --threshold="$mirroring_threshold" \
    "$prefix/castway-mirroring.service"); then
    printf '%s\ncheck-unit: the exposure of castway-mirroring.service is above %s tenths\n' "$report" "$mirroring_threshold"
    exit 1
fi
