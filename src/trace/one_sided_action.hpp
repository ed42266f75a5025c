// What a call does about windows, on its way from a spool into an archive.
#pragma once
#include <cstdint>
#include <vector>

#include "trace/one_sided.hpp"

namespace ww {

enum class OneSidedKind : std::uint8_t {
  transfer,
  done_here,       // the operation is complete at the origin
  done_there,      // ... at the target
  request_tested,  // its request was found open
  created,
  allocated,  // created with its memory
  freed,
  fence,
  lock_exclusive,
  lock_shared,
  unlock,
  epoch_begin,
  epoch_end,
  memory
};

struct OneSidedAction {
  OneSidedKind kind = OneSidedKind::transfer;
  TransferKind transfer = TransferKind::put;
  std::uint32_t window = 0;
  std::int32_t target = -1;  // world rank; -1: all
  std::uint64_t bytes_out = 0, bytes_in = 0;
  std::uint64_t operation = 0;  // of a transfer and what becomes of it; a number of its own on the rank
  std::vector<std::int32_t> group = {};  // epochs: world ranks, in order
};

}  // namespace ww
