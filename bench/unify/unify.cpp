// unify_bench generate DIR RANKS EVENTS     spools of a halo exchange in a ring, as the recorder leaves them
// unify_bench unify DIR [THREADS]           makes the archive; time and memory
// unify_bench load DIR [THREADS [file]]     reads the archive back into columns; time and memory
// Each prints one JSON object. Peak memory is the process' own high-water mark, mapped pages of files
// included.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "trace/from_spool.hpp"
#include "trace/trace.hpp"

namespace {

namespace fs = std::filesystem;
using ww::spool::Kind;
using ww::spool::Record;

enum Call : std::uint16_t { init = 1, irecv, isend, waitall, allreduce, finalize };

// Of the archive: two for each call and one or two for what it did.
constexpr std::uint64_t events_per_round = 3 + 3 + 4, events_per_allreduce = 4, rounds_per_allreduce = 10;

void write_definitions(const fs::path& spool, int rank, int ranks) {
  nlohmann::json world = nlohmann::json::array();
  for (int r = 0; r < ranks; ++r) world.push_back(r);
  std::ofstream out(spool / ("rank-" + std::to_string(rank) + ".defs"));
  out << nlohmann::json{{"def", "calls"},
                        {"names",
                         {"", "MPI_Init", "MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Allreduce",
                          "MPI_Finalize"}}}
      << "\n"
      << nlohmann::json{{"def", "process"},     {"rank", rank},           {"size", ranks},
                        {"host", "synthetic"},  {"boot_id", "synthetic"}, {"pid", 999999999},
                        {"program", "./a.out"}, {"mpi", "openmpi"},       {"mpi_version", "4.1.4"},
                        {"thread_level", 0},    {"ticks_per_s", 2.5e9},   {"ticks", 0},
                        {"monotonic_ns", 0},    {"realtime_ns", 0},       {"dilation", 1.0},
                        {"format", 1}}
      << "\n"
      << nlohmann::json{{"def", "comm"}, {"id", 0}, {"kind", "world"}, {"ranks", world}, {"name", ""}} << "\n"
      << nlohmann::json{{"def", "clock"},         {"when", "init"},         {"ticks", 0},
                        {"root_ticks_offset", 0}, {"uncertainty_ticks", 0}, {"same_clock", true},
                        {"monotonic_ns", 0}}
      << "\n"
      << nlohmann::json{{"def", "end"},
                        {"reason", "finalize"},
                        {"records", 0},
                        {"ticks", 0},
                        {"monotonic_ns", 0}}
      << "\n";
}

std::uint64_t write_records(const fs::path& spool, int rank, int ranks, std::uint64_t rounds) {
  std::ofstream out(spool / ("rank-" + std::to_string(rank) + ".thread-0.spool"), std::ios::binary);
  std::string header(ww::spool::header_bytes, '\0');
  ww::spool::SpoolHeader head{};
  std::memcpy(head.magic, ww::spool::magic, sizeof head.magic);
  head.header_bytes = ww::spool::header_bytes;
  head.record_bytes = sizeof(Record);
  head.world_rank = rank;
  std::memcpy(header.data(), &head, sizeof head);
  out << header;
  std::uint64_t now = 1000 + static_cast<std::uint64_t>(rank), events = 4;
  const auto put = [&](Call call, std::uint64_t took, Kind kind, int peer, int tag, std::uint64_t bytes,
                       std::uint64_t operation) {
    const Record record{now, now + took, bytes, operation, peer, tag, 0, static_cast<std::uint8_t>(kind),
                        0,   call};
    out.write(reinterpret_cast<const char*>(&record), sizeof record);
    now += took + 50;
  };
  put(init, 100, Kind::call, -1, 0, 0, 0);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const int tag = static_cast<int>(i % 4);
    put(irecv, 50, Kind::irecv, (rank + ranks - 1) % ranks, tag, 65536, 2 * i + 1);
    put(isend, 80, Kind::isend, (rank + 1) % ranks, tag, 1000 + i % 1000, 2 * i + 2);
    put(waitall, 5000, Kind::done_range, -1, 0, 2, 2 * i + 1);
    events += events_per_round;
    if (i % rounds_per_allreduce != 0) continue;
    put(allreduce, 9000, Kind::collective, -1, 0, 8, 8);
    events += events_per_allreduce;
  }
  put(finalize, 100, Kind::call, -1, 0, 0, 0);
  return events;
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

int say(const char* what, std::uint64_t events, double took_s) {
  std::printf("{\"%s\": {\"events\": %llu, \"time_s\": %.2f, \"events_per_s\": %.3g, \"peak_mib\": %.0f}}\n",
              what, static_cast<unsigned long long>(events), took_s, static_cast<double>(events) / took_s,
              peak_mib());
  return 0;
}

int give_up(const ww::Error& error) {
  std::fprintf(stderr, "%s\n", ww::to_string(error).c_str());
  return 1;
}

int usage() {
  std::fprintf(stderr,
               "unify_bench generate DIR RANKS EVENTS | unify DIR [THREADS] | load DIR [THREADS [file]]\n");
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> args(arguments + 1, arguments + count);
  if (args.size() < 2) return usage();
  const fs::path dir = args[1];
  const auto begin = std::chrono::steady_clock::now();
  const auto took_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  if (args[0] == "generate" && args.size() == 4) {
    const int ranks = std::stoi(args[2]);
    const auto rounds =
        static_cast<std::uint64_t>(std::stod(args[3]) / ranks /
                                   (static_cast<double>(events_per_round) +
                                    static_cast<double>(events_per_allreduce) / rounds_per_allreduce));
    fs::create_directories(dir / "spool");
    std::uint64_t events = 0;
    for (int r = 0; r < ranks; ++r) {
      write_definitions(dir / "spool", r, ranks);
      events += write_records(dir / "spool", r, ranks, rounds);
    }
    return say("generate", events, took_s());
  }
  if (args[0] == "unify") {
    ww::Diagnostics diagnostics;
    const auto spools = ww::spool::read_spools(dir / "spool", diagnostics);
    if (!spools) return give_up(spools.error());
    fs::remove_all(dir / "archive");
    fs::create_directories(dir / "archive");
    ww::spool::UnifyOptions options;
    if (args.size() > 2) options.threads = std::stoul(args[2]);
    const auto facts = ww::spool::write_archive(*spools, dir / "archive", options, diagnostics);
    if (!facts) return give_up(facts.error());
    return say("unify", (*facts)["events"].get<std::uint64_t>(), took_s());
  }
  if (args[0] == "load") {
    ww::Loading loading;
    if (args.size() > 2) loading.threads = std::stoul(args[2]);
    if (args.size() > 3 && args[3] == "file") loading.keep = ww::Loading::Keep::file;
    const auto trace = ww::load_trace(dir / "archive" / "traces.otf2", loading);
    if (!trace) return give_up(trace.error());
    return say("load", trace->events, took_s());
  }
  return usage();
}
