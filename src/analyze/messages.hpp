// How many messages of which size: by the call that sent them, by type (S5: communicator and tag), by pair of
// ranks; and what collectives moved.
#pragma once
#include <map>

#include "analyze/question.hpp"
#include "analyze/spread.hpp"

namespace ww {

struct SizeGroup {
  std::vector<double> sizes_bytes;
  Histogram histogram;
  void add(std::uint64_t bytes) {
    sizes_bytes.push_back(static_cast<double>(bytes));
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
MessageSizes find_messages(const Trace& trace);

}  // namespace ww
