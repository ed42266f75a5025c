#!/usr/bin/env python3
"""What scripts/new makes of one kind compiles, in the project as it is now, and one line elsewhere is all that it changes
(CONTRIBUTING.md promises both). Nothing is built or written in the project. Usage: KIND BUILD_DIRECTORY"""
import difflib
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

KIND, BUILD = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NEW = ROOT / "scripts/new"
COMMANDS = {}
for each in json.loads(pathlib.Path(BUILD, "compile_commands.json").read_text()):
    path = pathlib.Path(each["directory"], each["file"]).resolve()
    together = re.findall(r'#include "(.+)"', path.read_text()) if "Unity" in path.parts else []  # WHATWIRE_TOGETHER
    for source in together or [str(path)]:
        COMMANDS[source] = each


def changed_lines(before, after):
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if line[0] in "+-"]


def compile_as_a_neighbour(source, folder, into):
    """With the flags of a source of that folder, and the changed headers before the project's."""
    test = source.name.endswith("_test.cpp")
    neighbour = next(name for name in sorted(COMMANDS) if pathlib.Path(name).parent == ROOT / folder and name.endswith("_test.cpp") == test)
    words = shlex.split(COMMANDS[neighbour]["command"].split(" -o ")[0])
    compiler = next(i for i, word in enumerate(words) if word.endswith(("c++", "g++", "clang++", "ccache")))
    while words[compiler].endswith("ccache"):
        compiler += 1
    words = [words[compiler], f"-I{into / 'src'}", *words[compiler + 1:], "-fsyntax-only", str(source)]
    done = subprocess.run(words, cwd=COMMANDS[neighbour]["directory"], capture_output=True, text=True)
    assert done.returncode == 0, f"{source.name} does not compile:\n{done.stderr}"


def check_the_page(into):
    """Types and tests of the page with the new files."""
    shutil.copytree(ROOT / "web", into / "web", dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))
    (into / "src").symlink_to(ROOT / "src")  # whose reports some tests read
    (into / "web/node_modules").symlink_to(ROOT / "web/node_modules")
    for words in (["node_modules/typescript/bin/tsc", "-p", "."], ["test.mjs"]):
        done = subprocess.run(["node", *words], cwd=into / "web", capture_output=True, text=True)
        assert done.returncode == 0, f"node {words[0]}:\n{done.stdout}{done.stderr}"


with tempfile.TemporaryDirectory() as directory:
    into = pathlib.Path(directory)
    done = subprocess.run([sys.executable, NEW, KIND, "probe-it", "--into", into], capture_output=True, text=True, check=True)
    made = done.stdout.split()
    old = [file for file in made if (ROOT / file).exists()]
    sources = [file for file in made if file.endswith(".cpp")]
    assert len(old) <= 1, f"{old} have to be changed: one file is promised"
    for file in old:
        lines = changed_lines((ROOT / file).read_text(), (into / file).read_text())
        assert len(lines) == 1 and lines[0].startswith("+ "), f"{file} gets more than a line: {lines}"
    if KIND == "diagnostic":
        file = into / "src/base/probe_it.cpp"
        file.write_text('#include "base/diagnostic.hpp"\nvoid probe(ww::Diagnostics& said) { said.add("probe-it"); }\n')
        sources = ["src/base/probe_it.cpp"]
    if KIND == "algorithm":  # the build lists the files of the folder
        names = sorted(file.stem for folder in (ROOT, into) for file in (folder / "src/patterns/algorithms").glob("*.cpp"))
        (into / "src/patterns/algorithms.inc").write_text("".join(f"WW_ALGORITHM({name})\n" for name in names))
    assert KIND == "experiment" or KIND == "diagnostic" or any("test." in file for file in made), f"{made} has no test"
    for file in sources:
        text = (into / file).read_text()
        assert "NEW" not in text and "NewName" not in text, f"{file} was not named throughout"
        assert KIND == "diagnostic" or "probe_it" in text or "ProbeIt" in text, f"{file} does not have the name"
        compile_as_a_neighbour(into / file, pathlib.Path(file).parent, into)
    if KIND == "picture":
        check_the_page(into)
    again = subprocess.run([sys.executable, NEW, KIND, "Not A Name", "--into", into], capture_output=True, text=True)
    assert again.returncode != 0 and "is no name" in again.stderr, again.stderr
