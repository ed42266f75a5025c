#include <algorithm>
#include <limits>

#include "base/disturbance.hpp"
#include "view/report_of.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

// Where a cause shows: from its first wait to its last, and its longest.
struct Shown {
  std::int64_t from_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t to_ns = std::numeric_limits<std::int64_t>::min();
  std::int32_t rank = -1;  // of the longest; -1: there is none
  std::uint32_t call = none;
  std::int64_t longest_ns = 0;
};

void take_wait(Shown& shown, std::int32_t number, const RankTrace& rank, std::uint32_t call,
               std::int64_t blocked_ns) {
  if (blocked_ns <= 0) return;
  shown.from_ns = std::min(shown.from_ns, rank.enter_ns[call]);
  shown.to_ns = std::max(shown.to_ns, rank.leave_ns[call]);
  if (blocked_ns <= shown.longest_ns) return;
  shown.longest_ns = blocked_ns;
  shown.rank = number;
  shown.call = call;
}

bool asks_in_vain(const RankTrace& rank, std::uint32_t call) {
  for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
    if (rank.kind[a] == ActionKind::test_failed) return true;
  return false;
}

// The waits that find_causes added up to this one.
Shown shown_of(const AskedPart& part, const Cause& cause) {
  Shown shown;
  for (const std::int32_t number : cause.ranks) {
    const auto r = static_cast<std::size_t>(number);
    const RankTrace& rank = part.trace->ranks[r];
    const auto is_it = [&](std::uint32_t call) {
      return part.trace->regions[rank.region[call]] == cause.call;
    };
    if (cause.fault == Cause::Fault::polling) {
      for (std::uint32_t call = 0; call < rank.calls(); ++call)
        if (is_it(call) && asks_in_vain(rank, call))
          take_wait(shown, number, rank, call, rank.leave_ns[call] - rank.enter_ns[call]);
      continue;
    }
    const auto& split = part.analysis->breakdown.splits[r];
    for (const Wait& wait : part.analysis->waits[r]) {
      if (!is_it(wait.call)) continue;
      if (cause.fault == Cause::Fault::transfer)
        take_wait(shown, number, rank, wait.call, split.service_ns[wait.call]);
      else if (wait.until_rank == cause.waited_for)
        take_wait(shown, number, rank, wait.call, split.algorithmic_ns[wait.call]);
    }
  }
  return shown;
}

// The display in which the cause is seen best.
const char* display_of(Cause::Fault fault) {
  return fault == Cause::Fault::late_rank || fault == Cause::Fault::late_root ? "skew" : "timeline";
}

// As the parts of a breakdown are named, and coloured.
const char* counts_as(Cause::Fault fault) {
  switch (fault) {
    case Cause::Fault::transfer:
      return "service";
    case Cause::Fault::polling:
      return "library";
    default:
      return "algorithmic";
  }
}

std::string list_of(std::vector<std::int32_t> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

// The ranks that wait, and whom they wait for.
std::string ranks_of(const Cause& cause) {
  std::vector<std::int32_t> ranks = cause.ranks;
  if (cause.waited_for >= 0 && std::find(ranks.begin(), ranks.end(), cause.waited_for) == ranks.end())
    ranks.push_back(cause.waited_for);
  return list_of(std::move(ranks));
}

Result<Response> answer_first(const Inquiry& inquiry) {
  WW_TRY(const AskedPart part, part_of(*inquiry.trace, {}, *inquiry.stop));
  const std::int64_t begin_ns = part.trace->begin_ns();
  nlohmann::json causes = nlohmann::json::array();
  for (const Cause& cause : part.breakdown().causes) {
    const Shown shown = shown_of(part, cause);
    if (shown.rank < 0) continue;
    const RankTrace& rank = part.trace->ranks[static_cast<std::size_t>(shown.rank)];
    causes.push_back({{"text", cause.sentence + "."},
                      {"remedy", cause.remedy},
                      {"part", counts_as(cause.fault)},
                      {"s", cause.time_s},
                      {"waiting", cause.ranks.size()},
                      {"share", cause.share},
                      {"of_all", cause.of_all},
                      {"link",
                       {{"from_ns", shown.from_ns - begin_ns},
                        {"to_ns", shown.to_ns - begin_ns},
                        {"ranks", ranks_of(cause)},
                        {"calls", cause.call},
                        {"display", display_of(cause.fault)}}},
                      {"longest",
                       {{"rank", shown.rank},
                        {"call", shown.call},
                        {"from_ns", rank.enter_ns[shown.call] - begin_ns},
                        {"to_ns", rank.leave_ns[shown.call] - begin_ns}}}});
  }
  nlohmann::json json = {{"causes", std::move(causes)}, {"waits_of_at_least", Cause::least_share}};
  if (says_disturbed(diagnostics_of(*part.trace, part.breakdown()))) json["disturbed"] = true;
  return json_response(json);
}

}  // namespace

const Resource first_resource = {.name = "first", .parameters = "", .answer = answer_first};

}  // namespace ww::view
