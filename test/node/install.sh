#!/usr/bin/env bash
# Installs the packages of this folder below $BUILD and prints where. Scripts must be run there: node looks for packages
# beside them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$BUILD/test-node
"$here/../../scripts/npm-packages" "$here" "$folder"
cp "$here"/*.mjs "$folder/"
echo "$folder"
