// Functions of programs that were compiled with -fpatchable-function-entry: at the begin of each the compiler left bytes that do nothing.
// Of those that are wanted they become a call of the recorder when the program starts; the others cost what they did. The end of a
// function is seen by the address that it returns to, which is kept and replaced meanwhile. x86-64 alone.
#pragma once
#include <stdint.h>

namespace ww::interpose {

struct Patching {
  int there = 0;       // functions that can be switched on or not, of all names
  int impossible = 0;  // of the wanted ones
};

// Once, before the program's own code runs. `wanted` is told the name of each function and, if it says yes, `known` by which address
// it will be called.
Patching patch_functions(bool (*wanted)(const char* name),
                         bool (*known)(const void* address, const char* name));

// What they call, on the program's stack at any place of it. Where a function will return to is at `way_back`, and the function that
// has been called from that one by a jump returns there as well.
void patched_function_begins(const void* address, uintptr_t* way_back);
void patched_function_ends(uintptr_t* way_back);

// Between the two: `way_back` leads to the recorder, and where it led is kept, by its place, as often as a function begins there.
// False: no room. Both are safe in handlers of signals.
bool lead_back_here(uintptr_t* way_back);
bool leads_back_here(const uintptr_t* way_back);
// As it was; gives where it leads.
const void* lead_back_there(uintptr_t* way_back);

}  // namespace ww::interpose
