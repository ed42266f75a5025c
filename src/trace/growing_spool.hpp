// A thread's spool that is written to meanwhile: read, and not mapped, since it may be cut.
#pragma once
#include <filesystem>
#include <optional>

#include "interpose/core/spool_format.hpp"

namespace ww::spool {

class GrowingSpool {
 public:
  explicit GrowingSpool(const std::filesystem::path& file);
  ~GrowingSpool();
  GrowingSpool(const GrowingSpool&) = delete;
  GrowingSpool& operator=(const GrowingSpool&) = delete;

  // Zeros beyond its end, as it would be read there later.
  Record at(std::uint64_t index) const;
  // Records have a `call`, what follows has none.
  std::uint64_t records() const;
  // What stands in the place of the record of a call that has not returned ("The call that a thread is in" in spool_format.hpp), after
  // so many `records`; nothing: the thread is in none.
  std::optional<Record> standing(std::uint64_t& records) const;

 private:
  int file_;
  std::uint64_t room_ = 0;
};

}  // namespace ww::spool
