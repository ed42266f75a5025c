// Raw samples: what the experiments saw, before any fit. The experiment program writes one record a line on
// standard output, behind a mark that tells it from whatever else a launcher prints there; `measure` keeps
// them in a file beside the model, so that a model can be fitted anew without measuring again.
//
// Records, by "kind" (times in seconds; "between": "inter" or "intra"; "launch": 0, 1, .. of those that later
// launches repeat):
// clang-format off
//   host             rank, host, cpu, governor, kernel, cores, clock_hz, boot_id, mpi, mpi_settings, timer
//   pair             between, ranks, hosts, order, busy_cores_short (fewer cores than busy ranks)
//   pingpong         between, launch, bytes, check (not to be fitted), one_way_s [..], visits (samples of each); of S2's rule
//                    (measure.hpp, StopAt::mean) each sample is a round, of `passes` round trips, and within_margin
//                    says whether it came to its end
//   sweep            between, bytes, one_way_s [..]: small steps up to 16 KiB
//   eager-threshold  between, low_bytes, high_bytes, threshold_bytes (or null)
//   sender-progress  between, bytes, away_s, received_s [..]
//   sent-ahead       between, bytes, send_s [..] (in the call), there_s [..] (from its begin until the receiver had it)
//   cost             between, term ("F", "A" or "A+U"), bytes, seconds [..]
//   reduction        between, bytes, seconds [..]: MPI_Reduce_local of doubles, each the mean of a block of calls
//   six              between, experiment (S1's, 1 to 6), hops, bytes, computation ("integer", "floating" or "none"),
//                    seconds [..]: what was subtracted (the clock's call, the known Q and X) may leave less than nothing;
//                    where these are means of repetitions also shortest_s and longest_s, of single ones
//   wire-bytes       between, bytes, messages, mtu_bytes, sent_bytes, sent_frames, received_bytes, received_frames, dropped
//   two-way          between, bytes, exchange_s [..]
//   message-rate     between, bytes, window, window_s [..]
//   parametrised     between, bytes, train, one_s, train_s, delayed_s, delay_s, receive_s (each [..])
//   overlap          between, bytes, transfer_s, computation_s, both_s (each [..])
//   after-computation  between, bytes, call ("send" or "receive"), warm_s [..], after_s [..]
//   busy             between, bytes, idle_s [..], busy_s [..] (there and back)
//   disturbance      between, launch, involuntary_switches, elapsed_s, kept_from_core (share of its time in which a rank
//                    was ready to run and had no core, of the rank that lost more; negative: not known)
//   group            hosts (of the ranks), busy_cores_short
//   matrix           ranks, hosts, small_bytes, latency_s, large_bytes, stream_s (rows one after another; 0: not reached)
//   relay            hops, bytes, echo_s [..]
//   interference     neighbours, bytes, alone_s, with_s, message_s (each [..]), final_message_s [..]: in the last fifth
//   forwarding       between, bytes, computation, route ("default": by PVM's daemons, "direct"), hosts (that the messages are on), loss_s [..]
//                    (of Q, on the host that is passed), task_s, daemon_s [..] (what the task that passes them on and the daemon
//                    there ran; absent: not known), all for each message; task_on_core, daemon_on_core (bound to that of Q),
//                    echo_s, idle_echo_s [..]: through that host and back, while Q is computed and while nothing is
//   congestion       pairs, bytes, message_s [one of each pair], alone_s
//   collective       name, ranks, bytes, seconds [..], late
//   collective-late  name, ranks, bytes, late: no run started in time
//   problem          what, remedy: why the program gave up
//   end              elapsed_s: the program came to its end
// clang-format on
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "library/library.hpp"

namespace ww::measure {

struct Samples {
  nlohmann::json environment = nlohmann::json::object();  // launch, date, and what else is said of the whole
  std::vector<nlohmann::json> records;
  bool complete = false;  // the program came to its end
  double elapsed_s = 0;   // between begin and end of the experiments, if it did

  std::vector<const nlohmann::json*> of_kind(const std::string& kind, const std::string& between = {}) const;
};

// Whose messages were measured; null where no host says it, or none that is known.
const Library* library_of(const Samples& samples);

void emit_record(const nlohmann::json& record);  // to standard output, flushed

// Of a simulated machine (simulated/measure_simulated.hpp): its nodes forward messages beneath their
// processes, and what the clock's calls take is off its times already.
bool is_simulated(const Samples& samples);

// Of the program's standard output. Lines that are no records are passed over, damaged records counted in
// environment["damaged_records"].
Samples parse_output(const std::string& output);

nlohmann::json to_json(const Samples& samples);
// Errors: not a samples file, a record that is not as above.
Result<Samples> samples_from_json(const nlohmann::json& json);
Result<Samples> load_samples(const std::filesystem::path& file);
Result<void> save_samples(const Samples& samples, const std::filesystem::path& file);

std::filesystem::path samples_beside(std::filesystem::path model);  // where `measure` keeps them

}  // namespace ww::measure
