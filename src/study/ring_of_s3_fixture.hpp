// The ring of S3 (Antonishek, Snelick 1990, section 3.2) as a trace: what each node of examples/ring calls,
// in its order, with the work on a message as its only computation. For simulated machines of any size,
// without MPI.
#pragma once
#include <deque>
#include <optional>

#include "simulate/trace_builder.hpp"

namespace ww {

struct RingOfS3 {
  int nodes = 16, messages = 100, window = 2, circulating = 2;
  int originators = 16;       // spread over the ring
  double work_s = 0;          // on a message, at each visit
  double uneven_percent = 0;  // by which node 0 takes longer
  std::uint64_t bytes = 1024, acknowledgement_bytes = 4;

  Trace trace() const {
    Maker maker(*this);
    return maker.make();
  }

 private:
  // Nodes take turns; a node goes on until the message or acknowledgement that it wants has not been sent.
  // Order within a node does not depend on times, as it receives from named partners only.
  class Maker {
   public:
    explicit Maker(const RingOfS3& ring)
        : ring_(ring),
          builder_(simulate::TraceBuilder::spread(ring.nodes)),
          nodes_(static_cast<std::size_t>(ring.nodes)) {}

    Trace make() {
      const int arrivals = ring_.originators * ring_.messages;
      for (int n = 0; n < ring_.nodes; ++n)
        if (originates(n))
          while (nodes_[n].originated < std::min(ring_.circulating, ring_.messages)) originate(n);
      for (bool moved = true; moved;) {
        moved = false;
        for (int n = 0; n < ring_.nodes; ++n)
          while (step(n, arrivals)) moved = true;
      }
      return std::move(builder_.trace());
    }

   private:
    struct Node {
      std::deque<int> arriving, to_send;                                           // originators of messages
      int received = 0, originated = 0, unacknowledged = 0, acknowledgements = 0;  // the last: that have come
      std::deque<std::uint32_t> sending;
      std::optional<std::uint32_t> acknowledging;
    };

    int right(int n) const { return (n + 1) % ring_.nodes; }
    int left(int n) const { return (n + ring_.nodes - 1) % ring_.nodes; }
    bool originates(int n) const { return n * ring_.originators % ring_.nodes < ring_.originators; }

    bool step(int n, int arrivals) {
      Node& node = nodes_[n];
      if (!node.to_send.empty()) return send(n);
      if (node.received < arrivals) return receive(n);
      if (node.unacknowledged > 0) return await_acknowledgement(n);
      if (node.acknowledging) builder_.wait(n, {*node.acknowledging}, {});
      node.acknowledging.reset();
      return false;
    }

    void originate(int n) {
      ++nodes_[n].originated;
      nodes_[n].to_send.push_back(n);
      (void)send(n);
    }

    bool send(int n) {
      Node& node = nodes_[n];
      if (node.unacknowledged == ring_.window && !await_acknowledgement(n)) return false;
      nodes_[right(n)].arriving.push_back(node.to_send.front());
      node.to_send.pop_front();
      node.sending.push_back(builder_.isend(n, right(n), ring_.bytes));
      ++node.unacknowledged;
      return true;
    }

    bool await_acknowledgement(int n) {
      Node& node = nodes_[n];
      if (node.acknowledgements == 0) return false;
      --node.acknowledgements;
      --node.unacknowledged;
      builder_.recv(n, right(n), ring_.acknowledgement_bytes);
      builder_.wait(n, {node.sending.front()}, {});
      node.sending.pop_front();
      return true;
    }

    bool receive(int n) {
      Node& node = nodes_[n];
      if (node.arriving.empty()) return false;
      const int originator = node.arriving.front();
      node.arriving.pop_front();
      ++node.received;
      builder_.recv(n, left(n), ring_.bytes);
      if (node.acknowledging) builder_.wait(n, {*node.acknowledging}, {});
      node.acknowledging = builder_.isend(n, left(n), ring_.acknowledgement_bytes);
      ++nodes_[left(n)].acknowledgements;
      builder_.compute(n, ring_.work_s * (n == 0 ? 1 + ring_.uneven_percent / 100 : 1));
      if (originator != n) {
        node.to_send.push_back(originator);
      } else if (node.originated < ring_.messages) {
        ++node.originated;
        node.to_send.push_back(n);
      }
      return true;
    }

    const RingOfS3& ring_;
    simulate::TraceBuilder builder_;
    std::vector<Node> nodes_;
  };
};

}  // namespace ww
