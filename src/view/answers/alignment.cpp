#include "view/answers/alignment.hpp"

#include <algorithm>
#include <map>

#include "base/parallel.hpp"
#include "trace/call_meaning.hpp"

namespace ww::view {
namespace {

// Where two sequences part, so many calls of both are looked at for a place to go on from, which so many calls that are
// alike make one.
constexpr std::size_t most_skipped = 256, alike_again = 3;
constexpr std::uint32_t not_aligned = 0xffffffff;

struct NamedEntry {
  std::uint32_t name;
  std::int64_t enter_ns;
};
using Entries = std::vector<NamedEntry>;

// Names of both runs as numbers that are the same for the same name; not_aligned: it only asks.
class CommonNames {
 public:
  std::vector<std::uint32_t> numbers_of(const Index& index) {
    std::vector<std::uint32_t> numbers;
    for (const std::string& name : index.names())
      numbers.push_back(
          meaning_by_name(name).manner == CallManner::polls
              ? not_aligned
              : numbers_.try_emplace(name, static_cast<std::uint32_t>(numbers_.size())).first->second);
    return numbers;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

Result<Entries> entries_of(const Index& index, std::size_t rank, const std::vector<std::uint32_t>& numbers) {
  Entries out;
  out.reserve(index.calls(rank));
  WW_CHECK(
      index.calls_in(rank, index.from_ns(), index.to_ns() + 1, [&](std::size_t, const CallInterval& call) {
        if (numbers[call.name] != not_aligned) out.push_back({numbers[call.name], call.enter_ns});
        return true;
      }));
  return out;
}

// Are the calls at the two places alike, `alike_again` of them or up to an end?
bool goes_on(const Entries& a, std::size_t i, const Entries& b, std::size_t j) {
  for (std::size_t k = 0; k < alike_again; ++k) {
    const bool a_ends = i + k >= a.size(), b_ends = j + k >= b.size();
    if (a_ends || b_ends) return k > 0 || (a_ends && b_ends);
    if (a[i + k].name != b[j + k].name) return false;
  }
  return true;
}

// take(entry of A, entry of B) for all that are aligned, in order.
template <class Take>
void for_each_aligned(const Entries& a, const Entries& b, Take take) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i].name == b[j].name) {
      take(a[i++], b[j++]);
      continue;
    }
    bool found = false;
    for (std::size_t skipped = 1; skipped <= most_skipped && !found; ++skipped)
      for (std::size_t of_a = 0; of_a <= skipped && !found; ++of_a)
        if (i + of_a <= a.size() && j + skipped - of_a <= b.size() &&
            goes_on(a, i + of_a, b, j + skipped - of_a)) {
          i += of_a;
          j += skipped - of_a;
          found = true;
        }
    if (!found) ++i, ++j;
  }
}

}  // namespace

Result<Alignment> align(const Index& a, const Index& b, std::uint32_t bins) {
  Alignment out;
  const std::size_t ranks = std::min(a.ranks(), b.ranks());
  out.ranks_only_a = a.ranks() - ranks;
  out.ranks_only_b = b.ranks() - ranks;
  std::int64_t end_ns = 1;
  for (std::size_t rank = 0; rank < a.ranks(); ++rank) end_ns = std::max(end_ns, a.program(rank).end_ns);
  const std::size_t most = std::max<std::size_t>(1, most_lags / std::max<std::size_t>(ranks, 1));
  out.bins = static_cast<std::uint32_t>(std::clamp<std::size_t>(bins, 1, most));
  out.bin_ns = static_cast<double>(end_ns) / out.bins;
  out.ranks.resize(ranks);
  CommonNames names;
  const std::vector<std::uint32_t> of_a = names.numbers_of(a), of_b = names.numbers_of(b);
  WW_CHECK(in_parallel(ranks, processors(), [&](std::size_t rank) -> Result<void> {
    WW_TRY(const Entries in_a, entries_of(a, rank, of_a));
    WW_TRY(const Entries in_b, entries_of(b, rank, of_b));
    AlignedRank& row = out.ranks[rank];
    row.rank = static_cast<std::uint32_t>(rank);
    std::vector<double> sums(out.bins);
    std::vector<std::uint64_t> counts(out.bins);
    for_each_aligned(in_a, in_b, [&](const NamedEntry& one, const NamedEntry& other) {
      ++row.aligned;
      row.last_lag_ns = other.enter_ns - one.enter_ns;
      if (one.enter_ns < 0 || one.enter_ns >= end_ns) return;
      const std::size_t bin = std::min<std::size_t>(
          out.bins - 1, static_cast<std::size_t>(static_cast<double>(one.enter_ns) / out.bin_ns));
      sums[bin] += static_cast<double>(other.enter_ns - one.enter_ns);
      ++counts[bin];
    });
    row.only_a = in_a.size() - row.aligned;
    row.only_b = in_b.size() - row.aligned;
    row.lag_ns.resize(out.bins);
    for (std::size_t bin = 0; bin < out.bins; ++bin)
      if (counts[bin] > 0) row.lag_ns[bin] = sums[bin] / static_cast<double>(counts[bin]);
    return {};
  }));
  return out;
}

}  // namespace ww::view
