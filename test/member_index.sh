#!/usr/bin/env bash
# A member of a structure is no array: (&v.x)[axis] is undefined but for 0, and clang takes it for v.x: in
#     sn_vec3 size = {...}; return (&size.x)[axis];
# it may read y before y was written. Once that changed what contacts did, in some builds and not in others.
# once
set -euo pipefail
indexed='\(&[^()]*(\.|->)[A-Za-z_0-9]+\)[[:space:]]*\['
# What is looked for is found, where it is.
for line in '(&size.x)[axis]' '(&a->c[k].x)[axis] = 0' '&(&v[i].y)[k]'; do
    grep -qE "$indexed" <<<"$line" || { echo "FAILED: '$line' would not be found" >&2; exit 1; }
done
cd "$SOURCE"
if grep -rnE "$indexed" include src apps bench examples fuzz python test web/engine --include='*.[ch]' >&2; then
    echo "FAILED: these index a member that is no array (sn_along in src/couplings/contact/contact.h says how else)" >&2
    exit 1
fi
