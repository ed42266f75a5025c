#!/usr/bin/env bash
# scripts/demo.sh [DIR]: what a ten times faster wire would do for three programs, predicted twice and checked.
# Brings up two hosts on a 10 Mb/s wire, measures them, records cg, transpose and ring, predicts them at 100 Mb/s by
# simulation and by dilation, then sets 100 Mb/s and runs them. Leaves report.html and demo.json in DIR (demo-out).
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-demo-out}
scripts/setup.sh
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cmake --preset release >/dev/null
cmake --build --preset release --target product | tail -n 1
whatwire=$PWD/build/release/bin/whatwire
examples=$PWD/build/release/examples
mkdir -p "$out"
if [[ -n $(ls -A "$out") && ! -e $out/.whatwire-demo ]]; then
  echo "demo.sh: $out holds other files; choose another directory" >&2
  exit 2
fi
touch "$out/.whatwire-demo"

lab=()
name=demo$$
if why=$("$whatwire" lab up --name "$name" --hosts 2 --rate 10Mb/s 2>&1); then
  lab=(--lab "$name")
  trap '"$whatwire" lab down --name "$name"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  echo "two hosts on a 10 Mb/s wire:"
  "$whatwire" lab status --name "$name"
else
  echo "No virtual cluster here: $why"
  echo "Going on with two ranks on this machine's shared memory: the same steps, but no real run to compare with."
fi

"$whatwire" measure "${lab[@]}" -o "$out/machine.json" -- mpirun -n 2
studies=()
for program in cg transpose ring; do
  echo "== $program"
  "$whatwire" study "${lab[@]}" --machine "$out/machine.json" --what-if bandwidth=x10 --repeat 7 \
    -o "$out/$program" -- mpirun -n 2 "$examples/$program"
  studies+=("$out/$program")
done
echo
"$whatwire" summary "${studies[@]}" --html "$out/report.html" --data "$out/demo.json"
if [[ ${lab[*]} ]]; then "$whatwire" lab status --name "$name"; fi
echo "pictures: $out/report.html    figures: $out/demo.json"
