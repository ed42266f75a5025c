// jsrun of IBM's Job Step Manager.
#include "launch/starter.hpp"

namespace ww::launch {

const Starter jsrun{
    .title = "IBM's jsrun",
    .called = "jsrun",
    .alone = "-h --help -V --version -v --verbose -i --immediate -u --unbuffered",
    .one =
        "-a --tasks_per_rs -b --bind -c --cpu_per_rs -d --launch_distribution -D --env_no_propagate -e "
        "--stdio_mode -E --env -F --env_eval -g --gpu_per_rs -h --chdir -H --wdir -J --use_spindle "
        "-K --rs_per_socket -l --latency_priority -L --use_reservation -m --memory_per_rs -M --smpiargs -n "
        "--nrs -o --stdio_stdout -k --stdio_stderr -p --np -P --pre_post_exec -r --rs_per_host -S "
        "--save_resources -t --stdio_input -T --preload_targets -U --use_resources -X --exit_on_error -x "
        "--exclude_hosts -Z --save_results",
    .elsewhere = "-A --appfile --erf_input"};

}  // namespace ww::launch
