#include "report/timeline_json.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace ww {
namespace {

constexpr std::int32_t no_peer = -1, several_peers = -2;

struct Span {
  std::int64_t begin_ns, end_ns;
};

// The part of a call that lies in the program proper, or an empty span.
Span span_of(const RankTrace& rank, std::size_t call) {
  const std::int64_t begin = std::max(rank.enter_ns[call], rank.begin_ns);
  return {begin, std::max(begin, std::min(rank.leave_ns[call], rank.end_ns))};
}
bool counts(const RankTrace& rank, std::size_t call) {
  return rank.leave_ns[call] >= rank.begin_ns && rank.enter_ns[call] <= rank.end_ns;
}

struct Exchanged {
  std::int32_t peer = no_peer;
  std::uint64_t sent_bytes = 0, received_bytes = 0;

  void with(std::int32_t other) {
    if (other < 0) return;
    peer = peer == no_peer || peer == other ? other : several_peers;
  }
};

// Whom a call dealt with, and what it moved: sends where they begin, receives where they complete.
Exchanged exchanged_in(const RankTrace& rank, std::size_t call) {
  Exchanged exchanged;
  for (std::size_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
    switch (rank.kind[a]) {
      case ActionKind::send:
      case ActionKind::isend:
        exchanged.sent_bytes += rank.bytes[a];
        break;
      case ActionKind::recv:
      case ActionKind::irecv_done:
        exchanged.received_bytes += rank.bytes[a];
        break;
      case ActionKind::collective:
      case ActionKind::icollective:
        exchanged.sent_bytes += rank.bytes[a];
        exchanged.received_bytes += rank.bytes_received[a];
        break;
      default:
        break;
    }
    exchanged.with(rank.peer[a]);
  }
  return exchanged;
}

// The blocked parts of a call, within the part of the call that counts.
struct Split {
  std::int64_t algorithmic_ns, service_ns, time_ns;
};
Split split_of(const RankTrace& rank, const Breakdown::CallSplit& split, std::size_t call) {
  const Span span = span_of(rank, call);
  const std::int64_t time = span.end_ns - span.begin_ns;
  const std::int64_t algorithmic = std::clamp<std::int64_t>(split.algorithmic_ns[call], 0, time);
  return {algorithmic, std::clamp<std::int64_t>(split.service_ns[call], 0, time - algorithmic), time};
}

// What a row holds of the calls of its ranks, in spans of equal width. Within a call the parts are taken to
// follow each other as algorithmic, service, library, as the page draws them.
struct Bins {
  std::int64_t begin_ns, width_ns;
  std::vector<std::int64_t> library, algorithmic, service;

  void add(std::vector<std::int64_t>& bins, std::int64_t from_ns, std::int64_t to_ns) {
    while (from_ns < to_ns) {
      const auto bin = std::min(static_cast<std::size_t>((from_ns - begin_ns) / width_ns), bins.size() - 1);
      const std::int64_t bin_end = begin_ns + static_cast<std::int64_t>(bin + 1) * width_ns;
      const std::int64_t to = bin + 1 == bins.size() ? to_ns : std::min(to_ns, bin_end);
      bins[bin] += to - from_ns;
      from_ns = to;
    }
  }
  void add(const RankTrace& rank, const Breakdown::CallSplit& split, std::size_t call) {
    const Span span = span_of(rank, call);
    const Split parts = split_of(rank, split, call);
    const std::int64_t service_from = span.begin_ns + parts.algorithmic_ns;
    add(algorithmic, span.begin_ns, service_from);
    add(service, service_from, service_from + parts.service_ns);
    add(library, service_from + parts.service_ns, span.end_ns);
  }
};

// The length from which on calls are listed so that no more than `limit` are, and how many of exactly that
// length.
struct Cut {
  std::int64_t shortest_ns = 0;
  std::size_t of_that_length = 0;
};
Cut cut_for(std::vector<std::int64_t> lengths, std::size_t limit) {
  if (limit == 0) return {std::numeric_limits<std::int64_t>::max(), 0};
  const auto last = lengths.begin() + static_cast<std::ptrdiff_t>(limit - 1);
  std::nth_element(lengths.begin(), last, lengths.end(), std::greater<>());
  const std::int64_t shortest = *last;
  const auto longer =
      std::count_if(lengths.begin(), lengths.end(), [&](std::int64_t ns) { return ns > shortest; });
  return {shortest, limit - static_cast<std::size_t>(longer)};
}

// The regions of the first thread, within the program proper, that are long enough.
nlohmann::json regions_json(const RankTrace& rank, std::int64_t begin_ns, Cut& cut) {
  nlohmann::json columns;
  for (const char* key : {"enter", "time", "name", "depth"}) columns[key] = nlohmann::json::array();
  std::vector<std::int64_t> open;  // ends
  for (const UserRegion& region : rank.user.regions) {
    if (region.thread != 0) continue;
    while (!open.empty() && open.back() <= region.enter_ns) open.pop_back();
    const std::int64_t from = std::max(region.enter_ns, rank.begin_ns),
                       to = std::min(region.leave_ns, rank.end_ns);
    const std::int64_t length = region.leave_ns - region.enter_ns;
    bool listed = to > from && length >= cut.shortest_ns;
    if (listed && length == cut.shortest_ns) {
      listed = cut.of_that_length > 0;
      if (listed) --cut.of_that_length;
    }
    if (listed) {
      columns["enter"].push_back(from - begin_ns);
      columns["time"].push_back(to - from);
      columns["name"].push_back(region.region);
      columns["depth"].push_back(open.size());
    }
    open.push_back(region.leave_ns);
  }
  return columns;
}

Cut cut_of_regions(const Trace& trace, std::size_t limit) {
  std::vector<std::int64_t> lengths;
  for (const RankTrace& rank : trace.ranks)
    for (const UserRegion& region : rank.user.regions)
      if (region.thread == 0) lengths.push_back(region.leave_ns - region.enter_ns);
  return lengths.size() <= limit ? Cut{0, lengths.size()} : cut_for(std::move(lengths), limit);
}

nlohmann::json arrows_json(const Trace& trace, std::int64_t begin_ns, std::size_t limit) {
  struct Arrow {
    std::int64_t send_ns, receive_ns;
    const Message* message;
  };
  std::vector<Arrow> all;
  for (const Message& m : trace.messages) {
    const RankTrace& source = trace.ranks[static_cast<std::size_t>(m.source)];
    const RankTrace& destination = trace.ranks[static_cast<std::size_t>(m.destination)];
    if (m.send_call >= source.calls() || m.recv_done_call >= destination.calls()) continue;
    all.push_back({source.enter_ns[m.send_call], destination.leave_ns[m.recv_done_call], &m});
  }
  std::sort(all.begin(), all.end(), [](const Arrow& a, const Arrow& b) {
    return a.send_ns != b.send_ns ? a.send_ns < b.send_ns : a.message < b.message;
  });
  const std::size_t step =
      limit == 0 ? all.size() + 1 : (all.size() + limit - 1) / std::max<std::size_t>(limit, 1);
  nlohmann::json columns;
  for (const char* key : {"source", "send_ns", "destination", "receive_ns", "bytes", "tag"})
    columns[key] = nlohmann::json::array();
  for (std::size_t i = 0; limit > 0 && i < all.size(); i += step) {
    columns["source"].push_back(all[i].message->source);
    columns["send_ns"].push_back(all[i].send_ns - begin_ns);
    columns["destination"].push_back(all[i].message->destination);
    columns["receive_ns"].push_back(all[i].receive_ns - begin_ns);
    columns["bytes"].push_back(all[i].message->bytes);
    columns["tag"].push_back(all[i].message->tag);
  }
  return columns;
}

}  // namespace

nlohmann::json timeline_json(const Trace& trace, const Breakdown& breakdown, const TimelineLimits& limits) {
  WW_INVARIANT(breakdown.splits.size() == trace.ranks.size());
  std::int64_t begin_ns = 0, end_ns = 0;
  std::size_t calls = 0;
  std::vector<std::int64_t> lengths;
  const std::size_t ranks = trace.ranks.size();
  const std::size_t ranks_per_row = std::max<std::size_t>(
      1, (ranks + std::max<std::size_t>(limits.rows, 1) - 1) / std::max<std::size_t>(limits.rows, 1));
  for (std::size_t r = 0; r < ranks; ++r) {
    const RankTrace& rank = trace.ranks[r];
    WW_INVARIANT(breakdown.splits[r].algorithmic_ns.size() == rank.calls());
    WW_INVARIANT(breakdown.splits[r].service_ns.size() == rank.calls());
    begin_ns = r == 0 ? rank.begin_ns : std::min(begin_ns, rank.begin_ns);
    end_ns = r == 0 ? rank.end_ns : std::max(end_ns, rank.end_ns);
    for (std::size_t call = 0; call < rank.calls(); ++call) {
      if (!counts(rank, call)) continue;
      ++calls;
      if (ranks_per_row == 1) lengths.push_back(split_of(rank, breakdown.splits[r], call).time_ns);
    }
  }
  const bool all_listed = ranks_per_row == 1 && calls <= limits.calls;
  Cut cut;
  if (!all_listed && ranks_per_row == 1) cut = cut_for(lengths, limits.calls);

  const std::size_t row_count = (ranks + ranks_per_row - 1) / ranks_per_row;
  const std::size_t bin_count =
      row_count == 0 ? 1 : std::max<std::size_t>(1, std::min<std::size_t>(limits.cells / row_count, 8192));
  const std::int64_t width_ns =
      std::max<std::int64_t>(1, (end_ns - begin_ns) / static_cast<std::int64_t>(bin_count) + 1);

  nlohmann::json rows = nlohmann::json::array(), bin_rows = nlohmann::json::array();
  std::size_t listed = 0;
  Cut region_cut = cut_of_regions(trace, limits.regions);
  for (std::size_t row = 0; row < row_count; ++row) {
    const std::size_t first = row * ranks_per_row, last = std::min(first + ranks_per_row, ranks) - 1;
    nlohmann::json json{{"first_rank", first}, {"last_rank", last}, {"host", trace.ranks[first].host}};
    for (const char* key : {"enter", "time", "algorithmic", "service", "name", "peer", "sent", "received"})
      json[key] = nlohmann::json::array();
    std::int64_t row_begin_ns = trace.ranks[first].begin_ns, row_end_ns = trace.ranks[first].end_ns;
    const std::vector<std::int64_t> zeros(all_listed ? 0 : bin_count, 0);
    Bins bins{begin_ns, width_ns, zeros, zeros, zeros};
    std::int64_t enter_before_ns = begin_ns;
    for (std::size_t r = first; r <= last; ++r) {
      const RankTrace& rank = trace.ranks[r];
      row_begin_ns = std::min(row_begin_ns, rank.begin_ns);
      row_end_ns = std::max(row_end_ns, rank.end_ns);
      if (rank.host != trace.ranks[first].host) json["host"] = "several hosts";
      for (std::size_t call = 0; call < rank.calls(); ++call) {
        if (!counts(rank, call)) continue;
        if (!all_listed) bins.add(rank, breakdown.splits[r], call);
        if (ranks_per_row > 1) continue;
        const Split split = split_of(rank, breakdown.splits[r], call);
        if (!all_listed && split.time_ns <= cut.shortest_ns) {
          if (split.time_ns < cut.shortest_ns || cut.of_that_length == 0) continue;
          --cut.of_that_length;
        }
        const std::int64_t enter_ns = span_of(rank, call).begin_ns;
        const Exchanged exchanged = exchanged_in(rank, call);
        json["enter"].push_back(enter_ns - enter_before_ns);
        json["time"].push_back(split.time_ns);
        json["algorithmic"].push_back(split.algorithmic_ns);
        json["service"].push_back(split.service_ns);
        json["name"].push_back(rank.region[call]);
        json["peer"].push_back(exchanged.peer);
        json["sent"].push_back(exchanged.sent_bytes);
        json["received"].push_back(exchanged.received_bytes);
        enter_before_ns = enter_ns;
        ++listed;
      }
    }
    if (ranks_per_row == 1 && !trace.user.regions.empty())
      json["regions"] = regions_json(trace.ranks[first], begin_ns, region_cut);
    json["begin_ns"] = row_begin_ns - begin_ns;
    json["end_ns"] = row_end_ns - begin_ns;
    rows.push_back(std::move(json));
    if (!all_listed)
      bin_rows.push_back(
          {{"library", bins.library}, {"algorithmic", bins.algorithmic}, {"service", bins.service}});
  }

  nlohmann::json arrows = arrows_json(trace, begin_ns, limits.messages);
  const std::size_t listed_messages = arrows["source"].size();
  nlohmann::json json{{"begin_ns", begin_ns},
                      {"end_ns", end_ns},
                      {"calls", calls},
                      {"listed_calls", listed},
                      {"messages", trace.messages.size()},
                      {"listed_messages", listed_messages},
                      {"names", trace.regions},
                      {"rows", std::move(rows)},
                      {"arrows", std::move(arrows)},
                      {"bins", nullptr}};
  if (!trace.user.regions.empty()) json["region_names"] = trace.user.regions;
  if (!all_listed) {
    json["bins"] = {{"width_ns", width_ns}, {"rows", std::move(bin_rows)}};
    if (listed > 0) json["shortest_listed_ns"] = cut.shortest_ns;
  }
  return json;
}

}  // namespace ww
