// The Paje format (Stein, Kergommeaux, Mounie: "Paje trace file format", 2013): a container for each rank
// below one for its host, a state for each call, a link for each message and each one-sided transfer (in the
// direction of its bytes), and the bytes that a rank has under way to and from files as a variable. Lines are
// in the order of time.
#include <algorithm>
#include <map>
#include <queue>

#include "trace/export/by_call.hpp"
#include "trace/export/formats.hpp"

namespace ww::exporting {
namespace {

constexpr const char* header = R"(%EventDef PajeDefineContainerType 0
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 2
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 3
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 4
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 5
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 6
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajePopState 7
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeDefineVariableType 10
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeSetVariable 11
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeDefineEventType 12
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeNewEvent 13
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeStartLink 8
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
%EndEventDef
%EventDef PajeEndLink 9
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
)";

std::string in_quotes(std::string text) {
  for (char& c : text)
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '_';
  return '"' + text + '"';
}

// Colours that differ, one for each call: hues a golden ratio apart.
std::string colour(std::size_t number) {
  const double hue =
      6 * (static_cast<double>(number) * 0.618034 -
           static_cast<double>(static_cast<std::uint64_t>(static_cast<double>(number) * 0.618034)));
  const auto channel = [&](double centre) {
    double distance = hue > centre ? hue - centre : centre - hue;
    distance = std::min(distance, 6 - distance);
    return std::clamp(2 - distance, 0.0, 1.0);
  };
  return fmt::format("\"{:.3f} {:.3f} {:.3f}\"", channel(0), channel(2), channel(4));
}

class Paje {
 public:
  Paje(const Trace& trace, Output& out) : trace_(trace), out_(out) {}

  void write() {
    out_.print("{}", header);
    define();
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r) {
      const RankTrace& rank = trace_.ranks[r];
      if (rank.calls() > 0) next.push({at(rank.enter_ns[0]), r, 0, What::enter});
      said_.push_back(in_order(rank.user));
      beside_.push_back(beside_calls(trace_, r));
      under_way_bytes_.push_back(0);
      if (!said_.back().empty()) next.push({at(said_.back()[0].event.at_ns), r, 0, What::said});
    }
    std::int64_t last = 0;
    while (!next.empty()) {
      const Next now = next.top();
      next.pop();
      last = now.at_ns;
      const RankTrace& rank = trace_.ranks[now.rank];
      const std::uint32_t after = now.number + 1;
      switch (now.what) {
        case What::enter:
          enter(now.rank, now.number);
          next.push({at(rank.leave_ns[now.number]), now.rank, now.number, What::leave});
          break;
        case What::leave:
          leave(now.rank, now.number);
          if (after < rank.calls()) next.push({at(rank.enter_ns[after]), now.rank, after, What::enter});
          break;
        case What::said:
          say(now.rank, said_[now.rank][now.number]);
          if (after < said_[now.rank].size())
            next.push({at(said_[now.rank][after].event.at_ns), now.rank, after, What::said});
      }
    }
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) out_.print("5 {} R r{}\n", decimal(last, 9), r);
    for (const auto& [host, alias] : hosts_) out_.print("5 {} H {}\n", decimal(last, 9), alias);
    out_.print("5 {} P p\n", decimal(last, 9));
  }

 private:
  enum class What : std::uint8_t { enter, leave, said };
  struct Next {
    std::int64_t at_ns;
    std::uint32_t rank, number;  // of the call, or in said_
    What what;
    auto operator<=>(const Next&) const = default;
  };
  static std::int64_t at(std::int64_t ns) { return std::max<std::int64_t>(ns, 0); }

  void define() {
    out_.print(
        "0 P 0 \"Program\"\n0 H P \"Host\"\n0 R H \"Rank\"\n1 S R \"MPI call\"\n2 M P R R \"Message\"\n");
    for (std::size_t i = 0; i < trace_.regions.size(); ++i)
      out_.print("3 c{} S {} {}\n", i, in_quotes(trace_.regions[i]), colour(i));
    define_user();
    define_beside();
    out_.print("3 m M \"message\" \"0.3 0.3 0.3\"\n4 0.000000000 p P 0 \"program\"\n");
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const auto [host, added] = hosts_.try_emplace(trace_.ranks[r].host, fmt::format("h{}", hosts_.size()));
      if (added) out_.print("4 0.000000000 {} H p {}\n", host->second, in_quotes("host " + host->first));
      out_.print("4 0.000000000 r{} R {} \"rank {}\"\n", r, host->second, r);
    }
  }

  void define_beside() {
    if (!trace_.one_sided.windows.empty()) {
      out_.print("2 T P R R \"One-sided\"\n");
      for (const TransferKind kind : {TransferKind::put, TransferKind::get, TransferKind::accumulate,
                                      TransferKind::fetch, TransferKind::compare_and_swap})
        out_.print("3 t{} T \"{}\" {}\n", static_cast<int>(kind), to_string(kind),
                   colour(static_cast<std::size_t>(kind)));
    }
    if (!trace_.file_io.files.empty()) out_.print("10 F R \"File bytes under way\" {}\n", colour(0));
  }

  // Regions of each thread are states of their own.
  void define_user() {
    std::uint32_t threads = 0;
    for (const RankTrace& rank : trace_.ranks)
      for (const UserRegion& region : rank.user.regions) threads = std::max(threads, region.thread + 1);
    for (std::uint32_t t = 0; t < threads; ++t) {
      out_.print("1 G{} R \"Region{}\"\n", t, t == 0 ? "" : fmt::format(" of thread {}", t));
      for (std::size_t i = 0; i < trace_.user.regions.size(); ++i)
        out_.print("3 g{}_{} G{} {} {}\n", t, i, t, in_quotes(trace_.user.regions[i]),
                   colour(trace_.regions.size() + i));
    }
    for (std::size_t v = 0; v < trace_.user.values.size(); ++v)
      out_.print("10 V{} R {} {}\n", v, in_quotes(trace_.user.values[v].name), colour(v));
    if (!trace_.user.texts.empty()) out_.print("12 E R \"Marker\"\n");
    for (std::size_t i = 0; i < trace_.user.texts.size(); ++i)
      out_.print("3 e{} E {} {}\n", i, in_quotes(trace_.user.texts[i]), colour(i));
  }
  void say(std::uint32_t r, const UserSaying& said) {
    const UserEvent& event = said.event;
    const std::string time = decimal(at(event.at_ns), 9);
    switch (event.kind) {
      case UserEvent::Kind::enter:
        return out_.print("6 {} G{} r{} g{}_{}\n", time, said.thread, r, said.thread, event.name);
      case UserEvent::Kind::leave:
        return out_.print("7 {} G{} r{}\n", time, said.thread, r);
      case UserEvent::Kind::value:
        return out_.print("11 {} V{} r{} {}\n", time, event.name, r,
                          UserValue{0, 0, 0, event.bits}.number(trace_.user.values[event.name]));
      case UserEvent::Kind::marker:
        return out_.print("13 {} E r{} e{}\n", time, r, event.name);
    }
  }

  template <class Wanted>
  void links(std::uint32_t r, std::uint32_t call, int event, std::int64_t ns, Wanted wanted) {
    const RankTrace& rank = trace_.ranks[r];
    for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
      if (wanted(rank.kind[a]) && rank.match[a] != none)
        out_.print("{} {} M p r{} m {}\n", event, decimal(at(ns), 9), r, rank.match[a]);
  }
  void enter(std::uint32_t r, std::uint32_t call) {
    const RankTrace& rank = trace_.ranks[r];
    out_.print("6 {} S r{} c{}\n", decimal(at(rank.enter_ns[call]), 9), r, rank.region[call]);
    links(r, call, 8, rank.enter_ns[call], is_send);
    beside_[r].issued.of(call, [&](std::uint32_t t) { transfer(8, rank.enter_ns[call], r, t); });
    beside_[r].begun.of(call, [&](std::uint32_t o) {
      under_way(rank.enter_ns[call], r, beside_[r].file_io.operations[o], true);
    });
  }
  void leave(std::uint32_t r, std::uint32_t call) {
    const RankTrace& rank = trace_.ranks[r];
    links(r, call, 9, rank.leave_ns[call], is_receipt);
    beside_[r].arrived.of(call, [&](std::uint32_t t) { transfer(9, rank.leave_ns[call], r, t); });
    beside_[r].completed.of(call, [&](std::uint32_t o) {
      under_way(rank.leave_ns[call], r, beside_[r].file_io.operations[o], false);
    });
    out_.print("7 {} S r{}\n", decimal(at(rank.leave_ns[call]), 9), r);
  }

  // The beginning (8) or end (9) of a link: bytes of a get go from the target to its origin.
  void transfer(int event, std::int64_t ns, std::uint32_t r, std::uint32_t number) {
    const Transfer& one = beside_[r].one_sided.transfers[number];
    const bool begins = event == 8, comes_back = one.kind == TransferKind::get;
    out_.print("{} {} T p r{} t{} {}_{}\n", event, decimal(at(ns), 9),
               begins == comes_back ? static_cast<std::uint32_t>(one.target) : r, static_cast<int>(one.kind),
               r, number);
  }
  void under_way(std::int64_t ns, std::uint32_t r, const FileOperation& operation, bool begins) {
    if (!BesideCalls::is_told(operation.done_call, operation.call)) return;
    std::uint64_t& bytes = under_way_bytes_[r];
    bytes = begins ? bytes + operation.bytes_wanted : bytes - operation.bytes_wanted;
    out_.print("11 {} F r{} {}\n", decimal(at(ns), 9), r, bytes);
  }

  const Trace& trace_;
  Output& out_;
  std::vector<BesideCalls> beside_;             // by rank
  std::vector<std::uint64_t> under_way_bytes_;  // to and from files, by rank
  std::map<std::string, std::string> hosts_;    // alias by name
  std::vector<std::vector<UserSaying>> said_;   // by rank
};

void write_paje(const Trace& trace, Output& out) {
  Paje(trace, out).write();
}

}  // namespace

const ExportFormat paje_format{"paje", "states and links of Paje: ViTE, pj_dump, R", write_paje};

}  // namespace ww::exporting
