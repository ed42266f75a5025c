// One-sided communication as plain values, beside the columns of the calls (trace.hpp).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/column.hpp"

namespace ww {

struct Window {
  std::string name;
  std::uint32_t comm = 0;  // index into Trace::comms: its members
};

enum class TransferKind : std::uint8_t { put, get, accumulate, fetch, compare_and_swap };
const char* to_string(TransferKind kind);  // "put" ...

inline constexpr std::uint32_t no_call_number = 0xffffffffu;

// Of one rank, its origin.
struct Transfer {
  std::uint32_t call = 0;  // the call that issued it: index into the rank's columns
  // The call that completed it at the origin (a wait for its request, or its window's synchronisation), and
  // the one that completed it at the target; no_call_number: not told.
  std::uint32_t done_call = no_call_number, remote_done_call = no_call_number;
  std::uint32_t window = 0;
  std::int32_t target = -1;  // world rank
  TransferKind kind = TransferKind::put;
  std::uint64_t bytes_out = 0, bytes_in = 0;  // to the target, back from it
};

enum class SyncKind : std::uint8_t {
  created,
  freed,
  fence,
  lock,
  unlock,
  epoch_begin,  // MPI_Win_post, MPI_Win_start
  epoch_end,    // MPI_Win_complete, MPI_Win_wait
  memory        // MPI_Win_flush and its kin, MPI_Win_sync
};

// A call that synchronises a window.
struct WindowSync {
  std::uint32_t call = 0;
  std::uint32_t window = 0;
  std::int32_t target = -1;  // world rank, or -1: all, or a group
  SyncKind kind = SyncKind::fence;
};

struct RankOneSided {
  Column<Transfer> transfers;  // in the order of their calls
  Column<WindowSync> syncs;
};

struct OneSided {
  std::vector<Window> windows;
  std::vector<RankOneSided> ranks;  // as Trace::ranks; empty: the trace has no one-sided communication
  bool any() const {
    for (const RankOneSided& rank : ranks)
      if (!rank.transfers.empty() || !rank.syncs.empty()) return true;
    return false;
  }
};

}  // namespace ww
