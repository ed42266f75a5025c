// prterun(1) and prun(1) of PRRTE 3, which Open MPI 5 uses.
#include "launch/starter.hpp"
#include "library/open_mpi.hpp"

namespace ww::launch {

const Starter prrte{
    .title = "PRRTE's prterun",
    .called = "prterun prun mpirun mpiexec",
    .syntax = Syntax::names,
    .alone =
        "--allow-run-as-root --abort-on-non-zero-status --continuous --debug-daemons "
        "--debug-daemons-file --debug-devel -d --daemonize --do-not-launch --do-not-resolve "
        "--display-map --enable-recovery --fwd-environment --index-argv-by-rank "
        "--leave-session-attached --merge-stderr-to-stdout "
        "--no-ready-msg --noprefix --nolocal --oversubscribe --nooversubscribe --preload-binary -s -q "
        "--quiet --report-bindings --report-child-jobs-separately --set-cwd-to-session-dir "
        "--show-progress --stop-on-exec --system-server-first --system-server-only --tag-output "
        "--timestamp-output --use-hwthread-cpus -v --verbose -V --version --xml",
    .one =
        "-n -np -c -N --map-by --rank-by --bind-to --host -H --hostfile --machinefile --add-host "
        "--add-hostfile --default-hostfile --display --output --output-filename --runtime-options "
        "--rtos --personality --pset --prefix --pmix-prefix --app-pmix-prefix --path --wdir --wd -x "
        "--stdin --timeout --spawn-timeout --stop-in-app --exec-agent --launch-agent --launcher-hostfile "
        "--cpu-set --cpu-list --rankfile --ppr --max-restarts --num-connect-retries --pid --dvm --dvm-uri "
        "--dvm-hostfile --namespace --forward-signals --keepalive --tmpdir --report-uri --report-pid "
        "--preload-files --memory-alloc-kind --npernode --npersocket --xml-file --xterm -am --tune "
        "--data-server --gpu-support --unset-env",
    .two =
        "--mca --gmca --prtemca --pmixmca --omca --gprtemca --gpmixmca --append-env "
        "--prepend-env",
    .library = &library::open_mpi,
    .joins = true,
    .listing = "--app",
    .signature = "PRTE|prte|prrte"};

}  // namespace ww::launch
