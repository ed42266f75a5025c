#!/usr/bin/env python3
"""Checks that names are found at once: no two source files of one name, and no type of one name in two headers, whatever their namespaces."""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent / "src"
files, types = collections.defaultdict(list), collections.defaultdict(set)
IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"', re.S)
# What opens and closes scopes, and what names a type: `namespace a::b {`, `{`, `}`, `struct Name : Base` before its `{`, `using Name =`.
TOKEN = re.compile(r"namespace\s+[\w:]*\s*\{|\{|\}|\b(?:struct|class|enum(?:\s+class)?|union)\s+(?:alignas\([^)]*\)\s*)?(\w+)\s*(?:final\s*)?(?::[^;{]*)?(?=\{)|\busing\s+(\w+)\s*=")

for path in sorted(root.rglob("*")):
    if path.suffix not in {".cpp", ".hpp", ".h", ".c"}:
        continue
    files[path.name].append(path)
    if path.suffix not in {".hpp", ".h"} or path.stem.endswith("_fixture"):
        continue
    scopes = []
    for token in TOKEN.finditer(IGNORED.sub("", path.read_text())):
        if token[0] == "}":
            scopes = scopes[:-1]
        elif token[0][-1] == "{":
            scopes.append(token[0].startswith("namespace"))
        elif all(scopes):
            types[token[1] or token[2]].add(path)

bad = 0
for what, found in (("file", files), ("type", types)):
    for name, paths in sorted(found.items()):
        if len(paths) > 1:
            print(f"the {what} {name} is there more than once: {', '.join(str(one.relative_to(root.parent)) for one in sorted(paths))}")
            bad += 1
sys.exit(1 if bad else 0)
