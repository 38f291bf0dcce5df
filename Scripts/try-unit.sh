#!/usr/bin/env bash
# Tries castway.service as an operator has it: in a Debian 12 of its own, with systemd as its first process, D-Bus and Avahi.
# Needs root, mmdebstrap and systemd-nspawn; `make unit` sees to them. The first run fetches some 60 packages, which are kept.
#
#   Scripts/try-unit.sh FOLDER     the folder with the programs castway and castway-launch
#   KEEP=1 Scripts/try-unit.sh …   leaves the Debian behind, and says where
set -euo pipefail
programs=$(realpath "${1:?the folder with castway and castway-launch}")
cd "$(dirname "$0")/.."

kept=${CASTWAY_UNIT_TAR:-.build/unit-debian-12.tar}
if [ ! -f "$kept" ]; then
    echo 'try-unit: making a Debian 12'
    parts='systemd-sysv dbus avahi-daemon avahi-utils iproute2 libnss-systemd
        libavahi-client3 libmosquitto1 libqrencode4 libsqlite3-0 libssl3 libstdc++6 libyaml-0-2 zlib1g'
    mmdebstrap --quiet --variant=minbase --include="$(xargs <<<"$parts" | tr ' ' ',')" bookworm - >"$kept.new"
    mv "$kept.new" "$kept"
fi

root=$(mktemp -d /var/tmp/castway-unit.XXXXXX)
nspawn=
finish() {
    [ -z "$nspawn" ] || kill "$nspawn" 2>/dev/null || true
    [ -z "$nspawn" ] || wait "$nspawn" 2>/dev/null || true
    if [ -n "${KEEP:-}" ]; then echo "try-unit: left behind: $root"; else rm -rf "$root"; fi
}
trap finish EXIT
tar -xf "$kept" -C "$root"

# What the packages do not bring: the programs, and the Swift runtime where they look for it.
install -D -m 755 "$programs/castway" "$root/usr/bin/castway"
install -D -m 755 "$programs/castway-launch" "$root/usr/lib/castway/castway-launch"
install -D -m 644 -t "$root/usr/lib/castway/python" Plugins/python/castway.py Plugins/python/castway_media.py
ldd "$programs/castway" "$programs/castway-launch" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    while read -r library; do
        [ -e "$root$library" ] || install -D -m 755 "$(realpath "$library")" "$root$library"
    done
make --no-print-directory install-units DESTDIR="$root" PREFIX=/usr >/dev/null
install -d "$root/usr/share/doc/castway/Docs"

write() { install -d "$root$(dirname "$1")"; cat >"$root$1"; }
write /etc/castway/gateway.yaml <<'YAML'
version: 1
gateway:
  id: unit
  state_directory: ${CASTWAY_STATE_DIR:-./state}
virtual_devices:
  - name: hall
    listen: 0.0.0.0:8009
    target: local
plugins:
  instances:
    - {name: echo, plugin: echo, sandbox: strict, grant: {as: manifest}}
bridges:
  webhooks:
    - name: backend
      url: http://127.0.0.1:9/
      allow_http: true
      allow_private: true
      secret_file: ${CREDENTIALS_DIRECTORY}/castway_backend
YAML
install -d "$root/etc/castway/Plugins"
cp -r Plugins/echo "$root/etc/castway/Plugins"
chmod -R go-w "$root/etc/castway"
printf 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' | write /etc/castway/credentials/backend
chmod -R go= "$root/etc/castway/credentials"
# Two ends of one wire, so that Avahi has an interface.
write /etc/systemd/system/wire.service <<'UNIT'
[Unit]
Before=avahi-daemon.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=ip link add wire0 type veth peer name wire1
ExecStart=ip address add 10.55.0.1/24 dev wire0
ExecStart=ip link set wire0 up
ExecStart=ip link set wire1 up
[Install]
WantedBy=multi-user.target
UNIT
systemctl --quiet --root="$root" enable wire.service avahi-daemon.service castway.service 2>/dev/null

# What shuts plugins out of files is refused to containers otherwise.
systemd-nspawn --quiet --system-call-filter='landlock_create_ruleset landlock_add_rule landlock_restrict_self' --register=no --keep-unit --private-network --resolv-conf=off --timezone=off \
    --directory="$root" --console=read-only --boot </dev/null >"$root.console" 2>&1 &
nspawn=$!
rm_console() { rm -f "$root.console"; }
trap 'finish; rm_console' EXIT

init=
within() { nsenter --target "$init" --all -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb "$@"; }
failures=0
say() {
    if [ "$1" = ok ]; then printf 'ok    %s\n' "$2"; else
        printf 'FAIL  %s\n' "$2"
        failures=$((failures + 1))
    fi
}
# SENTENCE COMMAND...: the command has to succeed, within the container.
expect() {
    local sentence=$1
    shift
    if within "$@" >"$root.said" 2>&1; then say ok "$sentence"; else
        say fail "$sentence"
        sed 's/^/        /' "$root.said" | tail -n 20
    fi
    rm -f "$root.said"
}
# SECONDS SENTENCE COMMAND...: the command has to succeed within so many seconds.
soon() {
    local end=$((SECONDS + $1)) sentence=$2
    shift 2
    until within "$@" >/dev/null 2>&1; do
        [ "$SECONDS" -lt "$end" ] || break
        sleep 0.2
    done
    expect "$sentence" "$@"
}
main_pid() { within systemctl show --value -p MainPID castway; }

for _ in $(seq 300); do
    init=$(pgrep -P "$nspawn" | head -n 1 || true)
    [ -n "$init" ] && within systemctl is-system-running --wait >/dev/null 2>&1 && break
    sleep 0.2
done

echo '--- start'
soon 60 'the service runs' systemctl is-active castway
expect 'as the user castway' sh -c '[ "$(systemctl show --value -p User,DynamicUser castway | xargs)" = "castway no" ]'
expect 'which owns the state, and no other user may look into it' sh -c \
    '[ "$(stat -c "%U %a" /var/lib/castway)" = "castway 700" ] && [ ! -e /var/lib/private/castway ]'
expect 'systemd understands every line of the unit' sh -c '! journalctl -b | grep -E "castway.*(Unknown key|ignoring)"'
soon 30 'Avahi announces the virtual device' sh -c 'avahi-browse --terminate --parsable _googlecast._tcp | grep "^+;wire"'
expect 'the log has no word of missing mDNS' sh -c '! journalctl -u castway | grep -i "no mdns"'
expect 'doctor, as root, reaches Avahi as the service does' sh -c \
    'castway doctor --config /etc/castway/gateway.yaml --timeout 2s | tee /dev/stderr | grep "ok.*Avahi: reached, as castway"'

soon 30 'a plugin in the sandbox strict runs' sh -c \
    'castway plugin list --json --config /etc/castway/gateway.yaml | tee /dev/stderr | grep "\"state\": *\"ready\""'
expect 'and is shut out of files' sh -c '! castway plugin list --json --config /etc/castway/gateway.yaml | grep -i "files:"'
expect 'check, as root, reads the file with the credentials of the service' castway check /etc/castway/gateway.yaml
expect 'a backup that root restores is the service'"'"'s again' sh -c \
    'castway state backup --config /etc/castway/gateway.yaml /root/backup && systemctl stop castway &&
    systemd-run --quiet --pipe --wait --property=LoadCredential=castway:/etc/castway/credentials --setenv=CASTWAY_STATE_DIR=/var/lib/castway \
        castway state restore --config /etc/castway/gateway.yaml /root/backup &&
    systemctl start castway'

echo '--- reload'
expect 'a reload that is taken succeeds' systemctl reload castway
expect 'a file that is refused fails the reload' sh -c \
    'cp /etc/castway/gateway.yaml /tmp/right.yaml; echo "nonsense: 1" >>/etc/castway/gateway.yaml; ! systemctl reload castway'
expect 'and the journal says why' sh -c 'journalctl -u castway | grep nonsense'
expect 'and the service runs on' systemctl is-active castway
within cp /tmp/right.yaml /etc/castway/gateway.yaml
expect 'and the next reload succeeds' systemctl reload castway

echo '--- crash'
before=$(main_pid)
within kill -SEGV "$before"
soon 5 'after a crash the service is back within five seconds' sh -c \
    "[ \$(systemctl show --value -p MainPID castway) != $before ] && systemctl is-active castway"

echo '--- what is not there yet'
within sed -i 's/0.0.0.0:8009/10.66.0.1:8009/' /etc/castway/gateway.yaml
within systemctl restart castway >/dev/null 2>&1 || true
soon 20 'an address that is missing is tried again, at a pace' sh -c 'systemctl show --value -p NRestarts castway | grep -E "^[1-9]"'
within sleep 6
expect 'not more often than every five seconds' sh -c '[ "$(systemctl show --value -p NRestarts castway)" -le 3 ]'
within ip address add 10.66.0.1/24 dev wire0
soon 20 'and taken when it comes' systemctl is-active castway

echo '--- a wrong file'
echo 'nonsense: 1' >>"$root/etc/castway/gateway.yaml"
within systemctl restart castway >/dev/null 2>&1 || true
soon 10 'a wrong file ends the service' sh -c 'systemctl is-failed castway'
count=$(within systemctl show --value -p NRestarts castway)
within sleep 2
expect 'for good' sh -c "[ \"\$(systemctl show --value -p ActiveState,NRestarts castway | sort | xargs)\" = '$count failed' ]"
within cp /tmp/right.yaml /etc/castway/gateway.yaml

echo '--- the state of units with DynamicUser=yes, and back'
within systemctl reset-failed castway
within systemctl start castway
identity() { within castway identity show --config /etc/castway/gateway.yaml --json 2>/dev/null; }
was=$(identity)
within systemctl stop castway
printf '[Service]\nDynamicUser=yes\nUser=castway-moves\n' | write /etc/systemd/system/castway.service.d/dynamic.conf
within systemctl daemon-reload
expect 'a dynamic user starts with the same state' systemctl start castway
expect 'which is in /var/lib/private' test -d /var/lib/private/castway
if [ "$(identity)" = "$was" ]; then say ok 'and the same identity'; else say fail 'and the same identity'; fi
expect 'doctor says that Avahi is out of reach for that user' sh -c \
    'castway doctor --config /etc/castway/gateway.yaml --timeout 2s | tee /dev/stderr | grep "fail.*Avahi"'
within systemctl stop castway
rm -r "$root/etc/systemd/system/castway.service.d"
within systemctl daemon-reload
expect 'the static user starts with the same state' systemctl start castway
expect 'which is in /var/lib again' sh -c '[ "$(stat -c %U /var/lib/castway)" = castway ] && [ ! -L /var/lib/castway ]'
if [ "$(identity)" = "$was" ]; then say ok 'and the same identity'; else say fail 'and the same identity'; fi

within systemctl poweroff >/dev/null 2>&1 || true
wait "$nspawn" || true
nspawn=
[ "$failures" -eq 0 ] || { echo "try-unit: $failures of these are not so"; exit 1; }
