#include "simulate/networks/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/json_object.hpp"
#include "base/units.hpp"
#include "simulate/networks/kinds.hpp"

namespace ww::simulate {

SimulatedNetwork told_by(const Network& network, std::string name) {
  SimulatedNetwork told{std::move(name), network.counts(), network.assumptions(), network.channels()};
  std::sort(told.channels.begin(), told.channels.end(), [](const ChannelUse& a, const ChannelUse& b) {
    return a.busy_s != b.busy_s ? a.busy_s > b.busy_s : a.name < b.name;
  });
  return told;
}

const std::vector<const NetworkKind*>& network_kinds() {
#define WW_ADDRESS(name) &name##_kind,
  static const std::vector<const NetworkKind*> kinds{WW_NETWORKS(WW_ADDRESS)};
#undef WW_ADDRESS
  return kinds;
}

Result<const NetworkKind*> find_network(const NetworkSpec& spec) {
  const std::string where = fmt::format("network '{}'", spec.text);
  std::vector<std::string> names;
  for (const NetworkKind* kind : network_kinds()) names.emplace_back(kind->name);
  const auto unknown = [&](const char* what, const std::string& word, const std::vector<std::string>& known) {
    const auto nearest = nearest_word(word, known);
    return wrong_usage(
        fmt::format("unknown {} '{}'", what, word), where,
        fmt::format("{}there {}: {}", nearest ? fmt::format("did you mean '{}'? ", *nearest) : std::string(),
                    known.size() == 1 ? "is" : "are", fmt::join(known, ", ")));
  };
  for (const NetworkKind* kind : network_kinds()) {
    if (spec.name != kind->name) continue;
    for (const auto& [key, value] : spec.keys)
      if (kind->keys.empty())
        return wrong_usage(fmt::format("the network '{}' has no keys", spec.name), where, "leave it out");
      else if (std::find(kind->keys.begin(), kind->keys.end(), key) == kind->keys.end())
        return unknown("key", key, kind->keys);
    NetworkKeys keys(spec);
    if (kind->check) WW_CHECK(kind->check(keys));
    return kind;
  }
  return unknown("network", spec.name, names);
}

bool is_random(const NetworkSpec& spec) {
  const auto kind = find_network(spec);
  return kind && (*kind)->random && (*kind)->random(spec);
}

Result<std::unique_ptr<Network>> make_network(const NetworkContext& context) {
  static const NetworkSpec usual{"ports", {}, "ports"};
  const NetworkSpec& spec = context.options.network ? *context.options.network : usual;
  WW_TRY(const NetworkKind* kind, find_network(spec));
  NetworkKeys keys(spec);
  return kind->make(keys, context);
}

const std::string* NetworkKeys::find(const char* key) const {
  for (const auto& [name, value] : spec_.keys)
    if (name == key) return &value;
  return nullptr;
}

void NetworkKeys::report(const std::string& what, const std::string& remedy) {
  if (!error_) error_ = Error{what, fmt::format("network '{}'", spec_.text), remedy, true};
}

void NetworkKeys::bad(const char* key, const std::string& what, const std::string& remedy) {
  report(fmt::format("'{}={}' is not {}", key, *find(key), what), remedy);
}

Result<void> NetworkKeys::check() const {
  if (error_) return tl::unexpected(*error_);
  return {};
}

std::optional<double> NetworkKeys::time_s(const char* key) {
  const std::string* text = find(key);
  if (!text) return std::nullopt;
  const auto value = parse_time_s(*text);
  if (value) return *value;
  bad(key, "a time", "write it like 500ns or 1us");
  return std::nullopt;
}

std::optional<double> NetworkKeys::rate_bytes_per_s(const char* key) {
  const std::string* text = find(key);
  if (!text) return std::nullopt;
  const auto value = parse_rate_bytes_per_s(
      text->find('/') == std::string::npos && !text->ends_with("bps") ? *text + "/s" : *text);
  if (value && *value > 0) return *value;
  bad(key, "a rate", "write it like 100Mb/s or 10Gbit");
  return std::nullopt;
}

int NetworkKeys::whole(const char* key, int otherwise, int least, int most) {
  const std::string* text = find(key);
  if (!text) return otherwise;
  int value = 0;
  const char* end = text->data() + text->size();
  const auto [read, error] = std::from_chars(text->data(), end, value);
  if (error == std::errc() && read == end && value >= least && value <= most) return value;
  bad(key, "a number that it can be", fmt::format("a whole number from {} to {}", least, most));
  return otherwise;
}

std::vector<int> NetworkKeys::sizes(const char* key, int otherwise) {
  const std::string* text = find(key);
  if (!text) return {otherwise};
  std::vector<int> out;
  const char* at = text->data();
  const char* end = at + text->size();
  while (true) {
    int value = 0;
    const auto [read, error] = std::from_chars(at, end, value);
    if (error != std::errc() || value < 1 || value > 1 << 20) break;
    out.push_back(value);
    if (read == end) return out;
    if (*read != 'x') break;
    at = read + 1;
  }
  bad(key, "sizes", "write it like 4x4x2");
  return {otherwise};
}

std::string NetworkKeys::word(const char* key, const std::vector<std::string>& words) {
  const std::string* text = find(key);
  if (!text) return words.front();
  if (std::find(words.begin(), words.end(), *text) != words.end()) return *text;
  bad(key, "known", fmt::format("it can be {}", fmt::join(words, " or ")));
  return words.front();
}

}  // namespace ww::simulate

namespace ww {

Result<void> check_network(const NetworkSpec& network) {
  return simulate::find_network(network).map([](const simulate::NetworkKind*) {});
}

std::vector<NetworkHelp> known_networks() {
  std::vector<NetworkHelp> out;
  for (const simulate::NetworkKind* kind : simulate::network_kinds())
    out.push_back({kind->name, kind->says, kind->keys});
  return out;
}

}  // namespace ww
