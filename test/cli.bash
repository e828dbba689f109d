# What tests of commands share: an empty folder to work in, which goes away at the end, and three words.
#
#     expect CODE TEXT COMMAND...   the command exits with CODE and says TEXT (on stdout or stderr; "$folder.said" has it)
#     only NAME...                  nothing else is in the folder
#     fail WORDS...                 something else was not as it should be
#
# A test ends with: exit $((failures > 0))
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$folder.said"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

expect() {
    local code=$1 text=$2 got
    shift 2
    "$@" >"$folder.said" 2>&1
    got=$?
    if [[ $got != "$code" ]] || { [[ -n $text ]] && ! grep -qF -- "$text" "$folder.said"; }; then
        fail "$* : exit $got, wanted $code and \"$text\"; it said:"
        cat "$folder.said" >&2
    fi
}

only() {
    local left
    left=$(ls -A)
    [[ $left == "$(printf '%s\n' "$@")" ]] || fail "left behind: $left; wanted: $*"
}
