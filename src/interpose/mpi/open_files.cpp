#include "interpose/mpi/open_files.hpp"

#include "interpose/core/definitions.hpp"
#include "interpose/mpi/handle_table.hpp"

namespace ww::interpose {

// spool_format.hpp writes the modes down as both MPIs have them.
static_assert(MPI_MODE_CREATE == spool::file_create && MPI_MODE_RDONLY == spool::file_read_only &&
              MPI_MODE_WRONLY == spool::file_write_only && MPI_MODE_RDWR == spool::file_read_write &&
              MPI_MODE_DELETE_ON_CLOSE == spool::file_delete_on_close &&
              MPI_MODE_EXCL == spool::file_exclusive && MPI_MODE_APPEND == spool::file_append);

namespace {

constexpr uint32_t capacity = 4096;
HandleTable<MPI_File, KnownFile, capacity> table;
KnownFile no_file{unknown_comm, 0};

void write_definition(uint32_t id, const Text& name, int mode) {
  char text[4096];
  int64_t length = name.length >= 0 ? name.length : static_cast<int64_t>(strlen(name.at));
  while (name.length >= 0 && length > 0 && name.at[length - 1] == ' ') --length;
  if (length >= static_cast<int64_t>(sizeof text)) length = sizeof text - 1;
  memcpy(text, name.at, static_cast<size_t>(length));
  text[length] = 0;
  if (recording) DefinitionLine("file").number("id", id).text("name", text).number("mode", mode).write();
}

}  // namespace

uint32_t file_opened(MPI_File file, const Text& name, int mode, Origin origin) {
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_File_get_group(file, &group);
  const uint32_t id = define_members(group, "file", origin);
  PMPI_Group_free(&group);
  write_definition(id, name, mode);
  if (table.add(file, {id, 0}) == nullptr) trouble(Trouble::file_table_full);
  return id;
}

KnownFile& known_file(MPI_File file) {
  if (KnownFile* found = table.find(file); __builtin_expect(found != nullptr, 1)) return *found;
  if (file == MPI_FILE_NULL || table.is_freed(file)) return no_file;
  trouble(Trouble::file_defined_late);
  int mode = 0;
  PMPI_File_get_amode(file, &mode);
  file_opened(file, {"", -1}, mode, of_unknown_origin);
  KnownFile* added = table.find(file);
  return added != nullptr ? *added : no_file;
}

bool hide_file(MPI_File file, KnownFile& hidden) {
  return file != MPI_FILE_NULL && table.remove(file, hidden);
}

void file_closed(MPI_File file) {
  table.was_freed(file);
}

void file_stays(MPI_File file, const KnownFile& hidden) {
  table.add(file, hidden);
}

uint32_t file_deleted(const Text& name) {
  const uint32_t id = new_id();
  write_definition(id, name, 0);
  return id;
}

}  // namespace ww::interpose
