// What stands in the directory of a study (base/owned.hpp).
#pragma once
#include "dilate/dilation_entries.hpp"

namespace ww {

inline constexpr owned::Entry study_entries[] = {{"study.json"},
                                                 {"study.json.*part*"},
                                                 {"report.html"},
                                                 {"report.html.*part*"},
                                                 {"machine.json"},
                                                 {"machine.json.*part*"},
                                                 {"machine.samples.json"},
                                                 {"machine.samples.json.*part*"},
                                                 {"recorded-*.out"},
                                                 {"real-*.out"},
                                                 {"quicker-*.out"},
                                                 {"quicker-*.ww*", &trace_kind},
                                                 {"recorded-*.ww*", &trace_kind},
                                                 {"real-*.ww*", &trace_kind},
                                                 {"dilated", &dilation_of_study_kind},
                                                 {"dilated-*", &dilation_of_study_kind},
                                                 {"virtual-*", &dilation_of_study_kind}};
inline constexpr owned::ContentKind study_kind{"study", study_entries};

}  // namespace ww
