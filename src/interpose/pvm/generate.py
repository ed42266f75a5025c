#!/usr/bin/env python3
"""Writes the wrappers: every pvm_ function that the installed pvm3.h declares, with the roles of calls.table.

usage: generate.py TABLE OUTPUT_DIR COMPILER
Leaves OUTPUT_DIR/wrappers.cpp and call_names.cpp, and for programs that are linked with PVM statically (pvm_wraps.h) wraps.c, group_wraps.c
and pvm-wrap.options. Fortran's functions (libfpvm3, a static library) call those of C.
tests/pvm/symbols_test.py holds that no function of the installed libraries is missing.
"""
import re
import subprocess
import sys
from pathlib import Path

# Gives back a function, and is called by libpvm3 with no such type of its own.
NOT_WRAPPED = {"pvm_recvf"}
# Exported and not declared: what the two with a format call. (S4's Figure 3.5 counts them among its 39 functions.)
BESIDE = ["int pvm_vpackf(const char *, va_list);", "int pvm_vunpackf(const char *, va_list);"]
# Of libc, as far as libpvm3 calls them: where a task really waits, reads and writes (S4, Figure 3.1).
LOWEST = ["int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);", "ssize_t read(int, void *, size_t);", "ssize_t write(int, const void *, size_t);"]
# Wrapped already for what dilation does to it (core/program_waits.cpp), by a name of its own in this recorder.
WRAPPED_BELOW = {"select": "select_of_program"}
VARIADIC = {"pvm_packf": "pvm_vpackf", "pvm_unpackf": "pvm_vunpackf"}
INCLUDES = "#include <stdio.h>\n#include <stdarg.h>\n#include <sys/select.h>\n#include <unistd.h>\n#include <pvm3.h>\n"

# What `whatwire record --calls` can ask for, by the first that fits (names without pvm_); the rest is "other".
CLASSES = [
    ("frame", r"mytid|exit"),
    ("collective", r"barrier|bcast|reduce|gather|scatter"),
    ("p2p", r"p?send|[pnt]?recv|mcast|probe|initsend|mkbuf|freebuf|[sg]et[sr]buf|bufinfo|v?(un)?packf|(un?)?u?pk\w+"),
    ("communicator", r"joingroup|lvgroup|freezegroup|gsize|getinst|gettid|\w*context"),
]
# Of libgpvm3, which not every program is linked with.
OF_GROUPS = r"barrier|bcast|reduce|gather|scatter|joingroup|lvgroup|freezegroup|gsize|getinst|gettid"
DETAILS = {"mytid": "begins", "exit": "ends", "probe": "polls", "nrecv": "polls"}


def class_of(name):
    return next((label for label, pattern in CLASSES if re.fullmatch(pattern, name.removeprefix("pvm_"))), "other")


def meaning_of(name):
    """For the reader (trace/call_meaning.hpp). Functions of groups are messages to their members and their server, which are in the trace."""
    label = class_of(name)
    return f"{'other' if label in ('collective', 'communicator') else label} {DETAILS.get(name.removeprefix('pvm_'), '')}".strip()


def split_arguments(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [*parts, text[start:].strip()]


def prototypes(compiler):
    """(result, name, types of arguments), sorted by name."""
    done = subprocess.run([compiler, "-E", "-P", "-x", "c++", "-"], input=INCLUDES, capture_output=True, text=True, check=True)
    text = re.sub(r"\s+", " ", " ".join([done.stdout, *BESIDE, *LOWEST]))
    found = {}
    lowest = "|".join(re.search(r"(\w+)\(", one)[1] for one in LOWEST)
    for result, name, arguments in re.findall(rf"\b(int|ssize_t|char \*) ?(pvm_\w+|{lowest}) ?\( ?((?:[^();]|\((?:[^()]|\([^()]*\))*\))*)\) ?;", text):
        types = split_arguments(arguments)
        if name not in NOT_WRAPPED:
            found[name] = (result, [] if types in ([""], ["void"]) else types)
    if "pvm_send" not in found or len(found) < 100:
        sys.exit("generate.py: pvm3.h declares no functions that this script can read")
    return [(name, *found[name]) for name in sorted(found)]


def named(type_, number):
    if type_ == "...":
        return type_
    return type_.replace("(*)", f"(*a{number})", 1) if "(*)" in type_ else f"{type_} a{number}"


def read_table(path):
    table = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] in table:
            sys.exit(f"{path}:{number}: {words[0]} is listed twice")
        table[words[0]] = words[1:]
    return table


def wrapper(number, name, result, types, role):
    real, passed = name, [f"a{i}" for i in range(len(types))]
    given, declared = types, declared_as(types)
    before = after = ""
    first = "__builtin_return_address(0), " if role == ["lowest"] else ""
    if name in VARIADIC:
        real, given, passed = VARIADIC[name], [*types[:-1], "va_list"], [*passed[:-1], "rest"]
        before, after = f"  va_list rest;\n  va_start(rest, a{len(types) - 2});\n", "  va_end(rest);\n"
    what = role[0] if role else "plain"
    real_call = "next.get()"
    kind = "Next" if role == ["lowest"] else "NextOfPvm"
    lookup = f'  static {kind}<{result}({", ".join(given)})> next{{"{real}"}};\n'
    below = ""
    if name in WRAPPED_BELOW:
        real_call, lookup = WRAPPED_BELOW[name], ""
        below = f'extern "C" {result} {real_call}({", ".join(given)});\n'
    more = "".join(f", {argument}" for argument in (role or [])[1:])
    return (f'{below}WW_SEEN {result} {name}({declared}) {{\n{lookup}{before}'
            f'  {result} out = {what}({number}, {first}[&] {{ return {real_call}({", ".join(passed)}); }}{more});\n{after}  return out;\n}}\n')


def declared_as(types):
    return ", ".join(named(t, i) for i, t in enumerate(types)) or "void"


def own_wrappers(functions):
    """By names that nothing else in the process has: a program may have functions of PVM's names itself."""
    declared = "".join(f'extern "C" __attribute__((visibility("hidden"), alias("{name}"))) {result} own_{name}({declared_as(types)});\n'
                       for name, result, types in functions)
    listed = "".join(f'    {{"{name}", reinterpret_cast<void (*)()>(own_{name})}},\n' for name, _, _ in functions)
    return (f'\n{declared}\nnamespace ww::interpose {{\nconst PvmWrapper pvm_wrappers[] = {{\n{listed}}};\n'
            f'const int pvm_wrappers_count = {len(functions)};\n}}\n')


def write_wraps(output, names):
    """What is linked into static programs: of libpvm3 all, so that the recorder finds what it asks itself; of libgpvm3 if any of it is used."""
    of_groups = [name for name in names if re.fullmatch(OF_GROUPS, name.removeprefix("pvm_"))]
    include = '/* Generated by generate.py from pvm3.h. */\n#include "interpose/pvm/pvm_wraps.h"\n\n'
    hand_over = "void ww_pvm_hand_over(void);\n__attribute__((used)) static void (*const with_it)(void) = ww_pvm_hand_over;\n"
    for file, more, wrapped in (("wraps.c", hand_over, [name for name in names if name not in of_groups]), ("group_wraps.c", "", of_groups)):
        (output / file).write_text(include + more + "".join(f"WW_PVM_WRAP({name})\n" for name in wrapped))
    # The first object is taken whatever the program itself calls: libpvm3 and libgpvm3, which come behind, call more.
    (output / "pvm-wrap.options").write_text("".join(f"-Wl,--wrap={name}\n" for name in names) + "-Wl,-u,__wrap_pvm_mytid\n")


def main():
    table_path, output, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    functions, table = prototypes(compiler), read_table(table_path)
    if missing := sorted(set(table) - {name for name, _, _ in functions}):
        sys.exit(f"{table_path}: pvm3.h does not declare {', '.join(missing)}")
    output.mkdir(parents=True, exist_ok=True)
    names = [name for name, _, _ in functions]
    of_pvm = [function for function in functions if function[0].startswith("pvm_")]
    (output / "wrappers.cpp").write_text(
        f'// Generated by generate.py from calls.table and pvm3.h.\n{INCLUDES}#include "interpose/core/next_function.hpp"\n#include "interpose/pvm/pvm_calls.hpp"\n#include "interpose/pvm/static_program.hpp"\n\n'
        "using namespace ww::interpose;\n\n" + "".join(wrapper(i, *f, table.get(f[0])) for i, f in enumerate(functions, 1)) + own_wrappers(of_pvm))
    write_wraps(output, [name for name, _, _ in of_pvm])

    def listed(values):
        return ",".join(f'"{value}"' for value in ["", *values])

    (output / "call_names.cpp").write_text(
        '#include "interpose/core/call_names.hpp"\n#include "interpose/pvm/task.hpp"\n\nnamespace ww::interpose {\n'
        f'const char* const call_names_json = R"([{listed(names)}])";\n'
        f'const char* const call_meanings_json = R"([{listed(map(meaning_of, names))}])";\n'
        f'const char* const call_names[] = {{{listed(names)}}};\n'
        f'const char* const call_classes[] = {{{listed(map(class_of, names))}}};\n'
        f'const int calls_count = {len(names) + 1};\nconst int enrolling_call = {names.index("pvm_mytid") + 1};\n}}\n')


if __name__ == "__main__":
    main()
