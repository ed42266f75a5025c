// `mpirun --help full` and mpirun(1) of Open MPI 4.1.
#include "launch/starter.hpp"
#include "library/open_mpi.hpp"

namespace ww::launch {

const Starter openmpi{
    .title = "Open MPI's mpirun",
    .called = "mpirun mpiexec orterun mpirun.openmpi mpiexec.openmpi oshrun shmemrun",
    .syntax = Syntax::names,
    .alone =
        "--allow-run-as-root --bind-to-core --bind-to-socket --bycore --bynode --bysocket --byslot "
        "--continuous -d --debug-devel --debug --debug-daemons --debug-daemons-file --disable-recovery "
        "--display-allocation --display-devel-allocation --display-devel-map --display-diffable-map "
        "--display-map --display-topo --do-not-launch --do-not-resolve --dvm --enable-instant-on-support "
        "--enable-recovery --fwd-mpirun-port --get-stack-traces --index-argv-by-rank "
        "--leave-session-attached --merge-stderr-to-stdout --nolocal --nooversubscribe --noprefix --novm "
        "--output-proctable --oversubscribe --pernode -q --quiet --report-bindings "
        "--report-child-jobs-separately --report-state-on-timeout -s --preload-binary "
        "--set-cwd-to-session-dir --show-progress --tag-output --timestamp-output --tv "
        "--use-hwthread-cpus --use-regexp -v --verbose -V --version --xml",
    .one =
        "-am --bind-to -c -np -n --cf --cartofile --cpu-list --cpu-set --cpus-per-proc --cpus-per-rank "
        "--debugger --default-hostfile -H --host --hnp --hostfile --launch-agent --machinefile --map-by "
        "--max-restarts --max-vm-size -N --npernode --npersocket --ompi-server --output-filename --path "
        "--personality --ppr --prefix --preload-files --rank-by --report-events --report-pid --report-uri "
        "-rf --rankfile --stdin --slot-list --timeout --tune --wd --wdir -x --xml-file --xterm",
    .two = "--mca --gmca --omca --pmixmca",
    .library = &library::open_mpi,
    .joins = true,
    .listing = "--app",
    .signature = "Open MPI|OpenRTE",
    .help = "--help full"};

}  // namespace ww::launch
