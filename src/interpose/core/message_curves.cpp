#include "interpose/core/message_curves.hpp"

#include <stdlib.h>
#include <string.h>

#include "interpose/core/environment.hpp"

namespace ww::interpose {

NetworkCosts machine_costs, target_costs;

const char* Pieces::read(const char* text) {
  count = 0;
  while (text != nullptr && *text != 0 && count < most) {
    char* end = nullptr;
    Piece next{};
    next.from_bytes = strtod(text, &end);
    if (end == text || *end != ':') return text;
    text = end + 1;
    next.base_s = strtod(text, &end);
    if (end == text || *end != ':') return text;
    text = end + 1;
    next.s_per_byte = strtod(text, &end);
    if (end == text) return text;
    piece[count++] = next;
    text = end;
    if (*end != ',') return text;
    ++text;
  }
  return text;
}

const Pieces::Piece* Pieces::of(uint64_t bytes) const {
  int low = 0, high = count;  // the pieces before low begin at or before it, those from high on do not
  while (low < high) {
    const int middle = (low + high) / 2;
    if (piece[middle].from_bytes <= static_cast<double>(bytes))
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? nullptr : &piece[low - 1];
}

void Pieces::multiply(double by) {
  for (int i = 0; i < count; ++i) {
    piece[i].base_s *= by;
    piece[i].s_per_byte *= by;
  }
}

const char* StreamFrames::read(const char* text) {
  double* const numbers[] = {&payload_bytes, &overhead_bytes, &message_bytes, &s_per_byte};
  for (double* number : numbers) {
    char* end = nullptr;
    *number = strtod(text, &end);
    const bool last = number == &s_per_byte;
    if (end == text || !(*number >= 0) || (!last && *end != ':')) {
      payload_bytes = 0;
      return text;
    }
    text = last ? end : end + 1;
  }
  return text;
}

double StreamFrames::added_s(double before, double bytes) const {
  const auto frames = [this](double all) {
    const auto whole = static_cast<double>(static_cast<uint64_t>(all / payload_bytes));
    return whole * payload_bytes < all ? whole + 1 : whole;
  };
  return s_per_byte * (bytes + overhead_bytes * (frames(before + bytes) - frames(before)));
}

void MessageCosts::read(const char* text) {
  known = false;
  frames = {};
  meeting.count = 0;
  window_frames = ahead_bytes = control_frame_s = 0;
  if (text == nullptr) return;
  char* end = nullptr;
  eager_bytes = strtod(text, &end);
  if (end == text) return;
  const char* at = end;
  Pieces* const parts[] = {&send, &flight, &receive, &port, &reply};
  for (Pieces* part : parts) {
    if (*at != ';') return;
    at = part->read(at + 1);
  }
  together_s = -1;
  reads_on = true;
  constexpr char meeting_follows[] = ";meeting=";
  constexpr size_t its_length = sizeof meeting_follows - 1;
  const auto is_named = [&] { return at[0] == ';' && at[1] >= 'a' && at[1] <= 'z'; };
  if (*at == ';' && !is_named()) {
    together_s = strtod(at + 1, &end);
    if (end == at + 1 || !(together_s >= 0)) return;
    at = end;
    if (at[0] == ':' && at[1] == '0') {
      reads_on = false;
      at += 2;
    }
    if (*at == ';' && !is_named()) {
      at = frames.read(at + 1);
      if (frames.payload_bytes <= 0) return;
    }
  }
  if (strncmp(at, meeting_follows, its_length) == 0) at = meeting.read(at + its_length);
  const auto number = [&](const char* name, double& value) {
    const size_t length = strlen(name);
    if (strncmp(at, name, length) != 0) return true;
    value = strtod(at + length, &end);
    at = end;
    return value >= 0;
  };
  if (!number(";window=", window_frames) || !number(";ahead=", ahead_bytes)) return;
  read_together_s = together_s;
  if (!number(";control=", control_frame_s) || !number(";near=", read_together_s)) return;
  known = *at == 0;
}

void read_costs(int ranks) {
  machine_costs.inter.read(getenv(environment::machine_inter));
  machine_costs.intra.read(getenv(environment::machine_intra));
  target_costs.inter.read(getenv(environment::target_inter));
  target_costs.intra.read(getenv(environment::target_intra));
  if (ranks != 2) machine_costs.inter.window_frames = target_costs.inter.window_frames = 0;
}

}  // namespace ww::interpose
