// What an index is made of: the calls of each rank, wherever they come from (a trace, spools).
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww::view {

// Which part of a call: blocked while the other side had not begun, blocked while the message was on its way,
// or neither (src/analyze/breakdown.hpp).
enum class TimePart : std::uint8_t { library, algorithmic, service };
inline constexpr std::size_t call_parts = 3;

// One call of the library, times in nanoseconds since the begin of the program proper. Its waiting stands at
// its begin, in the program: first algorithmic, then service.
struct CallInterval {
  std::int64_t enter_ns = 0, leave_ns = 0;
  std::int64_t algorithmic_ns = 0, service_ns = 0;
  std::uint32_t name = 0;  // index into CallSource::names
  bool operator==(const CallInterval&) const = default;
};

// The program proper of a rank: what lies outside of it is `outside`.
struct RankProper {
  std::int64_t begin_ns = 0, end_ns = 0;
};

class CallSource {
 public:
  using Take = std::function<void(std::span<const CallInterval>)>;

  virtual ~CallSource() = default;
  virtual const std::vector<std::string>& names() const = 0;
  // As many as there are ranks. What stands there of a rank may be known only when it has been read.
  virtual std::span<const RankProper> ranks() const = 0;
  // The rank's calls in the order of entering, in pieces. Called for several ranks at once, for each once.
  // Errors: those of the source.
  virtual Result<void> read(std::size_t rank, const Take& take) const = 0;
};

}  // namespace ww::view
