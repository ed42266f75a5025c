// rank-R.defs or task-ADDRESS.defs: what must be known to read the spools, one JSON object a line (spool_format.hpp), and the
// diagnostics.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "interpose/core/not_cancelled.hpp"

namespace ww::interpose {

// A line being composed; long ones are written in parts, and a line counts only with its newline.
class DefinitionLine {
 public:
  explicit DefinitionLine(const char* kind);  // {"def":"KIND"
  DefinitionLine& text(const char* key, const char* value);
  DefinitionLine& number(const char* key, int64_t value);
  DefinitionLine& address(const char* key, uint64_t value);  // as text: JSON's numbers have 53 bits
  DefinitionLine& real(const char* key, double value);
  DefinitionLine& boolean(const char* key, bool value);
  DefinitionLine& numbers(const char* key, const int* values, int count);
  DefinitionLine& raw(const char* key, const char* json);
  // A list of objects: keys between begin_object and end_object are that object's.
  DefinitionLine& begin_list(const char* key);
  DefinitionLine& begin_object();
  DefinitionLine& end_object();
  DefinitionLine& end_list();
  void write();  // ends the line and appends it

 private:
  NotCancelled whole_;
  void add(const char* text, size_t length);
  void add(const char* text);
  void key(const char* name);
  void flush();

  char buffer_[4096];
  size_t length_ = 0;
  bool first_ = true;  // of its object or list, so that no comma stands before
  int file_ = -1;
};

// Creates DIR/PROCESS.defs (ProcessName::text). False when it exists already: another program has recorded there (the directory
// belongs to one launch), or when it cannot be created.
bool open_definitions(const char* dir, const char* process);

// Things that went other than they should, counted. The first of a kind is written at once, so that a crash
// keeps it, the rest by write_diagnostics at the end: the reader adds the lines up.
enum class Trouble : uint8_t {
  request_table_full,
  comm_table_full,
  comm_defined_late,
  too_many_threads,
  spool_not_created,
  neighbours_unknown,
  window_table_full,
  window_defined_late,
  file_table_full,
  file_defined_late,
  left_out_table_full,
  left_out_cancelled,
  spawned_not_recorded,
  marker_inside_call,
  too_many_names,
  too_many_peers,
  isendrecv_from_any,
  call_left,
  clock_thread_failed,
  volumes_unknown,
  stamps_not_shared,
  departure_unknown,
  virtual_several_machines,
  virtual_threads_at_once,
  virtual_no_costs,
  virtual_one_sided,
  virtual_unanswered,
  virtual_wildcard,
  virtual_wildcard_order,
  virtual_found_nothing,
  virtual_after_timeout,
  virtual_from_outside,
  virtual_too_many_tasks,
  virtual_not_costed,
  virtual_uncontended,
  dilation_refused,
  functions_thinned,
  no_function_seen,
  no_function_wanted,
  functions_not_patched,
  memory_not_sampled,
  count_
};
void trouble(Trouble which);
void write_diagnostics();

}  // namespace ww::interpose
