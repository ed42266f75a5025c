#include "interpose/core/injection.hpp"

#include <stdlib.h>

#include "interpose/core/costs.hpp"
#include "interpose/core/stretch.hpp"
#include "interpose/core/ticks.hpp"

namespace ww::interpose {

bool injecting = false;

namespace {

double tick_rate_per_s = 1e9;
double ready_s[ready_sizes];

constexpr double slack = 2;
constexpr double margin_inter_s = 20e-6;
constexpr double margin_intra_s = 2e-6;

// Seconds to add for a message.
Pieces inter, intra;

int log2_up(uint64_t n) {
  int log = 0;
  while ((1ull << log) < n && log < 63) ++log;
  return log;
}

double ready_cost(uint64_t bytes) {
  const int log = log2_up(bytes);
  return ready_s[log < ready_sizes ? log : ready_sizes - 1];
}

}  // namespace

void set_injection(const char* inject_inter, const char* inject_intra, double ticks_per_s) {
  if (ticks_per_s > 0) tick_rate_per_s = ticks_per_s;
  inter.read(inject_inter);
  intra.read(inject_intra);
  injecting = inter.count > 0 || intra.count > 0;
}

void set_ready_cost(int log2_bytes, double seconds) {
  if (log2_bytes >= 0 && log2_bytes < ready_sizes) ready_s[log2_bytes] = seconds;
}

void Injection::message(bool between_hosts, uint64_t bytes) {
  const Pieces::Piece* piece = (between_hosts ? inter : intra).of(bytes);
  ready_s_ += ready_cost(bytes);
  between_hosts_ |= between_hosts;
  if (piece == nullptr) return;
  // a piece's line may cross zero below its beginning: BASE alone can be negative
  if (!any_ || piece->base_s > base_s_) base_s_ = piece->base_s;
  any_ = true;
  bytes_s_ += piece->s_per_byte * static_cast<double>(bytes);
}

void Injection::collective(Stages stages, bool between_hosts, int rank, int ranks, int root, uint64_t bytes) {
  if (ranks < 2) return;
  const int from_root = root < 0 ? rank : (rank - root + ranks) % ranks;
  int count = 0;
  double share = static_cast<double>(bytes);
  switch (stages) {
    case Stages::all_to_all_log:
      count = log2_up(static_cast<uint64_t>(ranks));
      break;
    case Stages::from_root:  // binomial tree: one stage for each bit that is set
      count = __builtin_popcount(static_cast<unsigned>(from_root));
      break;
    case Stages::to_root:  // a rank hears from one child for each zero bit below its lowest set bit
      count = from_root == 0 ? log2_up(static_cast<uint64_t>(ranks))
                             : __builtin_ctz(static_cast<unsigned>(from_root));
      break;
    case Stages::all_pairs:
      count = ranks - 1;
      share /= static_cast<double>(ranks);
      break;
  }
  const Pieces::Piece* piece = (between_hosts ? inter : intra).of(static_cast<uint64_t>(share));
  if (piece != nullptr) always_s_ += count * (piece->base_s + piece->s_per_byte * share);
}

Injection::~Injection() {
  const uint64_t back = ticks();
  const double lasted_s = static_cast<double>(back - frame_.enter_ticks()) / tick_rate_per_s;
  const bool waited = lasted_s > slack * ready_s_ + (between_hosts_ ? margin_inter_s : margin_intra_s);
  double add_s = always_s_;
  if (waited) add_s += base_s_ + bytes_s_;
  if (add_s <= 0) return;
  const uint64_t target = back + static_cast<uint64_t>(add_s * tick_rate_per_s);
  pass_inside_call(target);
}

}  // namespace ww::interpose
