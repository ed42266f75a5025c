#include "analyze/question.hpp"

#include "analyze/balance.hpp"
#include "analyze/critical_path.hpp"
#include "analyze/delays_question.hpp"
#include "analyze/files.hpp"
#include "analyze/follow.hpp"
#include "analyze/messages.hpp"
#include "analyze/one_sided.hpp"
#include "analyze/pop.hpp"
#include "analyze/queues.hpp"
#include "analyze/ratio.hpp"
#include "analyze/sent.hpp"
#include "analyze/unmatched.hpp"
#include "analyze/user_regions.hpp"
#include "analyze/user_values.hpp"
#include "analyze/utilisation.hpp"
#include "analyze/waiting.hpp"

namespace ww {
namespace {

constexpr Question all[] = {
    {"utilisation", "utilisation",
     "how much of its time each rank had something to do; idle: nothing had been sent to it",
     answer_utilisation},
    {"messages", "messages", "sizes and counts by call, by type and by pair of ranks", answer_messages},
    {"sent", "sent", "who sent how much to whom, messages and collectives apart", answer_sent},
    {"queues", "queues", "messages sent and not yet received: how many, how long, when", answer_queues},
    {"waits", "waits", "how long calls waited, by call, and for whom", answer_waiting},
    {"delays", "delays", "waits followed to their causes: what the network's are, who makes others wait",
     answer_delays},
    {"balance", "balance", "how evenly computation and messages are spread over ranks", answer_balance},
    {"ratio", "communication_to_computation", "communication to computation", answer_ratio},
    {"unmatched", "unmatched", "sends and receives without their other side, listed", answer_unmatched},
    {"message", "message", "one message followed from end to end: --message", answer_follow, false, true},
    {"pop", "pop", "the POP efficiencies: load balance, serialisation, transfer", answer_pop, true},
    {"critical-path", "critical_path", "the chain of ranks and calls that the run's length comes from",
     answer_critical_path},
    {"regions", "regions", "compute, library and blocked time of the regions that the program marked",
     answer_regions},
    {"values", "values", "the values and markers that the program gave", answer_values},
    {"one-sided", "one_sided",
     "one-sided communication by window and target, and the time in synchronising it", answer_one_sided},
    {"files", "files", "file I/O by file: operations, bytes, time, rate", answer_files},
};

}  // namespace

std::span<const Question> questions() {
  return all;
}

const Question* question_named(const std::string& name) {
  for (const Question& question : all)
    if (name == question.name) return &question;
  return nullptr;
}

}  // namespace ww
