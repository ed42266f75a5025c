#include "interpose/core/tcp_counts.hpp"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <iterator>

#include "interpose/core/definitions.hpp"
#include "interpose/core/each_line.hpp"

namespace ww::interpose {

namespace {

struct Counter {
  const char *table, *name;  // as the kernel calls them
  const char* key;           // as the fact does
};
constexpr Counter counters[] = {
    {"Tcp:", "OutSegs", "sent"},
    {"Tcp:", "RetransSegs", "retransmitted"},
    {"TcpExt:", "TCPTimeouts", "timeouts"},
    {"TcpExt:", "TCPLossProbes", "probes"},
    {"TcpExt:", "PruneCalled", "no_room"},
    {"TcpExt:", "DelayedACKs", "delayed_acknowledgements"},
};
constexpr size_t count = std::size(counters);
int64_t at_begin[count];

// A table is a line of names and one of values; each begins with its own name.
class Tables {
 public:
  explicit Tables(int64_t (&values)[count]) : values_(values) {}
  void line(char* text) {
    const size_t first = strcspn(text, " ");
    if (names_[0] == 0 || strncmp(names_, text, first + 1) != 0) {
      const size_t length = strnlen(text, sizeof names_ - 1);
      memcpy(names_, text, length);
      names_[length] = 0;
      return;
    }
    char *left_of_names = nullptr, *left_of_values = nullptr;
    char* name = strtok_r(names_, " ", &left_of_names);
    char* value = strtok_r(text, " ", &left_of_values);
    const char* const table = name;
    while (name != nullptr && value != nullptr) {
      for (size_t i = 0; i < count; ++i)
        if (strcmp(counters[i].table, table) == 0 && strcmp(counters[i].name, name) == 0)
          values_[i] = strtoll(value, nullptr, 10);
      name = strtok_r(nullptr, " ", &left_of_names);
      value = strtok_r(nullptr, " ", &left_of_values);
    }
    names_[0] = 0;
  }

 private:
  int64_t (&values_)[count];
  char names_[4608] = {};
};

void read_counters(int64_t (&values)[count]) {
  for (int64_t& value : values) value = -1;
  Tables tables(values);
  for (const char* const file : {"/proc/self/net/snmp", "/proc/self/net/netstat"})
    each_line(file, [&](char* text) { tables.line(text); });
}

}  // namespace

void begin_tcp_counts() {
  read_counters(at_begin);
}

void end_tcp_counts() {
  int64_t now[count];
  read_counters(now);
  DefinitionLine line("fact");
  line.text("name", "tcp");
  bool any = false;
  for (size_t i = 0; i < count; ++i) {
    if (at_begin[i] < 0 || now[i] < at_begin[i]) continue;
    line.number(counters[i].key, now[i] - at_begin[i]);
    any = true;
  }
  if (any) line.write();
}

}  // namespace ww::interpose
