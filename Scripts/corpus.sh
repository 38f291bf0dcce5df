#!/usr/bin/env bash
# Unpacks and packs the corpora of the fuzz targets.
#
#   Scripts/corpus.sh unpack TARGET FOLDER   writes every input of the target into the folder, one file each
#   Scripts/corpus.sh pack TARGET FOLDER     makes the inputs of the folder the target's archive, but for its seeds
#
# A corpus has two parts. Tests/Fuzzing/Corpus/TARGET holds the seeds: files written by hand, with telling names.
# Tests/Fuzzing/Corpus/TARGET.txt is the archive of what libFuzzer chose: one input a line, in which printable ASCII
# stands for itself, the backslash is written twice, and every other byte is written \xNN. Lines are sorted, so that a
# diff shows which inputs came and which went.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

[ "$#" -eq 3 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 64; }
command=$1 target=$2 folder=$3
seeds=Tests/Fuzzing/Corpus/$target
archive=Tests/Fuzzing/Corpus/$target.txt
[ -d "$seeds" ] || [ -f "$archive" ] || { echo "corpus: there is no corpus of '$target'" >&2; exit 2; }

# The line of the archive that stands for a file.
line() { perl -0777 -pe 's/\\/\\\\/g; s/([^ -~])/sprintf "\\x%02x", ord $1/ge; s/^ /\\x20/; s/ $/\\x20/' "$1"; echo; }

case $command in
    unpack)
        mkdir -p "$folder"
        [ ! -d "$seeds" ] || cp "$seeds"/* "$folder/"
        [ -f "$archive" ] || exit 0
        number=0
        while IFS= read -r line; do
            number=$((number + 1))
            printf '%b' "$line" >"$folder/line-$number"
        done <"$archive"
        ;;
    pack)
        declare -A known
        if [ -d "$seeds" ]; then
            for file in "$seeds"/*; do known[$(sha1sum <"$file")]=yes; done
        fi
        for file in "$folder"/*; do
            [ -n "${known[$(sha1sum <"$file")]:-}" ] || line "$file"
        done | sort -u >"$archive.new"
        mv "$archive.new" "$archive"
        ;;
    *)
        echo "corpus: unknown command '$command'; there are unpack and pack" >&2
        exit 64
        ;;
esac
