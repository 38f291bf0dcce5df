#!/usr/bin/env bash
# Builds and tests the package in Docs/examples/handler-package, which imports Castway's products, and casts with its program to a
# gateway that runs its gateway.yaml.
#
# The package is copied into .build/example and built into .build/tests itself: its dependencies are those of Castway, built with the
# same flags, so what `make test` has built is used. Elsewhere `swift test` in the package's folder does the same, and builds
# everything for itself.
set -euo pipefail
cd "$(dirname "$0")/.."

package=.build/example/scoreboard
rm -rf "$package"
mkdir -p .build/example
cp -r Docs/examples/handler-package "$package"
rm -rf "$package/.build"
# The same versions.
cp Package.resolved Tests/XCTMain.swift "$package/"
mv "$package/XCTMain.swift" "$package/Tests/"
sed -i "s,path: \"../../..\",path: \"$PWD\"," "$package/Package.swift"
Scripts/build.sh --tested --build-tests --package-path "$package"
.build/tests/release/scoreboardPackageTests.xctest --testing-library swift-testing

folder=$(mktemp -d)
gateway=
trap 'if [ -n "$gateway" ]; then kill "$gateway" 2>/dev/null || true; wait "$gateway" || true; fi; rm -r "$folder"' EXIT
cp "$package/gateway.yaml" "$folder/"
mkfifo "$folder/said"
CASTWAY_RUN_DIRECTORY=$folder/run .build/tests/release/castway run --config "$folder/gateway.yaml" >"$folder/said" 2>"$folder/log" &
gateway=$!
exec 3<"$folder/said"
port=
while IFS= read -r -t 60 line <&3; do
    case $line in *127.0.0.1:*) port=${line#*127.0.0.1:} && port=${port%% *} && break ;; esac
done
[ -n "$port" ] || { echo 'example: the gateway did not start:' >&2; cat "$folder/log" >&2; exit 1; }
said=$(.build/tests/release/cast-score 127.0.0.1 "$port")
echo "$said"
[ "$said" = 'Echo answers {"type":"SCORE","team":"red","points":2}' ]
