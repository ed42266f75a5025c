// Programs that start the one behind them with something changed, by their manuals in Debian 12. Those that
// end a program early or slow it down are not for a measurement.
#include <array>

#include "launch/starter.hpp"

namespace ww::launch {
namespace {

const std::array all{
    Starter{.title = "env",
            .called = "env",
            .alone = "- -i --ignore-environment -0 --null -v --debug --block-signal --default-signal "
                     "--ignore-signal --list-signal-handling",
            .one = "-u --unset -C --chdir",
            .assignments = true},
    Starter{.title = "nice",
            .called = "nice",
            .alone = "-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -10 -11 -12 -13 -14 -15 -16 -17 -18 -19",
            .one = "-n --adjustment"},
    Starter{.title = "stdbuf", .called = "stdbuf", .one = "-i --input -o --output -e --error"},
    Starter{.title = "taskset",
            .called = "taskset",
            .alone = "-a --all-tasks -c --cpu-list -p --pid",
            .operands = 1},
    Starter{.title = "numactl",
            .called = "numactl",
            .alone = "-a --all -l --localalloc -s --show -H --hardware --huge --balancing -b",
            .one = "-i --interleave -p --preferred -P --preferred-many -C --physcpubind -N --cpunodebind -m "
                   "--membind -w --weighted-interleave"},
    Starter{.title = "chrt",
            .called = "chrt",
            .alone = "-a --all-tasks -b --batch -d --deadline -f --fifo -i --idle -o --other -r --rr -R "
                     "--reset-on-fork -v --verbose",
            .one = "-T --sched-runtime -P --sched-period -D --sched-deadline",
            .operands = 1},
    Starter{.title = "ionice",
            .called = "ionice",
            .alone = "-t --ignore",
            .one = "-c --class -n --classdata -p --pid"},
    Starter{.title = "setarch",
            .called = "linux64 linux32 i386 x86_64",
            .alone = "-R -v -3 -B -F -I -L -S -T -X -Z"},
    Starter{.title = "setarch",
            .called = "setarch",
            .alone = "-R -v -3 -B -F -I -L -S -T -X -Z",
            .verbs = "x86_64 i386 linux32 linux64"},
    Starter{.title = "prlimit",
            .called = "prlimit",
            .alone = "--verbose --raw --noheadings",
            .one = "-o --output -p --pid"},
    Starter{
        .title = "xvfb-run",
        .called = "xvfb-run",
        .alone = "-a --auto-servernum -l --listen-tcp",
        .one =
            "-e --error-file -f --auth-file -n --server-num -p --xauth-protocol -s --server-args -w --wait",
        .measured = false},
    Starter{.title = "timeout",
            .called = "timeout",
            .alone = "--preserve-status --foreground -v --verbose",
            .one = "-k --kill-after -s --signal",
            .operands = 1,
            .measured = false},
    Starter{.title = "time",
            .called = "time",
            .alone = "-p --portability -a --append -v --verbose -q --quiet",
            .one = "-f --format -o --output",
            .measured = false},
    Starter{.title = "nohup", .called = "nohup", .measured = false},
    Starter{
        .title = "setsid", .called = "setsid", .alone = "-c --ctty -f --fork -w --wait", .measured = false},
    Starter{.title = "catchsegv", .called = "catchsegv", .measured = false},
    Starter{.title = "valgrind",
            .called = "valgrind",
            .alone = "-v --verbose -q --quiet -d -h --help",
            .measured = false},
    Starter{
        .title = "strace",
        .called = "strace",
        .alone =
            "-c -C -d -f -ff -F -h -i -k -n -N -q -qq -qqq -r -t -tt -ttt -T -v -w -x -xx -y -yy -Y -z -Z -D",
        .one = "-a -A -b -e -E -I -o -O -p -P -s -S -u -U -X",
        .measured = false},
    Starter{.title = "ltrace",
            .called = "ltrace",
            .alone = "-b -c -C -f -i -L -r -S -t -tt -ttt -T -V",
            .one = "-a -A -D -e -F -l -n -o -p -s -u -w -x",
            .measured = false},
    Starter{.title = "gdb",
            .called = "gdb gdb-multiarch cuda-gdb",
            .syntax = Syntax::names,
            .alone = "--args -batch -q -quiet -silent -n -nx -nh -nw -tui -return-child-result",
            .one = "-ex -x -iex -ix -cd -d -directory -s -symbols",
            .measured = false},
    Starter{
        .title = "perf",
        .called = "perf",
        .alone =
            "-a --all-cpus -d --detailed -v --verbose -g -i --no-inherit -A --no-aggr -n --null -q --quiet "
            "-R -S --sync -B -T",
        .one = "-e --event -o --output -r --repeat -F --freq -c --count -p --pid -t --tid -C --cpu -G "
               "--cgroup -x --field-separator -I --interval-print -M --metrics -D --delay -m --mmap-pages "
               "--call-graph -j -b -N",
        .verbs = "stat record",
        .measured = false},
};

}  // namespace

std::span<const Starter> wrappers() {
  return all;
}

}  // namespace ww::launch
