// Raw samples: what the experiments saw, before any fit. The experiment program writes one record a line on
// standard output, behind a mark that tells it from whatever else a launcher prints there; `measure` keeps
// them in a file beside the model, so that a model can be fitted anew without measuring again.
//
// Records, by "kind" (times in seconds; "between": "inter" or "intra"):
//   host             rank, host, cpu, governor, kernel, cores, clock_hz, boot_id, mpi
//   pair             between, ranks, hosts, busy_cores_short (fewer cores than busy ranks)
//   pingpong         between, bytes, check (not to be fitted), one_way_s [..]
//   eager-threshold  between, low_bytes, high_bytes, threshold_bytes (or null)
//   sender-progress  between, bytes, away_s, received_s [..]
//   cost             between, term ("F", "A" or "A+U"), bytes, seconds [..]
//   six              between, experiment (1 to 6, S1's), hops, bytes, computation ("integer", "floating" or
//                    "none"), seconds [..]: what was subtracted (the clock's call, the known Q and X) may
//                    leave less than nothing
//   wire-bytes       between, bytes, messages, mtu_bytes, sent_bytes, sent_frames, received_bytes,
//   received_frames, dropped two-way          between, bytes, exchange_s [..] disturbance      between,
//   involuntary_switches, elapsed_s problem          what, remedy: why the program gave up end the program
//   came to its end
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::measure {

struct Samples {
  nlohmann::json environment = nlohmann::json::object();  // launch, date, and what else is said of the whole
  std::vector<nlohmann::json> records;
  bool complete = false;  // the program came to its end

  std::vector<const nlohmann::json*> of_kind(const std::string& kind, const std::string& between = {}) const;
};

void emit_record(const nlohmann::json& record);  // to standard output, flushed

// Of the program's standard output. Lines that are no records are passed over, damaged records counted in
// environment["damaged_records"].
Samples parse_output(const std::string& output);

nlohmann::json to_json(const Samples& samples);
// Errors: not a samples file, a record that is not as above.
Result<Samples> samples_from_json(const nlohmann::json& json);
Result<Samples> load_samples(const std::filesystem::path& file);
Result<void> save_samples(const Samples& samples, const std::filesystem::path& file);

}  // namespace ww::measure
