// srun(1) of Slurm 22.05.
#include "launch/starter.hpp"

namespace ww::launch {

const Starter srun{
    .title = "Slurm's srun",
    .called = "srun",
    .alone =
        "--bcast --compress --contiguous -X --disable-status --exact --exclusive -h --help -H --hold -I "
        "--immediate -K --kill-on-bad-exit -l --label --nice -Z --no-allocate -k --no-kill -O "
        "--overcommit --overlap -s --oversubscribe -E --preserve-env --propagate --pty -Q --quiet "
        "--quit-on-interrupt --reboot --resv-ports --send-libs --spread-job --test-only -u --unbuffered "
        "--usage --use-min-nodes -v --verbose -V --version --x11 --interactive --share",
    .one =
        "--accel-bind -A --account --acctg-freq --bb --bbf --bcast-exclude -b --begin -D --chdir "
        "--cluster-constraint -M --clusters --comment -C --constraint --container -S --core-spec "
        "--cores-per-socket --cpu-bind --cpu-freq --cpus-per-gpu -c --cpus-per-task --deadline "
        "--delay-boot -d --dependency -m --distribution --epilog -e --error -x --exclude --export -B "
        "--extra-node-info --gid --gpu-bind --gpu-freq -G --gpus --gpus-per-node --gpus-per-socket "
        "--gpus-per-task --gres --gres-flags --het-group --hint -i --input -J --job-name --jobid -L "
        "--licenses --mail-type --mail-user --mcs-label --mem --mem-bind --mem-per-cpu --mem-per-gpu "
        "--mincpus --mpi --msg-timeout --network -F --nodefile -w --nodelist -N --nodes -n --ntasks "
        "--ntasks-per-core --ntasks-per-gpu --ntasks-per-node --ntasks-per-socket --open-mode -o --output "
        "-p --partition --power --prefer --priority --profile --prolog -q --qos -r --relative "
        "--reservation --signal --slurmd-debug --sockets-per-node --switches --task-epilog --task-prolog "
        "--thread-spec -T --threads --threads-per-core -t --time --time-min --tmp --uid -W --wait --wckey "
        "--cpu_bind --mem_bind --tres-per-task --tres-bind --environment --container-id",
    .joins = true,
    .elsewhere = "--multi-prog"};

}  // namespace ww::launch
