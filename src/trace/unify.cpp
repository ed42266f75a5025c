#include "trace/unify.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "trace/from_spool.hpp"
#include "trace/recording.hpp"
#include "trace/spool.hpp"
#include "trace/spool_daemons.hpp"

namespace ww {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Of run.json, where daemons of the message library were recorded beside the program.
Result<void> add_daemons(const fs::path& spool_dir, const std::vector<spool::RankSpool>& spools, json& facts,
                         Diagnostics& diagnostics) {
  WW_TRY(const auto daemons, spool::read_daemons(spool_dir, diagnostics));
  if (!daemons.empty())
    facts["daemons"] = to_json(spool::record_of(daemons, spool::program_span(spools), diagnostics));
  return {};
}

// This process' share of the work; what a member gives says nothing.
Result<json> take_part(const fs::path& dir, const fs::path& own, Team& team, const Crew& crew,
                       Diagnostics& diagnostics) {
  Diagnostics of_mine;
  const spool::SpoolShare share{[&](std::size_t s) { return team.mine(s); },
                                team.leads() ? nullptr : &of_mine};
  WW_TRY(const auto spools, spool::read_spools(dir / spool_name, diagnostics, &share));
  const std::size_t threads = std::max<std::size_t>(1, processors() / crew.on_this_host);
  WW_TRY(json facts, spool::write_archive(spools, own, {threads, &team, &of_mine}, diagnostics));
  if (team.leads()) WW_CHECK(add_daemons(dir / spool_name, spools, facts, diagnostics));
  return facts;
}

// The run.json of an archive: what the recorder said, what the spools say, and what was met on the way.
Result<Diagnostics> write_run(const fs::path& place, json run, const json& facts, Diagnostics diagnostics) {
  if (!run.is_object()) run = json::object();
  for (const auto& [key, value] : facts.items())
    if (!run.contains(key)) run[key] = value;
  if (run.contains("diagnostics")) {
    try {
      diagnostics.merge(run["diagnostics"].get<Diagnostics>());
    } catch (const json::exception&) {
      return fail("run.json has diagnostics of another form", (place / "run.json").string(), "remove it");
    }
  }
  run["diagnostics"] = diagnostics;
  WW_CHECK(write_file(place / "run.json", json_text(run, 2) + "\n"));
  return diagnostics;
}

Result<Diagnostics> unify_into(const fs::path& attempt, const fs::path& dir, json run, const Crew& crew) {
  Diagnostics diagnostics;
  WW_TRY(const auto team, Team::lead(dir, attempt, crew));
  WW_TRY(const json facts, take_part(dir, attempt, *team, crew, diagnostics));
  return write_run(attempt, std::move(run), facts, std::move(diagnostics));
}

// What whoever made the archive met.
Diagnostics diagnostics_of_archive(const fs::path& dir) {
  const json run = read_run(dir);
  try {
    if (run.is_object() && run.contains("diagnostics")) return run["diagnostics"].get<Diagnostics>();
  } catch (const json::exception&) {
  }
  return {};
}

// What a process other than the leader does.
Result<void> help(const fs::path& dir, const Crew& crew) {
  WW_TRY(const auto team, Team::join(dir, crew, Team::unify_meeting, [&] { return awaits_unify(dir); }));
  Diagnostics own;
  WW_TRY([[maybe_unused]] const json nothing, take_part(dir, team->place_of(crew.number), *team, crew, own));
  WW_CHECK(team->until_the_end());
  if (!is_unified(dir)) return fail("the archive was not completed", dir.string(), "see what process 0 says");
  return {};
}

tl::unexpected<Error> no_spool(const fs::path& dir) {
  return fail("the trace directory has neither an archive nor a spool", dir.string(),
              "what was recorded was removed by somebody else; record again");
}

}  // namespace

json read_run(const fs::path& dir) {
  const auto text = read_file(dir / "run.json");
  if (!text) return nullptr;
  json run = json::parse(*text, nullptr, false);
  return run.is_object() ? run : json(nullptr);
}

Result<Diagnostics> unify(const fs::path& dir, json run) {
  return unify(dir, std::move(run), Crew());
}

Result<Diagnostics> unify(const fs::path& dir, json run, const Crew& crew) {
  if (crew.number > 0) {
    const auto helped = help(dir, crew);
    if (!helped && !is_unified(dir)) return tl::unexpected(helped.error());
    return Diagnostics();
  }
  const DirectoryLock lock(dir);
  if (lock.directory() < 0) return fail("cannot read the trace", dir.string() + ": " + std::strerror(errno));
  // Others may have been quicker. An archive is final: it is never made again from what is left of a spool.
  remove_leftovers(lock.path());
  if (is_unified(lock.path())) return diagnostics_of_archive(lock.path());
  if (!has_spool(lock.path())) return no_spool(dir);
  if (const auto recorder = recorder_of(lock.path()))
    return fail("it is still being recorded", dir.string(), "wait for the end of " + *recorder);
  // What is said of the run is kept beside the spool until there is an archive, so that an attempt after an
  // interrupted one begins with the same and not with what that one had added.
  if (run.is_object() && !run.empty())
    static_cast<void>(keep_facts(lock.path(), run));
  else
    run = kept_facts(lock.path());
  std::string place = (lock.path() / (std::string(attempt_prefix) + "XXXXXX")).string();
  if (mkdtemp(place.data()) == nullptr)
    return fail("cannot write the archive", dir.string() + ": " + std::strerror(errno));
  const fs::path attempt = place;
  auto unified = unify_into(attempt, lock.path(), std::move(run), crew);
  if (unified)
    if (auto done = publish(lock, attempt.filename()); !done)
      unified = tl::unexpected(std::move(done.error()));
  remove_part(lock.path(), attempt.filename());
  if (unified) remove_leftovers(lock.path());
  return unified.map_error([&](Error error) {
    error.where = lock.as_named(error.where, dir);
    return error;
  });
}

Result<void> check_ended(const fs::path& dir) {
  if (const auto recorder = recorder_of(dir))
    return fail("it is still being recorded", dir.string(), "wait for the end of " + *recorder);
  Diagnostics unheeded;
  const spool::SpoolShare definitions_only{[](std::size_t) { return false; }, nullptr};
  WW_TRY(const auto spools, spool::read_spools(dir / spool_name, unheeded, &definitions_only));
  if (const auto rank = rank_at_work(spools))
    return fail("the program still runs, though its recorder was ended", dir.string(),
                "wait for its end, or end it (" + *rank + ")");
  return {};
}

Result<Diagnostics> unify_recorded(const fs::path& dir, const Crew& crew) {
  const auto ended = check_ended(dir);
  if (is_unified(dir)) return unify(dir, nullptr, crew);  // by others meanwhile
  if (!ended) return tl::unexpected(ended.error());
  return unify(dir, kept_facts(dir).is_object() ? json(nullptr) : read_run(dir), crew);
}

Result<void> unify_elsewhere(const fs::path& dir, const fs::path& place) {
  WW_CHECK(check_ended(dir));
  Diagnostics diagnostics;
  Team alone;
  WW_TRY(const auto spools, spool::read_spools(dir / spool_name, diagnostics));
  WW_TRY(json facts, spool::write_archive(spools, place, {0, &alone, nullptr}, diagnostics));
  WW_CHECK(add_daemons(dir / spool_name, spools, facts, diagnostics));
  json run = kept_facts(dir);
  return write_run(place, run.is_object() ? std::move(run) : read_run(dir), facts, std::move(diagnostics))
      .map([](const Diagnostics&) {});
}

}  // namespace ww
