#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# grammar_doc.sh [--update] LEMON PARSER_Y PAGE: the grammar shown in PAGE, between the lines
# "<!-- grammar -->" and "<!-- /grammar -->", is that of PARSER_Y. --update rewrites it.
update=false
if [ "$1" = --update ]; then
    update=true
    shift
fi
lemon=$1 grammar=$2 page=$3
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# One rule a line, the alternatives of a symbol together, in the order of the file.
"$lemon" -g "$grammar" | awk '
    !/::=/ { next }
    {
        sub(/\.[^.]*$/, "")
        left = $1
        right = $0
        sub(/^[^=]*::= ?/, "", right)
        if (right ~ /error|BADLINE|bad /) next
        if (right == "") right = "(nothing)"
        if (!(left in rules)) order[++n] = left
        rules[left] = rules[left] (left in seen ? "\n    | " : "\n      ") right
        seen[left] = 1
    }
    END {
        for (i = 1; i <= n; i++) if (order[i] != "bad") print order[i] " ::=" rules[order[i]]
    }' >"$scratch/rules" || exit 1

awk -v rules="$scratch/rules" '
    /^<!-- grammar -->$/ {
        print
        print "```"
        while ((getline line < rules) > 0) print line
        print "```"
        skip = 1
    }
    /^<!-- \/grammar -->$/ { skip = 0 }
    !skip { print }
' "$page" >"$scratch/page" || exit 1

if $update; then
    cp "$scratch/page" "$page"
else
    diff -u "$page" "$scratch/page"
fi
