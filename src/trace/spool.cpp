#include "trace/spool.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "interpose/core/environment.hpp"
#include "trace/encoding.hpp"
#include "trace/otf2_common.hpp"
#include "trace/spool_tasks.hpp"
#include "trace/spool_worlds.hpp"

namespace ww::spool {
namespace {

using nlohmann::json;

// A definition's fields: reading one that is missing or of another type marks the whole line as damaged.
class Fields {
 public:
  explicit Fields(const json& line) : line_(line) {}
  bool good() const { return good_; }

  std::string text(const char* key) {
    const json* value = find(key);
    if (value == nullptr || !value->is_string()) return bad<std::string>();
    return value->get<std::string>();
  }
  std::int64_t integer(const char* key, std::int64_t least = std::numeric_limits<std::int64_t>::min()) {
    const json* value = find(key);
    if (value == nullptr || !value->is_number()) return bad<std::int64_t>();
    const auto number = as_integer(*value);
    return number && *number >= least ? *number : bad<std::int64_t>();
  }
  double number(const char* key) {
    const json* value = find(key);
    if (value == nullptr || !value->is_number()) return bad<double>();
    const double number = value->get<double>();
    return std::isfinite(number) ? number : bad<double>();
  }
  bool flag(const char* key) {
    const json* value = find(key);
    if (value == nullptr || !value->is_boolean()) return bad<bool>();
    return value->get<bool>();
  }
  std::vector<std::int32_t> ranks(const char* key) {
    const json* value = find(key);
    if (value == nullptr || !value->is_array()) return bad<std::vector<std::int32_t>>();
    std::vector<std::int32_t> ranks;
    for (const json& item : *value) {
      const auto number = item.is_number() ? as_integer(item) : std::nullopt;
      if (!number || *number < -1 || *number >= static_cast<std::int64_t>(most_ranks)) good_ = false;
      ranks.push_back(good_ ? static_cast<std::int32_t>(*number) : 0);
    }
    return ranks;
  }
  std::vector<ForeignMember> foreign(const char* key, std::size_t members) {
    std::vector<ForeignMember> found;
    const std::vector<std::int32_t> numbers = ranks(key);
    for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
      const bool sense =
          numbers[i] >= 0 && static_cast<std::size_t>(numbers[i]) < members && numbers[i + 2] >= 0;
      if (!sense) good_ = false;
      if (sense) found.push_back({numbers[i], static_cast<std::uint32_t>(numbers[i + 1]), numbers[i + 2]});
    }
    return found;
  }
  bool has(const char* key) const { return line_.contains(key); }

 private:
  const json* find(const char* key) {
    const auto found = line_.find(key);
    if (found == line_.end()) good_ = false;
    return found == line_.end() ? nullptr : &*found;
  }
  template <class T>
  T bad() {
    good_ = false;
    return T{};
  }
  static std::optional<std::int64_t> as_integer(const json& value) {
    constexpr double bound = 9.2e18;
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return std::nullopt;
    if (value.is_number_float()) {
      const double number = value.get<double>();
      if (!(std::abs(number) < bound)) return std::nullopt;
      return static_cast<std::int64_t>(std::llround(number));
    }
    return value.get<std::int64_t>();
  }

  const json& line_;
  bool good_ = true;
};

bool take_process(Fields& fields, RankDefinitions& definitions) {
  RecordedProcess process;
  if (fields.has("address")) process.address = parse_address(fields.text("address"));
  const bool is_task = fields.has("address");
  if (is_task && !process.address) return false;
  process.size =
      is_task ? 0
              : static_cast<std::int32_t>(std::clamp<std::int64_t>(fields.integer("size", 1), 0, most_ranks));
  process.host = fields.text("host");
  process.boot_id = fields.text("boot_id");
  process.pid = fields.integer("pid");
  process.program = fields.text("program");
  process.mpi = fields.text("mpi");
  process.mpi_version = fields.text("mpi_version");
  process.ticks_per_s = fields.number("ticks_per_s");
  process.ticks = fields.integer("ticks");
  process.monotonic_ns = fields.integer("monotonic_ns");
  process.realtime_ns = fields.integer("realtime_ns");
  process.dilation = fields.number("dilation");
  if (fields.has("spawned_by")) process.spawned_by = fields.text("spawned_by");
  if (!fields.good() || process.ticks_per_s < 1e3 || process.ticks_per_s > 1e12 || process.dilation < 1e-3)
    return false;
  definitions.process = std::move(process);
  return true;
}

bool take_peer(Fields& fields, RankDefinitions& definitions) {
  const std::int64_t index = fields.integer("index", 0);
  const auto address = parse_address(fields.text("address"));
  if (!fields.good() || !address || index >= static_cast<std::int64_t>(most_ranks)) return false;
  return definitions.peers.try_emplace(static_cast<std::uint32_t>(index), *address).second;
}

bool take_clock(Fields& fields, RankDefinitions& definitions) {
  SpoolClockPair clock;
  clock.ticks = fields.integer("ticks");
  clock.root_ticks_offset = fields.integer("root_ticks_offset");
  clock.uncertainty_ticks = fields.number("uncertainty_ticks");
  clock.same_clock = fields.flag("same_clock");
  clock.monotonic_ns = fields.has("monotonic_ns") ? fields.integer("monotonic_ns") : 0;
  clock.at_ticks = fields.has("at_ticks") ? fields.integer("at_ticks") : clock.ticks;
  clock.deviation_ticks = fields.has("deviation_ticks") ? fields.number("deviation_ticks")
                                                        : otf2::deviation_of(clock.uncertainty_ticks);
  std::string counter = fields.has("counter") ? fields.text("counter") : "";
  if (fields.has("took_ns")) clock.took_ns = fields.integer("took_ns", 0);
  if (fields.has("cpu_ns")) clock.cpu_ns = fields.integer("cpu_ns", 0);
  if (!fields.good() || clock.uncertainty_ticks < 0 || clock.deviation_ticks < 0) return false;
  definitions.counter = std::move(counter);
  definitions.clocks.push_back(clock);
  return true;
}

bool take_comm(Fields& fields, RankDefinitions& definitions) {
  CommDefinition comm;
  const std::int64_t id = fields.integer("id", 0);
  comm.id = static_cast<std::uint32_t>(id);
  comm.kind = fields.text("kind");
  comm.all_tasks = (comm.kind == "world" || comm.kind == "context") && !fields.has("ranks");
  if (!comm.all_tasks) comm.ranks = fields.ranks("ranks");
  if (fields.has("remote_ranks")) comm.remote_ranks = fields.ranks("remote_ranks");
  if (fields.has("foreign")) comm.foreign = fields.foreign("foreign", comm.ranks.size());
  if (fields.has("remote_foreign"))
    comm.remote_foreign = fields.foreign("remote_foreign", comm.remote_ranks.size());
  if (fields.has("other_world")) comm.other_world = fields.text("other_world");
  if (fields.has("made")) comm.made = fields.integer("made");
  if (fields.has("name")) comm.name = fields.text("name");
  if (!fields.good() || id >= none || (comm.ranks.empty() && !comm.all_tasks)) return false;
  definitions.comms.push_back(std::move(comm));
  return true;
}

// The recorder writes each byte that is not ASCII as a character of Latin-1. If they were UTF-8, that is what
// is meant.
std::string from_bytes(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      bytes += text[i];
    } else if ((byte == 0xc2 || byte == 0xc3) && i + 1 < text.size()) {
      bytes += static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
    } else {
      return text;
    }
  }
  return is_utf8(bytes) ? bytes : text;
}

bool take_name(Fields& fields, RankDefinitions& definitions) {
  const std::int64_t id = fields.integer("id", 1);
  const std::string use = fields.text("use"), text = fields.text("text");
  using Use = NameDefinition::Use;
  constexpr std::pair<const char*, Use> uses[] = {
      {"region", Use::region}, {"marker", Use::marker}, {"integer", Use::integer}, {"real", Use::real}};
  const auto known =
      std::find_if(std::begin(uses), std::end(uses), [&](const auto& u) { return u.first == use; });
  if (!fields.good() || id >= none || known == std::end(uses)) return false;
  const std::string unit = fields.has("unit") ? from_bytes(fields.text("unit")) : std::string();
  definitions.names[static_cast<std::uint32_t>(id)] = {known->second, from_bytes(text), unit};
  return true;
}

bool take_object(Fields& fields, std::vector<ObjectDefinition>& objects) {
  ObjectDefinition object;
  const std::int64_t id = fields.integer("id", 0);
  object.id = static_cast<std::uint32_t>(id);
  object.name = from_bytes(fields.text("name"));
  if (fields.has("mode")) object.mode = static_cast<std::uint32_t>(fields.integer("mode", 0));
  if (!fields.good() || id >= none) return false;
  objects.push_back(std::move(object));
  return true;
}

bool take_calls(const json& line, RankDefinitions& definitions) {
  const auto names = line.find("names");
  if (names == line.end() || !names->is_array() || names->size() > 65535) return false;
  std::vector<std::string> calls;
  for (const json& name : *names) {
    if (!name.is_string()) return false;
    calls.push_back(name.get<std::string>());
  }
  definitions.calls = std::move(calls);
  const auto meanings = line.find("meanings");
  definitions.call_meanings.clear();
  if (meanings == line.end() || !meanings->is_array()) return true;
  for (const json& meaning : *meanings)
    definitions.call_meanings.push_back(meaning.is_string() ? meaning.get<std::string>() : "");
  return true;
}

bool take_diagnostic(Fields& fields, Diagnostics& diagnostics) {
  std::string name = fields.text("name");
  const std::string severity = fields.text("severity"), remedy = fields.text("remedy");
  const std::int64_t count = fields.integer("count", 0);
  if (!fields.good()) return false;
  std::replace(name.begin(), name.end(), '_', '-');
  diagnostics.add_read({name, severity_of(severity), static_cast<std::uint64_t>(count), remedy});
  return true;
}

bool take_usage(Fields& fields, RankDefinitions& definitions) {
  Usage usage;
  usage.cpu_ns = fields.integer("cpu_ns", 0);
  usage.elapsed_ns = fields.integer("elapsed_ns", 0);
  usage.involuntary_switches = fields.integer("involuntary_switches", 0);
  if (fields.has("arithmetic_begin_ns")) {
    usage.arithmetic_begin_ns = fields.integer("arithmetic_begin_ns", 0);
    usage.arithmetic_end_ns = fields.integer("arithmetic_end_ns", 0);
  }
  if (fields.has("waited_ns")) usage.waited_ns = fields.integer("waited_ns", 0);
  if (fields.has("polled_ns")) usage.polled_ns = fields.integer("polled_ns", 0);
  if (!fields.good()) return false;
  definitions.usage = usage;
  return true;
}

bool take_fact(const json& line, Fields& fields, RankDefinitions& definitions) {
  constexpr std::size_t most = 64;
  const std::string name = fields.text("name");
  if (!fields.good() || definitions.facts.size() >= most) return false;
  json fact = line;
  fact.erase("def");
  fact.erase("name");
  definitions.facts[name] = json_text(fact);
  return true;
}

bool take_end(Fields& fields, RankDefinitions& definitions) {
  ProcessEnd end;
  end.reason = fields.text("reason");
  end.ticks = fields.integer("ticks");
  end.monotonic_ns = fields.integer("monotonic_ns");
  if (!fields.good()) return false;
  definitions.end = std::move(end);
  return true;
}

// False: the line is damaged. Definitions of kinds that are not known here are passed over.
bool take_line(const json& line, RankDefinitions& definitions, Diagnostics& diagnostics) {
  if (!line.is_object()) return false;
  Fields fields(line);
  const std::string def = fields.text("def");
  if (!fields.good()) return false;
  if (def == "process") return take_process(fields, definitions);
  if (def == "peer") return take_peer(fields, definitions);
  if (def == "clock") return take_clock(fields, definitions);
  if (def == "comm") return take_comm(fields, definitions);
  if (def == "window") return take_object(fields, definitions.windows);
  if (def == "file") return take_object(fields, definitions.files);
  if (def == "calls") return take_calls(line, definitions);
  if (def == "name") return take_name(fields, definitions);
  if (def == "diagnostic") return take_diagnostic(fields, diagnostics);
  if (def == "usage") return take_usage(fields, definitions);
  if (def == "fact") return take_fact(line, fields, definitions);
  if (def == "end") return take_end(fields, definitions);
  return true;
}

// "world-2", of a spawned world.
std::optional<std::int32_t> parse_world(std::string_view name) {
  constexpr std::string_view prefix = "world-";
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  if (error != std::errc{} || end != name.data() + name.size() || value < 1) return std::nullopt;
  return value;
}

// "rank-3.thread-0.spool", "rank-3.defs" or the same with task-ADDRESS: the numbers, thread -1 for the
// definitions.
struct FileName {
  std::int32_t rank = 0, thread = -1;
  std::optional<std::uint64_t> address;
};
std::optional<FileName> parse_name(std::string_view name) {
  const auto number = [&name](std::string_view prefix) -> std::optional<std::int32_t> {
    if (!name.starts_with(prefix)) return std::nullopt;
    name.remove_prefix(prefix.size());
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
    if (error != std::errc{} || value < 0 || value >= static_cast<std::int32_t>(most_ranks))
      return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    return value;
  };
  FileName file;
  constexpr std::string_view task = "task-";
  if (name.starts_with(task)) {
    file.address = parse_address(name.substr(task.size(), address_digits));
    if (!file.address) return std::nullopt;
    name.remove_prefix(task.size() + address_digits);
  } else {
    const auto rank = number("rank-");
    if (!rank) return std::nullopt;
    file.rank = *rank;
  }
  if (name == ".defs") return file;
  const auto thread = number(".thread-");
  if (!thread || name != ".spool") return std::nullopt;
  file.thread = *thread;
  return file;
}

}  // namespace

RankDefinitions parse_definitions(std::string_view text, Diagnostics& diagnostics) {
  RankDefinitions definitions;
  std::uint64_t damaged = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool complete = end != std::string_view::npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(complete ? end + 1 : text.size());
    if (line.empty()) continue;
    const json parsed = json::parse(line, nullptr, false);
    if (parsed.is_discarded() && !complete) continue;  // the process died while writing it
    if (parsed.is_discarded() || !take_line(parsed, definitions, diagnostics)) ++damaged;
  }
  if (damaged > 0) diagnostics.add("damaged-definition", damaged);
  return definitions;
}

namespace {

struct WorldDirectory {
  std::int32_t number = 0;
  std::filesystem::path path;
};

using FilesOfProcess = std::map<std::int32_t, std::filesystem::path>;  // by thread
struct ProcessFiles {
  std::int32_t world_rank = 0;
  std::optional<std::uint64_t> address;
  FilesOfProcess files;
};

// Tasks by their numbers (spool_tasks.hpp).
Result<std::vector<ProcessFiles>> tasks_in_order(std::map<std::uint64_t, FilesOfProcess> tasks) {
  std::vector<TaskStart> starts;
  for (const auto& [address, files] : tasks) {
    TaskStart start{address, std::nullopt};
    if (const auto definitions = files.find(-1); definitions != files.end()) {
      WW_TRY(const std::string text, read_file(definitions->second));
      Diagnostics unheeded;
      if (const auto process = parse_definitions(text, unheeded).process)
        start.realtime_ns = process->realtime_ns;
    }
    starts.push_back(start);
  }
  sort_tasks(starts);
  std::vector<ProcessFiles> ordered;
  for (const TaskStart& start : starts)
    ordered.push_back(
        {static_cast<std::int32_t>(ordered.size()), start.address, std::move(tasks[start.address])});
  return ordered;
}

// The ranks of one MPI_COMM_WORLD, by rank in it.
// `any`: a rank left records.
Result<void> read_world(const WorldDirectory& world, std::vector<RankSpool>& ranks, Diagnostics& diagnostics,
                        const SpoolShare* share, bool& any, std::vector<WorldDirectory>* spawned) {
  std::error_code error;
  std::uint64_t other_jobs = 0;
  std::map<std::int32_t, FilesOfProcess> files;
  std::map<std::uint64_t, FilesOfProcess> of_tasks;
  for (std::filesystem::directory_iterator entry(world.path, error), last; !error && entry != last;
       entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (const auto name = parse_name(file); name && name->address)
      of_tasks[*name->address][name->thread] = entry->path();
    else if (name)
      files[name->rank][name->thread] = entry->path();
    else if (const auto number = parse_world(file); number && spawned != nullptr && entry->is_directory())
      spawned->push_back({*number, entry->path()});
    else if (file.starts_with(environment::other_job_prefix))
      ++other_jobs;
  }
  if (error) return fail("cannot read the spool", world.path.string() + ": " + error.message());
  // A program is of ranks or of tasks.
  if (!files.empty() || spawned == nullptr) other_jobs += std::exchange(of_tasks, {}).size();
  if (of_tasks.size() > most_ranks)
    return fail("the spool names more tasks than can be", world.path.string(), "it is damaged");
  WW_TRY(std::vector<ProcessFiles> processes, tasks_in_order(std::move(of_tasks)));
  for (auto& [number, threads] : files) processes.push_back({number, std::nullopt, std::move(threads)});
  std::optional<std::int32_t> size;  // as the first rank says
  for (const auto& [number, address, threads] : processes) {
    RankSpool rank;
    rank.world = world.number;
    rank.rank = rank.world_rank = number;
    rank.address = address;
    const bool mine = share == nullptr || share->mine(ranks.size());
    Diagnostics elsewhere;
    Diagnostics& own = !mine                                           ? elsewhere
                       : share != nullptr && share->of_mine != nullptr ? *share->of_mine
                                                                       : diagnostics;
    // Definitions last: of a process that still runs (a server of its library) they then have all that its records name.
    for (const auto& [thread, path] : threads) {
      if (thread < 0) continue;
      any = any || !mine;
      if (!mine) continue;
      WW_TRY(auto records, Records::open(path, own, share != nullptr && share->growing));
      any = any || records;
      if (records) rank.threads.push_back(*std::move(records));
    }
    if (const auto definitions = threads.find(-1); definitions != threads.end()) {
      WW_TRY(const std::string text, read_file(definitions->second));
      rank.definitions = parse_definitions(text, own);
    }
    if (const auto empty = std::erase_if(
            rank.definitions.comms, [&](const auto& comm) { return comm.ranks.empty() && !rank.address; }))
      own.add("damaged-definition", empty);
    // Ranks that only opened sessions could not agree on whose job has the directory.
    if (const auto& process = rank.definitions.process; process && !address) {
      if (!size) size = process->size;
      if (*size != process->size) {
        ++other_jobs;
        continue;
      }
    }
    ranks.push_back(std::move(rank));
  }
  if (other_jobs > 0) diagnostics.add("other-job", other_jobs);
  return {};
}

}  // namespace

Result<std::vector<RankSpool>> read_spools(const std::filesystem::path& spool_dir, Diagnostics& diagnostics,
                                           const SpoolShare* share) {
  bool any = false;
  std::vector<RankSpool> ranks;
  std::vector<WorldDirectory> spawned;
  WW_CHECK(read_world({0, spool_dir}, ranks, diagnostics, share, any, &spawned));
  std::sort(spawned.begin(), spawned.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  for (const WorldDirectory& world : spawned)
    WW_CHECK(read_world(world, ranks, diagnostics, share, any, nullptr));
  if (!join_worlds(ranks, diagnostics) || !join_tasks(ranks, diagnostics))
    return fail("the spool names more ranks than can be", spool_dir.string(), "it is damaged");
  if (!any)
    return fail(
        "nothing was recorded", spool_dir.string(),
        "if the program is still starting, try again; if it has ended, it does not use the MPI that whatwire "
        "recorded, or ended before MPI_Init");
  return ranks;
}

}  // namespace ww::spool
