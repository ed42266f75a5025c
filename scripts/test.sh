#!/usr/bin/env bash
# usage: scripts/test.sh [--all] [OPTION OF CTEST...]
# Installs what is missing, builds, and runs the tests that everybody runs before a change goes out: all but those labelled `slow`.
# --all: these too, and the unit tests under sanitizers (address with undefined behaviour; threads); before work is called finished.
# With options of ctest (-R NAME, -L LABEL) what they ask for, slow or not.
set -euo pipefail
cd "$(dirname "$0")/.."
all=
case ${1:-} in
  -h | --help) sed -n '2,5s/^# //p' "$0"; exit 0 ;;
  --all) all=1; shift ;;
esac
tier=()
[[ $all || $# -gt 0 ]] || tier=(-LE slow)
scripts/setup.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cmake --preset release >/dev/null
cmake --build --preset release
# Tests of which no two may run at one time say so (RUN_SERIAL, RESOURCE_LOCK); the others run side by side. Ranks, labs and browsers
# on a machine that others use too are late now and then: what is wrong is wrong twice. What was right only the second time is
# told last, for it may still be a race of ours.
code=0
ctest --preset release --parallel "$(nproc)" --repeat until-pass:2 "${tier[@]}" "$@" | tee build/release/tests.log || code=$?
if [[ $all && $code == 0 ]]; then scripts/sanitize.sh "$@" || code=$?; fi
# ctest prints a line for each time that a test went wrong: one that passed in the end has one, one that failed has two.
awk '/\*\*\*(Failed|Timeout|Exception|Not Run)/ && match($0, /Test +#[0-9]+: [^ ]+/) {
       name = substr($0, RSTART, RLENGTH); sub(/.*: /, "", name); failed[name]++ }
     END { for (name in failed) if (failed[name] == 1) { once[++n] = name }
           if (n) { printf "%d passed only the second time:", n; for (i in once) printf " %s", once[i]; print "" }
           else if (!length(failed)) print "none passed only the second time" }' build/release/tests.log
exit "$code"
