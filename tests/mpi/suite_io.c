/* File I/O of every kind: explicit offsets, own and shared file pointers, alone and together, non-blocking,
   split; what is read beyond the end of the file; a view with holes; errors. */
#include "suite.h"

enum { length = 64 };
static int data[length], into[length];
static char name[600];

/* OFFSET -1: none was given */
static void access_(const char* kind, long long offset, long long wanted, long long got) {
  fprintf(suite_counts, "file %s %lld %lld %lld\n", kind, offset, wanted, got);
}
static void changed(const char* what) {
  fprintf(suite_counts, "file_event %s\n", what);
}
static int got_bytes(MPI_Status* status) {
  int count = -1;
  DO(Get_count, status, MPI_BYTE, &count);
  return count;
}

/* A collective write lets a rank go once its data has left it, while another still writes them: Open MPI's,
   which rewrites the gaps between the ranks' pieces too, then overwrites what the rank puts there meanwhile.
 */
static void settled(MPI_File file) {
  DO(File_sync, file);
  DO(Barrier, MPI_COMM_WORLD), collective("Barrier", 0, 0);
}

static void offsets(void) {
  MPI_File file;
  MPI_Status status;
  MPI_Request requests[3];
  MPI_Datatype column;
  const int at = rank * 64;
  int flag = 0;
  DO(File_open, MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      changed("opened");
  DO(File_write_at, file, at, data, 4, MPI_INT, &status), access_("write", at, 16, 16);
  HOLDS(got_bytes(&status) == 16);
  DO(File_write_at_all, file, at + 16, data + 4, 4, MPI_INT, MPI_STATUS_IGNORE),
      access_("write_all", at + 16, 16, 16);
  settled(file);
  DO(Type_vector, 4, 1, 2, MPI_INT, &column);
  DO(Type_commit, &column);
  DO(File_iwrite_at, file, at + 32, data + 8, 1, column, &requests[0]), access_("write", at + 32, 16, 16);
  DO(File_iwrite_at, file, at + 48, data + 12, 4, MPI_INT, &requests[1]), access_("write", at + 48, 16, 16);
  DO(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  DO(Type_free, &column);
  settled(file);
  DO(File_read_at, file, at, into, 8, MPI_INT, MPI_STATUS_IGNORE), access_("read", at, 32, 32);
  HOLDS(into[0] == 0 && into[7] == 7);
  DO(File_read_at_all, file, at + 32, into, 4, MPI_INT, &status), access_("read_all", at + 32, 16, 16);
  HOLDS(into[1] == 10 && got_bytes(&status) == 16);
  /* half of it lies beyond the end */
  DO(File_read_at, file, ranks * 64 - 16, into, 8, MPI_INT, &status),
      access_("read", ranks * 64 - 16, 32, 16);
  HOLDS(into[0] == 12 && got_bytes(&status) == 16);
  DO(File_iread_at, file, at + 16, into, 3, MPI_INT, &requests[0]), access_("read", at + 16, 12, 12);
  do DO(Test, &requests[0], &flag, &status);
  while (!flag);
  HOLDS(into[0] == 4 && got_bytes(&status) == 12);
  DO(File_read_at, file, ranks * 64, into, 1, MPI_INT, MPI_STATUS_IGNORE), access_("read", ranks * 64, 4, 0);
  DO(File_write_at, file, 0, data, 0, MPI_INT, &status), access_("write", 0, 0, 0);
  DO(File_iread_at, file, at, into, 2, MPI_INT, &requests[0]), access_("read", at, 8, 8);
  DO(Wait, &requests[0], MPI_STATUS_IGNORE);
  DO(File_iwrite_at_all, file, at, data, 2, MPI_INT, &requests[0]), access_("write_all", at, 8, 8);
  DO(Wait, &requests[0], &status);
  DO(File_close, &file), changed("closed");
}

/* split, own pointer, a view with holes */
static void pointers(void) {
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  MPI_Datatype every_second;
  DO(Type_vector, 8, 1, 2, MPI_INT, &every_second);
  DO(Type_commit, &every_second);
  DO(File_open, MPI_COMM_WORLD, name, MPI_MODE_RDWR, MPI_INFO_NULL, &file), changed("opened");
  DO(File_set_view, file, rank * 64, MPI_INT, every_second, "native", MPI_INFO_NULL);
  DO(File_write, file, data, 3, MPI_INT, MPI_STATUS_IGNORE), access_("write", -1, 12, 12);
  DO(File_write_all, file, data + 3, 2, MPI_INT, &status), access_("write_all", -1, 8, 8);
  HOLDS(got_bytes(&status) == 8);
  DO(File_write_at_all_begin, file, 5, data + 5, 1, MPI_INT), access_("write_all", 5, 4, 4);
  DO(File_write_at_all_end, file, data + 5, &status);
  DO(File_write_all_begin, file, data + 6, 1, MPI_INT), access_("write_all", -1, 4, 4);
  DO(File_write_all_end, file, data + 6, MPI_STATUS_IGNORE);
  settled(file);
  DO(File_seek, file, 0, MPI_SEEK_SET);
  DO(File_read, file, into, 2, MPI_INT, &status), access_("read", -1, 8, 8);
  DO(File_read_all, file, into + 2, 2, MPI_INT, MPI_STATUS_IGNORE), access_("read_all", -1, 8, 8);
  DO(File_iread, file, into + 4, 1, MPI_INT, &request), access_("read", -1, 4, 4);
  DO(Wait, &request, MPI_STATUS_IGNORE);
  HOLDS(into[0] == 0 && into[1] == 1 && into[2] == 2 && into[3] == 3 && into[4] == 4);
  DO(File_read_all_begin, file, into, 1, MPI_INT), access_("read_all", -1, 4, 4);
  DO(File_read_all_end, file, into, &status);
  DO(File_read_at_all_begin, file, 1, into, 2, MPI_INT), access_("read_all", 1, 8, 8);
  DO(File_read_at_all_end, file, into, MPI_STATUS_IGNORE);
  HOLDS(into[0] == 1 && into[1] == 2);
  DO(File_close, &file), changed("closed");
  DO(Type_free, &every_second);
}

static void shared_pointer(void) {
  MPI_File file;
  MPI_Status status;
  DO(File_open, MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
      changed("opened");
  DO(File_write_ordered, file, data, 2, MPI_INT, &status), access_("write_all", -1, 8, 8);
  HOLDS(got_bytes(&status) == 8);
  settled(file);
  DO(File_seek_shared, file, 0, MPI_SEEK_SET);
  DO(File_read_ordered, file, into, 2, MPI_INT, MPI_STATUS_IGNORE), access_("read_all", -1, 8, 8);
  HOLDS(into[0] == 0 && into[1] == 1);
  DO(File_write_shared, file, data, 1, MPI_INT, MPI_STATUS_IGNORE), access_("write", -1, 4, 4);
  settled(file);
  DO(File_seek_shared, file, 0, MPI_SEEK_SET);
  DO(File_read_shared, file, into, 1, MPI_INT, &status), access_("read", -1, 4, 4);
  DO(File_close, &file), changed("closed");
}

static void alone_and_wrong(void) {
  char own[640];
  MPI_File file;
  snprintf(own, sizeof own, "%s.own", name);
  own[strlen(own) - 4] = (char)('a' + rank);
  DO(File_open, MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file),
      changed("opened");
  DO(File_write, file, data, 5, MPI_INT, MPI_STATUS_IGNORE), access_("write", -1, 20, 20);
  DO(File_close, &file), changed("closed");
  DO(File_delete, own, MPI_INFO_NULL), changed("deleted");
  HOLDS(MPI_SUCCESS !=
        DO(File_open, MPI_COMM_SELF, "/there/is/no/such", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
}

int main(int argc, char** argv) {
  int i;
  for (i = 0; i < length; ++i) data[i] = i;
  suite_begin(&argc, &argv);
  snprintf(name, sizeof name, "%s.file", argv[1]);
  offsets();
  pointers();
  shared_pointer();
  alone_and_wrong();
  return suite_end(8);
}
