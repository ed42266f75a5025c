// A run that still goes, hangs or was killed, looked at in its spool, without unify: what each rank is in now, and what
// it waits for there ("The call that a thread is in" in interpose/core/spool_format.hpp).
#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::view {

// A call that has not returned. Ranks are those of the trace; -1: any, or not known.
struct LiveCall {
  std::string name;
  std::optional<std::int32_t> peer;  // asked for; of a send, to whom
  std::optional<std::int32_t> tag;   // -1: any
  std::string comm;
  std::uint64_t operations = 0;           // that it completes; 0: it completes none
  std::vector<std::int32_t> not_entered;  // of a collective: members that are not in it (yet)
  double entered_s = 0;                   // since the begin of the program
};

struct LiveThread {
  int thread = 0;
  std::uint64_t records = 0;
  std::optional<LiveCall> call;  // nothing: outside of calls that wait
  double since_s = 0;            // when it entered the call, or came back from the latest
};

struct LiveRank {
  std::int32_t rank = 0;
  std::string host;
  std::int64_t pid = 0;
  enum class State : std::uint8_t { in_call, computing, ended, killed } state = State::computing;
  std::vector<LiveThread> threads;  // at least one, by number
};

struct Live {
  bool running = false;  // somebody records into it
  double now_s = 0;      // since the begin of the program, by this host's clock
  std::vector<LiveRank> ranks;
  // Ranks each of which has waited for the next for a second or longer, and the last for the first; none: there is no
  // such ring.
  std::vector<std::int32_t> ring;
};

// Of a trace directory. Costs some reads a rank, however long the run. Errors: there is no spool, nothing recorded yet.
Result<Live> look_live(const std::filesystem::path& dir);

// `data/N/live`.
nlohmann::json to_json(const Live& live);

}  // namespace ww::view
