#include "machine/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/json_object.hpp"
#include "base/units.hpp"

namespace ww {
namespace {

const std::vector<std::string> part_names{"bandwidth", "latency", "software", "per-byte",
                                          "compute",   "machine", "network",  "ranks-per-host"};
const std::string there_are =
    "the parts are bandwidth=x10, latency=x0.5 or latency=5us, software=x0.1, per-byte=x0.5 (of software), "
    "compute=x2, compute@rank:0-3=x2, compute@region:NAME=x2, machine=PRESET or machine=FILE, "
    "network=NAME:KEY=VALUE, ranks-per-host=1";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// "0-3+7"
std::optional<std::vector<std::pair<std::int32_t, std::int32_t>>> parse_ranks(std::string_view text) {
  std::vector<std::pair<std::int32_t, std::int32_t>> out;
  const auto number = [](std::string_view digits) -> std::optional<std::int32_t> {
    std::int32_t value = 0;
    const auto end = digits.data() + digits.size();
    const auto [read, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || read != end || value < 0) return std::nullopt;
    return value;
  };
  while (true) {
    const auto plus = text.find('+');
    const std::string_view range = text.substr(0, plus);
    const auto dash = range.find('-');
    const auto first = number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(range.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    out.emplace_back(*first, *last);
    if (plus == std::string_view::npos) return out;
    text.remove_prefix(plus + 1);
  }
}

class Part {
 public:
  Part(std::string_view part, WhatIf& into, std::set<std::string>& seen)
      : part_(part), into_(into), seen_(seen) {}

  Result<void> parse() {
    const auto equals = part_.find('=');
    std::string_view name = trimmed(part_.substr(0, equals));
    if (equals == std::string_view::npos) return bad("a part without '='", there_are);
    const std::string_view value = trimmed(part_.substr(equals + 1));
    const std::string whole_name(name);
    const auto at = name.find('@');
    const std::string_view scope = at == std::string_view::npos ? std::string_view() : name.substr(at);
    name = name.substr(0, at);
    if (name == "ranks")
      return bad("another number of ranks cannot be replayed",
                 "a trace says what these ranks did; how the program would divide its data and its messages "
                 "over others it does not say: record the program with that many ranks");
    if (std::find(part_names.begin(), part_names.end(), name) == part_names.end()) {
      const auto nearest = nearest_word(name, part_names);
      return bad("unknown part",
                 nearest ? fmt::format("did you mean '{}'? {}", *nearest, there_are) : there_are);
    }
    if (!scope.empty() && name != "compute")
      return bad(fmt::format("{} cannot be that of some ranks or regions", name),
                 "only computation can: compute@rank:0-3=x2, compute@region:NAME=x2");
    if (!seen_.insert(whole_name).second) return bad("a part given twice", "keep one of them");
    if (name == "machine") {
      WW_TRY(MachineModel model, load_model(std::string(value)));
      into_.machine = std::make_shared<const MachineModel>(std::move(model));
      return {};
    }
    if (name == "network") {
      WW_TRY(into_.topology, parse_network_spec(value));
      return {};
    }
    if (name == "ranks-per-host") {
      const auto end = value.data() + value.size();
      const auto [read, error] = std::from_chars(value.data(), end, into_.ranks_per_host);
      if (error != std::errc() || read != end || into_.ranks_per_host < 1)
        return bad("a number of ranks that is none", "write it like ranks-per-host=1");
      return {};
    }
    if (name == "latency" && !value.starts_with('x')) {
      const auto time = parse_time_s(value);
      if (!time) return bad("a latency that is neither a factor nor a time", "write it like x0.5 or 5us");
      into_.latency_s = *time;
      return {};
    }
    const auto factor = parse_factor(value);
    if (!factor) return bad("a value that is not a factor", "write it like x10 or x0.5");
    if (!scope.empty()) return parse_scope(scope, *factor);
    (name == "bandwidth"  ? into_.bandwidth
     : name == "latency"  ? into_.latency
     : name == "software" ? into_.software
     : name == "per-byte" ? into_.per_byte
                          : into_.compute) = *factor;
    return {};
  }

 private:
  tl::unexpected<Error> bad(const std::string& what, const std::string& remedy) const {
    return wrong_usage(what, fmt::format("'{}' in what-if '{}'", part_, into_.spec), remedy);
  }

  // "@rank:0-3@region:solve"
  Result<void> parse_scope(std::string_view scope, double factor) {
    ComputeScope out;
    out.factor = factor;
    const std::string like = "write it like compute@rank:0-3+7=x2 or compute@region:solve=x2";
    while (!scope.empty()) {
      const auto next = scope.find('@', 1);
      const std::string_view one = scope.substr(1, next == std::string_view::npos ? next : next - 1);
      scope = next == std::string_view::npos ? std::string_view() : scope.substr(next);
      const std::string_view of =
          one.substr(one.find(':') == std::string_view::npos ? one.size() : one.find(':') + 1);
      if (one.starts_with("rank:") && out.ranks.empty()) {
        const auto ranks = parse_ranks(of);
        if (!ranks) return bad("ranks that are not numbers or ranges", like);
        out.ranks = *ranks;
      } else if (one.starts_with("region:") && out.region.empty() && !of.empty()) {
        out.region = std::string(of);
      } else {
        return bad("computation of something other than ranks or a region", like);
      }
    }
    into_.compute_scopes.push_back(std::move(out));
    return {};
  }

  std::string_view part_;
  WhatIf& into_;
  std::set<std::string>& seen_;
};

}  // namespace

bool ComputeScope::holds(std::int32_t rank) const {
  return ranks.empty() || std::any_of(ranks.begin(), ranks.end(), [&](const auto& range) {
           return rank >= range.first && rank <= range.second;
         });
}

bool WhatIf::is_identity() const {
  return bandwidth == 1 && latency == 1 && !latency_s && software == 1 && per_byte == 1 && compute == 1 &&
         compute_scopes.empty() && !machine && !topology && ranks_per_host == 0;
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
    WW_CHECK(Part(trimmed(rest.substr(0, comma)), what_if, seen).parse());
    if (comma == std::string_view::npos) return what_if;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace ww
