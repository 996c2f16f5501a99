#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# goldens.sh [--update] PARSE_TOOL: the tree of each cases/x.nki is cases/x.tree, its scopes are
# cases/x.scopes where there is such a file. Differences are shown; --update writes the files anew.
cases=$(dirname "$0")/cases
update=false
if [ "$1" = --update ]; then
    update=true
    shift
fi
tool=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

# check MODE FILE GOLDEN
check() {
    "$tool" "$1" "$2" >"$scratch/out" || failed=1
    if $update; then
        cp "$scratch/out" "$3"
    else
        diff -u "$3" "$scratch/out" || failed=1
    fi
}

for file in "$cases"/*.nki; do
    check --tree "$file" "${file%.nki}.tree"
    if [ -e "${file%.nki}.scopes" ]; then
        check --scopes "$file" "${file%.nki}.scopes"
    fi
done
exit $failed
