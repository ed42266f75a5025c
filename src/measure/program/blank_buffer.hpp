// Memory for messages whose contents do not matter.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <vector>

namespace ww::measure {

// Touched, so that no experiment pays for the first access to a page. PVM packs and unpacks what is sent and received by calls of their own, which
// a recorded program pays for beside its messages: what is in such a buffer is packed once and not unpacked.
class BlankBuffer {
 public:
  BlankBuffer() = default;
  ~BlankBuffer() { forget(); }
  BlankBuffer(const BlankBuffer&) = delete;
  BlankBuffer& operator=(const BlankBuffer&) = delete;

  // Of at least so many bytes from now on; what data() gave before holds no longer.
  void grow(std::size_t bytes) {
    if (bytes <= bytes_.size()) return;
    forget();
    bytes_.assign(bytes, 'w');
#ifdef WW_MPI_BY_PVM
    ww_pvm_blank_buffer(bytes_.data(), bytes_.size());
#endif
  }
  char* data() {
    return bytes_.data();
  }

 private:
  void forget() {
#ifdef WW_MPI_BY_PVM
    ww_pvm_no_blank_buffer(bytes_.data());
#endif
  }
  std::vector<char> bytes_;
};

}  // namespace ww::measure
