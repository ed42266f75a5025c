// flux-run(1).
#include "launch/starter.hpp"

namespace ww::launch {

const Starter flux{
    .title = "flux run",
    .called = "flux",
    .alone =
        "-l --label-io -u --unbuffered -x --exclusive --dry-run -v --verbose --debug --pty --wait "
        "--quiet --help",
    .one =
        "-n --ntasks -c --cores-per-task -g --gpus-per-task -N --nodes --cores --gpus-per-node "
        "--tasks-per-node --tasks-per-core -t --time-limit -o --setopt -S --setattr -O --output --error -i "
        "--input --env --env-remove --env-file --rlimit --cwd --job-name --urgency --dependency --requires "
        "--begin-time --signal --queue -q --bank -B --conf --add-file --taskmap --cwd --flags",
    .verbs = "mini run"};

}  // namespace ww::launch
