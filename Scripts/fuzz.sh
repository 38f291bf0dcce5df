#!/usr/bin/env bash
# Fuzzes with libFuzzer and the address sanitizer: fuzz.sh [SECONDS [TARGET]], 300 seconds for each of all targets.
#
# Starts from the corpus of the target (Scripts/corpus.sh), unpacked below .build/fuzz/corpus. What it learns is kept in .build/fuzz/learned, and an input on which something
# does not hold in .build/fuzz/findings; then it names the file and fails.
# Coverage goes on from where the last run stopped; `rm -r .build/fuzz/learned` begins anew.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-300}
only=${2:-}
scratch=.build/fuzz
program=$scratch/release/castway-fuzz

# Optimised, since traps for overflows, bounds and wrong casts stay in optimised Swift, assertions are asked for, and
# sequences run twenty times as often as in a debug build. In a folder of its own: other builds keep what they have.
echo "Building the fuzz targets. The first build takes some minutes."
CASTWAY_FUZZ=1 swift build -c release --scratch-path "$scratch" --product castway-fuzz

# What Swift keeps for ever looks like a leak to the sanitizer, so leaks are not asked for: targets check for them.
# The sanitizers print the stack; Swift's own report would take seconds more. The same input takes the same path.
export SWIFT_BACKTRACE=enable=no SWIFT_DETERMINISTIC_HASHING=1
export ASAN_OPTIONS=malloc_context_size=2:detect_leaks=0

failures=0
for target in $("$program"); do
    [ -z "$only" ] || [ "$only" = "$target" ] || continue
    found=1
    learned=$scratch/learned/$target
    findings=$scratch/findings/$target
    log=$scratch/$target.log
    corpus=$scratch/corpus/$target
    rm -rf "$corpus"
    mkdir -p "$learned" "$findings"
    Scripts/corpus.sh unpack "$target" "$corpus"
    options=(-max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$findings/")
    case $target in
        frame-decoder | cast-message | device-auth | crl-bundle | device-record | announcement) ;;
        # Long sequences find more than many short ones.
        *-sequence) options+=(-max_len=800 -len_control=0) ;;
        yaml) options+=(-dict=Tests/Fuzzing/Dictionaries/yaml.dict) ;;
        *) options+=(-dict=Tests/Fuzzing/Dictionaries/messages.dict) ;;
    esac
    if "$program" "$target" "${options[@]}" "$learned" "$corpus" >"$log" 2>&1; then
        coverage=$(grep -aoE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -n 1)
        rate=$(awk '/average_exec_per_sec/ { print $2 }' "$log")
        printf '%-20s nothing found; %s, %s executions/s\n' "$target" "$coverage" "$rate"
    else
        failures=$((failures + 1))
        printf '%-20s FOUND: %s\n' "$target" "$(grep -aoE 'Test unit written to .*' "$log" | tail -n 1 | cut -d ' ' -f 5)"
        grep -aE "^$target: |^Fatal error|: Fatal error|^==[0-9]+== ?ERROR|SUMMARY" "$log" | cut -c 1-2000 || true
        echo "  all of it: $log"
    fi
done

if [ -z "${found:-}" ]; then
    echo "There is no target '$only'. There are: $("$program" | tr '\n' ' ')" >&2
    exit 2
fi
exit $((failures > 0))
