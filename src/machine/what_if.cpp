#include "machine/what_if.hpp"

#include <fmt/format.h>

#include <set>

#include "base/units.hpp"
#include "machine/json_object.hpp"

namespace ww {
namespace {

const std::vector<std::string> part_names{"bandwidth", "latency", "software", "compute"};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Result<void> parse_part(std::string_view part, WhatIf& into, std::set<std::string>& seen) {
  const std::string there_are =
      "the parts are bandwidth=x10, latency=x0.5 or latency=5us, software=x0.1, compute=x2";
  const auto equals = part.find('=');
  const std::string name(trimmed(part.substr(0, equals)));
  const auto bad = [&](const std::string& what, const std::string& remedy) {
    return wrong_usage(what, fmt::format("'{}' in what-if '{}'", part, into.spec), remedy);
  };
  if (equals == std::string_view::npos) return bad("a part without '='", there_are);
  if (std::find(part_names.begin(), part_names.end(), name) == part_names.end()) {
    const auto nearest = nearest_word(name, part_names);
    return bad("unknown part",
               nearest ? fmt::format("did you mean '{}'? {}", *nearest, there_are) : there_are);
  }
  if (!seen.insert(name).second) return bad("a part given twice", "keep one of them");
  const std::string_view value = trimmed(part.substr(equals + 1));
  if (name == "latency" && !value.starts_with('x')) {
    const auto time = parse_time_s(value);
    if (!time) return bad("a latency that is neither a factor nor a time", "write it like x0.5 or 5us");
    into.latency_s = *time;
    return {};
  }
  const auto factor = parse_factor(value);
  if (!factor) return bad("a value that is not a factor", "write it like x10 or x0.5");
  (name == "bandwidth"  ? into.bandwidth
   : name == "latency"  ? into.latency
   : name == "software" ? into.software
                        : into.compute) = *factor;
  return {};
}

}  // namespace

bool WhatIf::is_identity() const {
  return bandwidth == 1 && latency == 1 && !latency_s && software == 1 && compute == 1;
}

Place WhatIf::network_of(const MachineModel& model) const {
  if (network) return *network;
  return model.link(Place::inter) != nullptr || model.link(Place::intra) == nullptr ? Place::inter
                                                                                    : Place::intra;
}

Result<WhatIf> parse_what_if(std::string_view spec) {
  WhatIf what_if;
  what_if.spec = std::string(trimmed(spec));
  std::set<std::string> seen;
  std::string_view rest = spec;
  while (true) {
    const auto comma = rest.find(',');
    WW_CHECK(parse_part(trimmed(rest.substr(0, comma)), what_if, seen));
    if (comma == std::string_view::npos) return what_if;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace ww
