// A check of 32 bits of some bytes: finds damage, at some bytes a nanosecond; no defence against who means it.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace ww::view {

// `seed` may be anything that the bytes belong to.
inline std::uint32_t checksum(std::span<const char> bytes, std::uint64_t seed) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = (seed ^ bytes.size()) * odd;
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof(word));
    hash = std::rotl((hash ^ word) * odd, 29);
  }
  std::uint64_t last = 0;
  if (at < bytes.size()) std::memcpy(&last, bytes.data() + at, bytes.size() - at);
  hash = (hash ^ last) * odd;
  hash ^= hash >> 32;
  hash *= odd;
  return static_cast<std::uint32_t>(hash >> 32);
}

// Of an array of plain values.
template <class T>
std::uint32_t checksum_of(std::span<const T> values, std::uint64_t seed) {
  return checksum({reinterpret_cast<const char*>(values.data()), values.size_bytes()}, seed);
}

}  // namespace ww::view
