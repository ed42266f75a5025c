// Where PVM's functions are: in libpvm3 and libgpvm3 behind this library, or in the program, if it is linked
// with them statically and with libwhatwire-pvm-wrap.a, which gives them to us (pvm_wraps.h).
#pragma once

namespace ww::interpose {

// The program's own function of that name, else the next one's behind this library. nullptr: neither.
void* pvm_function(const char* name);
// libpvm3's number of this task. nullptr: there is no libpvm3.
const int* pvm_tid();
bool has_own_pvm();  // the program has libpvm3's code in its own

// As core/next_function.hpp has it of any function.
template <class Function>
struct NextOfPvm {
  const char* name;
  Function* found = nullptr;
  Function* get() {
    if (__builtin_expect(found == nullptr, 0)) found = reinterpret_cast<Function*>(pvm_function(name));
    return found;
  }
};

// A wrapper of this library, whatever else has that name in the process.
struct PvmWrapper {
  const char* name;
  void (*function)();
};
extern const PvmWrapper pvm_wrappers[];  // generated
extern const int pvm_wrappers_count;

}  // namespace ww::interpose
