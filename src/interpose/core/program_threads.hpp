// Which threads are the program's: its clocks and its sleep are dilated, those of the message library's own
// threads (progress, process management) are not. A thread is the library's that was created while a thread
// was inside the library, MPI_Init among it, or by one of its threads.
#pragma once

namespace ww::interpose {

bool thread_of_library();

// While one lives this thread is inside the message library, for calls that have no Frame.
class InsideLibrary {
 public:
  InsideLibrary();
  ~InsideLibrary();
  InsideLibrary(const InsideLibrary&) = delete;
  InsideLibrary& operator=(const InsideLibrary&) = delete;

 private:
  bool before_;
};

}  // namespace ww::interpose
