#!/usr/bin/env bash
# usage: scripts/sanitize.sh [OPTION OF CTEST...]
# The unit tests under the sanitizers of addresses and undefined behaviour, and of threads.
set -euo pipefail
export WW_REQUESTS=${WW_REQUESTS:-100000}  # that the viewer is asked
cd "$(dirname "$0")/.."
for preset in asan tsan; do
  cmake --preset "$preset" >/dev/null
  cmake --build --preset "$preset" --target unit_tests
  ctest --preset "$preset" --parallel "$(nproc)" "$@"
done
