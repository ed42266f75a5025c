#!/usr/bin/env python3
"""No function of PVM is missing in the recorder. symbols_test.py LIBRARY ARCHIVE
What is expected is what Debian's libpvm3 and libgpvm3 export."""
import re
import subprocess
import sys
import unittest

LIBRARY, ARCHIVE = sys.argv[1:3]
# What is left alone: functions that pvm3.h does not declare (of descriptors, of libpvm3's tracing and memory, of the group server), and one that
# takes and gives functions.
LEFT_ALONE = re.compile(r"pvm_(fd_\w+|tc_\w+|recvf|[gs]ettmask|alloc|free|realloc|grpv?hostinfo|gsdump)$")


def exported(file):
    listed = subprocess.run(["nm", "-D", "--defined-only", file], capture_output=True, text=True, check=True).stdout
    return {line.split()[2].split("@")[0] for line in listed.splitlines() if line.split()[1] in "TW"}


class Symbols(unittest.TestCase):
    def test_all_functions_are_wrapped(self):
        cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
        libraries = re.findall(r"lib(?:g)?pvm3\.so\.\d+ .*=> (\S+)", cache)
        self.assertEqual(len(libraries), 2, cache)
        functions = {name for library in libraries for name in exported(library) if name.startswith("pvm_")}
        self.assertGreater(len(functions), 100)
        wrapped = exported(LIBRARY)
        self.assertEqual(sorted(name for name in functions - wrapped if not LEFT_ALONE.match(name)), [])
        self.assertEqual(sorted(name for name in wrapped - functions if name.startswith("pvm_")), [], "wraps what is not there")

    def test_all_that_are_wrapped_are_in_the_archive_for_static_programs(self):
        """Those of libgpvm3 in an object of their own, which a program without groups does not need."""
        objects = {}
        for line in subprocess.run(["nm", "-A", "--defined-only", ARCHIVE], capture_output=True, text=True, check=True).stdout.splitlines():
            _, member, rest = line.split(":")
            if (name := rest.split()[2]).startswith("__wrap_"):
                objects.setdefault(member, set()).add(name.removeprefix("__wrap_"))
        self.assertEqual(set.union(*objects.values()), {name for name in exported(LIBRARY) if name.startswith("pvm_")})
        cache = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
        of_groups = exported(re.search(r"libgpvm3\.so\.\d+ .*=> (\S+)", cache)[1])
        self.assertEqual(sorted(objects), ["group_wraps.c.o", "wraps.c.o"])
        self.assertLessEqual(objects["group_wraps.c.o"], of_groups)
        self.assertEqual(objects["wraps.c.o"] & of_groups, set())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
