// For tests: an archive written with libotf2 as Score-P writes its own.
#pragma once
#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>

namespace ww {

inline OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

// Score-P's form: the program's own regions around MPI's, a second thread in each process, communicators
// numbered locally with mapping tables, request numbers used again, ticks of half a nanosecond, clock offsets
// to be applied.
inline void write_like_score_p(const std::filesystem::path& dir) {
  OTF2_Archive* archive = OTF2_Archive_Open(dir.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                            OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  const OTF2_FlushCallbacks callbacks{flush, nullptr};
  OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr);
  OTF2_Archive_SetSerialCollectiveCallbacks(archive);
  OTF2_Archive_OpenEvtFiles(archive);
  constexpr OTF2_RegionRef main_region = 0, init = 1, send = 2, irecv = 3, wait = 4, compute = 5;
  constexpr OTF2_CommRef local_world = 0;
  constexpr std::uint64_t base = 1000000;
  const OTF2_LocationRef rank0 = 7, rank1 = 3;  // ranks are not in the order of locations
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, rank0);
  OTF2_EvtWriter_Enter(writer, nullptr, base, main_region);
  OTF2_EvtWriter_Enter(writer, nullptr, base + 100, init);
  OTF2_EvtWriter_Leave(writer, nullptr, base + 200, init);
  for (std::uint64_t i = 0; i < 2; ++i) {
    OTF2_EvtWriter_Enter(writer, nullptr, base + 1000 + 1000 * i, send);
    OTF2_EvtWriter_MpiSend(writer, nullptr, base + 1010 + 1000 * i, 1, local_world, 5, 64);
    OTF2_EvtWriter_Leave(writer, nullptr, base + 1100 + 1000 * i, send);
  }
  OTF2_EvtWriter_Leave(writer, nullptr, base + 9000, main_region);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  writer = OTF2_Archive_GetEvtWriter(archive, rank1);
  OTF2_EvtWriter_Enter(writer, nullptr, base, main_region);
  OTF2_EvtWriter_Enter(writer, nullptr, base + 100, init);
  OTF2_EvtWriter_Leave(writer, nullptr, base + 200, init);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const std::uint64_t at = base + 500 + 2000 * i;
    OTF2_EvtWriter_Enter(writer, nullptr, at, irecv);
    OTF2_EvtWriter_MpiIrecvRequest(writer, nullptr, at + 10, 42);
    OTF2_EvtWriter_Leave(writer, nullptr, at + 20, irecv);
    OTF2_EvtWriter_Enter(writer, nullptr, at + 30, compute);
    OTF2_EvtWriter_Leave(writer, nullptr, at + 40, compute);
    OTF2_EvtWriter_Enter(writer, nullptr, at + 50, wait);
    OTF2_EvtWriter_MpiIrecv(writer, nullptr, at + 1000, 0, local_world, 5, 64, 42);
    OTF2_EvtWriter_Leave(writer, nullptr, at + 1010, wait);
  }
  OTF2_EvtWriter_Leave(writer, nullptr, base + 9000, main_region);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  writer = OTF2_Archive_GetEvtWriter(archive, 8);
  OTF2_EvtWriter_Enter(writer, nullptr, base + 5, compute);
  OTF2_EvtWriter_Leave(writer, nullptr, base + 6, compute);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  OTF2_Archive_CloseEvtFiles(archive);

  OTF2_Archive_OpenDefFiles(archive);
  for (const OTF2_LocationRef location : {rank0, rank1, OTF2_LocationRef{8}}) {
    OTF2_DefWriter* definitions = OTF2_Archive_GetDefWriter(archive, location);
    const std::uint64_t comm_map[] = {4};  // local 0 is global 4
    OTF2_IdMap* map = OTF2_IdMap_CreateFromUint64Array(1, comm_map, false);
    OTF2_DefWriter_WriteMappingTable(definitions, OTF2_MAPPING_COMM, map);
    OTF2_IdMap_Free(map);
    const std::int64_t offset = location == rank1 ? 600 : 0;
    OTF2_DefWriter_WriteClockOffset(definitions, base, offset, 20);
    OTF2_DefWriter_WriteClockOffset(definitions, base + 10000, offset, 20);
    OTF2_Archive_CloseDefWriter(archive, definitions);
  }
  OTF2_Archive_CloseDefFiles(archive);

  OTF2_GlobalDefWriter* global = OTF2_Archive_GetGlobalDefWriter(archive);
  OTF2_GlobalDefWriter_WriteClockProperties(global, 2000000000, base, 10000, 0);
  const char* names[] = {"",         "main",    "MPI_Init", "MPI_Send", "MPI_Irecv",
                         "MPI_Wait", "compute", "node1",    "world"};
  for (OTF2_StringRef i = 0; i < 9; ++i) OTF2_GlobalDefWriter_WriteString(global, i, names[i]);
  for (OTF2_RegionRef i = 0; i < 6; ++i)
    OTF2_GlobalDefWriter_WriteRegion(global, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION,
                                     OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 0, 0);
  OTF2_GlobalDefWriter_WriteSystemTreeNode(global, 0, 7, 7, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
  for (OTF2_LocationGroupRef i = 0; i < 2; ++i)
    OTF2_GlobalDefWriter_WriteLocationGroup(global, i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
  OTF2_GlobalDefWriter_WriteLocation(global, rank0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 10, 0);
  OTF2_GlobalDefWriter_WriteLocation(global, rank1, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 20, 1);
  OTF2_GlobalDefWriter_WriteLocation(global, 8, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 2, 0);
  const std::uint64_t locations[] = {rank0, rank1}, members[] = {0, 1};
  OTF2_GlobalDefWriter_WriteGroup(global, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, locations);
  OTF2_GlobalDefWriter_WriteGroup(global, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                  OTF2_GROUP_FLAG_NONE, 2, members);
  OTF2_GlobalDefWriter_WriteComm(global, 4, 8, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  OTF2_Archive_CloseGlobalDefWriter(archive, global);
  OTF2_Archive_Close(archive);
}

}  // namespace ww
