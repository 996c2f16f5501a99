#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rewrites the pages that come from the tables. Usage: generate.sh NKX
nkx=$(realpath "$1")
cd "$(dirname "$0")" || exit 2
set -e
"$nkx" isa --markdown >isa.md
"$nkx" explain --markdown >errors.md
"$nkx" help --machines >machine.md
"$nkx" help --markdown >cli.md
"$nkx" help --man >nkx.1
"$nkx" help --completion >nkx.bash
