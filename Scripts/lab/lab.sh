#!/usr/bin/env bash
# A local network that exists only on this machine: hosts in network namespaces on one bridge, each with a D-Bus and an
# Avahi daemon of its own, so that mDNS is real and stays in the lab. Needs root.
#
#   Scripts/lab/lab.sh check            says why there can be no such network here, and fails; silent when there can
#   Scripts/lab/lab.sh up 3             makes hosts 1 to 3: 10.77.0.N and fd77::N on eth0
#   Scripts/lab/lab.sh avahi N          starts the daemons of host N, again if they were stopped
#   Scripts/lab/lab.sh no-avahi N       stops the Avahi daemon of host N, but not its bus
#   Scripts/lab/lab.sh no-bus N         stops the bus of host N, and the Avahi daemon goes with it
#   Scripts/lab/lab.sh in N CMD...      runs a command on host N
#   Scripts/lab/lab.sh down             stops what was started and takes everything away
#
# CASTWAY_LAB names the folder that holds its state; two labs with different names (CASTWAY_LAB_NAME) do not meet.
# With CASTWAY_LAB_IPV6=no the Avahi daemons speak IPv4 only; they use the interfaces of CASTWAY_LAB_INTERFACES, or eth0. A host whose cable is pulled
# (`ip -n NAME-switch link set portN down`) is announced again once it is back.
set -euo pipefail

name=${CASTWAY_LAB_NAME:-cwlab}
state=${CASTWAY_LAB:-${TMPDIR:-/tmp}/$name}

namespace() { printf '%s-%s' "$name" "$1"; }
bus() { printf 'unix:path=%s/%s/bus' "$state" "$1"; }

# Waits up to five seconds until a command succeeds.
await() {
    for _ in $(seq 100); do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.05
    done
    printf 'lab: not in time: %s\n' "$*" >&2
    return 1
}

stop() {
    local file=$1 pid
    [ -s "$file" ] || return 0
    pid=$(cat "$file")
    rm -f "$file"
    # Only what was started here, in case the number has been given to another by now.
    ! grep -qsE 'avahi|dbus' "/proc/$pid/cmdline" || kill "$pid" 2>/dev/null || true
    await test ! -d "/proc/$pid" || kill -9 "$pid" 2>/dev/null || true
}

check() {
    [ "$(id -u)" -eq 0 ] || { echo 'not root'; return 1; }
    local tool
    for tool in ip dbus-daemon avahi-daemon avahi-publish unshare; do
        command -v "$tool" >/dev/null || { echo "$tool is not installed"; return 1; }
    done
    ip netns add "$name-check-$$" 2>/dev/null || { echo 'network namespaces are not allowed here'; return 1; }
    local trouble=''
    # Everything that `up` and `avahi` do, since a container or a chroot may refuse any of it.
    if ! ip -n "$name-check-$$" link add br0 type bridge 2>/dev/null; then
        trouble='bridges are not allowed here'
    elif ! ip -n "$name-check-$$" link add port type veth peer name eth0 2>/dev/null; then
        trouble='virtual network cards are not allowed here'
    elif ! ip netns exec "$name-check-$$" true 2>/dev/null; then
        trouble='no program can be run in a network namespace here: mount propagation is refused'
    elif ! ip netns exec "$name-check-$$" unshare -m --propagation private mount --bind /run /mnt 2>/dev/null; then
        trouble='mounts are not allowed here'
    fi
    ip netns delete "$name-check-$$"
    [ -z "$trouble" ] || { echo "$trouble"; return 1; }
}

up() {
    local count=$1 host
    mkdir -p "$state"
    ip netns add "$(namespace switch)"
    ip -n "$(namespace switch)" link add br0 type bridge mcast_snooping 0 forward_delay 0
    ip -n "$(namespace switch)" link set br0 up
    for host in $(seq "$count"); do
        mkdir -p "$state/$host/run" "$state/$host/services"
        ip netns add "$(namespace "$host")"
        ip -n "$(namespace "$host")" link set lo up
        ip link add "port$host" netns "$(namespace switch)" type veth peer name eth0 netns "$(namespace "$host")"
        ip -n "$(namespace switch)" link set "port$host" master br0 up
        ip -n "$(namespace "$host")" link set eth0 up
        ip -n "$(namespace "$host")" address add "10.77.0.$host/24" broadcast 10.77.0.255 dev eth0
        ip -n "$(namespace "$host")" address add "fd77::$host/64" dev eth0 nodad
        # No host is there; it only lets programs believe that they are online.
        ip -n "$(namespace "$host")" route add default via 10.77.0.254 dev eth0
    done
}

start_bus() {
    local host=$1 folder=$state/$1
    ! { [ -s "$folder/dbus.pid" ] && [ -d "/proc/$(cat "$folder/dbus.pid")" ]; } || return 0
    rm -f "$folder/bus"
    cat >"$folder/bus.conf" <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>$(bus "$host")</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
    <allow send_requested_reply="true"/><allow receive_requested_reply="true"/>
  </policy>
</busconfig>
XML
    ip netns exec "$(namespace "$host")" dbus-daemon --config-file="$folder/bus.conf" --nofork --nopidfile \
        >"$folder/dbus.log" 2>&1 &
    echo $! >"$folder/dbus.pid"
    await test -S "$folder/bus"
}

start_avahi() {
    local host=$1 folder=$state/$1
    start_bus "$host"
    cat >"$folder/avahi.conf" <<INI
[server]
host-name=host-$host
use-ipv4=yes
use-ipv6=${CASTWAY_LAB_IPV6:-yes}
allow-interfaces=${CASTWAY_LAB_INTERFACES:-eth0}
use-iff-running=yes
enable-dbus=yes
objects-per-client-max=4096
[publish]
publish-hinfo=no
publish-workstation=no
publish-aaaa-on-ipv4=${CASTWAY_LAB_IPV6:-yes}
[rlimits]
INI
    : >"$folder/avahi.log"
    # A mount namespace of its own, because the daemon's socket, its process id and its services are at fixed places.
    ip netns exec "$(namespace "$host")" env DBUS_SYSTEM_BUS_ADDRESS="$(bus "$host")" \
        unshare -m --propagation private sh -c '
            mkdir -p /run/avahi-daemon
            mount --bind "$1/run" /run/avahi-daemon && mount --bind "$1/services" /etc/avahi/services &&
            exec avahi-daemon -f "$1/avahi.conf" --no-drop-root --no-chroot --no-rlimits' sh "$folder" \
        >"$folder/avahi.log" 2>&1 &
    echo $! >"$folder/avahi.pid"
    await grep -q 'Server startup complete' "$folder/avahi.log"
}

down() {
    local file spaces
    for file in "$state"/*/avahi.pid "$state"/*/dbus.pid; do
        stop "$file"
    done
    spaces=$(ip netns list | awk -v begin="$name-" 'index($1, begin) == 1 { print $1 }')
    for file in $spaces; do ip netns delete "$file"; done
    rm -rf "$state"
}

case ${1:-} in
    check) check ;;
    up) up "${2:-2}" ;;
    avahi) start_avahi "$2" ;;
    no-avahi) stop "$state/$2/avahi.pid" ;;
    no-bus) stop "$state/$2/dbus.pid" ;;
    in)
        host=$2
        shift 2
        exec ip netns exec "$(namespace "$host")" env DBUS_SYSTEM_BUS_ADDRESS="$(bus "$host")" "$@"
        ;;
    down) down ;;
    *)
        sed -n '2,16s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
esac
