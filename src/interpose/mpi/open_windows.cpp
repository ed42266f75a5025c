#include "interpose/mpi/open_windows.hpp"

#include "interpose/core/definitions.hpp"
#include "interpose/mpi/handle_table.hpp"

namespace ww::interpose {

namespace {

constexpr uint32_t capacity = 4096;
HandleTable<MPI_Win, KnownWindow, capacity> table;
constexpr KnownWindow no_window{unknown_comm, MPI_GROUP_NULL};

void write_name(MPI_Win win, uint32_t id) {
  char name[MPI_MAX_OBJECT_NAME + 1] = {};
  int length = 0;
  PMPI_Win_get_name(win, name, &length);
  if (recording) DefinitionLine("window").number("id", id).text("name", name).write();
}

const KnownWindow& define(MPI_Win win, Origin origin) {
  KnownWindow window{unknown_comm, MPI_GROUP_NULL};
  PMPI_Win_get_group(win, &window.group);
  window.id = define_members(window.group, "window", origin);
  write_name(win, window.id);
  const KnownWindow* added = table.add(win, window);
  if (added != nullptr) return *added;
  trouble(Trouble::window_table_full);
  PMPI_Group_free(&window.group);
  return no_window;
}

}  // namespace

const KnownWindow& known_window(MPI_Win win) {
  if (const KnownWindow* found = table.find(win); __builtin_expect(found != nullptr, 1)) return *found;
  if (win == MPI_WIN_NULL || table.is_freed(win)) return no_window;
  trouble(Trouble::window_defined_late);
  return define(win, of_unknown_origin);
}

uint32_t window_made(MPI_Win win, Origin origin) {
  return define(win, origin).id;
}

bool hide_window(MPI_Win win, KnownWindow& hidden) {
  return win != MPI_WIN_NULL && table.remove(win, hidden);
}

void window_freed(MPI_Win win, KnownWindow& hidden) {
  PMPI_Group_free(&hidden.group);
  table.was_freed(win);
}

void window_stays(MPI_Win win, const KnownWindow& hidden) {
  table.add(win, hidden);
}

void window_named(MPI_Win win) {
  if (const KnownWindow* known = table.find(win); known != nullptr) write_name(win, known->id);
}

}  // namespace ww::interpose
