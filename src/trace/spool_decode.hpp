// The records of one rank, decoded in the order of time: operations numbered, communicators and peers as the
// trace numbers them, times on rank 0's clock. It holds the operations in flight and nothing else, so that it
// can be done again where the outcome would be too large to keep.
#pragma once
#include <functional>
#include <span>
#include <unordered_map>

#include "trace/call_action.hpp"
#include "trace/spool.hpp"
#include "trace/spool_clock.hpp"
#include "trace/spool_comms.hpp"
#include "trace/spool_names.hpp"

namespace ww::spool {

// Rank 0's clock, and where its time 0 is.
struct TimeBase {
  double ticks_per_s = 1e9;
  long double origin_ticks = 0;
  std::int64_t to_ns(const TickMap& map, std::uint64_t ticks) const;
};

struct DecodedAction : CallAction {
  bool unsized = false;  // an irecv_done whose size only its sender knows; `bytes` is the room posted
};

// A call within which others were made is told twice, with the same actions: before them and after.
enum class CallPart : std::uint8_t { whole, begin, end };

struct DecodedCall {
  CallPart part = CallPart::whole;
  std::size_t thread = 0;  // index into RankSpool::threads
  std::uint16_t call = 0;  // number in the rank's names of calls; begun_region of actions likewise
  std::int64_t enter_ns = 0, leave_ns = 0;
  std::span<DecodedAction> actions;
  std::span<const OneSidedAction> one_sided;
  std::span<const FileAction> files;
};

// What could not be taken.
struct Damage {
  std::uint64_t records = 0, overlapping_calls = 0, unknown_comms = 0, unknown_processes = 0,
                unknown_windows = 0, unknown_files = 0, unknown_operations = 0;
  std::uint64_t unknown_names = 0;
  std::uint64_t regions_out_of_order = 0, regions_not_open = 0, regions_left_open = 0;
  void add(const Damage& other);
};

struct DecodeContext {
  const RankSpool& spool;
  const std::vector<std::string>& calls;                          // names by number
  const std::unordered_map<std::uint32_t, std::uint32_t>& comms;  // local id to index into `all_comms`
  const std::vector<Comm>& all_comms;
  const NameNumbers& names;
  const std::unordered_map<std::uint32_t, std::uint32_t>& windows;  // likewise
  const std::vector<Window>& all_windows;
  const FileNumbers& files;
  const TickMap& map;
  TimeBase time;
};

// The counter at the entry of the first call of the thread that makes sense; nullopt: there is none.
std::optional<std::uint64_t> first_ticks(const RankSpool& spool, std::size_t call_count,
                                         const Records& thread);

// Calls `take` for every call, nested ones between both parts of the one around them; the same calls with the same numbers of operations each time. `take_saying` as
// well, if given, in the same order of time.
Damage decode(const DecodeContext& context, const std::function<void(const DecodedCall&)>& take,
              const std::function<void(const UserSaying&)>& take_saying = {});

}  // namespace ww::spool
