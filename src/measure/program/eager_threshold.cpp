// The largest message that a send hands over without a receive: a non-blocking send with no receive posted
// completes if it is eager and does not if it waits for the receiver (rendezvous). Found to the byte by
// bisection. Legal MPI throughout, and in one run.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

// Found nearly always within 0.1 s; a model without it is worth little, so a small budget does not cut it
// short.
constexpr double least_budget_s = 0.5;
constexpr double patience_s = 2e-3;  // after the receiver has seen the message's envelope

bool completes_unmatched(Session& session, std::int64_t bytes) {
  session.order({1, bytes, 0, 0});
  MPI_Request request = session.begin_send(bytes);
  // Wait for word that the envelope has arrived: an eager message has then left completely.
  MPI_Request word = session.begin_receive(1);
  int arrived = 0, complete = 0;
  while (!arrived) {
    MPI_Test(&word, &arrived, MPI_STATUS_IGNORE);
    if (!complete) MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
  }
  for (const double end = now_s() + patience_s; !complete && now_s() < end;)
    MPI_Test(&request, &complete, MPI_STATUS_IGNORE);
  session.order({2, bytes, 0, 0});
  if (!complete) MPI_Wait(&request, MPI_STATUS_IGNORE);
  return complete != 0;
}

void lead(Session& session, double budget_s) {
  const double end = now_s() + std::max(budget_s, least_budget_s);
  // eager up to low, not from high on
  std::int64_t low = 0, high = 0;
  const auto probe = [&](std::int64_t bytes) {
    if (completes_unmatched(session, bytes))
      low = std::max(low, bytes);
    else
      high = bytes;
  };
  bool in_time = true;
  for (std::int64_t bytes = 1024; high == 0 && bytes <= session.largest_bytes(); bytes *= 2) {
    in_time = now_s() + session.estimate_s(bytes) < end;
    if (!in_time) break;
    probe(bytes);
  }
  if (high == 1024) probe(1);
  // libraries take their header off a power of two
  if (high > 1024 && low == high / 2) probe(high - 256);
  if (high > 4096 && low == high / 2) probe(low + 256);
  while (in_time && high > low + 1) {
    in_time = now_s() < end;
    if (in_time) probe(low + (high - low) / 2);
  }
  session.stop();
  nlohmann::json record = {{"low_bytes", low}, {"high_bytes", high}, {"threshold_bytes", nullptr}};
  if (high == low + 1) {
    record["threshold_bytes"] = low;
    session.eager_threshold_bytes = low;
  }
  session.emit("eager-threshold", record);
}

void follow(Session& session) {
  while (const auto order = session.next_order()) {
    int there = 0;
    while (!there) MPI_Iprobe(session.partner(), MPI_ANY_TAG, session.comm(), &there, MPI_STATUS_IGNORE);
    session.send(1);
    session.next_order();
    session.receive(order->bytes);
  }
}

}  // namespace

const Experiment eager_threshold{
    "eager-threshold", "where sends begin to wait for the receiver", 0.10, When::first, lead, follow};

}  // namespace ww::measure
