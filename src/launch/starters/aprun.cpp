// aprun(1) of ALPS.
#include "launch/starter.hpp"

namespace ww::launch {

const Starter aprun{
    .title = "ALPS' aprun",
    .called = "aprun",
    .alone =
        "-b --bypass-app-transfer -B --batch-args -C --reconnect -q --quiet -ss --strict-memory-containment "
        "-T --sync-output -v --verbose --version --help",
    .one =
        "-a --architecture -cc --cpu-binding -cp --cpu-binding-file -d --cpus-per-pe -D --debug -e "
        "--environment-override -F --access-mode -j --cpus-per-cu -L --node-list -l --node-list-file -m "
        "--memory-per-pe -M --mpmd-env -n --pes -N --pes-per-node -p --protection-domain -P --pipes "
        "-r --specialized-cpus -R --relaunch -S --pes-per-numa-node -sl --numa-node-list -sn "
        "--numa-nodes-per-node -t --cpu-time-limit -E --process-env",
    .joins = true};

}  // namespace ww::launch
