// view_bench generate DIR RANKS EVENTS [HOSTS] an archive of a halo exchange in a ring
// view_bench index DIR [THREADS [memory|file]] its index, DIR/view.index: time by steps, size, memory
// view_bench picture DIR [THREADS]             the index of the calls of DIR/spool (unify_bench generate) without unify, or of its archive: time, size, memory
// view_bench tiles DIR [COUNT]                 the index opened, and tiles of all levels and groups asked for
// view_bench slide TRACE MACHINE [WITH]        places of a slider, one after the other (slide.hpp)
// Each prints one JSON object. Peak memory is the process' own high-water mark, mapped pages of files included;
// "anonymous" is what of it no file holds, at the end of each step.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "generate.hpp"
#include "slide.hpp"
#include "trace/directory.hpp"
#include "view/kept_index.hpp"
#include "view/picture.hpp"
#include "view/tile.hpp"
#include "view/trace_source.hpp"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::uint64_t made_from = 1;

double since_s(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// A line of /proc/self/status, in MiB.
double status_mib(const std::string& name) {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) / 1024;
  return 0;
}

int give_up(const ww::Error& error) {
  std::fprintf(stderr, "%s\n", ww::to_string(error).c_str());
  return 1;
}

std::uint64_t bytes_below(const fs::path& dir) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(dir))
    if (entry.is_regular_file() && entry.path().filename() != "view.index") bytes += entry.file_size();
  return bytes;
}

int make_index(const fs::path& dir, const ww::Loading& loading) {
  const auto begin = Clock::now();
  json out;
  auto step = [&, last = begin](const char* name) mutable {
    out[name] = {{"time_s", since_s(last)}, {"anonymous_mib", status_mib("RssAnon")}};
    last = Clock::now();
  };
  const auto trace = ww::load_trace(dir / ww::anchor_name, loading);
  if (!trace) return give_up(trace.error());
  step("load");
  const auto splits = ww::split_calls(*trace, nullptr);
  step("split");
  ww::view::Building building;
  building.threads = loading.threads;
  building.store = trace->store;
  const auto index = ww::view::build_index(ww::view::TraceSource(*trace, splits), building);
  if (!index) return give_up(index.error());
  step("build");
  if (const auto saved = (*index)->save(dir / "view.index", made_from); !saved) return give_up(saved.error());
  step("save");
  const std::uint64_t archive_bytes = bytes_below(dir), index_bytes = fs::file_size(dir / "view.index");
  out["events"] = trace->events;
  out["calls"] = (*index)->calls();
  out["stored_tiles"] = (*index)->stored_tiles();
  out["archive_mib"] = static_cast<double>(archive_bytes) / (1 << 20);
  out["index_mib"] = static_cast<double>(index_bytes) / (1 << 20);
  out["index_share"] = static_cast<double>(index_bytes) / static_cast<double>(archive_bytes);
  out["bytes_a_call"] = static_cast<double>(index_bytes) / static_cast<double>((*index)->calls());
  out["time_s"] = since_s(begin);
  out["peak_mib"] = peak_mib();
  std::printf("%s\n", out.dump().c_str());
  return 0;
}

int make_picture(const fs::path& dir, std::size_t threads) {
  const auto begin = Clock::now();
  const auto picture = ww::awaits_unify(dir) ? ww::view::picture_of_spool(dir, threads)
                                             : ww::view::picture_of_archive(dir, threads);
  if (!picture) return give_up(picture.error());
  json out = {{"time_s", since_s(begin)}, {"peak_mib", peak_mib()}, {"anonymous_mib", status_mib("RssAnon")}};
  const ww::view::Index& index = *picture->index;
  out["calls"] = index.calls();
  out["index_mib"] = static_cast<double>(index.bytes()) / (1 << 20);
  out["stored_tiles"] = index.stored_tiles();
  std::printf("%s\n", out.dump().c_str());
  return 0;
}

json quantiles(std::vector<double> times_ms) {
  std::sort(times_ms.begin(), times_ms.end());
  const auto at = [&](double share) {
    return times_ms[static_cast<std::size_t>(share * static_cast<double>(times_ms.size() - 1))];
  };
  return {{"count", times_ms.size()}, {"p50_ms", at(0.5)}, {"p95_ms", at(0.95)}, {"max_ms", at(1)}};
}

int ask_tiles(const fs::path& dir, std::size_t count) {
  const auto begin = Clock::now();
  const auto opened = ww::view::Index::open(dir / "view.index", made_from);
  if (!opened) return give_up(opened.error());
  const ww::view::Index& index = **opened;
  json out;
  out["open_ms"] = since_s(begin) * 1e3;
  std::mt19937_64 random(1);
  std::vector<double> all, stored, computed;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ww::view::TileAt at;
    at.group = static_cast<std::uint32_t>(random() % (index.top_group() + 1));
    at.level = static_cast<std::uint32_t>(random() % (index.top_level() + 1));
    std::uint32_t blocks = 1;
    while (index.rows(at.group, blocks) > 0) ++blocks;
    at.block = static_cast<std::uint32_t>(random() % blocks);
    const auto tile_ns = static_cast<double>(std::uint64_t{ww::view::tile_bins} << at.level);
    const auto tiles =
        static_cast<std::uint64_t>(static_cast<double>(index.to_ns() - index.from_ns()) / tile_ns) + 1;
    at.tile = random() % tiles;
    const auto asked = Clock::now();
    const auto tile = ww::view::tile_bytes(index, at);
    if (!tile) return give_up(tile.error());
    all.push_back(since_s(asked) * 1e3);
    (index.is_stored(at) ? stored : computed).push_back(all.back());
    bytes += tile->size();
  }
  out["tiles"] = quantiles(all);
  if (!stored.empty()) out["stored"] = quantiles(stored);
  if (!computed.empty()) out["computed"] = quantiles(computed);
  out["mean_kib"] = static_cast<double>(bytes) / 1024 / static_cast<double>(count);
  out["peak_mib"] = peak_mib();
  out["anonymous_mib"] = status_mib("RssAnon");
  std::printf("%s\n", out.dump().c_str());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> args(arguments + 1, arguments + count);
  if ((args.size() == 4 || args.size() == 5) && args[0] == "generate") {
    const auto begin = Clock::now();
    const int hosts = args.size() > 4 ? std::stoi(args[4]) : 1;
    const auto events = generate(args[1], std::stoi(args[2]), std::stod(args[3]), hosts);
    if (!events) return give_up(events.error());
    std::printf("%s\n", json{{"events", *events}, {"time_s", since_s(begin)}}.dump().c_str());
    return 0;
  }
  if (args.size() >= 2 && args[0] == "index") {
    ww::Loading loading;
    if (args.size() > 2) loading.threads = std::stoul(args[2]);
    if (args.size() > 3)
      loading.keep = args[3] == "file" ? ww::Loading::Keep::file : ww::Loading::Keep::memory;
    return make_index(args[1], loading);
  }
  if (args.size() >= 2 && args[0] == "picture")
    return make_picture(args[1], args.size() > 2 ? std::stoul(args[2]) : 0);
  if (args.size() >= 2 && args[0] == "tiles")
    return ask_tiles(args[1], args.size() > 2 ? std::stoul(args[2]) : 1000);
  if (args.size() >= 3 && args[0] == "slide") {
    const auto out = slide(args[1], args[2], args.size() > 3 ? args[3] : "");
    if (!out) return give_up(out.error());
    std::printf("%s\n", out->dump().c_str());
    return 0;
  }
  std::fprintf(
      stderr,
      "view_bench generate DIR RANKS EVENTS [HOSTS] | index DIR [THREADS [memory|file]] | picture DIR "
      "[THREADS] | tiles DIR [COUNT] | slide TRACE MACHINE [WITH]\n");
  return 2;
}
