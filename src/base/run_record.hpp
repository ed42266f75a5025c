// What a run says of itself and of its machine (run.json): the values that somebody here asks for. A run may
// lack any of it, or hold anything: what is not there, or of another type, stays as it begins below.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ww {

struct RunRecord {
  // Of the machine that whatwire ran on, while the program ran; sums over processors.
  struct Use {
    double wall_s = 0, busy_s = 0, stolen_s = 0, own_s = 0;
    double lab_s = -1;  // of the lab's switch; negative: there was none, or it did not say
  };
  struct Machine {
    std::string name;
    int usable_processors = 0;  // 0: not known
    Use use;
  };
  // The computation that the dilator stretched.
  struct Stretch {
    std::string thread_level;
    int calling_threads = 1;
    std::uint64_t count = 0;
    double late_median_ns = 0, late_p99_ns = 0;
    bool teams = false;  // OpenMP, or the like of it, was in the process
    // Of threads that called at once: asleep outside of calls, for others or for files, in ways that are not
    // seen.
    double unseen_wait_s = 0;
  };
  // Of the program, compiled so that functions can be seen: sums over the rank's threads. Without a name: all others.
  struct Function {
    std::string name;
    std::uint64_t calls = 0, recorded = 0;
    double own_s = 0, all_s = 0;  // without, and with, the functions that it calls
    bool thinned = false;         // called so often that only some calls were recorded
  };
  // Of the process, at its end; negative: not known.
  struct Memory {
    double peak_bytes = -1;  // resident at most, all that is below included
    // What the recorder added: code that was loaded, its data and tables, and of its spools what was in memory at the end; what
    // they have on the disk.
    double recorder_code_bytes = -1, recorder_data_bytes = -1, spools_resident_bytes = -1, spools_bytes = -1;
  };
  // Of its host's TCP, from the rank's begin to its end, of all that runs there; negative: not known.
  struct Tcp {
    double sent = -1, retransmitted = -1;  // segments
    double timeouts = -1, probes = -1;     // for what was sent last; a probe comes sooner than a time-out
    double no_room = -1;                   // in a socket, for what came
    double delayed_acknowledgements = -1;
  };
  struct Rank {
    std::optional<std::int64_t> rank;
    std::string host;
    double elapsed_s = 0, polled_s = 0;
    double cpu_s = -1, waited_s = -1;  // negative: the kernel did not count it
    std::int64_t involuntary_switches = 0;
    std::vector<double> arithmetic_s;  // the same arithmetic, at several times
    std::string code_files;            // one a line
    // Of the first Cartesian communicator of all ranks, where this one told of it: as MPI_Cart_get has them.
    std::vector<int> grid_dims, grid_periods;
    bool direct_route = false;  // of PVM: from task to task, and not by way of the daemons
    Stretch stretch;
    std::vector<Function> functions;
    bool functions_only_counted = false;  // none of them was to be recorded
    Memory memory;
    Tcp tcp;
  };

  std::string program, mpi;         // mpi: the name of its library
  std::vector<std::string> launch;  // words
  bool in_lab = false;
  bool in_virtual_time = false;  // its times are not those that passed
  Machine machine;
  std::vector<Rank> ranks;
  // What holds of a run that is predicted from this one too, whoever reads it: an object, as JSON text.
  std::string lasting;
  // What the message library's daemons did, where they were recorded: JSON text (trace/daemon_record.hpp); else "".
  std::string daemons;

  // Does that rank run on the machine that whatwire runs on, whose cores are known? All hosts of a lab do.
  bool is_here(const Rank& rank) const { return in_lab || rank.host == machine.name; }
};

RunRecord run_from_json(const nlohmann::json& json);

}  // namespace ww
