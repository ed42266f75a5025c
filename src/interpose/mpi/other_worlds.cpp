#include "interpose/mpi/other_worlds.hpp"

#include <stdio.h>
#include <stdlib.h>

#include "interpose/core/environment.hpp"
#include "interpose/core/recorder.hpp"
#include "interpose/mpi/own_library.hpp"

namespace ww::interpose {

namespace {

int world_number = 0;
int spawns_of_process = 0;

// "NAME=VALUE" and a newline. False: no room.
bool add_variable(char* text, size_t size, size_t& length, const char* name, const char* value) {
  if (value == nullptr) return true;
  const int n = snprintf(text + length, size - length, "%s%s=%s", length > 0 ? "\n" : "", name, value);
  if (n < 0 || static_cast<size_t>(n) >= size - length) return false;
  length += static_cast<size_t>(n);
  return true;
}

}  // namespace

void set_world_number(int world) {
  world_number = world;
}

SpawnName next_spawn() {
  SpawnName name;
  snprintf(name.text, sizeof name.text, "%d.%d.%d", world_number, world_rank(),
           __atomic_add_fetch(&spawns_of_process, 1, __ATOMIC_RELAXED));
  return name;
}

// Open MPI puts the variables of this key, a line each, into the environment of what it spawns.
// Processes that it spawns have nothing of their parents' environment else.
MPI_Info info_for_spawned(MPI_Info info, const SpawnName& name) {
  const char* const key = own_library.spawn_environment;
  if (key == nullptr) return MPI_INFO_NULL;
  char text[MPI_MAX_INFO_VAL] = {};
  int given = 0;
  if (info != MPI_INFO_NULL) PMPI_Info_get(info, key, sizeof text - 1, text, &given);
  size_t length = given != 0 ? strlen(text) : 0;
  bool fits = add_variable(text, sizeof text, length, "LD_PRELOAD", getenv("LD_PRELOAD"));
  for (const char* variable : environment::passed_on)
    fits = fits && add_variable(text, sizeof text, length, variable, getenv(variable));
  fits = fits && add_variable(text, sizeof text, length, environment::spawned, name.text);
  if (!fits) return MPI_INFO_NULL;
  MPI_Info own = MPI_INFO_NULL;
  if (info == MPI_INFO_NULL)
    PMPI_Info_create(&own);
  else
    PMPI_Info_dup(info, &own);
  if (own != MPI_INFO_NULL && PMPI_Info_set(own, key, text) != MPI_SUCCESS) PMPI_Info_free(&own);
  return own;
}

}  // namespace ww::interpose
