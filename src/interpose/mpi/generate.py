#!/usr/bin/env python3
"""Writes the wrappers: every MPI_ function of the installed mpi.h, in C and in both Fortrans, with the roles of calls.table.

usage: generate.py MPI TABLE OUTPUT_DIR COMPILER INCLUDE_DIR...     MPI: openmpi or mpich
Leaves OUTPUT_DIR/wrappers_c.cpp, wrappers_fortran.cpp (mpif.h and use mpi), wrappers_f08.cpp and call_names.cpp.
MPICH's library calls the C functions under their names MPI_, so that their wrappers see mpif.h, `use mpi` and of mpi_f08 the
calls with choice buffers (mpi_isend_f08ts_, which takes descriptors). Its other functions of mpi_f08 (mpi_waitall_f08_) call
PMPI_ and are wrapped, and so are those of mpif.h that go past MPI_ (attributes).
tests/mpi/symbols_test.py holds that no function of the installed libraries is missing.
"""
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# Not wrapped: conversions of handles and statuses (macros elsewhere, called by the wrappers themselves), arithmetic on
# addresses, and the tool interface, whose calls may come before MPI_Init and from tools like this one.
NOT_WRAPPED = re.compile(r"MPIX?_(\w+_query_support|Query_\w+_support|Delete_error_\w+|T_\w+|\w+_(f2c|c2f|f08|f082c|c2f08|f2f08|f082f)|Aint_(add|diff))$")

# Fortran functions whose arguments are not those of the C function followed by ierror.
FORTRAN_ARGUMENTS = {
    "MPI_Init": ["ierror"],
    "MPI_Init_thread": ["required", "provided", "ierror"],
    "MPI_Pcontrol": ["level"],
}
HANDLES = {"MPI_Comm": "comm", "MPI_Datatype": "type", "MPI_Message": "message", "MPI_Win": "win", "MPI_Group": "group",
           "MPI_Op": "op", "MPI_File": "file"}

# What `whatwire record --calls` can ask for, by the first that fits (names without MPI_); the rest is "other".
CLASSES = [
    ("frame", r"Init|Init_thread|Finalize|Abort|Session_init|Session_finalize"),
    ("one-sided", r"Win_\w+|R?(Put|Get|Accumulate|Get_accumulate)|Fetch_and_op|Compare_and_swap"),
    ("io", r"File_\w+|Register_datarep"),
    ("communicator", r"(Comm|Intercomm|Cart|Graph|Dist_graph|Topo|Group|Cartdim|Dims|Session)_\w+"),
    ("p2p", r"I?[bsr]?send(_init)?|I?recv(_init)?|I?sendrecv(_replace)?|I?m?probe|Improbe|I?mrecv|Start(all)?|"
            r"(Wait|Test)(all|any|some)?|Cancel|Request_\w+|Buffer_\w+|Test_cancelled|Get_count|Get_elements(_x)?|"
            r"P(send|recv)_init|P(ready|arrived)\w*"),
    ("collective", r"I?(neighbor_)?(barrier|bcast|gatherv?|scatterv?|allgatherv?|alltoall[vw]?|reduce|allreduce|"
                   r"reduce_scatter(_block)?|scan|exscan)(_init)?"),
]


def class_of(name):
    short = name.removeprefix("MPI_").removeprefix("MPIX_").removesuffix("_c")  # with large counts it is the same call
    return next((label for label, pattern in CLASSES if re.fullmatch(pattern, short, re.I)), "other")


COLLECTIVES = ("barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw allreduce reduce "
               "reduce_scatter reduce_scatter_block scan exscan").split()


def meaning_of(name):
    """What a call is, for the reader (trace/call_meaning.hpp): its class, and its operation whether the program begins or ends,
    or how it waits."""
    label = class_of(name)
    short = name.removeprefix("MPI_").removeprefix("MPIX_")
    word = short.lower().removesuffix("_c").removesuffix("_init")
    detail = ""
    if label == "frame" and word != "abort":
        detail = "ends" if word.endswith("finalize") else "begins"
    elif label == "p2p" and re.match(r"Test|Im?probe|Request_get_status", short):
        detail = "polls"
    elif label == "p2p" and word in ("probe", "mprobe"):
        detail = "probes"
    elif label == "collective":
        detail = next((op for op in (word, word[1:]) if op in COLLECTIVES), "")
    elif re.match(r"(Comm|Intercomm|Cart|Graph|Dist_graph)_", short):
        detail = "communicator"
    elif re.match(r"Win_(create|allocate|free|fence)", short):
        detail = "window"
    elif short.startswith("File_"):
        detail = "file"
    return f"{label} {detail}".strip()


@dataclass
class Parameter:
    type: str  # as written, the name replaced by {}
    name: str

    @property
    def declaration(self):
        return self.type.replace("{}", self.name)

    @property
    def base(self):
        return self.type.replace("{}", "").replace("const", "").strip()

    @property
    def by_value(self):
        return "*" not in self.type and "[" not in self.type


@dataclass
class Function:
    result: str
    name: str
    parameters: list
    variadic: bool


# Open MPI 4 declares its persistent collectives in a header of their own.
INCLUDES = "#include <mpi.h>\n#ifdef OPEN_MPI\n#include <mpi-ext.h>\n#endif\n"


def prototypes(compiler, includes):
    """The functions that mpi.h and mpi-ext.h declare, after the preprocessor has chosen among its conditions."""
    command = [compiler, "-E", "-P", "-x", "c++", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
               "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", *[f"-I{d}" for d in includes], "-"]
    text = subprocess.run(command, input=INCLUDES, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", " ", text)
    text = re.sub(r"\s+", " ", text)
    found = {}
    for result, name, arguments in re.findall(r"\b(int|double)\s+(MPIX?_\w+)\s*\(([^;{}]*)\)\s*;", text):
        if NOT_WRAPPED.match(name):
            continue
        parts = [a.strip() for a in split_arguments(arguments)]
        variadic = bool(parts) and parts[-1] == "..."
        if variadic:
            parts.pop()
        parameters = [] if parts in ([], ["void"]) else [parameter(p) for p in parts]
        found[name] = Function(result, name, parameters, variadic)
    if "MPI_Send" not in found or len(found) < 200:
        sys.exit("generate.py: mpi.h declares no MPI functions that this script can read")
    return [found[name] for name in sorted(found)]


def split_arguments(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    last = text[start:].strip()
    return parts + ([last] if last else [])


def parameter(text):
    match = re.match(r"(.*?\W)(\w+)((?:\s*\[[^\]]*\])*)$", text)
    if not match:
        sys.exit(f"generate.py: cannot read the parameter '{text}'")
    return Parameter(f"{match[1]}{{}}{match[3].strip()}", match[2])


def read_table(path):
    """(line by name, names that not every MPI has)"""
    table, optional = {}, set()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, _, rest = line.partition(" ")
        if name.startswith("?"):
            name = name[1:]
            optional.add("MPI_" + name)
        if "MPI_" + name in table:
            sys.exit(f"{path}:{number}: MPI_{name} is listed twice")
        table["MPI_" + name] = rest.strip()
    return table, optional


def translate(function, token, in_c):
    """An argument of a role: a parameter, as the role takes it, or a constant. a|b: whichever of them is a parameter; a*b."""
    if "*" in token:
        return " * ".join(f"int64_t{{{translate(function, factor, in_c)}}}" for factor in token.split("*"))
    token = next((t for t in token.split("|") if t in [p.name for p in function.parameters]), token)
    for p in function.parameters:
        if p.name != token:
            continue
        if re.search(r"\bchar\b", p.type):
            return f"Text{{{token}, -1}}" if in_c else \
                f"Text{{static_cast<const char*>({token}), static_cast<int64_t>(length_of_{token})}}"
        if in_c or not p.by_value:
            return token
        if p.base in HANDLES:
            return f"L::{HANDLES[p.base]}(*{token})"
        return f"*{token}"
    if re.fullmatch(r"[a-z_]+", token) and token not in CONSTANTS:
        sys.exit(f"calls.table: {function.name} has no parameter '{token}'")
    return token


CONSTANTS = {"true", "false", "nullptr", "unknown_world", "world_of_parents"}
# Roles that are templates of the language.
WITHOUT_LANGUAGE = {"plain", "init", "finalize", "abort_all", "wtime", "session_finalize", "collective", "neighbour",
                    "transfer", "atomic", "names_window", "window_call", "window_collective", "window_lock", "window_test", "window_group",
                    "deletes_file", "file_split_begin"}


def body(function, role_line, number, in_c, real_call):
    """The statement that makes the call within its role; real_call(name -> name) writes the call itself."""
    role, _, rest = (role_line or "plain").partition(" ")
    volume = None
    match = re.match(r"(.*?)(\w+)\((.*)\)$", rest.strip())
    if match and role in ("collective", "icollective", "collective_init", "neighbour", "ineighbour", "neighbour_init"):
        rest = match[1]
        volume = (match[2], match[3].split())
    tokens = rest.split()
    arguments = [str(number)]
    replaced = None
    for token in tokens:
        if token.startswith("@"):
            replaced = token.lstrip("@&")
            dereferenced = "*" if token.startswith("@&") and in_c else ""
            arguments.append(("&" if dereferenced else "") + replaced)
        else:
            arguments.append(translate(function, token, in_c))
    if volume:
        values = ["known"] + [translate(function, t, in_c) for t in volume[1]]
        arguments.append(f"[&](const KnownComm& known) {{ return {volume[0]}<L>({', '.join(values)}); }}")
    if replaced:
        arguments.append(f"[&](auto* given) {{ return {real_call({replaced: dereferenced + 'given'})}; }}")
    else:
        arguments.append(f"[&] {{ return {real_call({})}; }}")
    template = role if role in WITHOUT_LANGUAGE else f"{role}<L>"
    return f"{template}({', '.join(arguments)})"


def c_wrapper(function, role, number):
    def real_call(replaced):
        return f"P{function.name}({', '.join(replaced.get(p.name, p.name) for p in function.parameters)})"

    declared = [p.declaration for p in function.parameters] + (["..."] if function.variadic else [])
    using = "  using L [[maybe_unused]] = C;\n"
    return (f'__attribute__((visibility("default"))) {function.result} {function.name}({", ".join(declared)}) {{\n{using}'
            f"  return {body(function, role, number, True, real_call)};\n}}\n")


def fortran_parameters(function):
    """(C++ type, name) of each argument of the Fortran function, lengths of strings last."""
    names = FORTRAN_ARGUMENTS.get(function.name)
    parameters = function.parameters if names is None else [p for p in function.parameters if p.name in names]
    arguments = []
    for p in parameters:
        if p.base in ("MPI_Status*", "MPI_Status *") or p.base.startswith("MPI_Status"):
            kind = "FortranStatus*"
        elif p.base == "MPI_Offset":
            kind = "MPI_Offset*"
        elif re.match(r"(int|MPI_(Comm|Datatype|Request|Message|Op|Group|Win|File|Info|Errhandler|Session)|MPIO_Request)\b", p.base) \
                and "**" not in p.type:
            kind = "MPI_Fint*"
        elif re.match(r"MPI_Count\b", p.base) and "**" not in p.type:
            kind = "MPI_Count*"
        else:
            kind = "void*"
        arguments.append((kind, p.name))
    if function.result == "int" and (names is None or "ierror" in names):
        arguments.append(("MPI_Fint*", "ierror"))
    strings = [p.name for p in parameters if re.search(r"\bchar\b", p.type)]
    return arguments + [("size_t", f"length_of_{name}") for name in strings]


# Behind Fortran functions whose C function they do not call by its name MPI_.
MPICH_BESIDE_C = re.compile(r"MPI_((Comm|Type|Win)_[gs]et_attr|Attr_(get|put))$")
WITH_C_POINTER = ("MPI_Alloc_mem", "MPI_Win_allocate", "MPI_Win_allocate_shared", "MPI_Win_shared_query")


def mpif_names(function):
    """mpif.h and `use mpi`: (name, that of the function behind, other names of it that compilers call: -fsecond-underscore,
    -fno-underscoring, in capitals), also of the variants that give a type(c_ptr)."""
    for name in [function.name] + [f"{f}_cptr" for f in WITH_C_POINTER if f == function.name]:
        low = name.lower()
        yield f"{low}_", f"p{low}_", [low, f"{low}__", name.upper(), f"{name}_f", f"{name}_f08"]


def f08_names(prefix):
    """`use mpi_f08`; MPICH's large counts are overloads there."""
    def names(function):
        low = function.name.lower()
        low = f"{low[:-2]}_f08_large_" if low.endswith("_c") else f"{low}_f08_"
        yield low, prefix + low[len("mpi"):], []
    return names


def fortran_wrapper(function, role, number, name, real_name, aliases):
    """The function of mpif.h and `use mpi`, or of `use mpi_f08`: its handles are structures of one integer and its statuses those
    of C, so that the addresses are the same, but ierror may be absent (a null pointer)."""
    arguments = fortran_parameters(function)
    module = "_f08_" in name
    has_error = any(n == "ierror" for _, n in arguments)
    error = "error" if has_error and module else "ierror"

    def real_call(replaced):
        values = ", ".join(replaced.get(n, error if n == "ierror" else n) for _, n in arguments)
        if function.result == "double":
            return f"real != nullptr ? real({values}) : 0.0"
        if not has_error:
            return f"real != nullptr ? (real({values}), MPI_SUCCESS) : MPI_ERR_OTHER"
        return f"real != nullptr ? (real({values}), static_cast<int>(*{error})) : MPI_ERR_OTHER"

    result = "double" if function.result == "double" else "void"
    types = ", ".join(t for t, _ in arguments)
    declared = ", ".join(f"{t} {n}" for t, n in arguments)
    statement = body(function, role, number, False, real_call)
    own_error = ("  MPI_Fint own_error = MPI_SUCCESS;\n  MPI_Fint* const error = ierror != nullptr ? ierror : &own_error;\n"
                 if error == "error" else "")
    others = "".join(f'extern __attribute__((visibility("default"), alias("{name}"))) decltype({name}) {a};\n' for a in aliases)
    return (f'__attribute__((visibility("default"))) {result} {name}({declared}) {{\n'
            f"  using L [[maybe_unused]] = Fortran;\n"
            f"  using Real = {result}({types});\n"
            f"  static Real* found = nullptr;\n"
            f'  Real* real = behind(found, "{real_name}");\n{own_error}'
            f"  {'return ' if result == 'double' else ''}{statement};\n}}\n{others}")


HEADER = f"""// Generated by generate.py from calls.table and mpi.h.
{INCLUDES}#include "interpose/mpi/completion.hpp"
#include "interpose/mpi/file_calls.hpp"
#include "interpose/mpi/lifecycle.hpp"
#include "interpose/mpi/neighbours.hpp"
#include "interpose/mpi/other_worlds.hpp"
#include "interpose/mpi/one_sided_calls.hpp"

using namespace ww::interpose;
namespace spool = ww::spool;

"""
FORTRAN_HEADER = """namespace {
template <class Function>
inline Function* behind(Function*& found, const char* name) {
  Function* function = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (__builtin_expect(function == nullptr, 0)) {
    function = reinterpret_cast<Function*>(fortran_function(name));
    __atomic_store_n(&found, function, __ATOMIC_RELAXED);
  }
  return function;
}
}  // namespace

"""


PERSISTENT = {"collective": "collective_init", "neighbour": "neighbour_init"}


def role_of(function, table):
    """The call's line, or that of the call that it is a variant of: with large counts (MPI_Send_c), persistent collectives
    (MPI_Bcast_init, and MPIX_Bcast_init of Open MPI 4)."""
    name = function.name.removesuffix("_c").replace("MPIX_", "MPI_")
    if name in table:
        return table[name]
    role, _, rest = table.get(name.removesuffix("_init"), "").partition(" ")
    if name.endswith("_init") and role in PERSISTENT:
        comm, volume = rest.split(None, 1)
        return f"{PERSISTENT[role]} {comm} request {volume}"
    return None


def main():
    mpi, table_path, output, compiler = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
    includes = sys.argv[5:]
    functions = prototypes(compiler, includes)
    table, optional = read_table(table_path)
    missing = sorted(set(table) - {f.name for f in functions} - optional)
    if missing:
        sys.exit(f"{table_path}: mpi.h does not declare {', '.join(missing)}")
    numbered = [(f, role_of(f, table), i) for i, f in enumerate(functions, 1)]
    output.mkdir(parents=True, exist_ok=True)
    (output / "wrappers_c.cpp").write_text(
        HEADER + 'extern "C" {\n' + "".join(c_wrapper(*n) for n in numbered) + "}\n")
    # file, names of a function, functions: Open MPI's mpi_f08 binds MPI_Wtime to the C function.
    libraries = {"openmpi": [("wrappers_fortran", mpif_names, lambda f: True),
                             ("wrappers_f08", f08_names("pmpi"), lambda f: f.result == "int")],
                 "mpich": [("wrappers_fortran", mpif_names, lambda f: MPICH_BESIDE_C.match(f.name)),
                           ("wrappers_f08", f08_names("pmpir"), lambda f: True)]}
    for file, names_of, wanted in libraries[mpi]:
        text = [fortran_wrapper(*n, *names) for n in numbered if wanted(n[0]) for names in names_of(n[0])]
        (output / f"{file}.cpp").write_text(HEADER + FORTRAN_HEADER + 'extern "C" {\n' + "".join(text) + "}\n")
    names = ",".join(['""'] + [f'"{f.name}"' for f in functions])
    meanings = ",".join(['""'] + [f'"{meaning_of(f.name)}"' for f in functions])
    (output / "call_names.cpp").write_text(
        '#include "interpose/core/call_names.hpp"\n\nnamespace ww::interpose {\n'
        f'const char* const call_names_json = R"([{names}])";\n'
        f'const char* const call_meanings_json = R"([{meanings}])";\n'
        f'const char* const call_names[] = {{{names}}};\n'
        f'const char* const call_classes[] = {{"",{",".join(chr(34) + class_of(f.name) + chr(34) for f in functions)}}};\n'
        f'const int calls_count = {len(functions) + 1};\n}}\n')


if __name__ == "__main__":
    main()
