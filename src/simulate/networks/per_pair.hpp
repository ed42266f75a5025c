// A value for each ordered pair of ranks or hosts: a table of them where they are few, else of the pairs that were asked for.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ww::simulate {

template <class T>
class PerPair {
 public:
  PerPair(std::size_t of, T without) : of_(of), without_(without) {
    if (of <= few) table_.assign(of * of, without);
  }
  T& at(std::int32_t from, std::int32_t to) {
    if (!table_.empty()) return table_[static_cast<std::size_t>(from) * of_ + static_cast<std::size_t>(to)];
    const std::uint64_t pair = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
    return map_.try_emplace(pair, without_).first->second;
  }

 private:
  static constexpr std::size_t few = 256;
  std::size_t of_;
  T without_;
  std::vector<T> table_;
  std::unordered_map<std::uint64_t, T> map_;
};

}  // namespace ww::simulate
