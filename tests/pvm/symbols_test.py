#!/usr/bin/env python3
"""No function of PVM is missing in the recorder. symbols_test.py LIBRARY
What is expected is what Debian's libpvm3 and libgpvm3 export."""
import re
import subprocess
import sys
import unittest

LIBRARY = sys.argv[1]
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


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
