#include "view/picture.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "view/facts.hpp"
#include "view/index_build.hpp"
#include "view/spool_source.hpp"

namespace ww::view {

Result<SpoolPicture> picture_of_spool(const std::filesystem::path& dir, std::size_t threads) {
  WW_TRY(const auto calls, spool::SpoolCalls::open(dir));
  nlohmann::json facts = facts_of(calls->frame());
  facts["calls_only"] = true;
  Building building;
  building.threads = threads;
  building.facts = json_text(facts);
  SpoolPicture out;
  out.frame = std::make_shared<const Trace>(calls->frame());
  WW_TRY(out.index, build_index(SpoolSource(calls), building));
  return out;
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
