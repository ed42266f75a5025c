// `mpiexec.hydra --help` and mpiexec(1) of MPICH 4.0. Its help shows most options that take a word without
// it.
#include "launch/starter.hpp"
#include "library/mpich.hpp"

namespace ww::launch {

const Starter hydra{
    .title = "MPICH's mpiexec",
    .called = "mpirun mpiexec mpiexec.hydra mpirun.mpich mpiexec.mpich mpirun.hydra",
    .syntax = Syntax::names,
    .alone =
        "-genvnone -genvall -envnone -envall -enable-x -disable-x -verbose -v -info -version "
        "-print-all-exitcodes -profile -prepend-rank -l -disable-auto-cleanup -enable-auto-cleanup "
        "-disable-hostname-propagation -enable-hostname-propagation -pmi-port -skip-launch-node",
    .one =
        "-genvlist -envlist -f -hosts -host -hostlist -machine -machines -machinelist -machinefile "
        "-hostfile -wdir -path -n -np -launcher -bootstrap -launcher-exec -bootstrap-exec -rmk -topolib "
        "-bind-to -map-by -membind -demux -iface -ppn -prepend-pattern -outfile-pattern -outfile "
        "-errfile-pattern -errfile -nameserver -order-nodes -localhost -usize -gpus-per-proc",
    .pair = "-genv -env",
    .library = &library::mpich,
    .joins = true,
    .listing = "-configfile",
    .signature = "HYDRA",
    .help_tells_flags = false};

}  // namespace ww::launch
