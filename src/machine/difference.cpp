#include "machine/difference.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ww {

std::vector<LinkDifference> differences(const MachineModel& a, const MachineModel& b) {
  std::vector<LinkDifference> out;
  for (const Link& link : a.links) {
    const Link* other = b.link(link.between);
    if (other == nullptr) continue;
    LinkDifference one{link.between, {}, 0, 0};
    const double largest =
        std::min(link.one_way.segments.back().to_bytes, other->one_way.segments.back().to_bytes);
    for (double bytes = 8; bytes <= largest; bytes *= 2) {
      const double a_s = link.one_way.at(bytes), b_s = other->one_way.at(bytes), off = a_s / b_s - 1;
      one.mean += std::fabs(off);
      one.most = std::max(one.most, std::fabs(off));
      one.sizes.push_back({bytes, a_s, b_s, off});
    }
    if (!one.sizes.empty()) one.mean /= static_cast<double>(one.sizes.size());
    out.push_back(std::move(one));
  }
  return out;
}

nlohmann::json to_json(const std::vector<LinkDifference>& links) {
  nlohmann::json json = nlohmann::json::array();
  for (const LinkDifference& link : links) {
    nlohmann::json sizes = nlohmann::json::array();
    for (const LinkDifference::Size& size : link.sizes)
      sizes.push_back(
          {{"bytes", size.bytes}, {"a_s", size.a_s}, {"b_s", size.b_s}, {"relative", size.relative}});
    json.push_back({{"between", to_string(link.between)},
                    {"mean", link.mean},
                    {"max", link.most},
                    {"sizes", std::move(sizes)}});
  }
  return json;
}

}  // namespace ww
