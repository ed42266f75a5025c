#include "render/breakdown_text.hpp"
#include "render/questions/questions.hpp"

namespace ww {
namespace {

Result<Answer> answer_sent(const Given& given) {
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

}  // namespace

const Question sent_question = {"sent", "sent", "who sent how much to whom, messages and collectives apart",
                                answer_sent};

}  // namespace ww
