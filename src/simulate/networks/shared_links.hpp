// Flows over links, which share every link's rate by max-min fairness: no flow can have more without one that
// has no more than it having less. Rates come from progressive filling: all flows grow alike until a link is
// full, whose flows then keep what they have, and so on (Bertsekas and Gallager, "Data networks", 1992,
// section 6.5.2).
//
// When flows begin and end only those are worked on that share links with them, directly or through others.
#pragma once
#include <cstdint>
#include <queue>
#include <vector>

namespace ww::simulate {

class SharedLinks {
 public:
  using Link = std::uint32_t;
  using Flow = std::uint32_t;
  explicit SharedLinks(std::vector<double> bytes_per_s);

  // Both take effect at the next settle(), which must come before time goes on.
  Flow begin(const std::vector<Link>& route, double bytes, double now_s);
  void settle(double now_s);

  // Of the flow that ends first as things are; infinity if there is none.
  double next_end_s();
  // Ends it and frees its number for the next one to begin.
  Flow take_ended();

  double rate(Flow flow) const { return flows_[flow].bytes_per_s; }
  std::uint32_t flows_on(Link link) const { return static_cast<std::uint32_t>(links_[link].flows.size()); }
  // What began on it, and for how long there was something, of what has ended.
  struct Use {
    std::uint64_t flows = 0;
    double bytes = 0, busy_s = 0;
  };
  const Use& use(Link link) const { return links_[link].use; }
  std::size_t links() const { return links_.size(); }
  double bytes_per_s(Link link) const { return links_[link].bytes_per_s; }

 private:
  struct Crossing {  // of a flow over a link
    Link link;
    std::uint32_t place;  // in LinkState::flows
  };
  struct FlowState {
    std::vector<Crossing> route;
    double left_bytes = 0, since_s = 0, bytes_per_s = 0;
    std::uint32_t stamp = 0;    // of the valid entry in ends_
    std::uint32_t visited = 0;  // of the settling that has seen it
    bool fixed = false, active = false;
  };
  struct OnLink {
    Flow flow;
    std::uint32_t crossing;  // index into its route
  };
  struct LinkState {
    double bytes_per_s = 0;
    std::vector<OnLink> flows;
    double left_bytes_per_s = 0;  // while filling
    std::uint32_t unfixed = 0, visited = 0, stamp = 0;
    bool dirty = false;
    Use use;
    double busy_since_s = 0;
  };
  struct EndNumber {
    double time_s;
    Flow flow;
    std::uint32_t stamp;
    bool operator>(const EndNumber& other) const {
      return time_s != other.time_s ? time_s > other.time_s : flow > other.flow;
    }
  };
  struct Share {
    double bytes_per_s;
    Link link;
    std::uint32_t stamp;
    bool operator>(const Share& other) const {
      return bytes_per_s != other.bytes_per_s ? bytes_per_s > other.bytes_per_s : link > other.link;
    }
  };
  void touch(Link link);
  void gather();
  void fill();
  void offer(Link link);
  void set_rate(Flow flow, double bytes_per_s, double now_s);

  std::vector<LinkState> links_;
  std::vector<FlowState> flows_;
  std::vector<Flow> free_;
  std::vector<Link> dirty_, component_links_;
  std::vector<Flow> component_flows_;
  std::vector<double> new_rates_;  // of component_flows_
  std::vector<Share> shares_;      // a heap
  std::priority_queue<EndNumber, std::vector<EndNumber>, std::greater<>> ends_;
  std::uint32_t settling_ = 0;
};

}  // namespace ww::simulate
