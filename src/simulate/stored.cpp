#include "simulate/stored.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/sectioned_file.hpp"
#include "base/text.hpp"

namespace ww::simulate {
namespace {

namespace fs = std::filesystem;

// The columns of all ranks lie one behind the other.
struct RankRow {
  double begin_s = 0;
  std::uint64_t first_op = 0, ops = 0, first_group = 0, groups = 0, first_end = 0, ends = 0, first_time = 0,
                times = 0;
  std::int32_t host = 0;
  std::uint32_t unused = 0;
};

template <class T>
void section_of(SectionWriter& out, const std::vector<RankProgram>& ranks, Column<T> Operations::*column) {
  out.begin(sizeof(T));
  for (const RankProgram& rank : ranks) out.append(rank.*column);
}

std::vector<RankRow> rows_of(const std::vector<RankProgram>& ranks) {
  std::vector<RankRow> rows;
  RankRow next;
  for (const RankProgram& rank : ranks) {
    next.begin_s = rank.begin_s;
    next.host = rank.host;
    next.ops = rank.size();
    next.groups = rank.group_first.size();
    next.ends = rank.group_end.size();
    next.times = rank.seconds.size();
    rows.push_back(next);
    next.first_op += next.ops;
    next.first_group += next.groups;
    next.first_end += next.ends;
    next.first_time += next.times;
  }
  return rows;
}

nlohmann::json text_of(const Program& program) {
  return {{"hosts", program.hosts},
          {"regions", program.regions},
          {"algorithms", program.algorithms},
          {"assumptions", program.assumptions},
          {"diagnostics", program.diagnostics},
          {"events", program.recorded.events},
          {"between_hosts", program.recorded.network == Place::inter},
          {"kept_share", program.recorded.kept_share},
          {"lost_together", program.recorded.lost_together},
          {"core_wait_s", program.recorded.core_wait_s},
          {"shared_cores", program.recorded.shared_cores},
          {"core_work_s", program.recorded.core_work_s},
          {"lab_work_s", program.recorded.lab_work_s},
          {"of_loading", program.recorded.diagnostics},
          {"progresses_always", program.progress == Progress::always}};
}

bool read_text(std::span<const char> text, Program& program) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end());
    json.at("hosts").get_to(program.hosts);
    json.at("regions").get_to(program.regions);
    json.at("algorithms").get_to(program.algorithms);
    json.at("assumptions").get_to(program.assumptions);
    json.at("diagnostics").get_to(program.diagnostics);
    json.at("events").get_to(program.recorded.events);
    program.recorded.network = json.at("between_hosts").get<bool>() ? Place::inter : Place::intra;
    json.at("kept_share").get_to(program.recorded.kept_share);
    program.recorded.lost_together = json.value("lost_together", 0.0);
    json.at("core_wait_s").get_to(program.recorded.core_wait_s);
    program.recorded.shared_cores = json.value("shared_cores", 0);
    program.recorded.core_work_s = json.value("core_work_s", 0.0);
    program.recorded.lab_work_s = json.value("lab_work_s", 0.0);
    json.at("of_loading").get_to(program.recorded.diagnostics);
    if (json.at("progresses_always").get<bool>()) program.progress = Progress::always;
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

template <class T>
bool part(std::span<const T> all, std::uint64_t first, std::uint64_t count, Column<T>& out) {
  if (first > all.size() || count > all.size() - first) return false;
  out = Column<T>::view(all.subspan(first, count));
  return true;
}

std::optional<Program> read(SectionReader& in) {
  Program program;
  std::span<const RankRow> ranks;
  std::span<const OpKind> kind;
  std::span<const std::uint32_t> argument, group_first;
  std::span<const double> seconds;
  std::span<const EndNumber> group_end;
  std::span<const char> text;
  std::span<const ProgramMessage> messages;
  std::span<const Sync> syncs;
  std::span<const ShapeMessage> shape_messages;
  std::span<const std::uint32_t> shape_first;
  std::span<const HandedOver> handed_over;
  std::span<const Crossing> waited_for;
  std::span<const double> recorded_s;
  if (!in.take(recorded_s) || !in.take(ranks) || !in.take(kind) || !in.take(argument) || !in.take(seconds) ||
      !in.take(group_first) || !in.take(group_end) || !in.take(messages) || !in.take(syncs) ||
      !in.take(shape_messages) || !in.take(shape_first) || !in.take(handed_over) || !in.take(waited_for) ||
      !in.take(text) || recorded_s.size() != 1 || !read_text(text, program))
    return std::nullopt;
  program.messages = Column<ProgramMessage>::view(messages);
  program.syncs = Column<Sync>::view(syncs);
  program.shapes.messages = Column<ShapeMessage>::view(shape_messages);
  program.shapes.first = Column<std::uint32_t>::view(shape_first);
  program.crossings.handed_over = Column<HandedOver>::view(handed_over);
  program.crossings.waited_for = Column<Crossing>::view(waited_for);
  program.recorded.elapsed_s = recorded_s[0];
  for (const RankRow& row : ranks) {
    RankProgram& rank = program.ranks.emplace_back();
    rank.host = row.host;
    rank.begin_s = row.begin_s;
    if (!part(kind, row.first_op, row.ops, rank.kind) ||
        !part(argument, row.first_op, row.ops, rank.argument) ||
        !part(seconds, row.first_time, row.times, rank.seconds) ||
        !part(group_first, row.first_group, row.groups, rank.group_first) ||
        !part(group_end, row.first_end, row.ends, rank.group_end))
      return std::nullopt;
  }
  return program;
}

// Whether what a program's columns say holds together; columns of a file may say anything.
class Checker {
 public:
  explicit Checker(const Program& program)
      : program_(program), ends_begun_(program.messages.size() * 2, false) {}

  const char* wrong() {
    if (program_.ranks.empty() || !time(program_.recorded.elapsed_s)) return "the recorded run";
    if (!messages()) return "a message";
    if (!shapes()) return "a non-blocking collective";
    for (const Sync& sync : program_.syncs)
      if (!time(sync.seconds) || (sync.shape != none && sync.shape >= program_.shapes.size()))
        return "a collective";
    for (std::size_t rank = 0; rank < program_.ranks.size(); ++rank) {
      const RankProgram& of = program_.ranks[rank];
      if (!host(of.host) || !time(of.begin_s)) return "a rank";
      if (!groups(of, static_cast<std::int32_t>(rank))) return "what is waited for";
      for (std::size_t i = 0; i < of.size(); ++i)
        if (!operation(of, i, static_cast<std::int32_t>(rank))) return "an operation";
    }
    return crossings() ? nullptr : "a recorded message";
  }

 private:
  static bool time(double seconds) { return seconds >= 0 && std::isfinite(seconds); }
  bool host(std::int32_t number) const {
    return number >= 0 && static_cast<std::size_t>(number) < program_.hosts.size();
  }
  bool rank(std::int32_t number) const {
    return number >= 0 && static_cast<std::size_t>(number) < program_.ranks.size();
  }

  bool messages() const {
    for (const ProgramMessage& message : program_.messages) {
      std::array<unsigned char, 3> flags{};
      static_assert(offsetof(ProgramMessage, reduced) == offsetof(ProgramMessage, synchronous) + 2);
      std::memcpy(flags.data(),
                  reinterpret_cast<const char*>(&message) + offsetof(ProgramMessage, synchronous),
                  flags.size());
      if (!rank(message.source) || !rank(message.destination) ||
          std::any_of(flags.begin(), flags.end(), [](unsigned char flag) { return flag > 1; }))
        return false;
    }
    return true;
  }

  bool shapes() const {
    const Shapes& all = program_.shapes;
    if (all.first.empty() || all.first[0] != 0 || all.first.back() != all.messages.size() ||
        !std::is_sorted(all.first.begin(), all.first.end()))
      return false;
    for (const ShapeMessage& message : all.messages) {
      unsigned char reduced = 0;
      std::memcpy(&reduced, reinterpret_cast<const char*>(&message) + offsetof(ShapeMessage, reduced), 1);
      if (!rank(message.source) || !rank(message.destination) || reduced > 1) return false;
    }
    return true;
  }

  bool end_of(EndNumber end, std::int32_t number) const {
    if (message_of(end) >= program_.messages.size()) return false;
    const ProgramMessage& message = program_.messages[message_of(end)];
    return (is_send_end(end) ? message.source : message.destination) == number;
  }

  bool groups(const RankProgram& of, std::int32_t number) const {
    if (of.group_first.empty() || of.group_first[0] != 0 || of.group_first.back() != of.group_end.size())
      return false;
    if (!std::is_sorted(of.group_first.begin(), of.group_first.end())) return false;
    return std::all_of(of.group_end.begin(), of.group_end.end(),
                       [&](EndNumber end) { return end_of(end, number); });
  }

  bool operation(const RankProgram& of, std::size_t i, std::int32_t number) {
    const std::uint32_t argument = of.argument[i];
    switch (of.kind[i]) {
      case OpKind::compute:
      case OpKind::library:
        return argument < of.seconds.size() && time(of.seconds[argument]);
      case OpKind::enter:
        return argument < program_.regions.size();
      case OpKind::leave:
        return true;
      case OpKind::send:
        return argument < program_.messages.size() && begins(send_end(argument), number);
      case OpKind::receive:
        return argument < program_.messages.size() && begins(receive_end(argument), number);
      case OpKind::wait:
        return argument + std::uint64_t{1} < of.group_first.size();
      case OpKind::sync_begin:
      case OpKind::sync_end:
        return argument < program_.syncs.size();
    }
    return false;
  }

  bool begins(EndNumber end, std::int32_t number) {
    if (!end_of(end, number) || ends_begun_[end]) return false;
    ends_begun_[end] = true;
    return true;
  }

  bool crossings() const {
    const auto& handed_over = program_.crossings.handed_over;
    for (std::size_t i = 0; i < handed_over.size(); ++i) {
      if (!host(handed_over[i].host)) return false;
      if (handed_over[i].to_host != HandedOver::somewhere && !host(handed_over[i].to_host)) return false;
      if (i == 0) continue;
      const HandedOver &before = handed_over[i - 1], &now = handed_over[i];
      if (before.host > now.host || (before.host == now.host && before.at_ns > now.at_ns)) return false;
    }
    return std::all_of(program_.crossings.waited_for.begin(), program_.crossings.waited_for.end(),
                       [&](const Crossing& one) {
                         return host(one.from_host) && host(one.to_host) && one.sent_ns <= one.received_ns &&
                                (one.message == Crossing::none || one.message < program_.messages.size());
                       });
  }

  const Program& program_;
  std::vector<bool> ends_begun_;
};

// The anchor file, if the trace is an archive already.
std::optional<fs::path> anchor_of(const fs::path& trace) {
  std::error_code ignored;
  const fs::path anchor = fs::is_directory(trace, ignored) ? trace / "traces.otf2" : trace;
  return fs::is_regular_file(anchor, ignored) ? std::optional(anchor) : std::nullopt;
}

}  // namespace

fs::path stored_beside(const fs::path& anchor) {
  return fs::path(anchor).replace_extension(".wwp");
}

std::uint64_t fingerprint(const fs::path& anchor) {
  std::vector<fs::path> files{anchor, fs::path(anchor).replace_extension(".def"),
                              anchor.parent_path() / "run.json", "/proc/self/exe"};
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fs::path(anchor).replace_extension(""), ignored))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::uint64_t hash = fnv1a_begin;
  for (const fs::path& file : files) {
    struct stat status {};
    const bool there = stat(file.c_str(), &status) == 0;
    const std::string line = there ? fmt::format("{} {} {}.{:09}\n", file.filename().string(), status.st_size,
                                                 status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
                                   : file.filename().string() + "\n";
    hash = fnv1a(line, hash);
  }
  return hash;
}

Result<void> save(const Program& program, std::uint64_t made_from, const fs::path& file) {
  SectionWriter out(file, StoredKind::recorded_program, made_from);
  out.section(std::span(&program.recorded.elapsed_s, 1));
  out.section(rows_of(program.ranks));
  section_of(out, program.ranks, &Operations::kind);
  section_of(out, program.ranks, &Operations::argument);
  section_of(out, program.ranks, &Operations::seconds);
  section_of(out, program.ranks, &Operations::group_first);
  section_of(out, program.ranks, &Operations::group_end);
  out.section(program.messages);
  out.section(program.syncs);
  out.section(program.shapes.messages);
  out.section(program.shapes.first);
  out.section(program.crossings.handed_over);
  out.section(program.crossings.waited_for);
  out.section(json_text(text_of(program)));
  return out.finish();
}

std::optional<Program> map_stored(const fs::path& file, std::uint64_t made_from) {
  auto in = SectionReader::open(file, StoredKind::recorded_program);
  if (!in || in->made_from() != made_from) return std::nullopt;
  auto program = read(*in);
  if (program) program->keeps = in->file();
  return program;
}

Result<void> check(const Program& program) {
  if (const char* wrong = Checker(program).wrong())
    return fail(fmt::format("a stored program that is damaged: {}", wrong));
  return {};
}

Result<Opened> open_program(const fs::path& trace, bool with_trace) {
  const auto start = std::chrono::steady_clock::now();
  const auto took_s = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  Opened out;
  const auto there = anchor_of(trace);
  if (there && !with_trace) {
    auto mapped = map_stored(stored_beside(*there), fingerprint(*there));
    // A damaged file is made again: it holds nothing that the trace does not.
    if (mapped && check(*mapped)) {
      out.program = std::move(*mapped);
      out.program.recorded.source = there->string();
      out.program.load_s = took_s();
      out.mapped = true;
      return out;
    }
  }
  // before it is loaded: should it change meanwhile, what is stored is not taken for the new one
  const std::uint64_t made_from = there ? fingerprint(*there) : 0;
  WW_TRY(out.trace, load_trace(trace));
  WW_TRY(out.program, compile(*out.trace));
  out.program.load_s = took_s();
  const fs::path anchor = out.trace->source;
  const fs::path file = stored_beside(anchor);
  const std::uint64_t now = there ? made_from : fingerprint(anchor);
  std::error_code ignored;
  const bool is_archive = fs::exists(anchor, ignored);  // else it was made for this process only
  if (is_archive && (!with_trace || !map_stored(file, now))) {
    // Where it cannot be written the trace is compiled each time, which is slower and nothing else.
    (void)save(out.program, now, file);
  }
  return out;
}

}  // namespace ww::simulate
