// FNV-1a of 64 bits: to tell texts apart, the same in every process and version. Pulls in nothing that must be
// linked, as the preloaded library uses it.
#pragma once
#include <cstdint>
#include <string_view>

namespace ww {

inline constexpr std::uint64_t fnv1a_begin = 0xcbf29ce484222325;

// Of what came before, which gave `hash`, and `text`.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = fnv1a_begin) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// The offset basis and "foobar" of the authors' test vectors (draft-eastlake-fnv, appendix C).
static_assert(fnv1a("") == 0xcbf29ce484222325 && fnv1a("foobar") == 0x85944171f73967e8);

}  // namespace ww
