#!/usr/bin/env python3
"""Writes the program of arguments_test.py: every MPI function that is wrapped, called with one argument after the other wrong.

usage: arguments.py OUTPUT.c COMPILER INCLUDE_DIR...
The functions are those that the wrappers are generated from (src/interpose/mpi/generate.py reads mpi.h). Of each parameter there
is a right value and the wrong ones: null for a pointer, the null handle, a garbage one and a freed one for a handle, numbers that
are no count, rank or tag. arguments.h has the values, and what calls the cases.
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src/interpose/mpi"))
import generate  # noqa: E402

HANDLES = ["Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"]
# Functions that use up, or look at, the handle that they are given the address of; those of the others are results.
TAKES_HANDLE = re.compile(r"MPIX?_(\w+_(free|close|commit|disconnect|finalize|revoke)|Wait|Test|Start|Cancel|I?mrecv)(_c)?$")
# Whose calls a process does not survive, or that need more of the launcher than a forked process has.
ALONE = re.compile(r"MPI_(Init|Init_thread|Finalize|Abort|Session_(init|finalize)|Comm_(spawn|spawn_multiple|accept|connect|join)|"
                   r"(Open|Close)_port|(Publish|Unpublish|Lookup)_name)$")
RANKS = ("dest", "source", "root", "target_rank", "rank", "remote_leader", "local_leader", "rank_source", "rank_dest")
# Values that differ from run to run: only whether they were written is compared.
VARYING = ("attribute_val", "attr_val", "baseptr", "base", "address", "location", "extra_state", "buffer_addr")


def handle_of(parameter):
    name = re.match(r"(?:const )?MPI_(\w+)", parameter.type)
    return name[1] if name and name[1] in HANDLES else None


def right_handle(function, kind):
    name = function.name
    if kind == "Comm":
        for part, comm in (("Cart", "cart"), ("Topo_test", "cart"), ("Dist_graph", "neighbours"), ("eighbor_", "neighbours"),
                           ("Graph", "graph")):
            if part in name and "create" not in name and "map" not in name:
                return comm
    if kind == "Win" and not re.match(r"MPI_Win_(?!flush|sync|unlock_all)", name):
        return "locked_win"
    if kind == "Request" and re.match(r"MPI_(Start|Startall)$", name):
        return "idle_request"
    if kind == "Request" and re.match(r"MPI_(Pready|Parrived)", name):
        return "idle_request"
    if kind == "Datatype" and re.match(r"MPI_Type_(get_contents|get_envelope|commit|free|set|get_name|dup)", name):
        return "own_type"
    return f"right_{kind}"


def is_output(parameter):
    return not parameter.by_value and "const" not in parameter.type and "function" not in parameter.type


def declaration(type_, name):
    """of a variable that an argument of that type can be"""
    pointer = re.sub(r"\{\}\[\](\[3\])?", lambda m: "(*{})[3]" if m[1] else "*{}", type_)
    return pointer.replace("{}", name)


def values(function, index, parameter):
    """(right value, [(label, wrong value)]); addresses are of out[index]."""
    kind, type_, name = handle_of(parameter), parameter.type, parameter.name
    slot = f"out[{index}]"
    if kind and parameter.by_value:
        right = right_handle(function, kind)
        return right, [("null handle", f"MPI_{'DATATYPE' if kind == 'Datatype' else kind.upper()}_NULL"),
                       ("garbage", f"garbage_{kind}"), ("freed", f"freed_{kind}")]
    if "Status" in type_:
        ignore = "MPI_STATUSES_IGNORE" if name.startswith("array") else "MPI_STATUS_IGNORE"
        wrong = [("null", "NULL")] + ([("ignore", ignore)] if "const" not in type_ else [])
        return ("&known_status" if "const" in type_ else f"(MPI_Status*){slot}"), wrong
    if kind:
        null = f"MPI_{kind.upper()}_NULL"
        array = "[" in type_
        fill = f"put_{kind}({slot}, {{}}, {2 if array else 1})"
        right = fill.format(right_handle(function, kind))
        wrong = [("null", "NULL")]
        if array or TAKES_HANDLE.match(function.name):
            wrong += [("address of null handle", fill.format(null)), ("address of garbage", fill.format(f"garbage_{kind}")),
                      ("address of freed", fill.format(f"freed_{kind}"))]
            if array:
                wrong.append(("first right, then garbage", f"put_{kind}_then({slot}, {right_handle(function, kind)}, garbage_{kind})"))
        return right, wrong
    if "function" in type_:
        return "(void*)callback", [("null", "NULL")]
    if "[3]" in type_:
        return "(int (*)[3])one_range", [("null", "NULL")]
    if re.search(r"\bchar\b", type_):
        if "***" in type_:
            return "&program_arguments", [("null", "NULL")]
        if "**" in type_ or "*" in type_ and "[" in type_:
            return "(void*)texts", [("null", "NULL")]
        if "const" in type_:
            text = {"filename": "file_name", "datarep": '"native"', "key": '"key"', "command": '"/nonexistent"'}.get(name, '"text"')
            return text, [("null", "NULL")]
        return f"(char*){slot}", [("null", "NULL")]
    if parameter.by_value:
        if name in ("tag", "sendtag", "recvtag"):
            return "1", [("negative", "-5"), ("too large", "0x7fffffff")]
        if name in RANKS:
            return "0", [("negative", "-77"), ("too large", "1000")]
        right = {"keyval": "keyval", "comm_keyval": "keyval", "type_keyval": "type_keyval", "win_keyval": "win_keyval",
                 "amode": "MPI_MODE_CREATE | MPI_MODE_RDWR", "lock_type": "MPI_LOCK_SHARED", "offset": "0", "disp": "0",
                 "target_disp": "0", "assert": "0", "level": "0", "disp_unit": "1", "split_type": "MPI_COMM_TYPE_SHARED",
                 "direction": "0", "errorcode": "MPI_ERR_COMM", "error_code": "MPI_ERR_COMM", "order": "MPI_ORDER_C",
                 "whence": "MPI_SEEK_SET", "comm_size": "1"}.get(name, "1")
        return right, [("negative", "-1")]
    if "const" in type_ and re.search(r"\bvoid\b", type_):
        return "given", [("null", "NULL"), ("in place", "MPI_IN_PLACE")]
    if "const" in type_:
        zeros = name.endswith("displs") or "displacements" in name or name in ("coords", "ranks", "sources", "destinations", "edges",
                                                                              "array_of_starts")
        if re.search(r"\bint\b", type_):
            return ("zeros" if zeros else "ones"), [("null", "NULL")]
        return f"(const void*)long_{'zeros' if zeros else 'ones'}", [("null", "NULL")]
    return f"(void*){slot}", [("null", "NULL")]




def write_function(function, lines, table):
    parameters = function.parameters
    given, cases = [], ["all right"]
    for i, p in enumerate(parameters):
        right, wrong = values(function, i, p)
        first = len(cases)
        expression = right
        for k, (label, value) in enumerate(wrong):
            cases.append(f"{p.name}: {label}")
            expression = f"which == {first + k} ? {value} : ({expression})"
        # a conditional of integers and addresses needs one type
        kind = declaration(p.type, "").replace("const ", "") if not p.by_value else p.base
        cast = f"({kind.strip()})" if not p.by_value and "function" not in p.type and "(" not in kind else ""
        if cast:
            expression = right if right.startswith("put_") or right == "NULL" else f"(void*)({right})"
            for k, (label, value) in enumerate(wrong):
                expression = f"which == {first + k} ? (void*)({value}) : ({expression})"
            cast = ""
        if "function" in p.type:
            expression = f"which == {first} ? NULL : (void*)callback"
        lines_of = declaration(p.type, f"a{i}").replace("const int a", "int a")
        given.append(f"  {lines_of} = {cast}{expression};")
    call = f"{function.name}({', '.join(f'a{i}' for i in range(len(parameters)))})"
    body = [f"static int call_{function.name}(int which) {{", *given]
    if function.result == "int":
        body.append(f"  const int rc = {call};")
    else:
        body.append(f"  const int rc = {call} > 0 ? MPI_SUCCESS : MPI_ERR_OTHER;")
    for i, p in enumerate(parameters):
        if not is_output(p):
            continue
        kind = handle_of(p)
        if kind and "Status" not in p.type:
            body.append(f"  tell_{kind}(out[{i}], {right_handle(function, kind)}, {2 if '[' in p.type else 1});")
        elif "Status" in p.type:
            body.append(f"  tell_statuses(out[{i}]);")
        elif p.name in VARYING or re.search(r"\bchar\b", p.type):
            body.append(f"  tell_written(out[{i}]);")
        else:
            body.append(f"  tell_bytes(out[{i}]);")
    lines += [*body, "  return rc;", "}"]
    labels = ", ".join(f'"{c}"' for c in cases)
    lines.append(f"static const char* const cases_{function.name}[] = {{{labels}}};")
    alone = 1 if ALONE.match(function.name) else 0
    table.append(f'  {{"{function.name}", call_{function.name}, cases_{function.name}, {len(cases)}, {alone}}},')


def main():
    output, compiler, includes = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    lines, table = ['#include "arguments.h"'], []
    for function in generate.prototypes(compiler, includes):
        write_function(function, lines, table)
    lines += ["const struct function functions[] = {", *table, "};",
              "const int function_count = sizeof functions / sizeof functions[0];"]
    output.write_text("\n".join(lines) + "\n")


main()
