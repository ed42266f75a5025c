#include "trace/from_spool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "library/libraries.hpp"
#include "trace/otf2_write.hpp"
#include "trace/spool_basis.hpp"
#include "trace/spool_messages.hpp"
#include "trace/spool_tasks.hpp"

namespace ww::spool {
namespace {

using DamageCounts = std::array<std::uint64_t, sizeof(Damage) / sizeof(std::uint64_t)>;

class Unifier {
 public:
  Unifier(const std::vector<RankSpool>& spools, const std::filesystem::path& dir, const UnifyOptions& options,
          Diagnostics& diagnostics)
      : spools_(spools),
        dir_(dir),
        threads_(options.threads > 0 ? options.threads : processors()),
        team_(options.team != nullptr ? *options.team : alone_),
        of_mine_(options.of_mine),
        diagnostics_(diagnostics) {
    for (std::size_t s = 0; s < spools_.size(); ++s)
      if (team_.mine(s)) mine_.push_back(s);
  }

  Result<nlohmann::json> run() {
    WW_TRY(const RankDefinitions* const otherwise, find_calls(spools_));
    WW_TRY(const std::vector<Extent> extents, share_extents(otherwise));
    basis_ = Basis::make(spools_, otherwise, extents, diagnostics_);
    outboxes_.assign(basis_.hosts.size(), nullptr);
    for (std::size_t s = 0; s < spools_.size(); ++s) surveys_.emplace_back(dir_);
    WW_CHECK(in_parallel(mine_.size(), threads_, [this](std::size_t i) { return survey(mine_[i]); }));
    WW_CHECK(share_surveys());
    name_regions();
    otf2::Names names{regions_, meanings_, basis_.comms, basis_.user, basis_.windows};
    for (Survey& survey : surveys_)
      for (auto& group : survey.groups)
        names.groups.try_emplace(group, static_cast<std::uint32_t>(names.groups.size()));
    names.files = basis_.files;
    WW_TRY(const auto archive, otf2::ArchiveWriter::create(dir_, names));
    violations_.assign(spools_.size(), 0);
    WW_CHECK(in_parallel(mine_.size(), threads_, [&](std::size_t i) { return write(mine_[i], *archive); }));
    if (team_.leads()) WW_CHECK(write_missing(*archive));
    WW_CHECK(share_archive(*archive));
    if (!team_.leads()) return nlohmann::json();
    WW_TRY(events_, archive->finish(definitions()));
    count_damage();
    return facts();
  }

 private:
  // What the ranks' records span, of those that others read from them.
  Result<std::vector<Extent>> share_extents(const RankDefinitions* otherwise) {
    nlohmann::json own = nlohmann::json::array();
    for (const std::size_t s : mine_) {
      const Extent extent = extent_of(spools_[s], calls_for(spools_[s], otherwise).calls.size());
      own.push_back({s, extent.recorded,
                     extent.first_ticks ? nlohmann::json(*extent.first_ticks) : nlohmann::json(),
                     extent.last_ticks});
    }
    std::vector<Extent> extents(spools_.size());
    WW_TRY(const auto all, team_.all("extents", std::move(own)));
    for (const nlohmann::json& words : all)
      for (const nlohmann::json& word : words) {
        WW_TRY(const std::size_t s, spool_in(word));
        extents[s].recorded = word.at(1).get<bool>();
        if (!word.at(2).is_null()) extents[s].first_ticks = word.at(2).get<std::uint64_t>();
        extents[s].last_ticks = word.at(3);
      }
    return extents;
  }

  // The spool that another process speaks of; its list must be ours.
  Result<std::size_t> spool_in(const nlohmann::json& word) const {
    const std::size_t s = word.at(0);
    if (s >= spools_.size())
      return fail("the processes of this unify see different spools", dir_.string(),
                  "unify with one process, where all spools are seen");
    return s;
  }

  std::filesystem::path messages_of(std::size_t s) const {
    return team_.place_of(team_.owner(s)) / ("messages." + std::to_string(s));
  }

  // Which calls and groups there are and what was sent: receivers are written by whoever has their records.
  Result<void> share_surveys() {
    if (team_.alone()) return {};
    nlohmann::json own = nlohmann::json::array();
    for (const std::size_t s : mine_) {
      const Survey& survey = surveys_[s];
      if (!survey.outbox.messages.save(messages_of(s)))
        return fail("no room for the working files of the archive", messages_of(s).string(),
                    "free space on its disk");
      own.push_back({s, survey.calls, survey.outbox.messages.size(), survey.outbox.begins,
                     std::bit_cast<DamageCounts>(survey.damage), survey.groups});
    }
    WW_TRY(const auto all, team_.all("surveys", std::move(own)));
    for (const nlohmann::json& words : all)
      for (const nlohmann::json& word : words) {
        WW_TRY(const std::size_t s, spool_in(word));
        if (team_.mine(s)) continue;
        Survey& survey = surveys_[s];
        survey.calls = word.at(1).get<std::vector<std::uint16_t>>();
        survey.outbox.begins = word.at(3).get<decltype(survey.outbox.begins)>();
        survey.damage = std::bit_cast<Damage>(word.at(4).get<DamageCounts>());
        survey.groups = word.at(5).get<decltype(survey.groups)>();
        if (!survey.outbox.messages.load(messages_of(s), word.at(2)))
          return fail("cannot read what another process wrote", messages_of(s).string());
        outboxes_[static_cast<std::size_t>(spools_[s].rank)] = &survey.outbox;
      }
    return {};
  }

  // The leader takes over the events that the members wrote.
  Result<void> share_archive(otf2::ArchiveWriter& archive) {
    if (team_.alone()) return {};
    nlohmann::json own = {{"violations", nlohmann::json::array()},
                          {"diagnostics", of_mine_ != nullptr ? *of_mine_ : Diagnostics()}};
    for (const std::size_t s : mine_) own["violations"].push_back({s, violations_[s]});
    if (!team_.leads()) {
      WW_TRY(own["part"], archive.hand_over());
    }
    WW_TRY(const auto all, team_.all("written", std::move(own)));
    if (!team_.leads()) return {};
    for (std::size_t k = 1; k < all.size(); ++k) {
      WW_CHECK(archive.adopt(team_.place_of(k), all[k].at("part")));
      for (const nlohmann::json& word : all[k].at("violations")) {
        WW_TRY(const std::size_t s, spool_in(word));
        violations_[s] = word.at(1);
      }
      diagnostics_.merge(all[k].at("diagnostics").get<Diagnostics>());
    }
    return {};
  }

  Result<void> survey(std::size_t s) {
    Survey& survey = surveys_[s];
    survey.damage = decode(basis_.context(s), [&](const DecodedCall& call) {
      if (call.part != CallPart::end) survey.take(call);
    });
    WW_CHECK(survey.finish());
    outboxes_[static_cast<std::size_t>(spools_[s].rank)] = &survey.outbox;
    return {};
  }

  // Calls that were made, in the order of the ranks and of their first calls.
  void name_regions() {
    std::unordered_map<std::string, std::uint16_t> known;
    region_of_.resize(spools_.size());
    for (std::size_t s = 0; s < spools_.size(); ++s) {
      const auto& calls = basis_.calls_of(s);
      region_of_[s].assign(calls.size(), 0xffff);
      for (const std::uint16_t call : surveys_[s].calls) {
        const auto [entry, added] =
            known.try_emplace(calls[call], static_cast<std::uint16_t>(regions_.size()));
        if (added) {
          regions_.push_back(calls[call]);
          meanings_.push_back(basis_.meaning_of(s, call));
        }
        region_of_[s][call] = entry->second;
      }
    }
  }

  // Locations of a rank: its first thread carries its messages, and the rank's number as its own.
  static OTF2_LocationRef location_of(std::int32_t rank, std::size_t thread) {
    return (static_cast<OTF2_LocationRef>(thread) << 32) | static_cast<std::uint32_t>(rank);
  }

  Result<void> write(std::size_t s, otf2::ArchiveWriter& archive) {
    const RankSpool& spool = spools_[s];
    if (spool.threads.empty()) return write_empty(spool.rank, archive);
    std::vector<std::unique_ptr<otf2::LocationWriter>> locations;
    for (std::size_t t = 0; t < spool.threads.size(); ++t) {
      const SpoolHeader& header = spool.threads[t].header();
      std::string name = t == 0 ? "Master thread" : "Thread " + std::to_string(header.thread);
      if (header.threads > 1) name += " (" + std::to_string(header.threads) + " one after another)";
      WW_TRY(auto location,
             archive.open(location_of(spool.rank, t), static_cast<std::uint32_t>(spool.rank), name));
      locations.push_back(std::move(location));
    }
    Spill<Fate>& fates = surveys_[s].fates;
    const auto& regions = region_of_[s];
    Inbox inbox(spool.rank, outboxes_);
    std::vector<std::vector<CallAction>> open(
        1);  // of calls within which others are told; at last, of the next
    std::uint64_t calls = 0;
    const auto take = [&](const DecodedCall& call) {
      if (call.part == CallPart::end) {
        open.pop_back();
        locations[call.thread]->leave(
            {call.enter_ns, call.leave_ns, regions[call.call], open.back(), call.one_sided, call.files});
        return;
      }
      std::vector<CallAction>& actions = open.back();
      actions.clear();
      for (DecodedAction& action : call.actions) {
        settle(action, call, inbox, fates, violations_[s]);
        if (action.kind == ActionKind::icollective_done) action.begun_region = regions[action.begun_region];
        actions.push_back(action);
      }
      const RecordedCall recorded{call.enter_ns, call.leave_ns,  regions[call.call],
                                  actions,       call.one_sided, call.files};
      if (call.part == CallPart::begin) {
        locations[call.thread]->enter(recorded);
        open.emplace_back();
      } else {
        locations[call.thread]->call(recorded);
      }
      if (++calls % (std::uint64_t{1} << 20) == 0) fates.release();
    };
    decode(basis_.context(s), take,
           [&](const UserSaying& said) { locations[said.thread]->user(said.event); });
    for (auto& location : locations) WW_CHECK(archive.close(std::move(location)));
    fates = Spill<Fate>(dir_);
    inbox.release();
    return {};
  }

  // What the other side says of the action: sizes of receives that their recorder left open.
  static void settle(DecodedAction& action, const DecodedCall& call, Inbox& inbox, Spill<Fate>& fates,
                     std::uint64_t& violations) {
    if (action.kind == ActionKind::left_out && (action.flags & action_left_out_receives) != 0)
      inbox.pass(action.peer, action.comm, action.tag, action.bytes);
    if (action.kind == ActionKind::recv) {
      const auto sent = inbox.take(action.peer, action.comm, action.tag);
      if (sent && call.leave_ns < sent->sent_ns) ++violations;
      return;
    }
    if (action.kind != ActionKind::irecv && action.kind != ActionKind::irecv_done) return;
    Fate& fate = fates[action.operation - 1];
    if (action.kind == ActionKind::irecv_done) {
      action.bytes = fate.bytes;
      if (fate.matched && call.leave_ns < fate.sent_ns) ++violations;
      return;
    }
    if (fate.state == Fate::State::cancelled) return;
    if (fate.peer >= 0 && fate.tag >= 0) {
      if (const auto sent = inbox.take(fate.peer, action.comm, fate.tag)) {
        fate.matched = true;
        fate.sent_ns = sent->sent_ns;
        if (fate.unsized) fate.bytes = sent->bytes;
      }
    }
    action.arrives = fate.state == Fate::State::done;
    action.arrived_bytes = fate.bytes;
  }

  static Result<void> write_empty(std::size_t rank, otf2::ArchiveWriter& archive) {
    WW_TRY(auto location, archive.open(rank, static_cast<std::uint32_t>(rank), "Master thread"));
    return archive.close(std::move(location));
  }

  // Ranks that left nothing have a location all the same: ranks are named by their locations.
  Result<void> write_missing(otf2::ArchiveWriter& archive) {
    std::vector<bool> there(basis_.hosts.size(), false);
    for (const RankSpool& spool : spools_) there[static_cast<std::size_t>(spool.rank)] = true;
    for (std::size_t r = 0; r < there.size(); ++r)
      if (!there[r]) WW_CHECK(write_empty(r, archive));
    return {};
  }

  otf2::ArchiveDefinitions definitions() const {
    otf2::ArchiveDefinitions definitions;
    definitions.hosts = basis_.hosts;
    definitions.addresses = basis_.addresses;
    definitions.clocks.resize(basis_.hosts.size());
    for (std::size_t s = 0; s < spools_.size(); ++s) {
      auto& points = definitions.clocks[static_cast<std::size_t>(spools_[s].rank)];
      const TickMap& map = *basis_.maps[s];
      for (const SpoolClockPair& pair : map.exchanges())
        points.push_back({basis_.time.to_ns(map, static_cast<std::uint64_t>(pair.at_ticks)),
                          pair.deviation_ticks / basis_.time.ticks_per_s * 1e9});
    }
    for (std::size_t s = 0; s < spools_.size(); ++s) {
      if (!spools_[s].definitions.process) continue;
      const RecordedProcess& process = *spools_[s].definitions.process;
      definitions.realtime_begin_ns =
          process.realtime_ns - basis_.time.to_ns(*basis_.maps[s], static_cast<std::uint64_t>(process.ticks));
      break;
    }
    return definitions;
  }

  // Of the message library's own (Library::servers), such as goes on after the program.
  static bool is_server(const RankDefinitions& of) {
    if (of.end || !of.process) return false;
    const Library* const library = library_named(of.process->mpi);
    if (library == nullptr) return false;
    const auto servers = split_words(library->servers);
    return std::find(servers.begin(), servers.end(),
                     std::filesystem::path(of.process->program).filename().string()) != servers.end();
  }

  void count_damage() {
    std::vector<std::int32_t> ended_early;
    std::uint64_t servers = 0;
    Damage damage;
    std::uint64_t violations = 0;
    for (std::size_t s = 0; s < spools_.size(); ++s) {
      if (is_server(spools_[s].definitions))
        ++servers;
      else if (!spools_[s].definitions.end)
        ended_early.push_back(spools_[s].rank);
      damage.add(surveys_[s].damage);
      violations += violations_[s];
    }
    violated_messages_ = violations;
    if (violations > 0)
      diagnostics_.add("clock-violation",
                       "messages were received before they were sent; their times are moved forward when the "
                       "trace is loaded, which says by how much, and why",
                       violations);
    if (!ended_early.empty()) {
      std::string ranks;
      for (std::size_t i = 0; i < std::min<std::size_t>(ended_early.size(), 16); ++i)
        ranks += (i == 0 ? "" : ", ") + std::to_string(ended_early[i]);
      if (ended_early.size() > 16) ranks += " ...";
      diagnostics_.add("rank-ended-early",
                       "killed or crashed before its end: rank " + ranks +
                           "; the trace goes to the last call that returned there",
                       ended_early.size());
    }
    if (servers > 0) diagnostics_.add("server-goes-on", servers);
    if (damage.records > 0) diagnostics_.add("damaged-record", damage.records);
    if (damage.overlapping_calls > 0) diagnostics_.add("overlapping-call", damage.overlapping_calls);
    if (damage.unknown_comms > 0)
      diagnostics_.add("unknown-communicator",
                       "messages on communicators that the spool does not define were not taken",
                       damage.unknown_comms);
    if (damage.unknown_processes > 0) diagnostics_.add("unknown-process", damage.unknown_processes);
    if (damage.unknown_windows > 0) diagnostics_.add("unknown-window", damage.unknown_windows);
    if (damage.unknown_files > 0) diagnostics_.add("unknown-file", damage.unknown_files);
    if (damage.unknown_operations > 0) diagnostics_.add("unknown-operation", damage.unknown_operations);
    if (damage.unknown_names > 0) diagnostics_.add("unknown-name", damage.unknown_names);
    count_regions(damage);
  }

  void count_regions(const Damage& damage) {
    if (damage.regions_out_of_order > 0) diagnostics_.add("region-out-of-order", damage.regions_out_of_order);
    if (damage.regions_not_open > 0) diagnostics_.add("region-not-open", damage.regions_not_open);
    if (damage.regions_left_open > 0) diagnostics_.add("region-left-open", damage.regions_left_open);
  }

  nlohmann::json facts() const {
    nlohmann::json facts;
    facts["events"] = events_;
    facts["ranks"] = nlohmann::json::array();
    for (std::size_t s = 0; s < spools_.size(); ++s) {
      if (!spools_[s].definitions.process) continue;
      const RecordedProcess& process = *spools_[s].definitions.process;
      nlohmann::json rank = {{"rank", spools_[s].rank}, {"host", process.host}, {"pid", process.pid}};
      if (spools_[s].address) rank["address"] = show_address(*spools_[s].address);
      if (spools_[s].world > 0) {
        rank["world"] = spools_[s].world;
        rank["world_rank"] = spools_[s].world_rank;
      }
      if (const auto& usage = spools_[s].definitions.usage) {
        rank["cpu_s"] = static_cast<double>(usage->cpu_ns) * 1e-9;
        rank["elapsed_s"] = static_cast<double>(usage->elapsed_ns) * 1e-9;
        rank["involuntary_switches"] = usage->involuntary_switches;
        if (usage->waited_ns >= 0) rank["waited_s"] = static_cast<double>(usage->waited_ns) * 1e-9;
        if (usage->arithmetic_begin_ns > 0 && usage->arithmetic_end_ns > 0)
          rank["arithmetic_s"] = {static_cast<double>(usage->arithmetic_begin_ns) * 1e-9,
                                  static_cast<double>(usage->arithmetic_end_ns) * 1e-9};
        if (usage->polled_ns > 0) rank["polled_s"] = static_cast<double>(usage->polled_ns) * 1e-9;
      }
      for (const auto& [name, fact] : spools_[s].definitions.facts)
        if (!rank.contains(name)) rank[name] = nlohmann::json::parse(fact);
      if (facts.contains("program") && facts["program"] != process.program) rank["program"] = process.program;
      facts["ranks"].push_back(std::move(rank));
      if (!facts.contains("program")) {
        facts["program"] = process.program;
        facts["mpi"] = process.mpi;
        facts["mpi_version"] = process.mpi_version;
        facts["dilation"] = process.dilation;
      }
    }
    facts["clock"] = clock_facts(basis_.maps, spools_, basis_.time.ticks_per_s, basis_.time.origin_ticks);
    facts["clock"]["violations"] = violated_messages_;
    return facts;
  }

  const std::vector<RankSpool>& spools_;
  const std::filesystem::path& dir_;
  const std::size_t threads_;
  Team alone_;
  Team& team_;
  const Diagnostics* of_mine_;
  std::vector<std::size_t> mine_;  // spools whose records this process reads
  Diagnostics& diagnostics_;
  Basis basis_;
  std::vector<const Outbox*> outboxes_;  // by rank
  std::vector<std::string> regions_;
  std::vector<CallMeaning> meanings_;  // of the regions
  // by spool
  std::vector<Survey> surveys_;
  std::vector<std::vector<std::uint16_t>> region_of_;  // by number of the call
  std::vector<std::uint64_t> violations_;              // messages received before they were sent
  std::uint64_t violated_messages_ = 0, events_ = 0;
};

}  // namespace

Result<nlohmann::json> write_archive(const std::vector<RankSpool>& spools, const std::filesystem::path& dir,
                                     const UnifyOptions& options, Diagnostics& diagnostics) {
  return Unifier(spools, dir, options, diagnostics).run();
}

}  // namespace ww::spool
