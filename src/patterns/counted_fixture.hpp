// For tests: what an algorithm sends, message by message.
#pragma once
#include <vector>

#include "patterns/pattern.hpp"

namespace ww::patterns {

struct Counted {
  uint64_t bytes = 0, messages = 0;
  std::vector<PatternMessage> transfers;
  std::vector<int> rounds;  // how many messages each has

  Messages play() {
    return {this,
            [](void* of, const PatternMessage& transfer, bool) {
              const auto one = [&](const Take& take) { take(transfer); };
              static_cast<Counted*>(of)->count(one, {});
            },
            [](void* of, const Round& round, const Between& between) {
              static_cast<Counted*>(of)->count(round, between);
            }};
  }
  void count(const Round& round, const Between& between) {
    int here = 0;
    const auto take = [&](const PatternMessage& transfer) {
      ++here;
      ++messages;
      bytes += transfer.bytes;
      transfers.push_back(transfer);
    };
    round(take);
    if (between) between();
    rounds.push_back(here);
  }
};

// Of a vector of `bytes`, or of blocks of `bytes` each.
inline Counted sent_by(const Algorithm& algorithm, Operation operation, int members, uint64_t bytes,
                       int root = 0) {
  Counted counted;
  const Messages messages = counted.play();
  const auto before = [&](int i) { return static_cast<uint64_t>(i) * bytes; };
  Asked asked;
  asked.operation = operation;
  asked.root = root;
  asked.bytes = asked.rule_bytes = bytes;
  asked.blocks = {before, members};
  algorithm.write(Group(messages, members), asked);
  return counted;
}

}  // namespace ww::patterns
