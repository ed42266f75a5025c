// Which function begins at an address, by the symbols of the file that it is in.
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace ww::interpose {

// What a function is called in lists and traces: with its namespaces and classes, without arguments, arguments of templates, unnamed
// namespaces and what it returns; of gfortran's, MODULE::NAME. A function that no symbol names: FILE+0xOFFSET.
struct FunctionName {
  char text[512];
};

// Once, before the others: looks for what makes C++ names readable, under the loader's lock, which nobody may wait for later.
void begin_naming();

// Reads the symbols of the file the first time that one of its functions is asked for: system calls, memory. One thread at a time.
void name_function(const void* address, FunctionName& name);

// Whether a symbol says so; as above.
bool begins_function(const void* address);

// What symbols say (`text`, 0 at its end; demangled or not) to what it is called. `size` of `out`, at least 1.
void shorten_function(const char* text, char* out, size_t size);

}  // namespace ww::interpose
