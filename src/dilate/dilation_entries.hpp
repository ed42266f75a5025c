// What stands in the directory of a dilation, in virtual time too (base/owned.hpp).
#pragma once
#include "trace/archive_entries.hpp"

namespace ww {

inline constexpr owned::Entry dilation_entries[] = {
    {"D*.ww*", &trace_kind}, {"D*.out"}, {"virtual-*.ww*", &trace_kind}, {"virtual-*.out"}};
inline constexpr owned::ContentKind dilation_kind{"dilation", dilation_entries};
// The same in a study, whose marker is that of both.
inline constexpr owned::ContentKind dilation_of_study_kind{"dilation", dilation_entries, false};

}  // namespace ww
