#include "interpose/core/definitions.hpp"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diagnostics_table.hpp"
#include "interpose/core/selection_control.hpp"
#include "interpose/core/thread.hpp"

namespace ww::interpose {

namespace {

char path[PATH_MAX];

struct Told {
  DiagnosticName name;
  uint64_t count;
};
Told troubles[] = {
    {"requests-not-followed", 0},
    {"communicators-not-followed", 0},
    {"communicator-defined-late", 0},
    {"threads-not-recorded", 0},
    {"spool-not-created", 0},
    {"neighbours-unknown", 0},
    {"windows-not-followed", 0},
    {"window-defined-late", 0},
    {"files-not-followed", 0},
    {"file-defined-late", 0},
    {"left-out-not-counted", 0},
    {"left-out-cancelled", 0},
    {"spawned-not-recorded", 0},
    {"markers-inside-calls", 0},
    {"names-not-kept", 0},
    {"peers-not-followed", 0},
    {"isendrecv-from-any", 0},
    {"calls-left", 0},
    {"clock-thread-failed", 0},
    {"volumes-unknown", 0},
    {"departures-not-shared", 0},
    {"departure-unknown", 0},
    {"virtual-several-machines", 0},
    {"virtual-threads-at-once", 0},
    {"virtual-no-costs", 0},
    {"virtual-one-sided", 0},
    {"virtual-unanswered", 0},
    {"virtual-wildcard", 0},
    {"virtual-wildcard-order", 0},
    {"virtual-found-nothing", 0},
    {"virtual-after-timeout", 0},
    {"virtual-from-outside", 0},
    {"virtual-too-many-tasks", 0},
    {"virtual-not-costed", 0},
    {"virtual-uncontended", 0},
    {"dilation-refused", 0},
    {"functions-thinned", 0},
    {"no-function-seen", 0},
    {"no-function-wanted", 0},
    {"functions-not-patched", 0},
    {"memory-not-sampled", 0},
};
static_assert(sizeof troubles / sizeof troubles[0] == static_cast<size_t>(Trouble::count_),
              "one text a trouble");

void write_trouble(const Told& told, uint64_t count) {
  DefinitionLine("diagnostic")
      .text("name", told.name.entry().name)
      .text("severity", to_string(told.name.entry().severity))
      .text("remedy", told.name.entry().text)
      .number("count", static_cast<int64_t>(count))
      .write();
}

}  // namespace

bool open_definitions(const char* dir, const char* process) {
  const int n = snprintf(path, sizeof path, "%s/%s.defs", dir, process);
  if (n < 0 || static_cast<size_t>(n) >= sizeof path) {
    path[0] = 0;
    return false;
  }
  const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd >= 0) close(fd);
  if (fd < 0) path[0] = 0;
  return fd >= 0;
}

DefinitionLine::DefinitionLine(const char* kind) {
  if (path[0] != 0) file_ = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  add("{");
  text("def", kind);
}

void DefinitionLine::flush() {
  size_t done = 0;
  while (file_ >= 0 && done < length_) {
    const ssize_t n = ::write(file_, buffer_ + done, length_ - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  length_ = 0;
}

void DefinitionLine::add(const char* text, size_t length) {
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

void DefinitionLine::add(const char* text) {
  add(text, strlen(text));
}

void DefinitionLine::key(const char* name) {
  add(first_ ? "\"" : ",\"");
  first_ = false;
  add(name);
  add("\":");
}

DefinitionLine& DefinitionLine::text(const char* name, const char* value) {
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

DefinitionLine& DefinitionLine::number(const char* name, int64_t value) {
  char digits[24];
  key(name);
  add(digits, static_cast<size_t>(snprintf(digits, sizeof digits, "%lld", static_cast<long long>(value))));
  return *this;
}

DefinitionLine& DefinitionLine::address(const char* name, uint64_t value) {
  char digits[24];
  snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value));
  return text(name, digits);
}

// By hand, not %g: the program may have set a locale that writes a comma.
DefinitionLine& DefinitionLine::real(const char* name, double value) {
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

DefinitionLine& DefinitionLine::boolean(const char* name, bool value) {
  return raw(name, value ? "true" : "false");
}

DefinitionLine& DefinitionLine::numbers(const char* name, const int* values, int count) {
  char digits[16];
  key(name);
  add("[");
  for (int i = 0; i < count; ++i)
    add(digits, static_cast<size_t>(snprintf(digits, sizeof digits, i == 0 ? "%d" : ",%d", values[i])));
  add("]");
  return *this;
}

DefinitionLine& DefinitionLine::raw(const char* name, const char* json) {
  key(name);
  add(json);
  return *this;
}

DefinitionLine& DefinitionLine::begin_list(const char* name) {
  key(name);
  add("[");
  first_ = true;
  return *this;
}

DefinitionLine& DefinitionLine::begin_object() {
  add(first_ ? "{" : ",{");
  first_ = true;
  return *this;
}

DefinitionLine& DefinitionLine::end_object() {
  add("}");
  first_ = false;
  return *this;
}

DefinitionLine& DefinitionLine::end_list() {
  add("]");
  first_ = false;
  return *this;
}

void DefinitionLine::write() {
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
