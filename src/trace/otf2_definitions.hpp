// The global definitions of an archive, as far as MPI needs them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "trace/call_meaning.hpp"
#include "trace/otf2_common.hpp"
#include "trace/trace.hpp"

namespace ww::otf2 {

struct LocationDefinition {
  OTF2_LocationRef id = 0;
  std::uint64_t events = 0;
  OTF2_LocationGroupRef group = 0;
  bool is_cpu = false;
};

struct MemberGroup {
  OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
  OTF2_GroupFlag flags = OTF2_GROUP_FLAG_NONE;
  std::vector<std::uint64_t> members;
};

struct Definitions {
  std::uint64_t ticks_per_s = 0, global_offset = 0;
  std::unordered_map<OTF2_StringRef, std::string> strings;
  struct RegionDefinition {
    OTF2_StringRef name, description;
    OTF2_Paradigm paradigm;
  };
  std::unordered_map<OTF2_RegionRef, RegionDefinition> regions;
  struct MetricMember {
    OTF2_StringRef name, unit;
    OTF2_MetricType type;
    OTF2_Type value;
  };
  std::unordered_map<OTF2_MetricMemberRef, MetricMember> metric_members;
  std::map<OTF2_MetricRef, std::vector<OTF2_MetricMemberRef>> metric_classes;
  std::unordered_map<OTF2_ParameterRef, OTF2_StringRef> parameters;
  std::unordered_map<OTF2_SystemTreeNodeRef, OTF2_StringRef> nodes;
  struct LocationGroup {
    OTF2_SystemTreeNodeRef node;
    OTF2_LocationGroupType type;
  };
  std::unordered_map<OTF2_LocationGroupRef, LocationGroup> location_groups;
  std::unordered_map<OTF2_LocationGroupRef, std::uint64_t> addresses;  // of tasks
  std::vector<LocationDefinition> locations;
  std::unordered_map<OTF2_GroupRef, MemberGroup> groups;
  struct CommDefinition {
    OTF2_CommRef self;
    OTF2_StringRef name;
    OTF2_GroupRef group_a, group_b;  // equal: an intracommunicator
  };
  std::vector<CommDefinition> comms;
  struct WindowDefinition {
    OTF2_RmaWinRef self;
    OTF2_StringRef name;
    OTF2_CommRef comm;
  };
  std::vector<WindowDefinition> windows;
  std::map<OTF2_IoFileRef, OTF2_StringRef> io_files;
  struct IoHandleDefinition {
    OTF2_IoHandleRef self;
    OTF2_IoFileRef file;
    OTF2_IoParadigmRef paradigm;
    OTF2_CommRef comm;
  };
  std::vector<IoHandleDefinition> io_handles;
  std::unordered_map<OTF2_IoParadigmRef, OTF2_StringRef> io_paradigms;
  std::unordered_map<OTF2_AttributeRef, OTF2_StringRef> attributes;

  std::string text(OTF2_StringRef ref) const;
  // Since `global_offset`; bounded, so that sums of some do not overflow.
  std::int64_t ns_at(OTF2_TimeStamp time) const {
    const auto ticks = static_cast<std::int64_t>(time - global_offset);
    std::int64_t ns = ticks;
    if (ticks_per_s != 1000000000)
      ns = static_cast<std::int64_t>(static_cast<long double>(ticks) * (1e9L / ticks_per_s));
    return std::clamp<std::int64_t>(ns, -std::int64_t{4} << 60, std::int64_t{3} << 60);
  }
};

// Error: the definitions cannot be read.
Result<Definitions> read_definitions(OTF2_Reader* reader, const std::string& where,
                                     const QuietErrors& errors);

// What the definitions mean for reading the events of MPI.
struct Layout {
  std::vector<std::optional<LocationDefinition>> locations;   // by rank
  std::vector<std::vector<LocationDefinition>> threads;       // by rank: further ones of its process
  std::unordered_map<OTF2_RegionRef, std::uint16_t> regions;  // of calls: index into Trace::regions
  std::vector<CallMeaning> meanings;                          // of Trace::regions
  std::unordered_map<OTF2_CommRef, std::uint32_t> comms;      // index into Trace::comms
  // What the program marked: regions of the paradigm "user", members of metric classes of the type "user"
  // (none: of another type), string parameters; indexes into UserNames
  std::unordered_map<OTF2_RegionRef, std::uint32_t> user_regions;
  std::unordered_map<OTF2_MetricRef, std::vector<std::uint32_t>> user_values;
  std::map<std::pair<OTF2_ParameterRef, OTF2_StringRef>, std::uint32_t> texts;  // as they are met
  std::unordered_map<OTF2_CommRef, OTF2_StringRef> self_comms;     // MPI_COMM_SELF: one for every rank
  std::unordered_map<OTF2_RmaWinRef, std::uint32_t> windows;       // index into OneSided::windows
  OTF2_IoParadigmRef io_paradigm = OTF2_UNDEFINED_IO_PARADIGM;     // MPI's
  std::unordered_map<OTF2_IoFileRef, std::uint32_t> io_files;      // index into FileIo::files
  std::unordered_map<OTF2_IoHandleRef, std::uint32_t> io_handles;  // MPI's only: index into FileIo::handles
  OTF2_AttributeRef attribute[attribute_count];                    // as this archive numbers them
};

// The marker that a string parameter with this value is; ours has the text itself, another tool's has its
// name before.
std::uint32_t marker_text(const Definitions& definitions, Layout& layout, Trace& trace,
                          OTF2_ParameterRef parameter, OTF2_StringRef value);

// Fills trace.regions, trace.ranks (hosts), trace.comms, trace.user,
// trace.one_sided.windows, trace.file_io's files and handles, and diagnostics.
Layout lay_out(const Definitions& definitions, Trace& trace);

}  // namespace ww::otf2
