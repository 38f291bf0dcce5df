#!/usr/bin/env bash
# Installs the pages, and what they link to and use, as they lie in the sources, and the documents for programs as a built castway prints
# them: Scripts/install-docs.sh FOLDER PROGRAM
set -euo pipefail
mkdir -p "$1"
folder=$(realpath "$1") program=$(realpath "$2")
cd "$(dirname "$0")/.."

install -m 644 README.md SECURITY.md CONTRIBUTING.md LICENSE "$folder"
find Docs Clients/python Plugins/echo Plugins/python \( -name '.*' -o -name __pycache__ -o -name build -o -name '*.egg-info' -o -path Docs/openapi.json -o -path Docs/asyncapi.json \) -prune -o -type f -print \
    | while read -r file; do
        mode=644
        [ ! -x "$file" ] || mode=755
        install -D -m "$mode" "$file" "$folder/$file"
    done
for name in openapi asyncapi; do
    "$program" call "--$name" >"$folder/Docs/$name.json"
    chmod 644 "$folder/Docs/$name.json"
done
