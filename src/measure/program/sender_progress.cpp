// Does a message above the eager threshold move while its sender computes? The receiver waits for it; the
// sender begins it and stays away from the library. If the message is there long before the sender is back,
// the receiver fetched it (as over shared memory, where it may read the sender's), or something else makes
// progress.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

constexpr int times = 5, word_tag = 4;
constexpr double least_away_s = 2e-3;  // times the kernel may keep a rank from its core are shorter

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const std::int64_t bytes =
      session.eager_threshold_bytes ? *session.eager_threshold_bytes + 1 : session.largest_bytes() + 1;
  const double away_s = std::max(least_away_s, 4 * session.estimate_s(bytes));
  std::vector<double> received_s;
  while (bytes <= session.largest_bytes() && received_s.size() < times &&
         (received_s.empty() || now_s() + away_s < end)) {
    session.order({1, bytes, 0, 0});
    MPI_Request request = session.begin_send(bytes);
    spin(away_s);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    double seconds = 0;
    MPI_Recv(&seconds, 1, MPI_DOUBLE, session.partner(), word_tag, session.comm(), MPI_STATUS_IGNORE);
    received_s.push_back(seconds);
  }
  session.stop();
  if (!received_s.empty())
    session.emit("sender-progress", {{"bytes", bytes}, {"away_s", away_s}, {"received_s", received_s}});
}

void follow(Session& session) {
  while (const auto order = session.next_order()) {
    const double begin_s = now_s();
    session.receive(order->bytes);
    const double seconds = now_s() - begin_s;
    MPI_Send(&seconds, 1, MPI_DOUBLE, session.partner(), word_tag, session.comm());
  }
}

}  // namespace

const Experiment sender_progress{
    "sender-progress", "whether large messages need their sender", 0.03, When::first, lead, follow};

}  // namespace ww::measure
