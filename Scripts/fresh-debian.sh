#!/usr/bin/env bash
# Tries Castway on a fresh Debian 12: makes one with debootstrap, and does there what the README says, as root and as another
# user, in a container of namespaces without cgroups. Needs root, debootstrap, a Swift toolchain and some GB of disk.
#
#   Scripts/fresh-debian.sh [options] [root|user]...      both, unless told otherwise
#
#   --test          runs `make test` too, which takes an hour or so
#   --folder DIR    where the systems are made; kept, so that the next run is quicker (default: /var/tmp/castway-fresh)
#   --swift DIR     the toolchain, which holds bin/swift (default: that of `swift` on the PATH); seen read-only as /opt/swift
#   --mirror URL    where debootstrap and apt find packages (default: debootstrap's own)
#   --apt DIR       a folder that replaces /etc/apt, for proxies and other sources
#   --copy FROM:TO  a file or folder that the new systems need too, such as /etc/gitconfig; may be given again
#   --env NAME=VALUE  set while the commands run; may be given again. http_proxy, https_proxy and no_proxy are passed on
#   --cgroups       shows the machine's cgroups, read and write; without it there is no /sys
#   --minutes N     how long the gateway may take to be ready, its build included (default: 90)
#
# It fails when `make run` does not come up, installs what only tests need, or prints a command that does not work.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'fresh-debian: %s\n' "$*"; }
fail() {
    say "$*" >&2
    exit 1
}

suite=bookworm
# What the toolchain itself is linked against, and what the README asks for.
packages=(git make libcurl4 libedit2 libncurses6 libpython3.11 libsqlite3-0 libxml2)
folder=/var/tmp/castway-fresh
swift=
mirror=
apt=
copies=()
variables=()
tests=
cgroups=
minutes=90
who=()
while [ "$#" -gt 0 ]; do
    case "$1" in
        --test) tests=yes ;;
        --cgroups) cgroups=yes ;;
        --folder) folder=$2 && shift ;;
        --swift) swift=$2 && shift ;;
        --mirror) mirror=$2 && shift ;;
        --apt) apt=$2 && shift ;;
        --copy) copies+=("$2") && shift ;;
        --env) variables+=("$2") && shift ;;
        --minutes) minutes=$2 && shift ;;
        root | user) who+=("$1") ;;
        *) fail "unknown option '$1'" ;;
    esac
    shift
done
[ "${#who[@]}" -gt 0 ] || who=(root user)
for name in http_proxy https_proxy no_proxy; do
    [ -z "${!name:-}" ] || variables+=("$name=${!name}")
done

[ "$(id -u)" -eq 0 ] || fail 'it has to run as root'
command -v debootstrap >/dev/null || fail 'debootstrap is not installed'
[ -n "$swift" ] || swift=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
[ -x "$swift/bin/swift" ] || fail "there is no toolchain in '$swift'"

# Sets `command` to what runs a command in a system: processes, mounts and hostname of its own, the machine's network. Who ends
# it ends all that runs there.
command=()
compose() {
    local root=$1
    shift
    command=(unshare --mount --pid --uts --fork --kill-child --propagation private env \
        ROOT="$root" SWIFT="$swift" CGROUPS="$cgroups" bash -c '
        set -e
        mount -t proc proc "$ROOT/proc"
        mount -t tmpfs -o mode=755 tmpfs "$ROOT/dev"
        for device in null zero full random urandom tty; do
            touch "$ROOT/dev/$device"
            mount --bind "/dev/$device" "$ROOT/dev/$device"
        done
        mkdir "$ROOT/dev/pts" "$ROOT/dev/shm"
        mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$ROOT/dev/pts"
        mount -t tmpfs -o mode=1777 tmpfs "$ROOT/dev/shm"
        ln -s pts/ptmx "$ROOT/dev/ptmx"
        ln -s /proc/self/fd "$ROOT/dev/fd"
        for number in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${number%:*}" "$ROOT/dev/${number#*:}"; done
        mkdir -p "$ROOT/opt/swift"
        mount --bind "$SWIFT" "$ROOT/opt/swift"
        mount -o remount,bind,ro "$ROOT/opt/swift"
        [ -z "$CGROUPS" ] || mount --rbind /sys "$ROOT/sys"
        hostname fresh-debian
        exec chroot "$ROOT" "$@"' bash \
        env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/swift/bin LANG=C.UTF-8 \
        "${variables[@]}" "$@")
}

inside() {
    compose "$@"
    "${command[@]}"
}

# What a system needs of the machine.
copy_files() {
    local copy
    for copy in "${copies[@]}"; do
        mkdir -p "$1$(dirname "${copy#*:}")"
        cp -aT "${copy%%:*}" "$1${copy#*:}"
    done
}

# A system with what the README asks for, and nothing else.
make_base() {
    local base=$folder/base
    [ ! -e "$base.done" ] || return 0
    say "making a Debian 12 in $base"
    rm -rf "$base"
    mkdir -p "$folder"
    debootstrap --variant=minbase "$suite" "$base" ${mirror:+"$mirror"} >"$folder/debootstrap.log" 2>&1 ||
        fail "debootstrap failed: $folder/debootstrap.log"
    cp /etc/resolv.conf /etc/hosts "$base/etc/"
    if [ -n "$apt" ]; then
        rm -rf "$base/etc/apt"
        cp -a "$apt" "$base/etc/apt"
    fi
    copy_files "$base"
    inside "$base" apt-get update -qq
    inside "$base" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${packages[@]}" >"$folder/base.log" 2>&1 ||
        fail "the packages for Swift cannot be installed: $folder/base.log"
    touch "$base.done"
}

# A fresh copy of it, with these sources; the user may use sudo, as on a machine of one's own.
make_system() {
    local user=$1 root=$folder/$1 home=/root
    say "making a system for $user in $root"
    rm -rf "$root"
    cp -a --reflink=auto "$folder/base" "$root"
    copy_files "$root"
    if [ "$user" = user ]; then
        home=/home/user
        inside "$root" apt-get install -y -qq --no-install-recommends sudo >/dev/null 2>&1
        inside "$root" useradd --create-home --shell /bin/bash user
        echo 'user ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/user"
    fi
    mkdir "$root$home/castway"
    git ls-files -co --exclude-standard -z | tar --null --files-from=- --create --file=- |
        tar --extract --file=- --directory="$root$home/castway" --no-same-owner
    inside "$root" git -C "$home/castway" init -q
    if [ "$user" = user ]; then inside "$root" chown -R user:user "$home/castway"; fi
}

# Sets `command` to what runs a line in the folder with the sources, as the user whose system it is.
compose_as() {
    local user=$1 home=/root
    shift
    local change=()
    if [ "$user" = user ]; then
        home=/home/user
        change=(setpriv --reuid=user --regid=user --init-groups)
    fi
    compose "$folder/$user" env HOME="$home" "${change[@]}" bash -c "cd $home/castway && $*"
}

as() {
    compose_as "$@"
    "${command[@]}"
}

# Ends everything that runs under a composed command, by its process id. It is the first process of the system that has to be
# killed: --kill-child does not reach it any more once setpriv has made it another user's.
end_system() {
    local first
    first=$(cat "/proc/$1/task/$1/children" 2>/dev/null) || true
    # shellcheck disable=SC2086 # one word a process
    kill -KILL $first "$1" 2>/dev/null || true
}

try_run() {
    local user=$1 log=$folder/$1-run.log
    say "make run, as $user (log: $log)"
    compose_as "$user" 'exec make run'
    "${command[@]}" >"$log" 2>&1 &
    local job=$! deadline=$((SECONDS + minutes * 60))
    # Whatever happens, nothing of it stays behind.
    trap "end_system $job" EXIT
    until grep -q 'export-root --output' "$log"; do
        kill -0 "$job" 2>/dev/null || fail "make run ended as $user: $(tail -n 5 "$log")"
        [ "$SECONDS" -lt "$deadline" ] || fail "make run is not ready after $minutes minutes as $user"
        sleep 2
    done
    say "ready after $SECONDS s; $(grep -m 1 '^bootstrap: installing' "$log" || echo 'nothing had to be installed')"
    local package
    while read -r package _; do
        case "$package" in '' | '#'* | openssl | tzdata | python3) continue ;; esac
        if inside "$folder/$user" dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
            fail "make run installed $package, which only tests need"
        fi
    done <Scripts/apt-packages-checks.txt
    # What it says to try, each as it is printed.
    local line
    grep -E '^  (\.build/debug/castway|\.venv/bin/python3) ' "$log" >"$folder/$user-hints.txt"
    [ "$(wc -l <"$folder/$user-hints.txt")" -ge 4 ] || fail "make run names fewer than four commands to try: $log"
    as "$user" 'make python' >>"$log" 2>&1 || fail "make python failed as $user: $log"
    while IFS= read -r line; do
        as "$user" "$line" >>"$log" 2>&1 || fail "as $user this does not work: $line"
        say "works as $user: ${line#  }"
    done <"$folder/$user-hints.txt"
    end_system "$job"
    wait "$job" 2>/dev/null || true
    trap - EXIT
}

try_test() {
    local user=$1 log=$folder/$1-test.log
    say "make test, as $user (log: $log)"
    as "$user" 'exec make test' >"$log" 2>&1 || fail "make test failed as $user: $log"
    say "passed as $user: $(grep -E 'Test run with' "$log" | tail -n 1)"
}

make_base
for user in "${who[@]}"; do
    SECONDS=0
    make_system "$user"
    try_run "$user"
    [ -z "$tests" ] || try_test "$user"
done
say 'all is well'
