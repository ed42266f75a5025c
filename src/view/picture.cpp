#include "view/picture.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "trace/directory.hpp"
#include "view/facts.hpp"
#include "view/index_build.hpp"
#include "view/outer_calls.hpp"

namespace ww::view {
namespace fs = std::filesystem;
namespace {

// So many bytes of events are loaded in a second.
constexpr std::uintmax_t large_bytes = std::uintmax_t{64} << 20;

template <class Calls>
Result<CallsPicture> picture_of(const std::shared_ptr<Calls>& calls, std::size_t threads) {
  Building building;
  building.threads = threads;
  building.facts = [&] {
    nlohmann::json facts = facts_of(calls->frame());
    facts["calls_only"] = true;
    return json_text(facts);
  };
  CallsPicture out;
  WW_TRY(out.index, build_index(OuterCallSource<Calls>(calls), building));
  out.frame = std::make_shared<const Trace>(calls->frame());
  return out;
}

}  // namespace

Result<CallsPicture> picture_of_spool(const fs::path& dir, std::size_t threads) {
  WW_TRY(const auto calls, spool::SpoolCalls::open(dir));
  return picture_of(calls, threads);
}

Result<CallsPicture> picture_of_archive(const fs::path& trace, std::size_t threads) {
  WW_TRY(const auto calls, otf2::ArchiveCalls::open(anchor_of(trace)));
  return picture_of(calls, threads);
}

bool is_large_archive(const fs::path& trace) {
  std::error_code ignored;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(anchor_of(trace).replace_extension(""), ignored))
    if (entry.path().extension() == ".evt" && (bytes += entry.file_size(ignored)) > large_bytes) return true;
  return false;
}

Result<std::shared_ptr<const Trace>> trace_of_calls(const Trace& frame, const Index& calls) {
  const auto trace = std::make_shared<Trace>(frame);
  const std::int64_t begin_ns = frame.begin_ns();
  for (std::size_t r = 0; r < trace->ranks.size(); ++r) {
    RankTrace& rank = trace->ranks[r];
    WW_CHECK(
        calls.calls_in(r, calls.from_ns(), calls.to_ns() + 1, [&](std::size_t, const CallInterval& call) {
          rank.enter_ns.push_back(call.enter_ns + begin_ns);
          rank.leave_ns.push_back(call.leave_ns + begin_ns);
          rank.region.push_back(static_cast<std::uint16_t>(call.name));
          return true;
        }));
    rank.first_action.resize(rank.calls() + 1);
  }
  return std::shared_ptr<const Trace>(trace);
}

}  // namespace ww::view
