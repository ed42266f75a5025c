#include "view/sql_tables.hpp"

#include <bit>
#include <limits>

namespace ww::view {
namespace {

std::vector<std::uint64_t> firsts(const Trace& trace, const auto& count) {
  std::vector<std::uint64_t> first{0};
  for (const RankTrace& rank : trace.ranks) first.push_back(first.back() + count(rank));
  return first;
}

// -1: there is none.
std::int64_t number(std::uint32_t index) {
  return index == none ? -1 : static_cast<std::int64_t>(index);
}

class Tables {
 public:
  Tables(const Trace& trace, const Index& index, std::optional<Error>& problem)
      : trace_(trace), index_(index), problem_(problem), begin_ns_(trace.begin_ns()) {}

  SqlTable calls() const {
    return {"calls",
            "rank INTEGER, call INTEGER, name TEXT, enter_ns INTEGER, leave_ns INTEGER, time_ns INTEGER, "
            "algorithmic_ns INTEGER, service_ns INTEGER, thread INTEGER",
            firsts(trace_, [](const RankTrace& rank) { return rank.calls(); }), true,
            [this](std::size_t r, std::uint64_t call, int column) -> SqlValue {
              const RankTrace& rank = trace_.ranks[r];
              switch (column) {
                case 0:
                  return static_cast<std::int64_t>(r);
                case 1:
                  return static_cast<std::int64_t>(call);
                case 2:
                  return std::string_view(trace_.regions[rank.region[call]]);
                case 3:
                  return rank.enter_ns[call] - begin_ns_;
                case 4:
                  return rank.leave_ns[call] - begin_ns_;
                case 5:
                  return rank.leave_ns[call] - rank.enter_ns[call];
                case 6:
                  return interval(r, call).algorithmic_ns;
                case 7:
                  return interval(r, call).service_ns;
                default:
                  return static_cast<std::int64_t>(rank.thread_of(call));
              }
            }};
  }

  SqlTable messages() const {
    return {"messages",
            "number INTEGER, source INTEGER, destination INTEGER, comm TEXT, tag INTEGER, bytes INTEGER, "
            "sent_ns INTEGER, received_ns INTEGER, send_call INTEGER, receive_call INTEGER, wildcard INTEGER",
            {0, trace_.messages.size()},
            false,
            [this](std::size_t, std::uint64_t i, int column) -> SqlValue { return message(i, column); }};
  }

  SqlTable ranks() const {
    return {"ranks", "rank INTEGER, host TEXT, begin_ns INTEGER, end_ns INTEGER, calls INTEGER",
            firsts(trace_, [](const RankTrace&) { return 1; }), true,
            [this](std::size_t r, std::uint64_t, int column) -> SqlValue {
              const RankTrace& rank = trace_.ranks[r];
              switch (column) {
                case 0:
                  return static_cast<std::int64_t>(r);
                case 1:
                  return std::string_view(rank.host);
                case 2:
                  return rank.begin_ns - begin_ns_;
                case 3:
                  return rank.end_ns - begin_ns_;
                default:
                  return static_cast<std::int64_t>(rank.calls());
              }
            }};
  }

  SqlTable markers() const {
    return {"markers", "rank INTEGER, at_ns INTEGER, text TEXT, thread INTEGER",
            firsts(trace_, [](const RankTrace& rank) { return rank.user.markers.size(); }), true,
            [this](std::size_t r, std::uint64_t i, int column) -> SqlValue {
              const UserMarker& marker = trace_.ranks[r].user.markers[i];
              if (column == 0) return static_cast<std::int64_t>(r);
              if (column == 1) return marker.at_ns - begin_ns_;
              if (column == 2) return std::string_view(trace_.user.texts[marker.text]);
              return static_cast<std::int64_t>(marker.thread);
            }};
  }

  SqlTable regions() const {
    return {"regions", "rank INTEGER, name TEXT, enter_ns INTEGER, leave_ns INTEGER, thread INTEGER",
            firsts(trace_, [](const RankTrace& rank) { return rank.user.regions.size(); }), true,
            [this](std::size_t r, std::uint64_t i, int column) -> SqlValue {
              const UserRegion& region = trace_.ranks[r].user.regions[i];
              if (column == 0) return static_cast<std::int64_t>(r);
              if (column == 1) return std::string_view(trace_.user.regions[region.region]);
              if (column == 2) return region.enter_ns - begin_ns_;
              if (column == 3) return region.leave_ns - begin_ns_;
              return static_cast<std::int64_t>(region.thread);
            }};
  }

  SqlTable values() const {
    return {"values", "rank INTEGER, at_ns INTEGER, name TEXT, unit TEXT, value NUMERIC, thread INTEGER",
            firsts(trace_, [](const RankTrace& rank) { return rank.user.values.size(); }), true,
            [this](std::size_t r, std::uint64_t i, int column) -> SqlValue {
              const UserValue& value = trace_.ranks[r].user.values[i];
              const ValueName& name = trace_.user.values[value.name];
              if (column == 0) return static_cast<std::int64_t>(r);
              if (column == 1) return value.at_ns - begin_ns_;
              if (column == 2) return std::string_view(name.name);
              if (column == 3) return std::string_view(name.unit);
              if (column == 4 && name.whole) return std::bit_cast<std::int64_t>(value.bits);
              if (column == 4) return value.number(name);
              return static_cast<std::int64_t>(value.thread);
            }};
  }

 private:
  CallInterval interval(std::size_t rank, std::uint64_t call) const {
    const std::uint64_t block = call / block_calls;
    if (read_.rank != rank || read_.block != block) {
      read_.calls = {};
      if (const auto count = index_.block(rank, block, read_.calls); !count) problem_ = count.error();
      read_.rank = rank, read_.block = block;
    }
    return read_.calls[call % block_calls];
  }

  SqlValue message(std::uint64_t i, int column) const {
    const Message message = trace_.messages[i];
    const auto instant = [&](std::int32_t rank, std::uint32_t call, bool at_return) -> SqlValue {
      if (call == none) return std::monostate();
      const RankTrace& of = trace_.ranks[static_cast<std::size_t>(rank)];
      return (at_return ? of.leave_ns[call] : of.enter_ns[call]) - begin_ns_;
    };
    switch (column) {
      case 0:
        return static_cast<std::int64_t>(i);
      case 1:
        return std::int64_t{message.source};
      case 2:
        return std::int64_t{message.destination};
      case 3:
        return std::string_view(trace_.comms[message.comm].name);
      case 4:
        return std::int64_t{message.tag};
      case 5:
        return static_cast<std::int64_t>(message.bytes);
      case 6:
        return instant(message.source, message.send_call, false);
      case 7:
        return instant(message.destination, message.recv_done_call, true);
      case 8:
        return number(message.send_call);
      case 9:
        return number(message.recv_done_call);
      default:
        return std::int64_t{message.wildcard ? 1 : 0};
    }
  }

  const Trace& trace_;
  const Index& index_;
  std::optional<Error>& problem_;
  std::int64_t begin_ns_;
  // The block that was read last: tables are mostly read in order.
  struct Read {
    std::size_t rank = std::numeric_limits<std::size_t>::max();
    std::uint64_t block = 0;
    std::array<CallInterval, block_calls> calls;
  };
  mutable Read read_;
};

}  // namespace

std::vector<SqlTable> sql_tables(const Trace& trace, const Index& index, std::optional<Error>& problem) {
  const auto tables = std::make_shared<const Tables>(trace, index, problem);
  std::vector<SqlTable> all{tables->calls(),   tables->messages(), tables->ranks(),
                            tables->markers(), tables->regions(),  tables->values()};
  for (SqlTable& table : all)  // which look at `tables`
    table.value = [tables, value = std::move(table.value)](std::size_t rank, std::uint64_t row, int column) {
      return value(rank, row, column);
    };
  return all;
}

}  // namespace ww::view
