// Lines in files beside the spools, for the reader (core/environment.hpp names them): without them a recording is
// missing all the same, only less clearly.
#pragma once
#include <stddef.h>

namespace ww::interpose {

void note(const char* file, const char* text, size_t length);
void note_program(const char* file);  // the path of what runs

}  // namespace ww::interpose
