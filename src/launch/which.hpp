// Which launcher a word of a launch line is, and whose programs it starts. Several are called mpirun.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "launch/starter.hpp"

namespace ww::launch {

std::string file_name(const std::string& word);  // without its folders

// What the word starts, as a program of PATH: by its name, by the file behind its symbolic links (Debian's
// alternatives) and, where those leave several, by its --version. Empty: no launcher that is listed.
std::vector<const Starter*> launchers_behind(const std::string& word);

// The one library that those have which start programs of one; nullptr: of none or of several.
const Library* library_of(std::span<const Starter* const> launchers);

}  // namespace ww::launch

namespace ww {

// By names alone, nothing is started. nullptr: srun, an mpirun that could be anybody's, what is no launcher.
const Library* library_of_launcher(const std::string& word);

}  // namespace ww
