#include "view/live.hpp"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.hpp"
#include "trace/directory.hpp"
#include "trace/growing_spool.hpp"
#include "trace/recording.hpp"
#include "trace/spool.hpp"
#include "trace/spool_comms.hpp"

namespace ww::view {
namespace fs = std::filesystem;
namespace {

using spool::GrowingSpool;
using spool::Kind;
using spool::Record;

class Looker {
 public:
  Looker(const fs::path& dir, const std::vector<spool::RankSpool>& spools) : dir_(dir), spools_(spools) {
    numbers_ = spool::number_comms(spools, spools.size(), comms_);
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    now_ns_ = std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
    boot_ = read_file("/proc/sys/kernel/random/boot_id").value_or("");
    boot_.resize(std::min(boot_.find('\n'), boot_.size()));
    for (const auto& spool : spools)
      if (const auto& process = spool.definitions.process)
        begin_ns_ = begin_ns_ == 0 ? process->realtime_ns : std::min(begin_ns_, process->realtime_ns);
  }

  Live look() {
    Live live;
    live.now_s = static_cast<double>(now_ns_ - begin_ns_) * 1e-9;
    for (std::size_t s = 0; s < spools_.size(); ++s)
      if (spools_[s].definitions.process) live.ranks.push_back(rank_of(s));
    find_not_entered(live);
    live.ring = ring_of(live);
    return live;
  }

 private:
  std::string stem_of(const spool::RankSpool& spool) const {
    if (spool.address) return fmt::format("task-{:016x}", *spool.address);
    const std::string world = spool.world > 0 ? fmt::format("world-{}/", spool.world) : "";
    return fmt::format("{}rank-{}", world, spool.world_rank);
  }

  double seconds_at(const spool::RecordedProcess& process, std::uint64_t ticks) const {
    if (!(process.ticks_per_s > 0)) return 0;
    const double since_init_s =
        static_cast<double>(static_cast<std::int64_t>(ticks) - process.ticks) / process.ticks_per_s;
    return static_cast<double>(process.realtime_ns - begin_ns_) * 1e-9 + since_init_s;
  }

  LiveRank rank_of(std::size_t s) {
    const spool::RankSpool& spool = spools_[s];
    const spool::RecordedProcess& process = *spool.definitions.process;
    LiveRank rank{spool.rank, process.host, process.pid, LiveRank::State::computing, {}};
    const fs::path stem = dir_ / spool_name / stem_of(spool);
    for (int thread = 0;; ++thread) {
      const fs::path file = stem.string() + fmt::format(".thread-{}.spool", thread);
      std::error_code ignored;
      if (!fs::exists(file, ignored)) break;
      rank.threads.push_back(thread_of(s, thread, GrowingSpool(file)));
    }
    if (rank.threads.empty()) rank.threads.emplace_back();
    const bool gone = !boot_.empty() && process.boot_id == boot_ &&
                      access(fmt::format("/proc/{}", process.pid).c_str(), F_OK) != 0;
    if (spool.definitions.end)
      rank.state = LiveRank::State::ended;
    else if (gone)
      rank.state = LiveRank::State::killed;
    else if (rank.threads.front().call)
      rank.state = LiveRank::State::in_call;
    return rank;
  }

  LiveThread thread_of(std::size_t s, int number, const GrowingSpool& file) {
    const spool::RankDefinitions& definitions = spools_[s].definitions;
    LiveThread thread;
    thread.thread = number;
    const auto record = file.standing(thread.records);
    if (record && !definitions.end) {
      thread.call = call_of(s, *record);
      thread.since_s = thread.call->entered_s;
    } else if (thread.records > 0) {
      thread.since_s = seconds_at(*definitions.process, file.at(thread.records - 1).leave_ticks);
    }
    return thread;
  }

  LiveCall call_of(std::size_t s, const Record& record) {
    const spool::RankDefinitions& definitions = spools_[s].definitions;
    LiveCall call;
    const std::uint64_t number = record.operation;
    call.name = number < definitions.calls.size() && !definitions.calls[number].empty()
                    ? definitions.calls[number]
                    : fmt::format("call {}", number);
    call.entered_s = seconds_at(*definitions.process, record.enter_ticks);
    const auto kind = static_cast<Kind>(record.kind);
    if (kind == Kind::call) return call;
    const auto& comms = definitions.comms;
    const auto comm =
        std::find_if(comms.begin(), comms.end(), [&](const auto& c) { return c.id == record.comm; });
    const auto known = numbers_[s].find(record.comm);
    if (known != numbers_[s].end() && known->second != none) call.comm = comms_[known->second].name;
    if (kind == Kind::collective || kind == Kind::icollective_done) {
      if (known != numbers_[s].end() && known->second != none)
        in_collective_[spools_[s].rank] = known->second;
      return call;
    }
    if (kind != Kind::send && kind != Kind::recv && kind != Kind::probe) call.operations = record.bytes;
    call.tag = record.tag == spool::any_tag ? -1 : record.tag;
    call.peer = -1;
    const std::vector<std::int32_t>& tasks = spools_[s].peer_ranks;
    if (record.peer >= 0 && spools_[s].address) {  // of PVM's tasks, which number their peers for themselves
      if (static_cast<std::size_t>(record.peer) < tasks.size())
        call.peer = tasks[static_cast<std::size_t>(record.peer)];
    } else if (record.peer >= 0 && comm != comms.end()) {
      const auto& ranks = comm->remote_ranks.empty() ? comm->ranks : comm->remote_ranks;
      if (static_cast<std::size_t>(record.peer) < ranks.size())
        call.peer = ranks[static_cast<std::size_t>(record.peer)];
    } else if (record.peer == spool::no_peer) {
      call.peer.reset();
    }
    return call;
  }

  void find_not_entered(Live& live) const {
    for (LiveRank& rank : live.ranks) {
      const auto mine = in_collective_.find(rank.rank);
      if (mine == in_collective_.end()) continue;
      for (const std::int32_t member : comms_[mine->second].ranks) {
        const auto theirs = in_collective_.find(member);
        if (theirs == in_collective_.end() || theirs->second != mine->second)
          rank.threads.front().call->not_entered.push_back(member);
      }
    }
  }

  // Whom each rank waits for, followed until one comes again. Exchanges make such rings, too, but only for as long as
  // their messages are on the way.
  static std::vector<std::int32_t> ring_of(const Live& live) {
    constexpr double hangs_s = 1;
    std::map<std::int32_t, std::int32_t> next;
    for (const LiveRank& rank : live.ranks) {
      const auto& call = rank.threads.front().call;
      if (rank.state == LiveRank::State::in_call && call && call->peer && *call->peer >= 0 &&
          live.now_s - call->entered_s >= hangs_s)
        next[rank.rank] = *call->peer;
    }
    for (const auto& [first, ignored] : next) {
      std::vector<std::int32_t> way{first};
      for (auto at = next.find(first); at != next.end() && way.size() <= next.size();
           at = next.find(at->second)) {
        if (at->second == first) return way;
        way.push_back(at->second);
      }
    }
    return {};
  }

  const fs::path& dir_;
  const std::vector<spool::RankSpool>& spools_;
  std::vector<Comm> comms_;
  spool::CommNumbers numbers_;
  std::map<std::int32_t, std::uint32_t> in_collective_;  // rank to communicator
  std::int64_t now_ns_ = 0, begin_ns_ = 0;
  std::string boot_;
};

const char* to_string(LiveRank::State state) {
  switch (state) {
    case LiveRank::State::in_call:
      return "in-call";
    case LiveRank::State::computing:
      return "computing";
    case LiveRank::State::ended:
      return "ended";
    case LiveRank::State::killed:
      return "killed";
  }
  return "";
}

// Of the thread's call; what there is nothing of is null.
nlohmann::json call_json(const LiveThread& thread, double now_s) {
  nlohmann::json json = {{"call", nullptr},
                         {"peer", nullptr},
                         {"tag", nullptr},
                         {"comm", nullptr},
                         {"since_ns", std::llround(thread.since_s * 1e9)},
                         {"for_ns", std::max<std::int64_t>(0, std::llround((now_s - thread.since_s) * 1e9))},
                         {"records", thread.records}};
  if (!thread.call) return json;
  json["call"] = thread.call->name;
  if (thread.call->peer) json["peer"] = *thread.call->peer;
  if (thread.call->tag) json["tag"] = *thread.call->tag;
  if (!thread.call->comm.empty()) json["comm"] = thread.call->comm;
  if (thread.call->operations > 0) json["operations"] = thread.call->operations;
  if (!thread.call->not_entered.empty()) json["not_entered"] = thread.call->not_entered;
  return json;
}

}  // namespace

Result<Live> look_live(const fs::path& dir) {
  if (!has_spool(dir))
    return fail("it is not being recorded", dir.string(), "its recording has ended: look at it as a trace");
  Diagnostics unheeded;
  const spool::SpoolShare definitions_only{[](std::size_t) { return false; }, &unheeded};
  WW_TRY(const auto spools, spool::read_spools(dir / spool_name, unheeded, &definitions_only));
  Live live = Looker(dir, spools).look();
  live.running = recorder_of(dir).has_value();
  return live;
}

nlohmann::json to_json(const Live& live) {
  nlohmann::json ranks = nlohmann::json::array();
  for (const LiveRank& rank : live.ranks) {
    nlohmann::json one = call_json(rank.threads.front(), live.now_s);
    one["rank"] = rank.rank;
    one["host"] = rank.host;
    one["state"] = to_string(rank.state);
    if (rank.threads.size() > 1) {
      one["threads"] = nlohmann::json::array();
      for (const LiveThread& thread : rank.threads) {
        one["threads"].push_back(call_json(thread, live.now_s));
        one["threads"].back()["thread"] = thread.thread;
      }
    }
    ranks.push_back(std::move(one));
  }
  return {{"running", live.running},
          {"now_ns", std::llround(live.now_s * 1e9)},
          {"ring", live.ring},
          {"ranks", std::move(ranks)}};
}

}  // namespace ww::view
