// Which files this process runs code of: the program, an interpreter, libraries, also those that dlopen
// brought.
#pragma once

namespace ww::interpose {

// Whether a path is in one of the system's own folders of libraries.
bool is_of_the_system(const char* path);

// The fact "code" of the definitions: their paths, in "files", one a line. Those of the system's own folders
// are left out.
void write_code_files();

}  // namespace ww::interpose
