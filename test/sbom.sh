#!/usr/bin/env bash
# The bill of materials lists every library that the command line loads and every package in the page, each with its
# licence, none under the GPL without the exception for runtimes; and it is the same each time.
# needs: no sanitizer
# once
command -v ldd >/dev/null && command -v dpkg-query >/dev/null || exit 77
source "$SOURCE/test/cli.bash"
for copy in one two; do "$SOURCE/scripts/sbom" "$SINEW" >$copy || fail "sbom"; done
cmp one two || fail "two differ"
for library in $(ldd "$SINEW" | grep -oE '[a-z0-9+_-]+\.so[.0-9]*' | grep -v vdso | sort -u); do
    grep -qxF "PackageName: $library" one || fail "$library is not listed"
done
for package in $(sed -n '/"dependencies"/,/}/s/^ *"\([^"]*\)": "[0-9].*/\1/p' "$SOURCE/web/package.json"); do
    grep -qxF "PackageName: $package" one || fail "$package is not listed"
done
grep 'LicenseDeclared: NOASSERTION' one && fail "a package without a licence"
grep 'LicenseDeclared' one | grep GPL | grep -vE 'LGPL|WITH GCC-exception' && fail "the GPL"
[[ -z $(grep '^SPDXID' one | sort | uniq -d) ]] || fail "two packages with one name"
for id in $(sed -n 's/^Relationship: //p' one | grep -oE 'SPDXRef-[A-Za-z0-9.-]+' | sort -u); do
    grep -qxF "SPDXID: $id" one || fail "$id is related and not listed"
done
exit $((failures > 0))
