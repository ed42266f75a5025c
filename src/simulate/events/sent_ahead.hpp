// Which sends of large messages are done before their data have left: the sender's system takes so many bytes ahead of the wire
// (Link::sent_ahead_bytes), of all that one rank sends to another together, as that is one stream.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

#include "simulate/costs.hpp"
#include "simulate/program.hpp"

namespace ww::simulate {

class SentAhead {
 public:
  SentAhead(const Program& program, const ReplayCosts& costs)
      : program_(program), costs_(costs), ahead_bytes_(costs.wire().sent_ahead_bytes) {}

  // done(message, seconds from now) of each send that is done then, each once.
  template <class Done>
  void begins(std::uint32_t message, Done done) {
    const MessageCost& cost = costs_.of(message);
    if (!(ahead_bytes_ > 0) || !cost.ports || cost.acknowledged || cost.protocol != Protocol::rendezvous)
      return;
    Stream& stream = stream_of(message);
    stream.unsent.push_back(message);
    settle(stream, done);
  }
  template <class Done>
  void left(std::uint32_t message, Done done) {
    if (streams_.empty()) return;
    Stream& stream = stream_of(message);
    const auto at = std::find(stream.unsent.begin(), stream.unsent.end(), message);
    if (at == stream.unsent.end()) return;
    if (static_cast<std::size_t>(at - stream.unsent.begin()) < stream.taken) --stream.taken;
    stream.unsent.erase(at);
    settle(stream, done);
  }

 private:
  struct Stream {
    std::deque<std::uint32_t> unsent;  // begun, and not left
    std::size_t taken = 0;             // of these, whose end is told
  };

  Stream& stream_of(std::uint32_t message) {
    const ProgramMessage& m = program_.messages[message];
    return streams_[static_cast<std::uint64_t>(m.source) << 32 | static_cast<std::uint32_t>(m.destination)];
  }

  template <class Done>
  void settle(Stream& stream, Done done) {
    double before = 0;  // bytes that are to go first
    for (std::size_t i = 0; i < stream.unsent.size(); ++i) {
      const std::uint32_t message = stream.unsent[i];
      const auto bytes = static_cast<double>(program_.messages[message].bytes);
      if (i >= stream.taken) {
        const double over = before + bytes - ahead_bytes_;
        if (over > 0 && i > 0) return;
        stream.taken = i + 1;
        done(message, over > 0 ? costs_.of(message).port_s * over / bytes : 0.0);
      }
      before += bytes;
    }
  }

  const Program& program_;
  const ReplayCosts& costs_;
  const double ahead_bytes_;
  std::unordered_map<std::uint64_t, Stream> streams_;  // by sender and receiver
};

}  // namespace ww::simulate
