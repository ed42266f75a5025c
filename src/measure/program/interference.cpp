// S1's interference, the forwarding done by the node's own process: rank 0 computes a fixed amount Q in
// slices; between slices it takes what messages have come from one, two or three neighbours and passes each
// on to the next neighbour, which counts it. Each neighbour keeps some messages under way. How much longer Q
// takes than with its neighbours silent, and how often a message passes: of all, and of the last fifth of Q, when
// the streams have settled (S1, appendix A, test 8 times its last hundred messages for that).
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/program/computation.hpp"
#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t bytes = 2000, under_way = 4;
constexpr int tag = 10, end_tag = 11, most_neighbours = 3, rounds = 5;
constexpr double slice_s = 20e-6;

struct Node {
  double seconds = 0;
  std::int64_t passed = 0;
  double last_seconds = 0;  // of the last fifth of the slices
  std::int64_t last_passed = 0;
};

// Rank 0. Of one length whether messages come or not: the number of slices is the same.
Node computes(ProcessGroup& group, int neighbours, std::int64_t slices) {
  const std::int64_t turns = turns_for(Arithmetic::integer, slice_s);
  const auto count = static_cast<std::size_t>(neighbours);
  std::vector<MPI_Request> receives(count), sends(count, MPI_REQUEST_NULL);
  char* in = group.in(bytes * most_neighbours);
  char* out = group.out(bytes);
  const auto post = [&](int i) {
    MPI_Irecv(in + i * bytes, bytes, MPI_BYTE, i + 1, tag, group.comm(),
              &receives[static_cast<std::size_t>(i)]);
  };
  for (int i = 0; i < neighbours; ++i) post(i);
  Node node;
  std::vector<int> done(count);
  const double begin = now_s();
  double last_begin = begin;
  std::int64_t passed_before = 0;
  for (std::int64_t slice = 0; slice < slices; ++slice) {
    if (slice == slices - slices / 5) last_begin = now_s(), passed_before = node.passed;
    compute(Arithmetic::integer, turns);
    if (neighbours == 0) continue;
    int some = 0;
    MPI_Testsome(neighbours, receives.data(), &some, done.data(), MPI_STATUSES_IGNORE);
    for (int k = 0; k < some; ++k) {
      const int from = done[static_cast<std::size_t>(k)], to = (from + 1) % neighbours;
      MPI_Request& send = sends[static_cast<std::size_t>(from)];
      MPI_Wait(&send, MPI_STATUS_IGNORE);
      MPI_Isend(out, bytes, MPI_BYTE, to + 1, tag, group.comm(), &send);
      post(from);
      ++node.passed;
    }
  }
  node.seconds = now_s() - begin;
  node.last_seconds = node.seconds - (last_begin - begin);
  node.last_passed = node.passed - passed_before;
  MPI_Waitall(neighbours, sends.data(), MPI_STATUSES_IGNORE);
  // Each neighbour hears the end, says so behind its last message, and what is still on its way is taken.
  char word = 0;
  for (int i = 0; i < neighbours; ++i) MPI_Send(&word, 1, MPI_BYTE, i + 1, end_tag, group.comm());
  std::vector<MPI_Request> ends(count);
  for (int i = 0; i < neighbours; ++i)
    MPI_Irecv(&word, 0, MPI_BYTE, i + 1, end_tag, group.comm(), &ends[static_cast<std::size_t>(i)]);
  for (int all = 0; !all;) {
    int some = 0;
    MPI_Testsome(neighbours, receives.data(), &some, done.data(), MPI_STATUSES_IGNORE);
    for (int k = 0; k < some; ++k) post(done[static_cast<std::size_t>(k)]);
    MPI_Testall(neighbours, ends.data(), &all, MPI_STATUSES_IGNORE);
  }
  for (MPI_Request& request : receives) {
    // a message that arrived before its sender's end word may not have been tested yet
    int there = 0;
    do {
      MPI_Test(&request, &there, MPI_STATUS_IGNORE);
      if (there)
        MPI_Irecv(in, bytes, MPI_BYTE, static_cast<int>(&request - receives.data()) + 1, tag, group.comm(),
                  &request);
    } while (there);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return node;
}

// A neighbour: sends, keeps `under_way` messages that have not come round, until the end.
void streams(ProcessGroup& group) {
  char* out = group.out(bytes);
  std::vector<char> in(static_cast<std::size_t>(bytes));
  char word = 0;
  MPI_Request end, passed, sent[under_way];
  MPI_Irecv(&word, 1, MPI_BYTE, 0, end_tag, group.comm(), &end);
  MPI_Irecv(in.data(), bytes, MPI_BYTE, 0, tag, group.comm(), &passed);
  for (MPI_Request& one : sent) MPI_Isend(out, bytes, MPI_BYTE, 0, tag, group.comm(), &one);
  std::size_t next = 0;
  for (int over = 0; !over;) {
    int came = 0;
    MPI_Test(&passed, &came, MPI_STATUS_IGNORE);
    if (came) {
      MPI_Irecv(in.data(), bytes, MPI_BYTE, 0, tag, group.comm(), &passed);
      MPI_Wait(&sent[next], MPI_STATUS_IGNORE);
      MPI_Isend(out, bytes, MPI_BYTE, 0, tag, group.comm(), &sent[next]);
      next = (next + 1) % under_way;
    }
    MPI_Test(&end, &over, MPI_STATUS_IGNORE);
  }
  // what the node passed on before its end word came first, in order
  for (int there = 1; there;) {
    MPI_Test(&passed, &there, MPI_STATUS_IGNORE);
    if (there) MPI_Irecv(in.data(), bytes, MPI_BYTE, 0, tag, group.comm(), &passed);
  }
  MPI_Cancel(&passed);
  MPI_Wait(&passed, MPI_STATUS_IGNORE);
  MPI_Waitall(under_way, sent, MPI_STATUSES_IGNORE);
  MPI_Send(&word, 0, MPI_BYTE, 0, end_tag, group.comm());
}

void run(ProcessGroup& group, double budget_s) {
  const int most = std::min(most_neighbours, group.ranks() - 1);
  const double q_s = budget_s / (rounds * (most + 2.0)) / 2;
  const std::int64_t slices = group.agreed(std::max<std::int64_t>(50, std::llround(q_s / slice_s)));
  for (int neighbours = 1; neighbours <= most; ++neighbours) {
    std::vector<double> alone_s, with_s, message_s, final_s;
    for (int round = 0; round < rounds; ++round) {
      group.meet();
      if (group.leads()) {
        alone_s.push_back(computes(group, 0, slices).seconds);
        for (int i = 1; i <= neighbours; ++i) MPI_Send(nullptr, 0, MPI_BYTE, i, end_tag, group.comm());
        const Node node = computes(group, neighbours, slices);
        with_s.push_back(node.seconds);
        if (node.passed > 0)
          message_s.push_back(node.seconds * neighbours / static_cast<double>(node.passed));
        if (node.last_passed > 0)
          final_s.push_back(node.last_seconds * neighbours / static_cast<double>(node.last_passed));
      } else if (group.rank() <= neighbours) {
        // asleep while Q runs alone
        MPI_Request begin;
        MPI_Irecv(nullptr, 0, MPI_BYTE, 0, end_tag, group.comm(), &begin);
        wait_asleep(begin);
        streams(group);
      }
    }
    if (message_s.empty()) continue;
    nlohmann::json record = {{"neighbours", neighbours},
                             {"bytes", bytes},
                             {"alone_s", alone_s},
                             {"with_s", with_s},
                             {"message_s", message_s}};
    if (!final_s.empty()) record["final_message_s"] = final_s;
    group.emit("interference", std::move(record));
  }
  group.meet();
}

}  // namespace

const GroupExperiment interference{"interference", "a computation whose neighbours stream through its node",
                                   0.1, 2, run};

}  // namespace ww::measure
