// The Paje format (Stein, Kergommeaux, Mounie: "Paje trace file format", 2013): a container for each rank
// below one for its host, a state for each call, a link for each message. Lines are in the order of time.
#include <algorithm>
#include <map>
#include <queue>

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
    for (std::uint32_t r = 0; r < trace_.ranks.size(); ++r)
      if (trace_.ranks[r].calls() > 0) next.push({at(trace_.ranks[r].enter_ns[0]), r, 0, false});
    std::int64_t last = 0;
    while (!next.empty()) {
      const Next now = next.top();
      next.pop();
      last = now.at_ns;
      const RankTrace& rank = trace_.ranks[now.rank];
      if (now.leaves)
        leave(now.rank, now.call);
      else
        enter(now.rank, now.call);
      if (!now.leaves)
        next.push({at(rank.leave_ns[now.call]), now.rank, now.call, true});
      else if (now.call + 1 < rank.calls())
        next.push({at(rank.enter_ns[now.call + 1]), now.rank, now.call + 1, false});
    }
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) out_.print("5 {} R r{}\n", decimal(last, 9), r);
    for (const auto& [host, alias] : hosts_) out_.print("5 {} H {}\n", decimal(last, 9), alias);
    out_.print("5 {} P p\n", decimal(last, 9));
  }

 private:
  struct Next {
    std::int64_t at_ns;
    std::uint32_t rank, call;
    bool leaves;
    auto operator<=>(const Next&) const = default;
  };
  static std::int64_t at(std::int64_t ns) { return std::max<std::int64_t>(ns, 0); }

  void define() {
    out_.print(
        "0 P 0 \"Program\"\n0 H P \"Host\"\n0 R H \"Rank\"\n1 S R \"MPI call\"\n2 M P R R \"Message\"\n");
    for (std::size_t i = 0; i < trace_.regions.size(); ++i)
      out_.print("3 c{} S {} {}\n", i, in_quotes(trace_.regions[i]), colour(i));
    out_.print("3 m M \"message\" \"0.3 0.3 0.3\"\n4 0.000000000 p P 0 \"program\"\n");
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const auto [host, added] = hosts_.try_emplace(trace_.ranks[r].host, fmt::format("h{}", hosts_.size()));
      if (added) out_.print("4 0.000000000 {} H p {}\n", host->second, in_quotes("host " + host->first));
      out_.print("4 0.000000000 r{} R {} \"rank {}\"\n", r, host->second, r);
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
  }
  void leave(std::uint32_t r, std::uint32_t call) {
    const RankTrace& rank = trace_.ranks[r];
    links(r, call, 9, rank.leave_ns[call], is_receipt);
    out_.print("7 {} S r{}\n", decimal(at(rank.leave_ns[call]), 9), r);
  }

  const Trace& trace_;
  Output& out_;
  std::map<std::string, std::string> hosts_;  // alias by name
};

}  // namespace

void write_paje(const Trace& trace, Output& out) {
  Paje(trace, out).write();
}

}  // namespace ww::exporting
