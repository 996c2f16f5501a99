#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares nkx's tree of Python files with that of CPython 3.11's ast, node by node and place by place.

    compare.py [--no-places] [--scopes] PROGRAM PATH...

PROGRAM prints the JSON of the file it is given, `null` for one it refuses (`parse_tool --json`); with
--scopes the locals, cells and free names of every function (`parse_tool --scopes`). PATH is a file or
a folder. Files that hold async or match, or names of characters outside of nkx's table, are left out:
nkx refuses those by name. A file CPython itself refuses must be refused by nkx too.
Exit 0: no difference. Exit 77 (skipped): no path exists, or not Python 3.11.
"""
import ast
import io
import json
import os
import subprocess
import sys
import tokenize
import types
import warnings

OPS = {
    'Add': '+', 'Sub': '-', 'Mult': '*', 'MatMult': '@', 'Div': '/', 'Mod': '%', 'Pow': '**',
    'LShift': '<<', 'RShift': '>>', 'BitOr': '|', 'BitXor': '^', 'BitAnd': '&', 'FloorDiv': '//',
    'Invert': '~', 'Not': 'not', 'UAdd': '+', 'USub': '-', 'And': 'and', 'Or': 'or', 'Eq': '==',
    'NotEq': '!=', 'Lt': '<', 'LtE': '<=', 'Gt': '>', 'GtE': '>=', 'Is': 'is', 'IsNot': 'is not',
    'In': 'in', 'NotIn': 'not in',
}
PLACES = ('lineno', 'col_offset', 'end_lineno', 'end_col_offset')
UNSUPPORTED = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await, ast.Match)


def constant(value):
    """The value as nkx writes it."""
    if value is Ellipsis:
        return {'ellipsis': ''}
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -2**63 <= value < 2**63 else {'int': str(value)}
    if isinstance(value, float):
        return {'float': repr(value)} if value in (float('inf'),) else value
    if isinstance(value, complex):
        return {'imag': value.imag}
    if isinstance(value, bytes):
        return {'bytes': value.hex()}
    if any(0xD800 <= ord(c) < 0xE000 for c in value):
        return {'utf8': value.encode('utf-8', 'surrogatepass').hex()}
    return value


class Difference(Exception):
    pass


class Compare:
    def __init__(self, places):
        self.places = places

    def differ(self, path, theirs, ours):
        raise Difference(f'{path}: CPython {theirs!r:.200}, nkx {ours!r:.200}')

    def value(self, theirs, ours, path, places):
        if isinstance(theirs, ast.AST):
            if type(theirs).__name__ in OPS:
                if OPS[type(theirs).__name__] != ours:
                    self.differ(path, OPS[type(theirs).__name__], ours)
            elif isinstance(theirs, ast.expr_context):
                if type(theirs).__name__ != ours:
                    self.differ(path, type(theirs).__name__, ours)
            else:
                self.node(theirs, ours, path, places)
        elif isinstance(theirs, list):
            if not isinstance(ours, list) or len(theirs) != len(ours):
                self.differ(path, f'{len(theirs)} items', ours)
            for i, (a, b) in enumerate(zip(theirs, ours)):
                self.value(a, b, f'{path}[{i}]', places)
        elif theirs != ours or type(theirs) is not type(ours):
            self.differ(path, theirs, ours)

    def constant(self, theirs, ours, path):
        value = ours['value']
        if ours['is_float'] and isinstance(value, int):
            value = float(value)
        if isinstance(value, dict) and 'imag' in value:
            value = {'imag': float(value['imag'])}
        if constant(theirs.value) != value or type(constant(theirs.value)) is not type(value):
            self.differ(path + '.value', constant(theirs.value), value)
        if theirs.kind != ours['kind']:
            self.differ(path + '.kind', theirs.kind, ours['kind'])

    def node(self, theirs, ours, path, places):
        name = type(theirs).__name__
        path = f'{path}/{name}@{getattr(theirs, "lineno", "")}'
        if not isinstance(ours, dict) or ours.get('_type') != name:
            self.differ(path, name, ours)
        if places:
            for key in PLACES:
                if hasattr(theirs, key) and getattr(theirs, key) != ours[key]:
                    self.differ(f'{path}.{key}', getattr(theirs, key), ours[key])
        if name == 'Constant':
            self.constant(theirs, ours, path)
            return
        # CPython 3.11 gives pieces of f-strings the place of the whole, and shifts what is inside.
        inner = places and name != 'JoinedStr'
        for field in theirs._fields:
            if field in ('type_ignores', 'type_comment'):
                continue
            if field not in ours:
                if getattr(theirs, field) in (None, []):
                    continue
                self.differ(f'{path}.{field}', getattr(theirs, field), 'absent')
            self.value(getattr(theirs, field), ours[field], f'{path}.{field}', inner)


def python_files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for root, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                if name.endswith(('.py', '.nki')):
                    yield os.path.join(root, name)


def cpython_tree(path):
    """CPython's tree, None if it refuses the file, 'skip' if nkx is not meant to read it."""
    with open(path, 'rb') as f:
        data = f.read()
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if encoding not in ('utf-8', 'utf-8-sig'):
            data.decode('ascii')
    except (SyntaxError, UnicodeDecodeError):
        return 'skip'
    try:
        tree = ast.parse(data, path)
        compile(data, path, 'exec', dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return None
    for n in ast.walk(tree):
        if isinstance(n, UNSUPPORTED) or (isinstance(n, ast.comprehension) and n.is_async):
            return 'skip'
        if isinstance(n, ast.Name) and not n.id.isascii():
            return 'skip'  # CPython normalises names (NFKC)
        if isinstance(n, ast.Nonlocal) and '__class__' in n.names:
            return 'skip'  # CPython makes it a variable of every method
    return tree


def mangled(name):
    """Private names inside classes: CPython puts the class before them, nkx does not."""
    return name.startswith('_') and '__' in name and not name.endswith('__')


def names(items):
    return sorted(n for n in set(items) if n != '__class__' and not mangled(n))


def captured(code):
    """What functions inside take from this one. nkx runs class bodies in the frame around them."""
    free = set()
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            free |= set(inner.co_freevars) if inner.co_flags & 0x2 else captured(inner)
    return free


def code_scopes(code, out):
    """(name, line) of every function's code with its locals, cells, free names and generator flag."""
    if code.co_flags & 0x2:  # CO_NEWLOCALS and optimised: a function
        generator = int(bool(code.co_flags & 0x20) and code.co_name != '<genexpr>')
        out.append([code.co_name, code.co_firstlineno, names(code.co_varnames + code.co_cellvars),
                    names(captured(code) & set(code.co_cellvars)), names(code.co_freevars),
                    generator])
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            code_scopes(constant, out)


def same_scope(theirs, ours):
    return (theirs[:3] == ours[:3] and theirs[4:] == ours[4:] and set(theirs[3]) <= set(ours[3]))


def compare_scopes(path, text):
    """The first function of nkx whose scopes CPython has otherwise, or None."""
    with open(path, 'rb') as f:
        code = compile(f.read(), path, 'exec', dont_inherit=True)
    theirs = []
    code_scopes(code, theirs)
    known = {(s[0], s[1]) for s in theirs}
    for line in text.splitlines():
        ours = json.loads(line)
        ours[2:5] = [names(part) for part in ours[2:5]]
        # Code that cannot be reached is not compiled, and what it alone captures is then no cell.
        if (ours[0], ours[1]) in known and not any(same_scope(s, ours) for s in theirs):
            return f'{ours} is none of {[s for s in theirs if s[:2] == ours[:2]]}'
    return None


def refused_by_name(errors):
    lines = [line for line in errors.splitlines() if ': error[' in line]
    return bool(lines) and all('unknown Unicode character name' in line for line in lines)


def main():
    arguments = sys.argv[1:]
    places, scopes = '--no-places' not in arguments, '--scopes' in arguments
    arguments = [a for a in arguments if not a.startswith('--')]
    program, paths = arguments[0].split(), [p for p in arguments[1:] if os.path.exists(p)]
    if sys.version_info[:2] != (3, 11) or not paths:
        print('skipped: needs Python 3.11 and files')
        return 77
    warnings.simplefilter('ignore')
    sys.setrecursionlimit(10000)
    counts = {'equal': 0, 'both refuse': 0, 'left out': 0, 'different': 0}
    for path in python_files(paths):
        tree = cpython_tree(path)
        if tree == 'skip':
            counts['left out'] += 1
            continue
        run = subprocess.run(program + [path], capture_output=True, text=True)
        if run.returncode not in (0, 1):
            print(f'{path}: exit {run.returncode}\n{run.stderr}')
            counts['different'] += 1
            continue
        if run.returncode == 0 and scopes and tree is not None:
            wrong = compare_scopes(path, run.stdout)
            counts['different' if wrong else 'equal'] += 1
            if wrong:
                print(f'{path}: {wrong}')
            continue
        ours = json.loads(run.stdout) if run.returncode == 0 and not scopes else None
        if run.returncode == 0 and scopes:
            ours = run.stdout
        if tree is None or ours is None:
            if tree is not None and refused_by_name(run.stderr):
                counts['left out'] += 1
                continue
            same = tree is None and ours is None
            counts['both refuse' if same else 'different'] += 1
            if not same:
                print(f'{path}: refused by {"nkx" if ours is None else "CPython"} alone')
                print(run.stderr[:2000])
            continue
        try:
            Compare(places).node(tree, ours, '', places)
            counts['equal'] += 1
        except Difference as difference:
            print(f'{path}: {difference}')
            counts['different'] += 1
    print(', '.join(f'{n} {what}' for what, n in counts.items()))
    return 1 if counts['different'] else 0


sys.exit(main())
