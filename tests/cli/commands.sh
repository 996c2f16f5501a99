#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Scripts, modules, tests, parsing, and check without arguments.
. "$(dirname "$0")/tap.sh"

cat >"$dir/script.py" <<'END'
import sys
if __name__ == "__main__":
    print("args", sys.argv[1:])
END
run 0 "script with arguments" run "$dir/script.py" -- one --two
says out "args \['one', '--two'\]" "sys.argv"
printf 'print("host only")\n' >"$dir/plain.py"
run 0 "file without kernels" run "$dir/plain.py"
says out '^host only$' "host code runs"
[ "$(grep -c 'host only' "$dir/out")" -eq 1 ]
report $? "host code runs once"
printf 'import sys\nprint("before")\nsys.exit(3)\n' >"$dir/exit.py"
run 1 "script that exits with an error" run "$dir/exit.py"
printf 'raise ValueError("boom")\n' >"$dir/raise.py"
run 1 "uncaught exception" run "$dir/raise.py"
says err 'raise.py:1:1: error\[E[0-9]+\]: .*ValueError.*boom' "uncaught exception: located"

cat >"$dir/test_things.py" <<'END'
import unittest

def test_good():
    assert 1 + 1 == 2

def test_bad():
    assert 1 + 1 == 3, "sum"

def helper():
    raise RuntimeError("never called")

class TestPlain:
    def test_method(self):
        assert True

class Case(unittest.TestCase):
    def setUp(self):
        self.x = 4
    def test_equal(self):
        self.assertEqual(self.x, 4)
    def test_raises(self):
        with self.assertRaises(ValueError):
            raise ValueError("x")
END
run 1 "tests, one of them failing" test "$dir/test_things.py"
says out '^4 passed, 1 failed$' "count"
says out '^FAILED .*::test_bad$' "failing test named"
says err 'sum' "failing test: why"
run 0 "tests by name" test "$dir/test_things.py" -k good
says out '^1 passed, 0 failed$' "count by name"
mkdir "$dir/suite"
printf 'def test_a():\n    pass\n' >"$dir/suite/test_a.py"
printf 'def test_b():\n    pass\n' >"$dir/suite/b_test.py"
printf 'def test_c():\n    assert False\n' >"$dir/suite/other.py"
run 0 "tests of a folder" test "$dir/suite"
says out '^2 passed, 0 failed$' "count of a folder"

printf 'x = 1\ny = x + 2\n' >"$dir/ok.py"
run 0 "parse" parse "$dir/ok.py"
says out 'Assign|assign' "tree"
run 0 "parse --quiet" parse --quiet "$dir/ok.py"
[ ! -s "$dir/out" ]
report $? "parse --quiet prints nothing"
run 0 "parse --json" parse --json "$dir/ok.py"
printf 'x = = 1\ny = (2\n' >"$dir/bad.py"
run 1 "parse of a wrong file" parse --quiet "$dir/ok.py" "$dir/bad.py"
says err 'bad.py:1:[0-9]+: error\[E1' "syntax error located"

cat >"$dir/rules.nki" <<'END'
import nki
import nki.language as nl

@nki.jit
def k(a):
    try:
        b = a
    except ValueError:
        b = a
    return b
END
run 1 "check without arguments applies the language rules" check "$dir/rules.nki"
says err 'rules.nki:6:' "rule located"
run 0 "lenient" check --lenient "$dir/rules.nki"
run 1 "check: JSON" check --format json "$dir/rules.nki"
says out '"diagnostics":\[\{' "diagnostics in JSON"
mkdir "$dir/lib"
printf 'VALUE = 5\n' >"$dir/lib/extra_module.py"
printf 'import extra_module\nprint(extra_module.VALUE)\n' >"$dir/uses.py"
run 0 "--path" run --path "$dir/lib" "$dir/uses.py"
says out '^5$' "module from --path"
run 0 "interruptible limit" run "$dir/plain.py" --max-steps 1000
printf 'while True:\n    pass\n' >"$dir/endless.py"
run 1 "--max-steps" run "$dir/endless.py" --max-steps 1000
says err 'error\[E' "--max-steps: coded"
if command -v timeout >/dev/null; then
  timeout -s INT 1 "$NKX" run "$dir/endless.py" >"$dir/out" 2>"$dir/err"
  code=$?
  [ "$code" -eq 124 ] && grep -q 'error\[E' "$dir/err"
  report $? "an interrupt ends a run with a diagnostic"
fi
if [ -e /dev/full ]; then
  "$NKX" isa --markdown >/dev/full 2>/dev/null
  [ $? -eq 1 ]
  report $? "a full disk is not success"
fi
finish
