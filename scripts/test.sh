#!/usr/bin/env bash
# Builds everything and runs every test: release with all tests, then the unit tests under address and undefined
# behaviour sanitizers. Extra arguments go to ctest (scripts/test.sh -R trace).
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cmake --preset release >/dev/null
cmake --build --preset release
ctest --preset release "$@"
cmake --preset asan >/dev/null
cmake --build --preset asan --target unit_tests
ctest --preset asan "$@"
