// File I/O in OTF2's records: IoCreateHandle, IoDestroyHandle and IoDeleteFile at the return of their calls;
// of an operation IoOperationBegin at the entry and IoOperationComplete at the return of the call in which it
// was complete, of a non-blocking one IoOperationIssued between them. The offset that a program gives is an
// attribute (otf2_common.hpp).
#pragma once
#include "trace/otf2_location.hpp"

namespace ww::otf2 {

OTF2_ErrorCode write_begin(OTF2_EvtWriter* writer, OTF2_AttributeList* list, std::uint64_t at,
                           const FileAction& action);
OTF2_ErrorCode write_end(OTF2_EvtWriter* writer, const Names& names, std::uint64_t at,
                         const FileAction& action);

}  // namespace ww::otf2
