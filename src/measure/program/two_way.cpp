// Both directions at once: each rank sends and receives a message of the same size. Over TCP the
// acknowledgements of one direction queue behind the data of the other, so two directions together reach less
// than twice one.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

double exchange(Session& session, std::int64_t bytes) {
  const double begin = now_s();
  MPI_Request requests[2] = {session.begin_receive(bytes), session.begin_send(bytes)};
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return now_s() - begin;
}

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  const std::int64_t sizes[] = {262144, 65536, 8, 131072, 8192, 524288, 1024, 32768, 16384, 1048576};
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    const std::int64_t bytes = sizes[i];
    const double each_s = 1.5 * session.estimate_s(bytes), left_s = end - now_s();
    const auto affordable =
        static_cast<std::int64_t>(left_s / static_cast<double>(std::size(sizes) - i) / each_s);
    // a share of the time that is left for each size; the last, largest ones once or twice rather than not at
    // all
    const auto count =
        std::clamp<std::int64_t>(std::max(affordable, each_s * 3 < left_s ? std::int64_t{2} : 0), 0, 40);
    if (count < 2 || bytes > session.largest_bytes()) continue;
    session.order({0, bytes, bytes, count});
    std::vector<double> seconds;
    exchange(session, bytes);  // brings both ranks in step
    for (std::int64_t k = 0; k < count; ++k) seconds.push_back(exchange(session, bytes));
    session.emit("two-way", {{"bytes", bytes}, {"exchange_s", seconds}});
  }
  session.stop();
}

void follow(Session& session) {
  while (const auto order = session.next_order())
    for (std::int64_t i = 0; i <= order->count; ++i) exchange(session, order->bytes);
}

}  // namespace

const Experiment two_way{"two-way", "both directions at once", 0.13, When::first, lead, follow};

}  // namespace ww::measure
