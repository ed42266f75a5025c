#include "simulate/stations/station_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace ww::stations {
namespace {

using schedule::Builder;

using Pair = std::pair<std::uint32_t, std::uint32_t>;  // source, destination

// Calls act(pair) for each message or piece of one that the line is of.
template <class Act>
void each_piece(const StationLine& line, std::uint32_t station, Act&& act) {
  if (line.does == Does::compute || line.bytes == 0) return;
  if (line.does == Does::receive) {
    if (line.source != station) act(Pair{line.source, station});
    return;
  }
  for (const std::uint32_t to : line.destinations)
    if (to != station) act(Pair{station, to});
}

// How many bytes each end of a pair has had, line by line.
struct Ends {
  std::vector<std::uint64_t> sent, received;  // after each of its lines
};
std::uint64_t all_of(const std::vector<std::uint64_t>& had) {
  return had.empty() ? 0 : had.back();
}

// The numbers of bytes at which a message ends: both ends have had just as many. Ascending.
Result<std::vector<std::uint64_t>> ends_of_messages(const Pair& pair, const Ends& ends) {
  if (all_of(ends.sent) != all_of(ends.received))
    return fail("a station that sends more or less than is received",
                fmt::format("station {} sends {} bytes to station {}, which receives {}", pair.first,
                            all_of(ends.sent), pair.second, all_of(ends.received)),
                "each message must be in the files of both stations");
  std::vector<std::uint64_t> both;
  std::set_intersection(ends.sent.begin(), ends.sent.end(), ends.received.begin(), ends.received.end(),
                        std::back_inserter(both));
  return both;
}

// The message of a pair that is under way.
class Messages {
 public:
  explicit Messages(std::vector<std::uint64_t> ends) : ends_(std::move(ends)) {}

  // The bytes of the message that ends with this piece.
  std::optional<std::uint64_t> ends_with(std::uint64_t piece_bytes) {
    had_bytes_ += piece_bytes;
    if (next_ == ends_.size() || had_bytes_ < ends_[next_]) return {};
    const std::uint64_t begin = next_ == 0 ? 0 : ends_[next_ - 1];
    return ends_[next_++] - begin;
  }

 private:
  std::vector<std::uint64_t> ends_;
  std::size_t next_ = 0;
  std::uint64_t had_bytes_ = 0;
};

// One station's lines one after the other.
class InTurn {
 public:
  explicit InTurn(Builder& builder) : builder_(builder) { builder.begin_rank(); }

  void then(std::uint32_t op, bool lets_go_when_begun) {
    if (before_) builder_.require(op, *before_, only_begun_);
    before_ = op;
    only_begun_ = lets_go_when_begun;
  }

 private:
  Builder& builder_;
  std::optional<std::uint32_t> before_;
  bool only_begun_ = false;
};

}  // namespace

Result<schedule::Schedule> schedule_of(const std::vector<StationProgram>& stations) {
  std::map<Pair, Ends> ends;
  for (std::uint32_t n = 0; n < stations.size(); ++n)
    for (const StationLine& line : stations[n].lines)
      each_piece(line, n, [&](const Pair& pair) {
        auto& had = line.does == Does::receive ? ends[pair].received : ends[pair].sent;
        had.push_back(all_of(had) + line.bytes);
      });
  std::map<Pair, Messages> sent, received;
  for (const auto& [pair, of_both] : ends) {
    WW_TRY(const auto at, ends_of_messages(pair, of_both));
    sent.emplace(pair, Messages(at));
    received.emplace(pair, Messages(at));
  }

  Builder builder(static_cast<std::uint32_t>(stations.size()));
  const std::uint32_t sends = builder.call("send"), multicasts = builder.call("multicast"),
                      receives = builder.call("receive");
  for (std::uint32_t n = 0; n < stations.size(); ++n) {
    InTurn turn(builder);
    for (const StationLine& line : stations[n].lines) {
      constexpr std::uint64_t ns_per_us = 1000;
      if (line.does == Does::compute && line.time_us > 0)
        turn.then(builder.compute(static_cast<std::uint64_t>(line.time_us) * ns_per_us), false);
      each_piece(line, n, [&](const Pair& pair) {
        const bool comes = line.does == Does::receive;
        const auto bytes = (comes ? received : sent).at(pair).ends_with(line.bytes);
        if (!bytes) return;
        if (comes)
          turn.then(builder.receive(pair.first, *bytes, 0, receives), false);
        else
          turn.then(builder.send(pair.second, *bytes, 0, line.does == Does::send ? sends : multicasts), true);
      });
    }
  }
  return builder.finish();
}

Result<schedule::Schedule> read_schedule_of(const std::filesystem::path& directory) {
  WW_TRY(const auto stations, load_stations(directory));
  auto schedule = schedule_of(stations);
  if (!schedule) {
    Error error = schedule.error();
    error.where = directory.string() + ", " + error.where;
    return tl::unexpected(error);
  }
  return schedule;
}

}  // namespace ww::stations
