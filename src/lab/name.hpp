// The name of a lab: part of host names, of a directory and of a socket's path, so that nothing but letters,
// digits and dashes is one. Whoever holds a LabName need not look again.
#pragma once
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace ww::lab {

class LabName {
 public:
  LabName() = default;  // "default"
  // Error (usage): paths, "." and "..", empty, more than 20 characters, anything but letters, digits and
  // dashes, a dash in front.
  static Result<LabName> parse(std::string_view text);
  const std::string& text() const { return text_; }
  friend bool operator==(const LabName&, const LabName&) = default;

 private:
  explicit LabName(std::string_view text) : text_(text) {}
  std::string text_ = "default";
};

}  // namespace ww::lab
