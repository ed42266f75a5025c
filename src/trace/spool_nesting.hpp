// Which records of a thread make sense, and which calls were made inside of which.
#pragma once
#include "trace/spool.hpp"

namespace ww::spool {

// The latest time that a record of the rank can have. At exit and abort the end is noted while other threads may
// still be at their calls, which is theirs to do; at MPI_Finalize they may not.
std::uint64_t latest_ticks(const RankSpool& spool);
// Said by the program, outside of calls.
inline bool is_saying(const Record& record) {
  const auto kind = static_cast<Kind>(record.kind);
  return record.call == no_call && kind >= Kind::region_begin && kind <= Kind::value_real;
}

inline bool makes_sense(const Record& record, std::size_t call_count, std::uint64_t latest) {
  return (record.call < call_count || is_saying(record)) && record.enter_ticks <= record.leave_ticks &&
         record.leave_ticks <= latest;
}

// The number of the record after those of the call whose records begin there.
inline std::size_t end_of_call(const Records& records, std::size_t from) {
  const Record first = records[from];
  std::size_t at = from;
  for (bool more = true; more && at < records.size(); ++at) {
    const Record record = records[at];
    if (record.call != first.call || record.enter_ticks != first.enter_ticks) break;
    more = (record.flags & flag_continued) != 0;
  }
  return at;
}

// A call and those made inside of it, of a recorder that records such calls.
struct CallTree {
  std::size_t first_record = 0;
  std::uint64_t enter_ticks = 0;
  std::vector<std::size_t> inner;  // numbers of trees, the latest first
};
struct Forest {
  std::vector<CallTree> trees;
  std::vector<std::size_t> outermost;
  std::size_t end_record = 0;  // after them
};

// Nested calls, whose records come before that of the call around them, from the record `from` (which makes
// sense) up to and with the outermost. Where that one is missing (the process was killed in it, or it was not to
// be recorded) they are as if made by the program.
void plant(const Records& records, std::size_t from, std::size_t call_count, std::uint64_t latest,
           Forest& forest);

}  // namespace ww::spool
