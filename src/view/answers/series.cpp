#include "view/answers/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "view/answers/messages_window.hpp"
#include "view/bytes_out.hpp"

namespace ww::view {
namespace {

constexpr std::pair<const char*, Measure> measures[] = {
    {"compute", Measure::compute},
    {"library", Measure::library},
    {"blocked", Measure::blocked},
    {"algorithmic", Measure::algorithmic},
    {"service", Measure::service},
    {"bytes_sent", Measure::bytes_sent},
    {"bytes_received", Measure::bytes_received},
    {"messages_sent", Measure::messages_sent},
    {"messages_received", Measure::messages_received},
    {"calls", Measure::calls},
    {"regions", Measure::regions},
    {"queue_messages", Measure::queue_messages},
    {"queue_bytes", Measure::queue_bytes},
    {"outgoing_messages", Measure::outgoing_messages},
    {"outgoing_bytes", Measure::outgoing_bytes},
};
constexpr const char* value_prefix = "value:";

// One row in the making. Bins need not be whole nanoseconds long.
class Row {
 public:
  Row(std::int64_t from_ns, std::int64_t to_ns, std::uint32_t bins)
      : from_ns_(from_ns), to_ns_(to_ns), bin_ns_(static_cast<double>(to_ns - from_ns) / bins), sums_(bins) {}

  // So much a nanosecond.
  void add(std::int64_t from_ns, std::int64_t to_ns, double each = 1) {
    from_ns = std::max(from_ns, from_ns_), to_ns = std::min(to_ns, to_ns_);
    if (from_ns >= to_ns) return;
    const std::size_t first = bin_of(from_ns), last = bin_of(to_ns - 1);
    if (first == last) {
      sums_[first] += static_cast<double>(to_ns - from_ns) * each;
      return;
    }
    const double begin = static_cast<double>(from_ns - from_ns_), end = static_cast<double>(to_ns - from_ns_);
    sums_[first] += (static_cast<double>(first + 1) * bin_ns_ - begin) * each;
    for (std::size_t bin = first + 1; bin < last; ++bin) sums_[bin] += bin_ns_ * each;
    sums_[last] += (end - static_cast<double>(last) * bin_ns_) * each;
  }
  void count(std::int64_t at_ns, double amount) {
    if (at_ns >= from_ns_ && at_ns < to_ns_) sums_[bin_of(at_ns)] += amount;
  }
  void set(std::int64_t at_ns, double value) {
    if (at_ns >= from_ns_ && at_ns < to_ns_) sums_[bin_of(at_ns)] = value;
  }
  void fill(double value) { std::fill(sums_.begin(), sums_.end(), value); }
  double bin_ns() const { return bin_ns_; }
  std::vector<double>& sums() { return sums_; }

 private:
  std::size_t bin_of(std::int64_t at_ns) const {
    return std::min(static_cast<std::size_t>(static_cast<double>(at_ns - from_ns_) / bin_ns_),
                    sums_.size() - 1);
  }
  std::int64_t from_ns_, to_ns_;
  double bin_ns_;
  std::vector<double> sums_;
};

class Maker {
 public:
  Maker(const Index& index, const Part& part, const AskedMeasure& asked, const Cancellation* stop)
      : index_(index), part_(part), trace_(part.trace()), asked_(asked), stop_(stop) {}

  Result<Series> run(std::uint32_t bins) {
    if (asked_.measure == Measure::value) {
      const auto& names = trace_.user.values;
      const auto found = std::find_if(names.begin(), names.end(),
                                      [&](const ValueName& one) { return one.name == asked_.value; });
      if (found == names.end())
        return wrong_usage("the trace has no such value", asked_.value, "data/N/trace lists its values");
      value_ = static_cast<std::uint32_t>(found - names.begin());
    }
    Series out;
    for (std::size_t rank = 0; rank < trace_.ranks.size(); ++rank)
      if (part_.has_rank(rank)) out.ranks.push_back(static_cast<std::uint32_t>(rank));
    const std::int64_t begin_ns = trace_.begin_ns();
    from_ns_ = part_.from_ns() - begin_ns, to_ns_ = part_.to_ns() - begin_ns;
    if (from_ns_ >= to_ns_) return out;
    const std::size_t most = most_series_values / std::max<std::size_t>(out.ranks.size(), 1);
    out.bins = static_cast<std::uint32_t>(std::clamp<std::size_t>(bins, 1, std::max<std::size_t>(most, 1)));
    out.from_ns = static_cast<double>(from_ns_);
    std::vector<Row> rows(out.ranks.size(), Row(from_ns_, to_ns_, out.bins));
    out.bin_ns = rows.empty() ? 0 : rows.front().bin_ns();
    if (is_of_queues()) {
      take_queues(out.ranks, rows);
    } else {
      WW_CHECK(
          in_parallel(rows.size(), processors(), [&](std::size_t i) { return take(out.ranks[i], rows[i]); }));
    }
    out.values.reserve(rows.size() * out.bins);
    for (Row& row : rows)
      for (const double sum : row.sums()) out.values.push_back(static_cast<float>(sum));
    return out;
  }

 private:
  bool is_outgoing() const {
    return asked_.measure == Measure::outgoing_messages || asked_.measure == Measure::outgoing_bytes;
  }
  bool is_of_queues() const {
    return is_outgoing() || asked_.measure == Measure::queue_messages ||
           asked_.measure == Measure::queue_bytes;
  }

  Result<void> take(std::uint32_t rank, Row& row) const {
    if (stop_ != nullptr && stop_->requested()) return cancelled();
    switch (asked_.measure) {
      case Measure::compute:
      case Measure::library:
      case Measure::blocked:
      case Measure::algorithmic:
      case Measure::service:
        return take_time(rank, row);
      case Measure::value:
        take_value(rank, row);
        return {};
      case Measure::calls:
        take_calls(rank, row);
        return {};
      case Measure::regions:
        take_regions(rank, row);
        return {};
      default:
        take_actions(rank, row);
        return {};
    }
  }

  Result<void> take_time(std::uint32_t number, Row& row) const {
    const RankTrace& rank = trace_.ranks[number];
    const RankProper program = index_.program(number);
    const bool is_compute = asked_.measure == Measure::compute;
    if (is_compute) row.add(program.begin_ns, program.end_ns);
    WW_CHECK(index_.calls_in(number, from_ns_, to_ns_, [&](std::size_t call, const CallInterval& interval) {
      const std::int64_t begin = std::max(interval.enter_ns, program.begin_ns),
                         end = std::min(interval.leave_ns, program.end_ns);
      if (is_compute) {
        row.add(begin, end, -1);
        return true;
      }
      if (!part_.takes(rank, call)) return true;
      const std::int64_t blocked = begin + interval.algorithmic_ns, waited = blocked + interval.service_ns;
      if (asked_.measure == Measure::library) row.add(waited, end);
      if (asked_.measure != Measure::library && asked_.measure != Measure::service) row.add(begin, blocked);
      if (asked_.measure == Measure::service || asked_.measure == Measure::blocked) row.add(blocked, waited);
      return true;
    }));
    for (double& sum : row.sums()) sum /= row.bin_ns();
    return {};
  }

  void take_value(std::uint32_t rank, Row& row) const {
    row.fill(std::nan(""));
    const std::int64_t begin_ns = trace_.begin_ns();
    for (const UserValue& value : trace_.ranks[rank].user.values)
      if (value.name == value_ && part_.has_thread(value.thread))
        row.set(value.at_ns - begin_ns, value.number(trace_.user.values[value_]));
  }

  void take_calls(std::uint32_t number, Row& row) const {
    const RankTrace& rank = trace_.ranks[number];
    const auto [first, last] = part_.calls(number);
    for (std::size_t call = first; call < last; ++call)
      if (part_.takes(rank, call)) row.count(rank.enter_ns[call] - trace_.begin_ns(), 1);
  }

  void take_regions(std::uint32_t rank, Row& row) const {
    for (const UserRegion& region : trace_.ranks[rank].user.regions)
      if (part_.has_thread(region.thread)) row.count(region.enter_ns - trace_.begin_ns(), 1);
  }

  void take_actions(std::uint32_t number, Row& row) const {
    const RankTrace& rank = trace_.ranks[number];
    const std::int64_t begin_ns = trace_.begin_ns();
    const bool sends = asked_.measure == Measure::bytes_sent || asked_.measure == Measure::messages_sent;
    const bool bytes = asked_.measure == Measure::bytes_sent || asked_.measure == Measure::bytes_received;
    const auto [first, last] = part_.calls(number);
    for (std::size_t call = first; call < last; ++call) {
      if (!part_.takes_name(rank, call)) continue;
      const std::int64_t at_ns = (sends ? rank.enter_ns[call] : rank.leave_ns[call]) - begin_ns;
      for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a) {
        const ActionKind kind = rank.kind[a];
        const bool counts = sends ? kind == ActionKind::send || kind == ActionKind::isend
                                  : kind == ActionKind::recv || kind == ActionKind::irecv_done;
        if (counts && part_.has_peer(rank.peer[a]))
          row.count(at_ns, bytes ? static_cast<double>(rank.bytes[a]) : 1);
      }
    }
  }

  void take_queues(const std::vector<std::uint32_t>& ranks, std::vector<Row>& rows) const {
    std::vector<Row*> row_of(trace_.ranks.size(), nullptr);
    for (std::size_t i = 0; i < ranks.size(); ++i) row_of[ranks[i]] = &rows[i];
    const std::int64_t end_ns = trace_.end_ns() - trace_.begin_ns();
    const Part all = part_.of_all_ranks();
    for_each_message_under_way(all, from_ns_, to_ns_, [&](const MessageInTime& message) {
      const std::int32_t owner = is_outgoing() ? message.source : message.destination,
                         other = is_outgoing() ? message.destination : message.source;
      if (owner < 0 || !part_.has_peer(other)) return;
      Row* const row = row_of[static_cast<std::size_t>(owner)];
      if (row == nullptr) return;
      row->add(message.sent_ns, message.is_received ? message.received_ns : end_ns,
               asked_.measure == Measure::queue_bytes || asked_.measure == Measure::outgoing_bytes
                   ? static_cast<double>(message.bytes)
                   : 1);
    });
    for (Row& row : rows)
      for (double& sum : row.sums()) sum /= row.bin_ns();
  }

  const Index& index_;
  const Part& part_;
  const Trace& trace_;
  const AskedMeasure& asked_;
  const Cancellation* stop_;
  std::int64_t from_ns_ = 0, to_ns_ = 0;
  std::uint32_t value_ = 0;
};

}  // namespace

Result<AskedMeasure> measure_of(const std::string& text) {
  if (text.starts_with(value_prefix))
    return AskedMeasure{Measure::value, text.substr(std::string(value_prefix).size())};
  for (const auto& [name, measure] : measures)
    if (text == name) return AskedMeasure{measure, ""};
  std::string known;
  for (const auto& [name, measure] : measures) known += std::string(name) + ", ";
  return wrong_usage("there is no such measure", text, "measures are " + known + "value:NAME");
}

Result<Series> series_of(const Index& index, const Part& part, const AskedMeasure& measure,
                         std::uint32_t bins, const Cancellation* stop) {
  WW_INVARIANT(index.ranks() == part.trace().ranks.size());
  return Maker(index, part, measure, stop).run(bins);
}

std::string series_bytes(const Series& series) {
  BytesOut out("WWS1");
  out.value(static_cast<std::uint32_t>(series.ranks.size()));
  out.value(series.bins);
  out.value(std::uint32_t{0});
  out.value(series.from_ns);
  out.value(series.bin_ns);
  out.values(std::span<const float>(series.values));
  out.values(std::span<const std::uint32_t>(series.ranks));
  return out.take();
}

}  // namespace ww::view
