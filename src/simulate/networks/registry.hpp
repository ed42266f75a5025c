// The networks by name, as network= and --network ask for them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/network_spec.hpp"
#include "simulate/costs.hpp"
#include "simulate/networks/network.hpp"
#include "simulate/simulate.hpp"

namespace ww::simulate {

// What it is and what it counted, when the run is over.
SimulatedNetwork told_by(const Network& network, std::string name);

// The values of a spec's keys. The first one that cannot be read is kept as the error, and defaults are given
// from then on, so that a network reads its keys in a plain list.
class NetworkKeys {
 public:
  explicit NetworkKeys(const NetworkSpec& spec) : spec_(spec) {}
  std::optional<double> time_s(const char* key);
  std::optional<double> rate_bytes_per_s(const char* key);  // "10Gbit", "100Mb/s"
  int whole(const char* key, int otherwise, int least, int most);
  std::vector<int> sizes(const char* key, int otherwise);  // "4x4x2"
  // One of `words`, the first without the key.
  std::string word(const char* key, const std::vector<std::string>& words);
  bool has(const char* key) const { return find(key) != nullptr; }
  // Of a key together with others, or one that is missing.
  void report(const std::string& what, const std::string& remedy);
  Result<void> check() const;

 private:
  const std::string* find(const char* key) const;
  void bad(const char* key, const std::string& what, const std::string& remedy);
  const NetworkSpec& spec_;
  std::optional<Error> error_;
};

// What a network is built in.
struct NetworkContext {
  const Program& program;
  const ReplayCosts& costs;
  const SimulateOptions& options;
  EventQueue& events;
  Listener& listener;
};

struct NetworkKind {
  const char* name;
  const char* says;               // one line of help
  std::vector<std::string> keys;  // that it has
  // Whether another seed is another run; null: never.
  bool (*random)(const NetworkSpec& spec);
  // Reads the keys; checks all that can be checked without a program. Null where there is nothing to check.
  Result<void> (*check)(NetworkKeys& keys);
  Result<std::unique_ptr<Network>> (*make)(NetworkKeys& keys, const NetworkContext& context);
};

const std::vector<const NetworkKind*>& network_kinds();
// Errors: a name or a key that there is not, with the nearest one and the list; a value that cannot be read.
Result<const NetworkKind*> find_network(const NetworkSpec& spec);
bool is_random(const NetworkSpec& spec);
// What options.network asks for; the ports of the hosts without.
Result<std::unique_ptr<Network>> make_network(const NetworkContext& context);

}  // namespace ww::simulate
