#include "interpose/core/markers.hpp"

#include <string.h>

#include "interpose/core/definitions.hpp"
#include "interpose/core/names.hpp"
#include "interpose/core/own_dilation.hpp"
#include "interpose/core/selection_control.hpp"
#include "interpose/core/told_text.hpp"
#include "interpose/marker/table.h"

namespace ww::interpose {

namespace {

using spool::Kind;

// The thread's own, to be told of when recording begins.
struct Early {
  static constexpr uint32_t most = 64;
  uint32_t numbers[most] = {};
  uint32_t depth = 0;  // may be more than there is room for
};
constinit thread_local Early early __attribute__((tls_model("initial-exec")));
bool initialised = false;

void put_said(Thread& thread, Kind kind, uint32_t name, uint64_t value, uint64_t at) {
  define_name(name);
  put(thread.spool,
      {at, at, value, 0, spool::no_peer, 0, name, static_cast<uint8_t>(kind), 0, spool::no_call});
}

void put_now(Thread& thread, Kind kind, uint32_t name, uint64_t value, uint64_t now) {
  if (__builtin_expect(dilating, 0)) now = stretch(thread, now, false);
  put_said(thread, kind, name, value, now);
  if (__builtin_expect(dilating, 0)) computes_from(thread, ticks());
}

void say(Kind kind, NameUse use, const char* text, size_t length, uint64_t value) {
  Thread* const thread = active && recording ? thread_outside_calls() : nullptr;
  if (thread == nullptr) return;
  const ToldText name = text_of(text, length);
  const uint64_t now = ticks();
  put_now(*thread, kind, name_number(use, name.at, name.length), value, now);
}

void marker(const char* text, size_t length) {
  say(Kind::marker, NameUse::marker, text, length, 0);
}

void value_integer(const char* name, size_t length, long long value) {
  say(Kind::value_integer, NameUse::integer, name, length, static_cast<uint64_t>(value));
}

void value_real(const char* name, size_t length, double value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  say(Kind::value_real, NameUse::real, name, length, bits);
}

void region_begin(const char* name, size_t length) {
  if (__builtin_expect(!initialised, 0)) {
    const ToldText text = text_of(name, length);
    if (early.depth < Early::most)
      early.numbers[early.depth] = name_number(NameUse::region, text.at, text.length);
    ++early.depth;
    return;
  }
  say(Kind::region_begin, NameUse::region, name, length, 0);
}

void region_end(const char* name, size_t length) {
  if (__builtin_expect(!initialised, 0)) {
    if (early.depth > 0) --early.depth;
    return;
  }
  say(Kind::region_end, NameUse::region, name, length, 0);
}

void pause() {
  marker("recording paused", WW_UP_TO_ZERO);
  pause_recording();
}

void resume() {
  resume_recording();
  marker("recording resumed", WW_UP_TO_ZERO);
}

}  // namespace

void put_region(Thread& thread, Kind kind, uint32_t name) {
  put_now(thread, kind, name, 0, ticks());
}

void put_integer(Thread& thread, uint32_t name, int64_t value) {
  put_now(thread, Kind::value_integer, name, static_cast<uint64_t>(value), ticks());
}

void put_region_at(Thread& thread, Kind kind, uint32_t name, uint64_t at) {
  put_said(thread, kind, name, 0, at);
}

Thread* thread_outside_calls(bool told) {
  Thread* thread = this_thread != nullptr ? this_thread : attach_thread();
  if (thread == nullptr || thread->inside == nullptr) return thread;
  if (!still_inside(*thread, static_cast<void* const*>(__builtin_dwarf_cfa()))) {
    thread->inside = nullptr;
    return thread;
  }
  if (told) trouble(Trouble::marker_inside_call);
  return nullptr;
}

void begin_early_regions(Thread& thread, uint64_t at) {
  initialised = true;
  if (!recording) return;
  for (uint32_t i = 0; i < early.depth && i < Early::most; ++i)
    put_said(thread, Kind::region_begin, early.numbers[i], 0, at);
}

}  // namespace ww::interpose

extern "C" {
__attribute__((visibility("default"))) extern const ww_marker_table WW_MARKER_TABLE;
const ww_marker_table WW_MARKER_TABLE = {ww::interpose::marker,     ww::interpose::value_integer,
                                         ww::interpose::value_real, ww::interpose::region_begin,
                                         ww::interpose::region_end, ww::interpose::pause,
                                         ww::interpose::resume};
__attribute__((visibility("default"))) extern const ww_dilation_table WW_DILATION_TABLE;
const ww_dilation_table WW_DILATION_TABLE = {ww::interpose::set_own_dilation};
}
