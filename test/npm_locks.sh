#!/usr/bin/env bash
# npm packages: every lock file is exact and hashed, what is not is refused, and no script of a package is run.
# once
command -v node >/dev/null || exit 77
source "$SOURCE/test/cli.bash"
for lock in "$SOURCE"/web/package-lock.json "$SOURCE"/test/*/package-lock.json "$SOURCE"/bench/peers/package-lock.json; do
    expect 0 '' node "$SOURCE/scripts/npm-lock.mjs" "$(dirname "$lock")"
done
refused() { # TEXT, FILE, SED: what is changed, and what is said of it
    cp "$SOURCE/web/package.json" "$SOURCE/web/package-lock.json" .
    sed -i "$3" "$2"
    expect 1 "$1" node "$SOURCE/scripts/npm-lock.mjs" .
}
refused 'is not an exact version' package.json 's/"three": "/&^/'
refused 'another version' package.json 's/"lil-gui": "0/&1/'
refused 'has no SHA-512' package-lock.json '0,/"integrity": "sha512/s//"integrity": "sha1/'
refused 'not from the registry' package-lock.json '0,/"integrity"/s//"resolved": "https:\/\/example.org\/a.tgz", &/'
# Everything is installed by the script that checks.
grep -rnE 'npm (ci|install|i) ' "$SOURCE"/scripts "$SOURCE"/web/*.sh "$SOURCE"/test/*.sh "$SOURCE"/test/*/*.sh "$SOURCE"/bench/peers/run* "$SOURCE"/Makefile |
    grep -v 'npm ci --ignore-scripts' | grep -v npm_locks.sh && fail "npm is run elsewhere, or with scripts"
exit $((failures > 0))
