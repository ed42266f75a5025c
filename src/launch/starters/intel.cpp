// What Intel's Hydra has beside MPICH's: Intel MPI Library, Developer Reference for Linux, "Global Hydra
// Options", "Local Hydra Options".
#include "launch/starter.hpp"

namespace ww::launch {

const Starter intel{
    .title = "Intel MPI's mpiexec",
    .called = "mpirun mpiexec mpiexec.hydra",
    .syntax = Syntax::names,
    .alone =
        "-genvnone -genvall -envnone -envall -rr -nolocal -l -prepend-rank -tv -tva -cleanup "
        "-print-rank-map -silent-abort -v -verbose -V -version -info -mps -aps "
        "-check_mpi -trace -trace-pt2pt -trace-collectives -ilp64 -gdb -disable-x -enable-x -localonly "
        "-ordered-output -noconf",
    .one =
        "-genvlist -envlist -genvexcl -envexcl -envuser -f -hosts -host -hostfile -machinefile -machine "
        "-wdir -path -umask -n -np -ppn -perhost -grr -rmk -bootstrap -bootstrap-exec -tune -usize -s "
        "-iface -tmpdir -gtool -gtoolfile -outfile-pattern -errfile-pattern "
        "-pmi-connect -profile -branch-count -demux -nameserver -order-nodes -binding -bind-to -map-by "
        "-use-app-topology -hostos",
    .pair = "-genv -env",
    .joins = true,
    .listing = "-configfile",
    .signature = "Intel(R) MPI",
    .help_tells_flags = false};

}  // namespace ww::launch
