// Whether files of an archive are such that libotf2 3.0.2 survives them: it believes every length.
#pragma once
#include <cstdint>
#include <filesystem>

namespace ww::otf2 {

// An anchor says how many properties follow; for more than there is memory for libotf2 writes beyond what it
// was given. Only that is judged here: true also of what is no anchor at all.
bool anchor_is_sane(const std::filesystem::path& anchor);

// libotf2 does not look where a file ends: of a truncated one it goes on with what its memory held
// before, for ever or until it crashes. So the records of a file are gone through first, by their lengths
// alone. True also where there is no such file (archives in one file for all locations,
// SION).
enum class Holds : std::uint8_t { definitions, events };
bool records_are_whole(const std::filesystem::path& file, std::uint64_t chunk_bytes, Holds holds);

}  // namespace ww::otf2
