#include "analyze/sent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/questions.hpp"
#include "analyze/table.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  return show_bytes(static_cast<double>(bytes));
}

std::string what_is_counted(const Breakdown& breakdown, bool collectives) {
  std::string text;
  if (collectives)
    text +=
        "collectives: what the program gave them for that rank, whatever way the library sends it; a rank's "
        "part for\nitself is in it\n";
  if (breakdown.combined_bytes > 0)
    text += fmt::format(
        "{} more went into reductions for several ranks (MPI_Allreduce, MPI_Scan, ...), which combine it on "
        "its\nway: it belongs to no pair\n",
        bytes_text(breakdown.combined_bytes));
  return text;
}

}  // namespace

std::string show_sent(const Breakdown& breakdown) {
  const bool collectives = std::any_of(breakdown.peers.begin(), breakdown.peers.end(),
                                       [](const PeerTotal& peer) { return peer.collective_bytes > 0; });
  if (breakdown.peers.empty())
    return "no messages between ranks, and no collectives that carry anything from one to another\n" +
           what_is_counted(breakdown, false);
  std::vector<PeerTotal> peers = breakdown.peers;
  std::stable_sort(peers.begin(), peers.end(), [](const PeerTotal& a, const PeerTotal& b) {
    return a.bytes + a.collective_bytes > b.bytes + b.collective_bytes;
  });
  Table table({"from", "to", "messages", "bytes", "each", "collectives", "together"}, 0);
  return limited(
             table, peers, "pairs",
             [&](const PeerTotal& peer) {
               table.add({fmt::format("{}", peer.source), fmt::format("{}", peer.destination),
                          fmt::format("{}", peer.messages), bytes_text(peer.bytes),
                          peer.messages == 0 ? "-" : bytes_text(peer.bytes / peer.messages),
                          bytes_text(peer.collective_bytes), bytes_text(peer.bytes + peer.collective_bytes)});
             }) +
         what_is_counted(breakdown, collectives);
}

static Result<Answer> answer_sent(const Given& given) {
  Answer answer;
  nlohmann::json pairs = nlohmann::json::array();
  std::uint64_t messages = 0, bytes = 0, collective_bytes = 0;
  for (const PeerTotal& peer : given.breakdown.peers) {
    messages += peer.messages;
    bytes += peer.bytes;
    collective_bytes += peer.collective_bytes;
    pairs.push_back({{"source", peer.source},
                     {"destination", peer.destination},
                     {"messages", peer.messages},
                     {"bytes", peer.bytes},
                     {"collective_bytes", peer.collective_bytes}});
  }
  answer.json = {
      {"messages", messages},
      {"bytes", bytes},
      {"collective_bytes", collective_bytes},
      {"combined_bytes", given.breakdown.combined_bytes},
      {"pairs", std::move(pairs)},
      {"rule",
       "bytes: of messages; collective_bytes: what the program gave collectives for that rank, its "
       "own part included, not the hops of the library's algorithm; combined_bytes: given to "
       "reductions whose result goes to several ranks, of no pair"}};
  answer.text = "Who sent how much to whom\n" + show_sent(given.breakdown);
  return answer;
}

const Question sent_question = {"sent", "sent", "who sent how much to whom, messages and collectives apart",
                                answer_sent};

}  // namespace ww
