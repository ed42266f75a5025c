// mpiexec(1) of HPE's PALS, as sites with PBS document it.
#include "launch/starter.hpp"

namespace ww::launch {

const Starter pals{
    .title = "HPE's PALS mpiexec",
    .called = "mpiexec mpirun",
    .alone =
        "--line-buffer --label -l --transfer --no-transfer --genvall --genvnone --envall --envnone "
        "-genvall -genvnone -envall -envnone --exclusive --shared --abort-on-failure --no-abort-on-failure "
        "-v --verbose "
        "--version --help -h --display-map",
    .one =
        "-n -np --np -N -ppn --ppn -d --depth --cpu-bind --mem-bind --hosts --hostfile --hostlist -host "
        "--host --wdir -wdir --umask --rlimits --pmi --env -e --envlist --genv --genvlist -envlist "
        "-genvlist --procinfo-file --soft --arch --path --gpu-bind --nrhosts --nodefile --exclude-hosts",
    .two = "-env -genv",
    .joins = true,
    .listing = "--configfile -configfile",
    .signature = "PALS|pals"};

}  // namespace ww::launch
