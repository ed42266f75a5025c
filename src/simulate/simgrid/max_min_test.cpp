// Flows over shared links beside SimGrid's: the same random platform, flows and starts in both. SimGrid's
// model is made plain: no factor on bandwidth and latency, no cross traffic, no TCP window, no weight by
// round-trip time, the sharing solved without rounding (network/model CM02, cfg below). Compared are the
// rates that all links carry at a moment, and when every flow ends. One seed a process, since SimGrid has one
// engine a process.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <simgrid/s4u.hpp>
#include <vector>

#include "simulate/networks/shared_links.hpp"

namespace {

namespace sg = simgrid::s4u;
using ww::simulate::SharedLinks;

// Both compute with doubles; they were seen to differ by 2e-15.
constexpr double tolerance = 1e-9;

struct PlannedFlow {
  std::vector<std::uint32_t> route;
  double bytes, starts_s;
};

struct Case {
  std::vector<double> link_bytes_per_s;
  std::vector<PlannedFlow> flows;
  double look_s;  // when the links' loads are compared
};

Case make_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  Case out;
  const std::size_t links = 10 + random() % 60, flows = 20 + random() % 200;
  for (std::size_t i = 0; i < links; ++i)
    out.link_bytes_per_s.push_back(std::exp(uniform(std::log(1e6), std::log(1e9))));
  for (std::size_t i = 0; i < flows; ++i) {
    PlannedFlow flow;
    std::vector<std::uint32_t> all(links);
    for (std::uint32_t l = 0; l < links; ++l) all[l] = l;
    for (std::size_t hops = 1 + random() % 6; hops > 0; --hops) {
      const std::size_t chosen = random() % all.size();
      flow.route.push_back(all[chosen]);
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    flow.bytes = std::floor(std::exp(uniform(std::log(1e4), std::log(1e8))));
    // a third begin together, and others while they run
    flow.starts_s = i % 3 == 0 ? 0 : uniform(0, 2);
    out.flows.push_back(flow);
  }
  out.look_s = uniform(0.2, 1);
  return out;
}

struct Outcome {
  std::vector<double> ends_s, loads_bytes_per_s;
};

Outcome ours(const Case& given) {
  SharedLinks shared(given.link_bytes_per_s);
  Outcome out;
  out.ends_s.resize(given.flows.size());
  std::vector<std::size_t> order(given.flows.size()), flow_of;
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return given.flows[a].starts_s < given.flows[b].starts_s;
  });
  std::vector<bool> running;
  std::vector<double> rates(given.flows.size(), 0);
  bool looked = false;
  for (std::size_t next = 0;;) {
    const double starts_s =
        next < order.size() ? given.flows[order[next]].starts_s : std::numeric_limits<double>::infinity();
    const double now_s = std::min(starts_s, shared.next_end_s());
    if (!looked && now_s > given.look_s) {
      looked = true;
      out.loads_bytes_per_s.assign(given.link_bytes_per_s.size(), 0);
      for (std::size_t number = 0; number < running.size(); ++number)
        if (running[number])
          for (const std::uint32_t link : given.flows[flow_of[number]].route)
            out.loads_bytes_per_s[link] += shared.rate(static_cast<std::uint32_t>(number));
    }
    if (!std::isfinite(now_s)) break;
    while (shared.next_end_s() <= now_s) {
      const auto number = shared.take_ended();
      running[number] = false;
      out.ends_s[flow_of[number]] = now_s;
    }
    for (; next < order.size() && given.flows[order[next]].starts_s <= now_s; ++next) {
      const PlannedFlow& flow = given.flows[order[next]];
      const auto number = shared.begin(flow.route, flow.bytes, now_s);
      if (number >= flow_of.size()) {
        flow_of.resize(number + 1);
        running.resize(number + 1);
      }
      flow_of[number] = order[next];
      running[number] = true;
    }
    shared.settle(now_s);
  }
  return out;
}

Outcome simgrids(const Case& given, int argc, char** argv) {
  sg::Engine engine(&argc, argv);
  for (const char* setting :
       {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0", "network/weight-S:0",
        "network/bandwidth-factor:1", "network/latency-factor:1", "network/loopback-lat:0",
        "maxmin/precision:1e-9", "surf/precision:1e-12", "network/optim:Full"})
    sg::Engine::set_config(setting);
  auto* zone = sg::create_full_zone("all");
  std::vector<sg::Link*> links;
  for (std::size_t i = 0; i < given.link_bytes_per_s.size(); ++i)
    links.push_back(
        zone->create_link(fmt::format("link{}", i), given.link_bytes_per_s[i])->set_latency(0)->seal());
  Outcome out;
  out.ends_s.resize(given.flows.size());
  std::vector<std::pair<sg::Host*, sg::Host*>> hosts;
  for (std::size_t i = 0; i < given.flows.size(); ++i) {
    auto* from = zone->create_host(fmt::format("from{}", i), 1e9)->seal();
    auto* to = zone->create_host(fmt::format("to{}", i), 1e9)->seal();
    std::vector<sg::LinkInRoute> route;
    for (const std::uint32_t link : given.flows[i].route) route.emplace_back(links[link]);
    zone->add_route(from->get_netpoint(), to->get_netpoint(), nullptr, nullptr, route, false);
    hosts.emplace_back(from, to);
  }
  zone->seal();
  for (std::size_t i = 0; i < given.flows.size(); ++i)
    sg::Actor::create(fmt::format("flow{}", i), hosts[i].first, [&, i] {
      sg::this_actor::sleep_until(given.flows[i].starts_s);
      sg::Comm::sendto(hosts[i].first, hosts[i].second, static_cast<std::uint64_t>(given.flows[i].bytes));
      out.ends_s[i] = sg::Engine::get_clock();
    });
  sg::Actor::create("look", hosts[0].first, [&] {
    sg::this_actor::sleep_until(given.look_s);
    for (const sg::Link* link : links) out.loads_bytes_per_s.push_back(link->get_usage());
  });
  engine.run();
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
  const Case given = make_case(seed);
  const Outcome mine = ours(given), theirs = simgrids(given, argc, argv);
  int bad = 0;
  double worst_end = 0, worst_load = 0;
  std::size_t busy = 0;
  for (std::size_t i = 0; i < given.flows.size(); ++i) {
    const double off = std::fabs(mine.ends_s[i] / theirs.ends_s[i] - 1);
    worst_end = std::max(worst_end, off);
    if (!(off < tolerance) && ++bad < 10)
      fmt::print("flow {}: ends at {} here and at {} in SimGrid\n", i, mine.ends_s[i], theirs.ends_s[i]);
  }
  for (std::size_t i = 0; i < given.link_bytes_per_s.size(); ++i) {
    const double off =
        std::fabs(mine.loads_bytes_per_s[i] - theirs.loads_bytes_per_s[i]) / given.link_bytes_per_s[i];
    worst_load = std::max(worst_load, off);
    busy += theirs.loads_bytes_per_s[i] > 0;
    if (!(off < tolerance) && ++bad < 10)
      fmt::print("link {}: carries {} here and {} in SimGrid\n", i, mine.loads_bytes_per_s[i],
                 theirs.loads_bytes_per_s[i]);
  }
  fmt::print(
      "seed {}: {} flows over {} links, {} of them busy when looked at; largest differences: ends {:.1e}, "
      "loads {:.1e} (relative)\n",
      seed, given.flows.size(), given.link_bytes_per_s.size(), busy, worst_end, worst_load);
  return bad == 0 && busy > 0 ? 0 : 1;
}
