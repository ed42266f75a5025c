// How much of a blocking call is software that would be spent without any waiting.
#pragma once
#include <map>
#include <optional>
#include <tuple>

#include "analyze/waits.hpp"

namespace ww {

class Software {
 public:
  Software(const Trace& trace, const Waits& waits, const MachineModel* machine);
  // Nanoseconds: by the model's F (sends), A and U (receives) if it has them; else what the quickest tenth of
  // the like calls took that had all they needed (same call, same power of two of bytes and of messages; of
  // this rank if it has five of them, else of all ranks). Nothing: there is no such call.
  std::optional<std::int64_t> of(std::int32_t rank, const Wait& wait) const;

 private:
  using Key =
      std::tuple<std::int32_t, std::uint16_t, int, int>;  // rank or -1, region, classes of bytes and messages
  Key key(std::int32_t rank, const Wait& wait, bool all_ranks) const;
  std::optional<std::int64_t> by_model(std::int32_t rank, const Wait& wait) const;

  const Trace& trace_;
  const MachineModel* machine_;
  std::map<Key, std::int64_t> quick_;
};

}  // namespace ww
