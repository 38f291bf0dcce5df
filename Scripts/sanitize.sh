#!/usr/bin/env bash
# Runs test suites under the thread sanitizer: Scripts/sanitize.sh [FILTER], a regular expression as `--filter` takes it.
#
# Without a filter it runs the suites that start no gateway and no process. It builds into .build/sanitize, so that other
# builds keep what they have; the first build takes as long as that of `make test` and longer. Reports are in
# .build/sanitize/report.*; one report is a failure.
#
# Synchronization.Mutex takes its lock in a library that is not instrumented, when two threads want it at the same time. The sanitizer
# would report all state under such a lock; Scripts/sanitizer/mutex.c tells it of the lock.
set -euo pipefail
cd "$(dirname "$0")/.."

filter=${1:-'^(CastWire|CastDiscovery|CastTransport|HTTPServing|GatewayConfig|GatewayCore|NamespaceHandlers|BuiltInReceiver|VirtualDevices|DeviceSessions|ControlAPI)Tests\.'}
scratch=.build/sanitize
mkdir -p "$scratch"
rm -f "$scratch"/report.*

echo "Building with the thread sanitizer. The first build takes many minutes."
Scripts/build.sh --build-tests --sanitize=thread --scratch-path "$scratch"
"$(dirname "$(readlink -f "$(command -v swift)")")/clang" -shared -fPIC -O1 -o "$scratch/mutex.so" Scripts/sanitizer/mutex.c

status=0
LD_PRELOAD=$PWD/$scratch/mutex.so TSAN_OPTIONS="log_path=$PWD/$scratch/report exitcode=0 history_size=4" \
    "$scratch/debug/castwayPackageTests.xctest" --testing-library swift-testing --no-parallel --filter "$filter" || status=$?
reports=$(cat "$scratch"/report.* 2>/dev/null | grep -c '^WARNING: ThreadSanitizer' || true)
echo "$reports reports of the thread sanitizer"
[ "$status" -eq 0 ] && [ "$reports" -eq 0 ]
