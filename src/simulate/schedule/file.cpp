#include "simulate/schedule/file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/sectioned_file.hpp"

namespace ww::schedule {
namespace {

struct Facts {
  std::uint32_t cpus = 1, nics = 1;
  std::uint64_t messages = 0, wildcards = 0, longest_ns = 0, largest_bytes = 0;
};

}  // namespace

Result<void> save(const Schedule& schedule, const nlohmann::json& about, const std::filesystem::path& file) {
  const std::string text = nlohmann::json{{"calls", schedule.calls}, {"about", about}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  const Facts facts{schedule.cpus,      schedule.nics,       schedule.messages,
                    schedule.wildcards, schedule.longest_ns, schedule.largest_bytes};
  SectionWriter out(file, StoredKind::schedule);
  out.section(std::span(&facts, 1));
  out.section(schedule.ops);
  out.section(schedule.first_op);
  out.section(schedule.successors);
  out.section(schedule.order);
  out.section(text);
  return out.finish();
}

bool is_schedule(const std::filesystem::path& file) {
  return SectionReader::is(file, StoredKind::schedule);
}

Result<Stored> map(const std::filesystem::path& file) {
  const auto damaged = [&] {
    return fail("a compiled program that is damaged", file.string(), "make it again with whatwire import");
  };
  WW_TRY(SectionReader in, SectionReader::open(file, StoredKind::schedule));
  Stored out;
  Schedule& schedule = out.schedule;
  std::span<const Facts> facts;
  std::span<const char> text;
  if (!in.take(facts) || !in.take(schedule.ops) || !in.take(schedule.first_op) ||
      !in.take(schedule.successors) || !in.take(schedule.order) || !in.take(text) || facts.size() != 1 ||
      schedule.ops.empty() || schedule.first_op.size() < 2 || facts[0].cpus == 0 || facts[0].cpus > 256 ||
      facts[0].nics == 0 || facts[0].nics > 256)
    return damaged();
  const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object() || !json.contains("calls") || !json["calls"].is_array() || !json.contains("about"))
    return damaged();
  for (const nlohmann::json& call : json["calls"])
    schedule.calls.push_back(call.is_string() ? call.get<std::string>() : "");
  out.about = json["about"];
  schedule.cpus = facts[0].cpus;
  schedule.nics = facts[0].nics;
  schedule.messages = facts[0].messages;
  schedule.wildcards = facts[0].wildcards;
  schedule.longest_ns = facts[0].longest_ns;
  schedule.largest_bytes = facts[0].largest_bytes;
  schedule.keeps = in.file();
  return out;
}

Result<void> check(const Schedule& schedule) {
  const auto bad = [](const char* what, std::uint64_t op) {
    return fail(fmt::format("a compiled program that is damaged: {}", what), fmt::format("operation {}", op),
                "make it again");
  };
  const std::uint64_t size = schedule.size();
  const Op* const ops = schedule.ops.data();
  const std::uint32_t* const successors = schedule.successors.data();
  if (size >= on_start) return bad("its size", size);
  if (schedule.first_op.front() != 0 || schedule.first_op.back() != size)
    return bad("where its ranks begin", 0);
  if (schedule.ops[0].first_successor != 0 ||
      schedule.ops[size].first_successor != schedule.successors.size())
    return bad("its successors", size);
  if (!schedule.order.empty() && schedule.order.size() != size) return bad("its order", size);
  std::uint64_t messages = 0;
  std::vector<char> placed;
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    const std::uint64_t first = schedule.first_op[rank], last = schedule.first_op[rank + 1];
    if (last < first || last > size) return bad("where a rank begins", first);
    placed.assign(schedule.order.empty() ? 0 : last - first, 0);
    for (std::uint64_t i = 0; i < placed.size(); ++i) {
      if (schedule.order[first + i] >= placed.size()) return bad("its order", first + i);
      placed[schedule.order[first + i]] = 1;
    }
    if (std::find(placed.begin(), placed.end(), 0) != placed.end()) return bad("its order", first);
    std::uint64_t waits = 0;
    constexpr std::uint64_t ahead = 16;
    for (std::uint64_t i = first; i < last; ++i) {
      const Op& op = ops[i];
      if (i + ahead < size && ops[i + ahead].partner < size) __builtin_prefetch(&ops[ops[i + ahead].partner]);
      const std::uint32_t end = ops[i + 1].first_successor;
      if (end < op.first_successor || end > schedule.successors.size()) return bad("its successors", i);
      for (std::uint32_t s = op.first_successor; s < end; ++s)
        if ((successors[s] & ~on_start) >= last - first) return bad("a successor", i);
      waits += op.predecessors;
      messages += op.kind == GoalKind::send;
      if (op.kind > GoalKind::compute || op.cpu >= schedule.cpus || op.nic >= schedule.nics ||
          op.call >= schedule.calls.size())
        return bad("a kind or a processor", i);
      if (op.amount > (op.kind == GoalKind::compute ? schedule.longest_ns : schedule.largest_bytes))
        return bad("an amount", i);
      if (op.kind == GoalKind::compute) continue;
      if (op.partner >= size) return bad("an end of a message", i);
      const Op& other = ops[op.partner];
      // The other end is asked the same, so each names the other's rank.
      if (other.partner != i || other.peer != rank || other.kind == op.kind ||
          other.kind == GoalKind::compute)
        return bad("an end of a message", i);
    }
    const std::uint32_t from = first == size ? 0 : schedule.ops[first].first_successor;
    if (first < last && waits != schedule.ops[last].first_successor - from)
      return bad("how many an operation waits for", first);
  }
  if (messages != schedule.messages) return bad("how many messages it has", size);
  return {};
}

}  // namespace ww::schedule
