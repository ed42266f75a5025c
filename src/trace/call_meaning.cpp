#include "trace/call_meaning.hpp"

#include <array>

namespace ww {
namespace {

constexpr std::array roles{"other", "frame", "p2p", "collective", "one-sided", "communicator", "io"};
constexpr std::array phases{"", "begins", "ends"};
constexpr std::array manners{"", "polls", "probes"};

// "MPI_Reduce_scatter" is "reduce_scatter".
std::string word_of(CollectiveOp op) {
  std::string word = to_string(op);
  if (!word.starts_with("MPI_")) return word;
  word.erase(0, 4);
  word[0] = static_cast<char>(word[0] - 'A' + 'a');
  return word;
}

CallRole role_by_name(std::string_view call, CollectiveOp op) {
  if (op == CollectiveOp::communicator) return CallRole::communicator;
  if (op == CollectiveOp::window) return CallRole::one_sided;
  if (op == CollectiveOp::file) return CallRole::io;
  if (op != CollectiveOp::other) return CallRole::collective;
  for (const char* name : {"MPI_Win_", "MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Fetch_and_op",
                           "MPI_Compare_and_swap", "MPI_Rput", "MPI_Rget", "MPI_Raccumulate"})
    if (call.starts_with(name) && !call.starts_with("MPI_Get_")) return CallRole::one_sided;
  if (call.starts_with("MPI_Get_accumulate")) return CallRole::one_sided;
  for (const char* part : {"send", "Send", "recv", "Recv", "Wait", "Test", "robe", "Start"})
    if (call.find(part) != std::string_view::npos) return CallRole::p2p;
  return CallRole::other;
}

CallManner manner_by_name(std::string_view call) {
  if (call == "MPI_Probe" || call == "MPI_Mprobe") return CallManner::probes;
  for (const char* polls : {"MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"})
    if (call.starts_with(polls)) return CallManner::polls;
  return CallManner::blocks;
}

}  // namespace

std::string to_text(const CallMeaning& meaning) {
  std::string text = roles[static_cast<std::size_t>(meaning.role)];
  if (meaning.op != CollectiveOp::other) text += " " + word_of(meaning.op);
  for (const char* detail :
       {phases[static_cast<std::size_t>(meaning.phase)], manners[static_cast<std::size_t>(meaning.manner)]})
    if (*detail != '\0') text += std::string(" ") + detail;
  return text;
}

std::optional<CallMeaning> meaning_of_text(std::string_view text) {
  CallMeaning meaning;
  const auto blank = text.find(' ');
  const std::string_view role = text.substr(0, blank);
  std::size_t r = 0;
  while (r < roles.size() && role != roles[r]) ++r;
  if (r == roles.size()) return std::nullopt;
  meaning.role = static_cast<CallRole>(r);
  if (blank == std::string_view::npos) return meaning;
  const std::string_view rest = text.substr(blank + 1);
  for (std::size_t one = 1; one < 3; ++one) {
    if (rest == phases[one]) meaning.phase = static_cast<CallPhase>(one);
    if (rest == manners[one]) meaning.manner = static_cast<CallManner>(one);
  }
  if (meaning.phase != CallPhase::within || meaning.manner != CallManner::blocks) return meaning;
  for (int op = 0; op < static_cast<int>(CollectiveOp::other); ++op)
    if (rest == word_of(static_cast<CollectiveOp>(op))) {
      meaning.op = static_cast<CollectiveOp>(op);
      return meaning;
    }
  return std::nullopt;
}

CallMeaning meaning_by_name(std::string_view call) {
  if (call == "MPI_Init" || call == "MPI_Init_thread" || call == "MPI_Session_init")
    return {CallRole::frame, CollectiveOp::other, CallPhase::begins};
  if (call == "MPI_Finalize" || call == "MPI_Session_finalize")
    return {CallRole::frame, CollectiveOp::other, CallPhase::ends};
  const CollectiveOp op = collective_op(call);
  return {role_by_name(call, op), op, CallPhase::within, manner_by_name(call)};
}

CallMeaning meaning_told(std::string_view text, std::string_view name) {
  const CallMeaning named = meaning_by_name(name);
  CallMeaning meaning = meaning_of_text(text).value_or(named);
  if (meaning.manner == CallManner::blocks) meaning.manner = named.manner;
  return meaning;
}

CallMeaning meaning_of_region(const Trace& trace, std::size_t region) {
  return region < trace.meanings.size() ? trace.meanings[region] : meaning_by_name(trace.regions[region]);
}

}  // namespace ww
