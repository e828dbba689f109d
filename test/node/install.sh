#!/usr/bin/env bash
# Installs the packages of this folder below $BUILD, once for each state of the lock file, and prints where. Scripts
# must be run there: node looks for packages beside them. Tests that run at the same time wait for each other.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$BUILD/test-node
mkdir -p "$folder"
exec 9>"$folder.lock"
flock 9
if ! cmp -s "$here/package-lock.json" "$folder/installed"; then
    cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$folder/"
    if ! (cd "$folder" && npm ci --no-progress) >"$folder/npm.log" 2>&1; then
        cat "$folder/npm.log" >&2
        echo "npm cannot install the packages of $here" >&2
        exit 1
    fi
    cp "$here/package-lock.json" "$folder/installed"
fi
cp "$here"/*.mjs "$folder/"
echo "$folder"
