#include "analyze/file_totals.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace ww {
namespace {

using Span = std::pair<std::int64_t, std::int64_t>;

std::int64_t length_of_union(std::vector<Span>& spans) {
  std::sort(spans.begin(), spans.end());
  std::int64_t length = 0, reached = std::numeric_limits<std::int64_t>::min();
  for (const auto& [from, to] : spans) {
    if (to <= reached) continue;
    length += to - std::max(from, reached);
    reached = to;
  }
  return length;
}

}  // namespace

std::vector<FileTotal> find_files(const Part& part, const Breakdown& breakdown) {
  const Trace& trace = part.trace();
  const FileIo& io = trace.file_io;
  std::vector<FileTotal> files(io.files.size());
  for (std::size_t f = 0; f < files.size(); ++f) files[f].file = static_cast<std::uint32_t>(f);
  std::vector<std::vector<Span>> active(files.size());
  for (std::size_t r = 0; r < io.ranks.size(); ++r) {
    if (!part.has_rank(r)) continue;
    const RankTrace& rank = trace.ranks[r];
    const std::size_t end = part.calls(r).last;  // one begun before the span may be complete in it
    const auto took = [&](std::uint32_t call) {
      return seconds_of(part.in_span(rank.enter_ns[call], rank.leave_ns[call]));
    };
    std::set<std::pair<std::uint32_t, std::uint32_t>> counted;  // a call may complete several operations
    const auto add_time = [&](FileTotal& file, std::uint32_t call) {
      if (!part.takes(rank, call) || !counted.emplace(file.file, call).second) return;
      const Part::Blocked whole{breakdown.splits[r].algorithmic_ns[call], 0};
      file.time_s += took(call);
      file.waited_s += seconds_of(part.blocked(rank, call, whole).algorithmic_ns);
    };
    for (const FileOperation& operation : io.ranks[r].operations) {
      if (operation.call >= end) break;
      FileTotal& file = files[io.handles[operation.handle].file];
      const bool counts = part.counts(rank, operation.call);
      if (counts) ++(operation.writes ? file.writes : file.reads);
      add_time(file, operation.call);
      if (operation.done_call == none) continue;
      add_time(file, operation.done_call);
      if (part.takes(rank, operation.call)) {
        const std::int64_t from = rank.enter_ns[operation.call], to = rank.leave_ns[operation.done_call];
        active[file.file].emplace_back(part.cut(from), part.cut(to));
      }
      if (!counts) continue;
      (operation.writes ? file.bytes_written : file.bytes_read) += operation.bytes;
      if (operation.bytes < operation.bytes_wanted) ++file.short_operations;
    }
    for (const FileEvent& event : io.ranks[r].events) {
      FileTotal& file = files[event.file];
      if (!part.takes(rank, event.call)) continue;
      if (event.change == FileChange::opened && part.begins(rank, event.call)) ++file.opens;
      file.open_s += took(event.call);
    }
  }
  for (std::size_t f = 0; f < files.size(); ++f) files[f].active_s = seconds_of(length_of_union(active[f]));
  return files;
}

}  // namespace ww
