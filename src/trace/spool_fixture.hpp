// For tests: writes spools as the recorder does, by hand.
#pragma once
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interpose/core/spool_format.hpp"

namespace ww::spool {

// A directory of its own for a test, removed at the end.
class TestDir {
 public:
  TestDir() {
    std::string name = (std::filesystem::temp_directory_path() / "ww-trace-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TestDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline const std::vector<std::string> test_calls = {"",
                                                    "MPI_Init",
                                                    "MPI_Finalize",
                                                    "MPI_Send",
                                                    "MPI_Recv",
                                                    "MPI_Isend",
                                                    "MPI_Irecv",
                                                    "MPI_Wait",
                                                    "MPI_Waitall",
                                                    "MPI_Allreduce",
                                                    "MPI_Bcast",
                                                    "MPI_Iprobe",
                                                    "MPI_Test",
                                                    "MPI_Cancel",
                                                    "MPI_Sendrecv",
                                                    "MPI_Ssend",
                                                    "MPI_Ibarrier",
                                                    "MPI_Comm_rank",
                                                    "MPI_Comm_dup",
                                                    "MPI_Win_create",
                                                    "MPI_Win_fence",
                                                    "MPI_Win_free",
                                                    "MPI_Win_lock",
                                                    "MPI_Win_unlock",
                                                    "MPI_Win_flush",
                                                    "MPI_Win_flush_local",
                                                    "MPI_Win_post",
                                                    "MPI_Win_start",
                                                    "MPI_Win_complete",
                                                    "MPI_Win_wait",
                                                    "MPI_Put",
                                                    "MPI_Rget",
                                                    "MPI_Fetch_and_op",
                                                    "MPI_File_open",
                                                    "MPI_File_close",
                                                    "MPI_File_delete",
                                                    "MPI_File_write_at_all",
                                                    "MPI_File_read",
                                                    "MPI_File_iread_at",
                                                    "MPI_Alltoallv",
                                                    "MPI_Start",
                                                    "MPI_Allreduce_init",
                                                    "pvm_mytid",
                                                    "pvm_exit",
                                                    "pvm_send",
                                                    "pvm_recv",
                                                    "pvm_psend",
                                                    "pvm_precv",
                                                    "pvm_pkbyte",
                                                    "pvm_upkbyte"};

// Of MPI's nothing, which goes by their names; those of PVM's.
inline std::vector<std::string> test_meanings() {
  std::vector<std::string> meanings;
  for (const std::string& call : test_calls)
    meanings.push_back(!call.starts_with("pvm_")                          ? ""
                       : call == "pvm_mytid"                              ? "frame begins"
                       : call == "pvm_exit"                               ? "frame ends"
                       : call.ends_with("send") || call.ends_with("recv") ? "p2p"
                                                                          : "other");
  return meanings;
}

inline std::uint16_t call_number(const std::string& name) {
  for (std::size_t i = 1; i < test_calls.size(); ++i)
    if (test_calls[i] == name) return static_cast<std::uint16_t>(i);
  return 0;
}

// One rank's spool. Ticks are microseconds unless the definitions say otherwise.
struct SpoolWriter {
  std::vector<nlohmann::json> definitions;
  std::vector<Record> records;
  std::string host = "alpha";

  void standard(int rank, int size, double ticks_per_s = 1e6) {
    definitions.push_back({{"def", "calls"}, {"names", test_calls}});
    definitions.push_back({{"def", "process"},
                           {"rank", rank},
                           {"size", size},
                           {"host", host},
                           {"boot_id", "b"},
                           {"pid", 999999999},
                           {"program", "./a.out"},
                           {"mpi", "openmpi"},
                           {"mpi_version", "4.1.4"},
                           {"thread_level", 0},
                           {"ticks_per_s", ticks_per_s},
                           {"ticks", 0},
                           {"monotonic_ns", 0},
                           {"realtime_ns", 1700000000000000000},
                           {"dilation", 1.0},
                           {"format", 1}});
    std::vector<int> world;
    for (int r = 0; r < size; ++r) world.push_back(r);
    definitions.push_back(
        {{"def", "comm"}, {"id", 0}, {"kind", "world"}, {"ranks", world}, {"name", "MPI_COMM_WORLD"}});
    definitions.push_back(
        {{"def", "comm"}, {"id", 1}, {"kind", "self"}, {"ranks", {rank}}, {"name", "MPI_COMM_SELF"}});
  }
  // Of a process that has no rank. Peers are indices (peer()); communicator 0 is of all tasks.
  void task(const std::string& address, std::int64_t realtime_ns, double ticks_per_s = 1e6) {
    standard(0, 1, ticks_per_s);
    definitions.resize(2);
    definitions[0]["meanings"] = test_meanings();
    definitions[1].erase("rank");
    definitions[1].erase("size");
    definitions[1]["address"] = address;
    definitions[1]["realtime_ns"] = realtime_ns;
    definitions[1]["mpi"] = "pvm";
    definitions.push_back({{"def", "comm"}, {"id", 0}, {"kind", "world"}, {"name", "PVM"}});
  }
  void peer(int index, const std::string& address) {
    definitions.push_back({{"def", "peer"}, {"index", index}, {"address", address}});
  }
  void clock(std::int64_t ticks, std::int64_t offset, double uncertainty, bool same) {
    definitions.push_back({{"def", "clock"},
                           {"when", "init"},
                           {"ticks", ticks},
                           {"root_ticks_offset", offset},
                           {"uncertainty_ticks", uncertainty},
                           {"same_clock", same},
                           {"monotonic_ns", 0}});
  }
  void end(std::int64_t ticks) {
    definitions.push_back({{"def", "end"},
                           {"reason", "finalize"},
                           {"records", records.size()},
                           {"ticks", ticks},
                           {"monotonic_ns", 0}});
  }
  Record& add(const std::string& call, std::uint64_t enter, std::uint64_t leave, Kind kind = Kind::call,
              std::int32_t peer = no_peer, std::int32_t tag = 0, std::uint64_t bytes = 0,
              std::uint64_t operation = 0, std::uint8_t flags = 0, std::uint32_t comm = 0) {
    records.push_back({enter, leave, bytes, operation, peer, tag, comm, static_cast<std::uint8_t>(kind),
                       flags, call_number(call)});
    return records.back();
  }
  // What the program said of itself: a name ("region", "marker", "integer", "real") and its use.
  void name(std::uint32_t id, const char* use, const std::string& text) {
    definitions.push_back({{"def", "name"}, {"id", id}, {"use", use}, {"text", text}});
  }
  void say(Kind kind, std::uint64_t at, std::uint32_t name, std::uint64_t bits = 0) {
    records.push_back({at, at, bits, 0, no_peer, 0, name, static_cast<std::uint8_t>(kind), 0, no_call});
  }
  // A window or file of all ranks of the world.
  void object(const char* kind, std::uint32_t id, int size, const std::string& name, std::uint32_t mode = 0) {
    std::vector<int> world;
    for (int r = 0; r < size; ++r) world.push_back(r);
    definitions.push_back({{"def", "comm"}, {"id", id}, {"kind", "intra"}, {"ranks", world}, {"name", kind}});
    definitions.push_back({{"def", kind}, {"id", id}, {"name", name}, {"mode", mode}});
  }
  Record& window_call(const std::string& call, std::uint64_t enter, std::uint64_t leave, WindowCall what,
                      std::int32_t peer = no_peer, std::uint32_t id = 7) {
    const bool collective =
        what == WindowCall::created || what == WindowCall::freed || what == WindowCall::fence;
    return add(call, enter, leave, Kind::window, peer, static_cast<std::int32_t>(what), 0, 0,
               collective ? flag_collective : std::uint8_t{0}, id);
  }
  Record& file_call(const std::string& call, std::uint64_t enter, std::uint64_t leave, FileCall what,
                    std::uint32_t id = 8) {
    return add(call, enter, leave, Kind::file, no_peer, static_cast<std::int32_t>(what), 0, 0,
               what == FileCall::deleted ? std::uint8_t{0} : flag_collective, id);
  }
  std::string spool_bytes(int rank, std::size_t slack_records = 10, int thread = 0) const {
    SpoolHeader header{};
    std::memcpy(header.magic, magic, sizeof magic);
    header.header_bytes = header_bytes;
    header.record_bytes = sizeof(Record);
    header.world_rank = rank;
    header.thread = thread;
    std::string bytes(header_bytes + (records.size() + slack_records) * sizeof(Record), '\0');
    std::memcpy(bytes.data(), &header, sizeof header);
    if (!records.empty())
      std::memcpy(bytes.data() + header_bytes, records.data(), records.size() * sizeof(Record));
    return bytes;
  }
  std::string definition_bytes() const {
    std::string text;
    for (const auto& line : definitions) text += line.dump() + "\n";
    return text;
  }
};

inline void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

inline void write_spools(const std::filesystem::path& dir, const std::vector<SpoolWriter>& ranks) {
  std::filesystem::create_directories(dir / "spool");
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const std::string stem = "rank-" + std::to_string(r);
    write_bytes(dir / "spool" / (stem + ".thread-0.spool"), ranks[r].spool_bytes(static_cast<int>(r)));
    write_bytes(dir / "spool" / (stem + ".defs"), ranks[r].definition_bytes());
  }
}

inline void write_tasks(const std::filesystem::path& dir, const std::map<std::string, SpoolWriter>& tasks) {
  std::filesystem::create_directories(dir / "spool");
  for (const auto& [address, task] : tasks) {
    write_bytes(dir / "spool" / ("task-" + address + ".thread-0.spool"), task.spool_bytes(-1));
    write_bytes(dir / "spool" / ("task-" + address + ".defs"), task.definition_bytes());
  }
}

}  // namespace ww::spool
