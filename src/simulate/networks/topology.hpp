// How nodes are joined: directed links, and the links that a message takes. Every node has a link into the
// network and one out of it; routes go over both.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/networks/shared_links.hpp"

namespace ww::simulate {

class Topology {
 public:
  virtual ~Topology() = default;
  virtual int nodes() const = 0;
  virtual std::uint32_t links() const = 0;  // numbered from 0; 2 * nodes() of them are node_out and node_in
  // From one node to another one. `shared` says what is on the links now; `number` is the message's, for
  // choices that are made at random, but always alike.
  virtual void route(int from, int to, std::uint32_t number, const SharedLinks& shared,
                     std::vector<std::uint32_t>& into) = 0;
  // Of a link that is none of the nodes' own, from where to where: "node 3 to node 7".
  virtual std::string name_of(std::uint32_t link) const = 0;
  virtual std::string says() const = 0;  // "a torus of 4 x 4 x 4 nodes, ..."
  // What it counted, beside flows and bytes.
  virtual std::vector<std::pair<std::string, double>> counts() const { return {}; }

  static std::string name_of_own(std::uint32_t link) {
    const std::string node = "node " + std::to_string(link / 2);
    return link % 2 == 0 ? node + " to the network" : "the network to " + node;
  }
  static std::uint32_t node_out(int node) { return static_cast<std::uint32_t>(node) * 2; }
  static std::uint32_t node_in(int node) { return static_cast<std::uint32_t>(node) * 2 + 1; }
};

}  // namespace ww::simulate
