#include "trace/otf2_common.hpp"

#include <cstdio>

namespace ww::otf2 {

QuietErrors::QuietErrors() : previous_(OTF2_Error_RegisterCallback(&QuietErrors::take, this)) {}

QuietErrors::~QuietErrors() {
  OTF2_Error_RegisterCallback(previous_, nullptr);
}

OTF2_ErrorCode QuietErrors::take(void* self, const char*, uint64_t, const char*, OTF2_ErrorCode code,
                                 const char* format, va_list arguments) {
  auto& errors = *static_cast<QuietErrors*>(self);
  const std::lock_guard lock(errors.mutex_);
  auto& first = errors.first_;
  if (!first.empty() || code == OTF2_SUCCESS) return code;
  char text[512] = "";
  if (format != nullptr) std::vsnprintf(text, sizeof text, format, arguments);
  first = std::string(OTF2_Error_GetDescription(code)) + (text[0] != '\0' ? std::string(": ") + text : "");
  return code;
}

}  // namespace ww::otf2
