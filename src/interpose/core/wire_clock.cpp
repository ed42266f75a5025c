#include "interpose/core/wire_clock.hpp"

namespace ww::interpose {

namespace {

constexpr double crystal = 1e-4;  // two clocks of one nominal rate differ by no more
constexpr double of_one_kind = 1e-3;

double size(double value) {
  return value < 0 ? -value : value;
}

// Written by one rank, read by all that share it.
struct Published {
  uint64_t version;  // odd: being written; 0: nothing yet
  uint64_t at, offset, slope_bits;
};

ClockSamples samples;
bool is_root_counter = true, publishing = false;
ClockLine own_line;
Published* published = nullptr;
int writing = 0;  // the thread that asks, and MPI_Init

uint64_t bits_of(double value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}
double of_bits(uint64_t bits) {
  double value = 0;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

void publish(const ClockLine& line) {
  Published& to = *published;
  const uint64_t version = __atomic_load_n(&to.version, __ATOMIC_RELAXED);
  __atomic_store_n(&to.version, version + 1, __ATOMIC_RELAXED);
  // Each release keeps the odd version before it, each acquire of a reader the version that it asks for again behind it; fences would
  // do as well, and the sanitizer of threads does not know them.
  __atomic_store_n(&to.at, line.at, __ATOMIC_RELEASE);
  __atomic_store_n(&to.offset, static_cast<uint64_t>(line.offset), __ATOMIC_RELEASE);
  __atomic_store_n(&to.slope_bits, bits_of(line.slope), __ATOMIC_RELEASE);
  __atomic_store_n(&to.version, version + 2, __ATOMIC_RELEASE);
}

class Writing {
 public:
  Writing() {
    while (__atomic_exchange_n(&writing, 1, __ATOMIC_ACQUIRE) != 0) {
    }
  }
  ~Writing() { __atomic_store_n(&writing, 0, __ATOMIC_RELEASE); }
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;
};

}  // namespace

uint64_t ClockLine::to_root(uint64_t own) const {
  const auto since = static_cast<double>(static_cast<int64_t>(own - at));
  return own + static_cast<uint64_t>(offset + static_cast<int64_t>(slope * since));
}

// root - at - offset = (1 + slope) (own - at)
uint64_t ClockLine::from_root(uint64_t root) const {
  const auto gone = static_cast<int64_t>(root - at - static_cast<uint64_t>(offset));
  return at + static_cast<uint64_t>(gone -
                                    static_cast<int64_t>(static_cast<double>(gone) * (slope / (1 + slope))));
}

ClockSamples::ClockSamples(double by_rates) : by_rates_(size(by_rates) > of_one_kind ? by_rates : 0) {}

bool ClockSamples::add(const ClockSample& sample) {
  if (count_ > 0) {
    const ClockSample& last = sample_[count_ - 1];
    const auto span = static_cast<double>(static_cast<int64_t>(sample.at_ticks - last.at_ticks));
    const auto gain = static_cast<double>(sample.offset - last.offset);
    if (span <= 0 || size(gain - by_rates_ * span) >
                         0.01 * span + static_cast<double>(sample.uncertainty + last.uncertainty))
      return false;
  }
  if (count_ == most) {
    for (int i = 1; i < most; ++i) sample_[i - 1] = sample_[i];
    --count_;
  }
  sample_[count_++] = sample;
  return true;
}

ClockLine ClockSamples::line() const {
  if (count_ == 0) return {};
  const ClockSample &first = sample_[0], &last = sample_[count_ - 1];
  ClockLine line{last.at_ticks, last.offset, by_rates_};
  const auto span = static_cast<double>(last.at_ticks - first.at_ticks);
  if (count_ > 1 && static_cast<double>(first.uncertainty + last.uncertainty) < crystal * span)
    line.slope = static_cast<double>(last.offset - first.offset) / span;
  return line;
}

void begin_wire_clock(bool same, double by_rates, const ClockSample& first) {
  const Writing writes;
  is_root_counter = same;
  samples = ClockSamples(by_rates);
  if (!same) samples.add(first);
  own_line = samples.line();
}

size_t wire_clock_memory() {
  return (sizeof(Published) + 63) / 64 * 64;
}

void share_wire_clock(void* memory, bool publishes) {
  const Writing writes;
  published = static_cast<Published*>(memory);
  publishing = publishes;
  if (publishes) publish(samples.line());
}

void unshare_wire_clock() {
  const Writing writes;
  published = nullptr;
}

void add_to_wire_clock(const ClockSample& sample) {
  const Writing writes;
  if (samples.add(sample) && published != nullptr && publishing) publish(samples.line());
}

ClockLine wire_clock() {
  if (is_root_counter) return {};
  while (published != nullptr) {
    const uint64_t version = __atomic_load_n(&published->version, __ATOMIC_ACQUIRE);
    if (version == 0) break;
    const ClockLine line{__atomic_load_n(&published->at, __ATOMIC_ACQUIRE),
                         static_cast<int64_t>(__atomic_load_n(&published->offset, __ATOMIC_ACQUIRE)),
                         of_bits(__atomic_load_n(&published->slope_bits, __ATOMIC_ACQUIRE))};
    if (version % 2 == 0 && __atomic_load_n(&published->version, __ATOMIC_RELAXED) == version) return line;
  }
  return own_line;
}

}  // namespace ww::interpose
