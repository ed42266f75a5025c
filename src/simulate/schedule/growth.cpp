#include "simulate/schedule/growth.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ww::schedule {

nlohmann::json to_json(const Blame& blame, bool idle, const std::vector<std::string>& calls,
                       const std::function<MessageEnds(std::uint64_t)>& ends, double per_s) {
  constexpr std::size_t told = 20;
  const auto seconds = [&](Ticks time) { return static_cast<double>(time) / per_s; };
  nlohmann::json by_rank = nlohmann::json::array(), by_call = nlohmann::json::object(),
                 messages = nlohmann::json::array();
  for (std::size_t rank = 0; rank < blame.by_rank.size(); ++rank)
    if (idle || blame.by_rank[rank] > 0)
      by_rank.push_back({{"rank", rank}, {"s", seconds(blame.by_rank[rank])}});
  for (std::size_t call = 0; call < blame.by_call.size(); ++call)
    if (blame.by_call[call] > 0 && !calls[call].empty()) by_call[calls[call]] = seconds(blame.by_call[call]);
  for (std::size_t i = 0; i < std::min(told, blame.messages.size()); ++i) {
    const MessageEnds message = ends(blame.messages[i].number);
    messages.push_back({{"from", message.from},
                        {"to", message.to},
                        {"bytes", message.bytes},
                        {"s", seconds(blame.messages[i].time)}});
  }
  return {
      {"by_rank", std::move(by_rank)}, {"by_call", std::move(by_call)}, {"messages", std::move(messages)}};
}

nlohmann::json to_json(const PieceCurve& curve, double from_s, double per_s) {
  const auto seconds = [&](Ticks time) { return static_cast<double>(time) / per_s; };
  nlohmann::json pieces = nlohmann::json::array();
  for (const Piece& piece : curve.pieces)
    pieces.push_back({{"from_s", from_s + seconds(piece.from)},
                      {"predicted_s", seconds(piece.finish)},
                      {"s_per_s", piece.slope}});
  return {{"pieces", std::move(pieces)}, {"to_s", from_s + seconds(curve.to)}, {"cut", curve.cut}};
}

Result<Growths> growths(const Growing& growing, Ticks finish, Reach reach, const JointLimits& limits) {
  constexpr std::uint64_t fewest = 20;
  const std::size_t most =
      reach.jointly
          ? most_pieces
          : std::clamp<std::uint64_t>(limits.evaluations / all_parameters.size(), fewest, most_pieces);
  Growths out;
  for (const Parameter parameter : all_parameters) {
    if (reach.curves[parameter] <= 0) continue;
    const Evaluate evaluate = by(parameter, growing, reach.now);
    Growth growth{parameter, {}, {}};
    WW_TRY(growth.curve, all_pieces(evaluate, reach.from[parameter], reach.curves[parameter], most));
    for (const int percent : {1, 5}) {
      WW_TRY(const Ticks most, largest_within(evaluate, reach.now[parameter], finish + finish / 100 * percent,
                                              reach.tolerances[parameter]));
      growth.within.push_back({percent, most});
    }
    out.by.push_back(std::move(growth));
  }
  const Place2 corner{reach.curves.latency, reach.curves.per_byte};
  if (!reach.jointly || corner.x <= 0 || corner.y <= 0) return out;
  WW_TRY(JointMap map, joint_map(growing, reach.now.overhead, {{}, corner}, limits));
  out.joint = std::move(map);
  return out;
}

}  // namespace ww::schedule
