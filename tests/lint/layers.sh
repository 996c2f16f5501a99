#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fails on an #include between layers that the table of CONTRIBUTING.md does not allow, on a header
# without its guard or SPDX line, on a file past 900 lines, and on notes to self in the code.
cd "$(dirname "$0")/../.." || exit 2

git ls-files '*.c' '*.h' '*.re' '*.y' '*.def' | grep -E '^(grammar|interp)/' | xargs awk '
BEGIN {
  # layer: layers it may include besides itself
  allow["base"] = ""
  allow["syntax"] = "base"
  allow["num"] = "base"
  allow["machine"] = "base num"
  allow["tensor"] = "base num machine"
  allow["isa"] = "base num machine tensor"
  allow["host"] = "base num"
  allow["eval"] = "base syntax num machine tensor isa host"
  allow["report"] = "base machine"
  allow["runtime"] = "base syntax num machine tensor isa host eval report public"
  allow["cli"] = "public"
  allow["public"] = ""
}
function layer(path,   parts) {
  if (path ~ /^grammar\//) return "syntax"
  if (path ~ /^interp\/include\//) return "public"
  if (path ~ /^interp\/runtime[^\/]*$/) return "runtime"
  split(path, parts, "/")
  return parts[2]
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
  to = $0
  sub(/^[^"]*"/, "", to); sub(/".*/, "", to)
  if (to !~ /^(grammar|interp)\//) {
    if (FILENAME !~ /^grammar\//) { print FILENAME ":" FNR ": include \"" to "\" is not written from the root"; bad = 1 }
    next
  }
  from = layer(FILENAME); dest = layer(to)
  if (from == dest) next
  if ((" " allow[from] " ") !~ (" " dest " ")) {
    print FILENAME ":" FNR ": " from " may not include " dest " (" to ")"; bad = 1
  }
}
/cblas\.h/ && FILENAME != "interp/num/gemm.c" && /#/ { print FILENAME ":" FNR ": cblas.h belongs to num/gemm.c"; bad = 1 }
END { exit bad }
' || bad=1

for f in $(git ls-files '*.c' '*.h' '*.re' '*.y' '*.def' '*.sh' '*.nki' '*meson.build' '*.py'); do
  [ -e "$f" ] || continue
  head -3 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' || { echo "$f: no SPDX line"; bad=1; }
done
for f in $(git ls-files '*.c' '*.h' '*.re' '*.y'); do
  [ -e "$f" ] || continue
  [ "$(wc -l <"$f")" -le 900 ] || { echo "$f: more than 900 lines"; bad=1; }
done
# The words are put together so that this file does not find itself.
if git grep -nE 'TO''DO|FIX''ME|(^|[^A-Za-z0-9])XX''X([^A-Za-z0-9]|$)' -- '*.c' '*.h' '*.re' '*.y' '*.nki' '*.sh'; then bad=1; fi
exit "${bad:-0}"
