#include "simulate/networks/shared_links.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/result.hpp"

namespace ww::simulate {

SharedLinks::SharedLinks(std::vector<double> bytes_per_s) : links_(bytes_per_s.size()) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    WW_INVARIANT(bytes_per_s[i] > 0);
    links_[i].bytes_per_s = bytes_per_s[i];
  }
}

void SharedLinks::touch(Link link) {
  if (links_[link].dirty) return;
  links_[link].dirty = true;
  dirty_.push_back(link);
}

SharedLinks::Flow SharedLinks::begin(const std::vector<Link>& route, double bytes, double now_s) {
  WW_INVARIANT(!route.empty());
  Flow number = static_cast<Flow>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  FlowState& flow = flows_[number];
  flow.route.clear();
  for (const Link link : route) {
    LinkState& state = links_[link];
    auto& on = state.flows;
    if (on.empty()) state.busy_since_s = now_s;
    ++state.use.flows;
    state.use.bytes += bytes;
    on.push_back({number, static_cast<std::uint32_t>(flow.route.size())});
    flow.route.push_back({link, static_cast<std::uint32_t>(on.size() - 1)});
    touch(link);
  }
  flow.left_bytes = bytes;
  flow.since_s = now_s;
  flow.bytes_per_s = 0;
  flow.active = true;
  return number;
}

// What the dirty links' flows share links with, and so on.
void SharedLinks::gather() {
  ++settling_;
  component_links_.clear();
  component_flows_.clear();
  for (const Link link : dirty_) {
    links_[link].dirty = false;
    links_[link].visited = settling_;
    component_links_.push_back(link);
  }
  dirty_.clear();
  for (std::size_t i = 0; i < component_links_.size(); ++i)
    for (const OnLink& on : links_[component_links_[i]].flows) {
      FlowState& flow = flows_[on.flow];
      if (flow.visited == settling_) continue;
      flow.visited = settling_;
      component_flows_.push_back(on.flow);
      for (const Crossing& crossing : flow.route) {
        LinkState& link = links_[crossing.link];
        if (link.visited == settling_) continue;
        link.visited = settling_;
        component_links_.push_back(crossing.link);
      }
    }
}

void SharedLinks::offer(Link number) {
  LinkState& link = links_[number];
  ++link.stamp;
  if (link.unfixed == 0) return;
  shares_.push_back({std::max(0.0, link.left_bytes_per_s) / link.unfixed, number, link.stamp});
  std::push_heap(shares_.begin(), shares_.end(), std::greater<>());
}

void SharedLinks::fill() {
  shares_.clear();
  for (const Link number : component_links_) {
    LinkState& link = links_[number];
    link.left_bytes_per_s = link.bytes_per_s;
    link.unfixed = static_cast<std::uint32_t>(link.flows.size());
  }
  for (const Flow flow : component_flows_) flows_[flow].fixed = false;
  for (const Link number : component_links_) offer(number);
  std::vector<Link> changed;
  while (!shares_.empty()) {
    const Share share = shares_.front();
    std::pop_heap(shares_.begin(), shares_.end(), std::greater<>());
    shares_.pop_back();
    if (share.stamp != links_[share.link].stamp) continue;
    changed.clear();
    for (const OnLink& on : links_[share.link].flows) {
      FlowState& flow = flows_[on.flow];
      if (flow.fixed) continue;
      flow.fixed = true;
      new_rates_[on.flow] = share.bytes_per_s;
      for (const Crossing& crossing : flow.route) {
        LinkState& link = links_[crossing.link];
        link.left_bytes_per_s -= share.bytes_per_s;
        --link.unfixed;
        changed.push_back(crossing.link);
      }
    }
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
    for (const Link number : changed) offer(number);
  }
}

void SharedLinks::set_rate(Flow number, double bytes_per_s, double now_s) {
  FlowState& flow = flows_[number];
  if (flow.bytes_per_s == bytes_per_s) return;
  flow.left_bytes = std::max(0.0, flow.left_bytes - (now_s - flow.since_s) * flow.bytes_per_s);
  flow.since_s = now_s;
  flow.bytes_per_s = bytes_per_s;
  if (bytes_per_s > 0) ends_.push({now_s + flow.left_bytes / bytes_per_s, number, ++flow.stamp});
}

void SharedLinks::settle(double now_s) {
  if (dirty_.empty()) return;
  gather();
  if (new_rates_.size() < flows_.size()) new_rates_.resize(flows_.size());
  fill();
  for (const Flow flow : component_flows_) set_rate(flow, new_rates_[flow], now_s);
}

double SharedLinks::next_end_s() {
  while (!ends_.empty() &&
         (!flows_[ends_.top().flow].active || flows_[ends_.top().flow].stamp != ends_.top().stamp))
    ends_.pop();
  return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.top().time_s;
}

SharedLinks::Flow SharedLinks::take_ended() {
  WW_INVARIANT(std::isfinite(next_end_s()));
  const Flow number = ends_.top().flow;
  const double now_s = ends_.top().time_s;
  ends_.pop();
  FlowState& flow = flows_[number];
  flow.active = false;
  for (const Crossing& crossing : flow.route) {
    LinkState& state = links_[crossing.link];
    auto& on = state.flows;
    const OnLink moved = on.back();
    on[crossing.place] = moved;
    flows_[moved.flow].route[moved.crossing].place = crossing.place;
    on.pop_back();
    if (on.empty()) state.use.busy_s += now_s - state.busy_since_s;
    touch(crossing.link);
  }
  free_.push_back(number);
  return number;
}

}  // namespace ww::simulate
