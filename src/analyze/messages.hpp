// How many messages of which size: by the call that sent them, by type (S5: communicator and tag), by pair of
// ranks; and what collectives moved.
#pragma once
#include <map>
#include <string>
#include <unordered_map>

#include "analyze/selection.hpp"
#include "analyze/spread.hpp"

namespace ww {

struct SizeGroup {
  std::unordered_map<std::uint64_t, std::uint64_t> count_of;  // by size in bytes
  std::uint64_t messages = 0;
  Histogram histogram;
  void add(std::uint64_t bytes) {
    ++count_of[bytes];
    ++messages;
    histogram.add(bytes);
  }
};

struct CollectiveVolume {
  std::uint64_t count = 0, bytes_sent = 0, bytes_received = 0;  // bytes: of all members together
};

struct MessageSizes {
  SizeGroup all;
  std::map<std::string, SizeGroup> by_call;                                       // the call that sent
  std::map<std::pair<std::uint32_t, std::int32_t>, SizeGroup> by_type;            // communicator, tag
  std::map<std::pair<std::int32_t, std::int32_t>, SizeGroup> by_pair;             // source, destination
  std::map<std::pair<std::string, std::uint32_t>, CollectiveVolume> collectives;  // operation, communicator
};

// Messages are counted where they are sent, received or not.
// A collective counts with its first member, what it moved with each.
MessageSizes find_messages(const Part& part);

}  // namespace ww
