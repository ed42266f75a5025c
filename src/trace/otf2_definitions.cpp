#include "trace/otf2_definitions.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

#include "base/text.hpp"
#include "trace/encoding.hpp"

namespace ww::otf2 {
namespace {

Definitions& of(void* user) {
  return *static_cast<Definitions*>(user);
}

OTF2_CallbackCode take_clock(void* user, uint64_t resolution, uint64_t offset, uint64_t, uint64_t) {
  of(user).ticks_per_s = resolution;
  of(user).global_offset = offset;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_string(void* user, OTF2_StringRef self, const char* text) {
  of(user).strings[self] = text == nullptr ? "" : printable(text);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_attribute(void* user, OTF2_AttributeRef self, OTF2_StringRef name, OTF2_StringRef,
                                 OTF2_Type) {
  of(user).attributes[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_node(void* user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name, OTF2_StringRef,
                            OTF2_SystemTreeNodeRef) {
  of(user).nodes[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_location_group(void* user, OTF2_LocationGroupRef self, OTF2_StringRef,
                                      OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef node,
                                      OTF2_LocationGroupRef) {
  of(user).location_groups[self] = {node, type};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_property(void* user, OTF2_LocationGroupRef group, OTF2_StringRef name, OTF2_Type type,
                                OTF2_AttributeValue value) {
  if (type == OTF2_TYPE_UINT64 && of(user).text(name) == address_property)
    of(user).addresses[group] = value.uint64;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_location(void* user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType type,
                                uint64_t events, OTF2_LocationGroupRef group) {
  of(user).locations.push_back({self, events, group, type == OTF2_LOCATION_TYPE_CPU_THREAD});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef,
                              OTF2_StringRef description, OTF2_RegionRole, OTF2_Paradigm paradigm,
                              OTF2_RegionFlag, OTF2_StringRef, uint32_t, uint32_t) {
  of(user).regions[self] = {name, description, paradigm};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_metric_member(void* user, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                     OTF2_StringRef, OTF2_MetricType type, OTF2_MetricMode, OTF2_Type value,
                                     OTF2_Base, int64_t, OTF2_StringRef unit) {
  of(user).metric_members[self] = {name, unit, type, value};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_metric_class(void* user, OTF2_MetricRef self, uint8_t count,
                                    const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence,
                                    OTF2_RecorderKind) {
  if (members != nullptr) of(user).metric_classes[self].assign(members, members + count);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_parameter(void* user, OTF2_ParameterRef self, OTF2_StringRef name,
                                 OTF2_ParameterType) {
  of(user).parameters[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_group(void* user, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type,
                             OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count,
                             const uint64_t* members) {
  MemberGroup group{type, paradigm, flags, {}};
  if (members != nullptr) group.members.assign(members, members + count);
  of(user).groups[self] = std::move(group);
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                            OTF2_CommRef, OTF2_CommFlag) {
  of(user).comms.push_back({self, name, group, group});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_inter_comm(void* user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                  OTF2_GroupRef b, OTF2_CommRef, OTF2_CommFlag) {
  of(user).comms.push_back({self, name, a, b});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_window(void* user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                              OTF2_RmaWinFlag) {
  of(user).windows.push_back({self, name, comm});
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode take_io_paradigm(void* user, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                   OTF2_StringRef, OTF2_IoParadigmClass, OTF2_IoParadigmFlag, uint8_t,
                                   const OTF2_IoParadigmProperty*, const OTF2_Type*,
                                   const OTF2_AttributeValue*) {
  of(user).io_paradigms[self] = identification;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_io_file(void* user, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef) {
  of(user).io_files[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_io_handle(void* user, OTF2_IoHandleRef self, OTF2_StringRef, OTF2_IoFileRef file,
                                 OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag, OTF2_CommRef comm,
                                 OTF2_IoHandleRef) {
  of(user).io_handles.push_back({self, file, paradigm, comm});
  return OTF2_CALLBACK_SUCCESS;
}

// Ranks by location: MPI's COMM_LOCATIONS; without it the first location of every process, in the order of
// definition.
std::vector<OTF2_LocationRef> rank_locations(const Definitions& definitions) {
  for (const auto& [ref, group] : definitions.groups)
    if (group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group.paradigm == OTF2_PARADIGM_MPI)
      return group.members;
  std::map<OTF2_LocationGroupRef, OTF2_LocationRef> first;
  for (const auto& location : definitions.locations) {
    const auto group = definitions.location_groups.find(location.group);
    if (group != definitions.location_groups.end() &&
        group->second.type == OTF2_LOCATION_GROUP_TYPE_PROCESS && location.is_cpu)
      first.emplace(location.group, location.id);
  }
  std::vector<OTF2_LocationRef> ranks;
  for (const auto& [group, location] : first) ranks.push_back(location);
  return ranks;
}

// "MPI_Send", also where a tool writes "MPI_Send()"; empty: not MPI's.
std::string mpi_name(std::string name) {
  if (!name.starts_with("MPI_")) return {};
  name.resize(std::min(name.find_first_of("( \t"), name.size()));
  return name;
}

void lay_out_ranks(const Definitions& definitions, const std::vector<OTF2_LocationRef>& ids, Trace& trace,
                   Layout& layout) {
  std::unordered_map<OTF2_LocationRef, const LocationDefinition*> by_id;
  for (const auto& location : definitions.locations) by_id[location.id] = &location;
  trace.ranks.resize(ids.size());
  layout.locations.resize(ids.size());
  layout.threads.resize(ids.size());
  std::unordered_map<OTF2_LocationGroupRef, std::size_t> rank_of_process;
  for (std::size_t r = 0; r < ids.size(); ++r) {
    const auto found = by_id.find(ids[r]);
    if (found == by_id.end()) {
      trace.diagnostics.add("rank-missing", "a rank has no location in the archive");
      continue;
    }
    layout.locations[r] = *found->second;
    rank_of_process.emplace(found->second->group, r);
    if (const auto address = definitions.addresses.find(found->second->group);
        address != definitions.addresses.end())
      trace.ranks[r].address = address->second;
    const auto group = definitions.location_groups.find(found->second->group);
    if (group == definitions.location_groups.end()) continue;
    const auto node = definitions.nodes.find(group->second.node);
    if (node != definitions.nodes.end()) trace.ranks[r].host = definitions.text(node->second);
  }
  const std::unordered_set<OTF2_LocationRef> named(ids.begin(), ids.end());
  std::uint64_t others = 0;
  for (const auto& location : definitions.locations) {
    if (!location.is_cpu || location.events == 0 || named.contains(location.id)) continue;
    const auto rank = rank_of_process.find(location.group);
    if (rank == rank_of_process.end())
      ++others;
    else
      layout.threads[rank->second].push_back(location);
  }
  if (others > 0) trace.diagnostics.add("threads-not-read", others);
}

void lay_out_comms(const Definitions& definitions, const std::vector<OTF2_LocationRef>& ids, Trace& trace,
                   Layout& layout) {
  std::unordered_map<OTF2_LocationRef, std::int32_t> rank_of;
  for (std::size_t r = 0; r < ids.size(); ++r) rank_of[ids[r]] = static_cast<std::int32_t>(r);
  std::uint64_t bad_members = 0;
  const auto members = [&](OTF2_GroupRef ref) {
    std::vector<std::int32_t> ranks;
    const auto group = definitions.groups.find(ref);
    if (group == definitions.groups.end()) return ranks;
    const bool by_location = group->second.type == OTF2_GROUP_TYPE_COMM_LOCATIONS ||
                             (group->second.flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0;
    for (const std::uint64_t member : group->second.members) {
      if (!by_location && member < ids.size()) {
        ranks.push_back(static_cast<std::int32_t>(member));
        continue;
      }
      const auto rank = by_location ? rank_of.find(member) : rank_of.end();
      if (rank == rank_of.end())
        ++bad_members;
      else
        ranks.push_back(rank->second);
    }
    return ranks;
  };
  for (const auto& definition : definitions.comms) {
    const auto group = definitions.groups.find(definition.group_a);
    if (group == definitions.groups.end() || group->second.paradigm != OTF2_PARADIGM_MPI) continue;
    if (group->second.type == OTF2_GROUP_TYPE_COMM_SELF) {
      layout.self_comms[definition.self] = definition.name;
      continue;
    }
    Comm comm{definitions.text(definition.name), members(definition.group_a)};
    if (definition.group_b != definition.group_a) {
      comm.first_group = comm.ranks.size();
      const auto second = members(definition.group_b);
      comm.ranks.insert(comm.ranks.end(), second.begin(), second.end());
    }
    layout.comms[definition.self] = static_cast<std::uint32_t>(trace.comms.size());
    trace.comms.push_back(std::move(comm));
  }
  if (bad_members > 0) trace.diagnostics.add("unknown-member", bad_members);
  if (trace.comms.empty()) {
    Comm world{"MPI_COMM_WORLD", {}};
    for (std::size_t r = 0; r < ids.size(); ++r) world.ranks.push_back(static_cast<std::int32_t>(r));
    trace.comms.push_back(std::move(world));
  }
}

// Metrics that the program gave; those that a tool took by itself (counters, resources) are left alone.
void lay_out_values(const Definitions& definitions, Trace& trace, Layout& layout) {
  std::map<std::tuple<std::string, std::string, bool>, std::uint32_t> known;
  for (const auto& [ref, members] : definitions.metric_classes) {
    std::vector<std::uint32_t> values;
    bool any = false;
    for (const OTF2_MetricMemberRef member : members) {
      const auto found = definitions.metric_members.find(member);
      values.push_back(none);
      if (found == definitions.metric_members.end() || found->second.type != OTF2_METRIC_TYPE_USER) continue;
      ValueName name{as_utf8(definitions.text(found->second.name)),
                     as_utf8(definitions.text(found->second.unit)), found->second.value != OTF2_TYPE_DOUBLE};
      const auto [entry, added] = known.try_emplace({name.name, name.unit, name.whole},
                                                    static_cast<std::uint32_t>(trace.user.values.size()));
      if (added) trace.user.values.push_back(std::move(name));
      values.back() = entry->second;
      any = true;
    }
    if (any) layout.user_values[ref] = std::move(values);
  }
}

// Files that MPI opened, as far as their handles say who opened them.
void lay_out_files(const Definitions& definitions, Trace& trace, Layout& layout) {
  for (const auto& [self, identification] : definitions.io_paradigms)
    if (definitions.text(identification) == mpi_io) layout.io_paradigm = self;
  if (layout.io_paradigm == OTF2_UNDEFINED_IO_PARADIGM) return;
  FileIo& files = trace.file_io;
  for (const auto& [self, name] : definitions.io_files) {
    layout.io_files[self] = static_cast<std::uint32_t>(files.files.size());
    files.files.push_back(definitions.text(name));
  }
  for (const auto& handle : definitions.io_handles) {
    const auto file = layout.io_files.find(handle.file);
    const auto comm = layout.comms.find(handle.comm);
    if (handle.paradigm != layout.io_paradigm || file == layout.io_files.end() || comm == layout.comms.end())
      continue;
    layout.io_handles[handle.self] = static_cast<std::uint32_t>(files.handles.size());
    files.handles.push_back({file->second, comm->second});
  }
  files.ranks.resize(trace.ranks.size());
}

}  // namespace

std::uint32_t marker_text(const Definitions& definitions, Layout& layout, Trace& trace,
                          OTF2_ParameterRef parameter, OTF2_StringRef value) {
  const auto [entry, added] =
      layout.texts.try_emplace({parameter, value}, static_cast<std::uint32_t>(trace.user.texts.size()));
  if (added) {
    const auto found = definitions.parameters.find(parameter);
    const std::string name = found == definitions.parameters.end() ? "" : definitions.text(found->second);
    const std::string text = definitions.text(value);
    trace.user.texts.push_back(as_utf8(name == marker_name || name.empty() ? text : name + ": " + text));
  }
  return entry->second;
}

std::string Definitions::text(OTF2_StringRef ref) const {
  const auto found = strings.find(ref);
  return found == strings.end() ? std::string() : found->second;
}

Result<Definitions> read_definitions(OTF2_Reader* reader, const std::string& where,
                                     const QuietErrors& errors) {
  Definitions definitions;
  OTF2_GlobalDefReader* global = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  std::uint64_t read = 0;
  OTF2_ErrorCode code = OTF2_ERROR_INVALID;
  if (global != nullptr && callbacks != nullptr) {
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, take_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, take_string);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, take_attribute);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, take_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, take_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(callbacks, take_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, take_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, take_region);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, take_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, take_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, take_parameter);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, take_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, take_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, take_inter_comm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, take_window);
    OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(callbacks, take_io_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(callbacks, take_io_file);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(callbacks, take_io_handle);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, &definitions);
    // The anchor says how many there are; asking for no more keeps a damaged file from being read for ever.
    std::uint64_t count = 0;
    code = OTF2_Reader_GetNumberOfGlobalDefinitions(reader, &count);
    if (code == OTF2_SUCCESS) code = OTF2_Reader_ReadGlobalDefinitions(reader, global, count, &read);
    if (code == OTF2_SUCCESS && read < count) code = OTF2_ERROR_INTEGRITY_FAULT;
  }
  if (callbacks != nullptr) OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  if (global != nullptr) OTF2_Reader_CloseGlobalDefReader(reader, global);
  if (code != OTF2_SUCCESS || definitions.ticks_per_s == 0)
    return fail("the definitions of the archive cannot be read",
                where + (errors.first().empty() ? "" : " (" + errors.first() + ")"),
                "the file is damaged or truncated; copy or record it again");
  return definitions;
}

Layout lay_out(const Definitions& definitions, Trace& trace) {
  Layout layout;
  const auto ids = rank_locations(definitions);
  lay_out_ranks(definitions, ids, trace, layout);
  lay_out_comms(definitions, ids, trace, layout);
  for (const auto& window : definitions.windows) {
    const auto comm = layout.comms.find(window.comm);
    if (comm == layout.comms.end()) continue;  // its records are counted when they are met
    layout.windows[window.self] = static_cast<std::uint32_t>(trace.one_sided.windows.size());
    trace.one_sided.windows.push_back({definitions.text(window.name), comm->second});
  }
  if (!layout.windows.empty()) trace.one_sided.ranks.resize(trace.ranks.size());
  lay_out_files(definitions, trace, layout);
  std::map<OTF2_RegionRef, Definitions::RegionDefinition> in_order(definitions.regions.begin(),
                                                                   definitions.regions.end());
  std::map<std::string, std::uint16_t> known;
  std::map<std::string, std::uint32_t> of_user;
  for (const auto& [ref, definition] : in_order) {
    const std::string description = definitions.text(definition.description);
    const std::string_view told = description.starts_with(call_description)
                                      ? std::string_view(description).substr(call_description.size())
                                      : std::string_view();
    const std::string name = meaning_of_text(told) ? definitions.text(definition.name)
                                                   : mpi_name(definitions.text(definition.name));
    if (name.empty() && definition.paradigm == OTF2_PARADIGM_USER) {
      const std::string text = as_utf8(definitions.text(definition.name));
      const auto [entry, added] =
          of_user.try_emplace(text, static_cast<std::uint32_t>(trace.user.regions.size()));
      if (added) trace.user.regions.push_back(text);
      layout.user_regions[ref] = entry->second;
    }
    if (name.empty() || known.size() >= 65000) continue;
    const auto [entry, added] = known.try_emplace(name, static_cast<std::uint16_t>(known.size()));
    if (added) {
      trace.regions.push_back(name);
      layout.meanings.push_back(meaning_told(told, name));
    }
    layout.regions[ref] = entry->second;
  }
  lay_out_values(definitions, trace, layout);
  std::fill(std::begin(layout.attribute), std::end(layout.attribute), OTF2_UNDEFINED_ATTRIBUTE);
  for (const auto& [ref, name] : definitions.attributes)
    for (std::size_t a = 0; a < attribute_count; ++a)
      if (definitions.text(name) == attributes[a].name) layout.attribute[a] = ref;
  return layout;
}

}  // namespace ww::otf2
