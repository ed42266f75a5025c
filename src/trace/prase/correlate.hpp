// Which send of a process which receipt of another got, as S5 defines it (Appendix G; 3.4.2, 7).
//
// Each process counts what it sends by receiving node, pid and message type, and what it receives by sending node, pid and type, from 1 on and from the
// start of the run, recorded or not. The network keeps messages of one type between two processes in order, so that a send and a receipt are one message
// where six numbers agree: sender's node and pid, receiver's node and pid, type and count.
//
// A count is 16 bits, and 15 without the sign. Before it goes on from 1 the process writes a record `wraps` or `wrapr` with the same type, node and pid: counts
// agree if as many such records stand before them. At which count that is S5 does not say, and nothing here depends on it. Of a recording that began
// later in the run (S5's STARTTIME) the records of earlier wraps are not there, and the two sides may have begun one wrap apart: then that of the three
// ways by which most messages agree is taken, and of equals that without a difference.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "trace/prase/prase_run.hpp"

namespace ww::prase {

// The largest that is written here; S5 says only that it is large enough for 16 bits.
inline constexpr std::int16_t largest_count = 32767;
// What S5's collector writes where it has no count: more message types than it had room for (-99), a defect of its own (-999).
inline constexpr std::int16_t count_beyond_types = -99, count_defect = -999;

struct RecordRef {
  static constexpr std::uint32_t nobody = 0xffffffffu;
  std::uint32_t process = nobody, record = nobody;  // indexes
  bool is_there() const { return process != nobody; }
  bool operator==(const RecordRef&) const = default;
};

struct Correlation {
  std::vector<std::vector<RecordRef>>
      other;  // by process and record: the other end of its message, if it is there
  std::uint64_t messages = 0, sends_alone = 0, receipts_alone = 0;
  std::uint64_t without_count = 0;  // of those alone: their counts are negative, or stand twice

  const RecordRef& of(std::size_t process, std::size_t record) const { return other[process][record]; }
};

Correlation correlate(const std::vector<ProcessRecords>& processes);
// What of it is for the user to know: `unmatched-send`, `unmatched-receive`, `count-not-kept`.
void tell(const Correlation& correlation, Diagnostics& diagnostics);

// Gives records of one process their counts, and the records of wraps that they need.
class Counting {
 public:
  // Adds the record as the message number `ordinal` (from 1 on) of its kind, node, pid and type, behind what wraps there are up to it.
  void add(EventRecord record, std::uint64_t ordinal, std::vector<EventRecord>& out);
  // Numbers that fell back behind a wrap, which the format cannot say: those records have the count of a defect.
  std::uint64_t fallen_back() const { return fallen_back_; }

 private:
  using Key = std::tuple<bool, std::int16_t, std::int16_t, std::int16_t>;  // sent, other node, pid, type
  std::map<Key, std::uint64_t> wraps_;
  std::uint64_t fallen_back_ = 0;
};

}  // namespace ww::prase
