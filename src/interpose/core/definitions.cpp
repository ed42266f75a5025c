#include "interpose/core/definitions.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "interpose/core/control.hpp"
#include "interpose/core/thread.hpp"

namespace ww::interpose {

namespace {

char path[PATH_MAX];

struct Told {
  const char* name;
  const char* severity;
  const char* remedy;
  uint64_t count;
};
Told troubles[] = {
    {"requests-not-followed", "data loss",
     "more requests were open at once than the recorder follows: their completions are missing", 0},
    {"communicators-not-followed", "data loss", "free communicators that are no longer used", 0},
    {"communicator-defined-late", "info",
     "a communicator was made by a call that is not followed; it is known from its first use", 0},
    {"threads-not-recorded", "data loss",
     "calls of threads were not recorded, since more than 4096 called MPI at one time", 0},
    {"spool-not-created", "error", "make the trace directory writable, or free space on its disk", 0},
    {"neighbours-unknown", "data loss",
     "neighbourhood collectives were recorded without their messages: no memory for the list of neighbours",
     0},
    {"windows-not-followed", "data loss", "free windows that are no longer used", 0},
    {"window-defined-late", "info",
     "a window was made by a call that is not followed; it is known from its first use", 0},
    {"files-not-followed", "data loss", "close files that are no longer used", 0},
    {"file-defined-late", "info", "a file was opened by a call that is not followed; its name is not known",
     0},
    {"left-out-not-counted", "data loss",
     "more channels or operations were left out of the recording than are counted: messages after them may "
     "be matched wrongly; record all calls",
     0},
    {"left-out-cancelled", "warning",
     "an operation that began while nothing was recorded was cancelled after recording began: later messages "
     "of its channel may be matched one off",
     0},
    {"spawned-not-recorded", "data loss",
     "processes started by MPI_Comm_spawn were not recorded: only Open MPI hands them the recorder, and only "
     "when its path and the trace's are short (200 characters together)",
     0},
    {"markers-inside-calls", "info",
     "regions, values and markers inside callbacks of MPI are not recorded; mark around the call", 0},
    {"names-not-kept", "warning",
     "regions, values or markers have more names than are kept, and were recorded under one name; put what "
     "changes into "
     "values",
     0},
    {"isendrecv-from-any", "data loss",
     "MPI_Isendrecv with MPI_ANY_SOURCE or MPI_ANY_TAG: MPICH 4.0 does not tell what was received, so that "
     "these "
     "messages are missing",
     0},
    {"calls-left", "data loss",
     "an exception or a jump out of an error handler left a call before it returned: it is not in the trace",
     0},
    {"clock-thread-failed", "warning",
     "the clocks of the hosts could not be exchanged while the program ran, only at its start and end: let "
     "UDP "
     "pass between the hosts",
     0},
    {"volumes-unknown", "data loss",
     "no memory to keep what a persistent MPI_Alltoallv or w sends to each rank: only its sum was recorded",
     0},
    {"departures-not-shared", "warning",
     "the ranks of a machine could not share memory (/proc/PID/fd, or a file in the trace directory): when "
     "messages departed is not known",
     0},
    {"departure-unknown", "warning",
     "when these messages departed is not known, so they count as departed when they came: they are from "
     "another machine, or over a communicator that others know differently, or more than 64 to 8192 (by the "
     "number of ranks) were under way between two ranks, or a send was cancelled or failed before",
     0},
    {"virtual-several-machines", "error",
     "virtual clocks need all ranks on one machine, where they share memory; use more ranks than cores there",
     0},
    {"virtual-threads-at-once", "error",
     "a program that asks for MPI_THREAD_MULTIPLE has no one virtual clock: ask for MPI_THREAD_SERIALIZED, "
     "or "
     "dilate in real time",
     0},
    {"virtual-no-costs", "error",
     "the machine model says nothing about messages between ranks that are placed like these: measure that "
     "link, "
     "or place them otherwise with --ranks-per-host",
     0},
    {"virtual-one-sided", "error",
     "one-sided communication has no virtual time: nobody is told when it reaches the target; dilate in real "
     "time",
     0},
    {"virtual-unanswered", "warning",
     "large messages were sent for 10 s before their receives were posted: on the emulated machine the "
     "program may "
     "hang there; they count as posted in time",
     0},
    {"virtual-wildcard", "info",
     "receives from any source, or with any tag, took the message that came first in real time, which may be "
     "another than in virtual time",
     0},
    {"virtual-wildcard-order", "warning",
     "of these receives so many took a message although another was there that came earlier in virtual time: "
     "the "
     "program might go another way on the emulated machine; dilate in real time",
     0},
    {"virtual-found-nothing", "warning",
     "so many tests and probes found nothing, by real time: short computation between them counts as "
     "waiting, and "
     "is added in the upper end of the interval; what the program does meanwhile may be more or less on the "
     "emulated machine",
     0},
    {"virtual-not-costed", "warning",
     "collectives between groups, of neighbours, or more than 256 under way cost no more virtual time than a "
     "barrier",
     0},
    {"virtual-uncontended", "warning",
     "so many calls of collectives were played without other messages in their way (too many open at once, "
     "or "
     "a communicator that not all members know by one number)",
     0},
};
static_assert(sizeof troubles / sizeof troubles[0] == static_cast<size_t>(Trouble::count_),
              "one text a trouble");

void write_trouble(const Told& told, uint64_t count) {
  Line("diagnostic")
      .text("name", told.name)
      .text("severity", told.severity)
      .text("remedy", told.remedy)
      .number("count", static_cast<int64_t>(count))
      .write();
}

}  // namespace

bool open_definitions(const char* dir, int rank) {
  const int n = snprintf(path, sizeof path, "%s/rank-%d.defs", dir, rank);
  if (n < 0 || static_cast<size_t>(n) >= sizeof path) {
    path[0] = 0;
    return false;
  }
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd >= 0) close(fd);
  if (fd < 0) path[0] = 0;
  return fd >= 0;
}

Line::Line(const char* kind) {
  if (path[0] != 0) file_ = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  add("{");
  text("def", kind);
}

void Line::flush() {
  size_t done = 0;
  while (file_ >= 0 && done < length_) {
    const ssize_t n = ::write(file_, buffer_ + done, length_ - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  length_ = 0;
}

void Line::add(const char* text, size_t length) {
  while (length > 0) {
    if (length_ == sizeof buffer_) flush();
    const size_t room = sizeof buffer_ - length_;
    const size_t part = length < room ? length : room;
    memcpy(buffer_ + length_, text, part);
    length_ += part;
    text += part;
    length -= part;
  }
}

void Line::add(const char* text) {
  add(text, strlen(text));
}

void Line::key(const char* name) {
  add(strcmp(name, "def") == 0 ? "\"" : ",\"");
  add(name);
  add("\":");
}

Line& Line::text(const char* name, const char* value) {
  key(name);
  add("\"");
  for (const char* c = value; *c != 0; ++c) {
    const unsigned char byte = static_cast<unsigned char>(*c);
    if (byte == '"' || byte == '\\') {
      const char escaped[2] = {'\\', *c};
      add(escaped, 2);
    } else if (byte < 0x20 || byte >= 0x7f) {  // names of other encodings stay readable JSON
      char escaped[8];
      add(escaped, static_cast<size_t>(snprintf(escaped, sizeof escaped, "\\u%04x", byte)));
    } else {
      add(c, 1);
    }
  }
  add("\"");
  return *this;
}

Line& Line::number(const char* name, int64_t value) {
  char digits[24];
  key(name);
  add(digits, static_cast<size_t>(snprintf(digits, sizeof digits, "%lld", static_cast<long long>(value))));
  return *this;
}

// By hand, not %g: the program may have set a locale that writes a comma.
Line& Line::real(const char* name, double value) {
  char digits[48];
  const bool negative = value < 0;
  if (negative) value = -value;
  if (!(value < 9e15)) value = 0;
  const auto whole = static_cast<unsigned long long>(value);
  const auto billionths = static_cast<unsigned long long>((value - static_cast<double>(whole)) * 1e9);
  key(name);
  add(digits, static_cast<size_t>(
                  snprintf(digits, sizeof digits, "%s%llu.%09llu", negative ? "-" : "", whole, billionths)));
  return *this;
}

Line& Line::boolean(const char* name, bool value) {
  return raw(name, value ? "true" : "false");
}

Line& Line::numbers(const char* name, const int* values, int count) {
  char digits[16];
  key(name);
  add("[");
  for (int i = 0; i < count; ++i)
    add(digits, static_cast<size_t>(snprintf(digits, sizeof digits, i == 0 ? "%d" : ",%d", values[i])));
  add("]");
  return *this;
}

Line& Line::raw(const char* name, const char* json) {
  key(name);
  add(json);
  return *this;
}

void Line::write() {
  add("}\n");
  flush();
  if (file_ >= 0 && durable) fdatasync(file_);
  if (file_ >= 0) close(file_);
  file_ = -1;
}

void trouble(Trouble which) {
  Told& told = troubles[static_cast<size_t>(which)];
  if (__atomic_fetch_add(&told.count, 1, __ATOMIC_RELAXED) == 0) write_trouble(told, 1);
}

void write_diagnostics() {
  troubles[static_cast<size_t>(Trouble::spool_not_created)].count += dropped_without_file();
  for (const Told& told : troubles)
    if (told.count > 1) write_trouble(told, told.count - 1);
}

}  // namespace ww::interpose
