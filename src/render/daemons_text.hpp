// What a message library's daemons did (trace/daemon_record.hpp) as text for a terminal of 100 columns.
#pragma once
#include <string>

#include "trace/daemon_record.hpp"

namespace ww {

// One sentence for a report: how busy each was, and what was sent again. "" if none carried a packet.
std::string daemons_in_short(const DaemonRecord& record);
std::string show(const DaemonRecord& record);

}  // namespace ww
