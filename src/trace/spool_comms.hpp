// One numbering of the communicators that each rank numbered for itself.
#pragma once
#include <unordered_map>

#include "trace/spool.hpp"

namespace ww::spool {

// By spool: local id to index into the communicators, none for those with members that were not recorded.
using CommNumbers = std::vector<std::unordered_map<std::uint32_t, std::uint32_t>>;

// Fills `comms`. A communicator is the same on all ranks if it has the same members and was made by the same
// calls (CommDefinition::made) or, where that is not known, if as many such ones of the same members came
// before it.
CommNumbers number_comms(const std::vector<RankSpool>& spools, std::size_t world_size,
                         std::vector<Comm>& comms);

// Fills `windows` in the order of the communicators that belong to them. The same id names both.
// A window is called what the first rank called it that gave it a name of its own.
CommNumbers number_windows(const std::vector<RankSpool>& spools, const CommNumbers& comms,
                           std::vector<Window>& windows);

// What the definitions say of files, with the modes that they were opened in.
struct OpenedFiles {
  std::vector<std::string> files;
  std::vector<FileHandle> handles;
  std::vector<std::uint32_t> modes;  // by handle, file_... of spool_format.hpp
};
// One spool's: local id to index into OpenedFiles.
struct FileNumbers {
  std::unordered_map<std::uint32_t, std::uint32_t> files, handles;
};
std::vector<FileNumbers> number_files(const std::vector<RankSpool>& spools, const CommNumbers& comms,
                                      OpenedFiles& files);

}  // namespace ww::spool
