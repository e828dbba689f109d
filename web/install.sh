#!/usr/bin/env bash
# Copies the page's sources below $BUILD (default: build in the tree), beside the packages that it is built with, and
# prints where. There: node build.mjs --out DIR.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${BUILD:-$here/../build}/web
"$here/../scripts/npm-packages" "$here" "$folder"
exec 9>"$folder.lock"
flock 9
rm -rf "$folder/src"
cp -r "$here/src" "$here/index.html" "$here/build.mjs" "$here/tsconfig.json" "$folder/"
echo "$folder"
