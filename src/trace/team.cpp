#include "trace/team.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "base/files.hpp"
#include "library/libraries.hpp"
#include "trace/directory.hpp"

namespace ww {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr auto pause = std::chrono::milliseconds(5);
constexpr auto look_for_the_dead_every = std::chrono::milliseconds(500);
constexpr auto members_come_within = std::chrono::seconds(60);
constexpr auto leader_comes_within = std::chrono::seconds(600);  // it waits for others that unify the same

std::optional<std::size_t> number_in(const char* variable) {
  const char* text = variable == nullptr ? nullptr : std::getenv(variable);
  if (text == nullptr || *text < '0' || *text > '9') return std::nullopt;
  return std::strtoull(text, nullptr, 10);
}

fs::path alive_file(const fs::path& place, std::size_t number) {
  return place / fmt::format("alive.{}", number);
}
fs::path word_file(const fs::path& place, const std::string& step, std::size_t number) {
  return place / fmt::format("{}.{}", step, number);
}

std::string new_word() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

Crew crew_of_environment() {
  Crew crew;
  for (const Library* library : libraries()) {
    const auto& variables = library->rank_variables;
    const auto own = number_in(variables.number), all = number_in(variables.size);
    if (!own || !all || *own >= *all) continue;
    crew.number = *own;
    crew.size = *all;
    crew.on_this_host = std::max<std::size_t>(1, number_in(variables.size_on_host).value_or(1));
    break;
  }
  return crew;
}

Team::~Team() {
  if (alive_ >= 0) close(alive_);
}

fs::path Team::place_of(std::size_t number) const {
  return place_ / fmt::format("part.{}", number);
}

// The lock is taken before the file has its name, so that a file without one is that of a dead process.
Result<void> Team::move_in() {
  const fs::path file = alive_file(place_, crew_.number), hidden = file.string() + ".new";
  alive_ = open(hidden.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  std::error_code error;
  // A file system without locks leaves it to the launcher to end the others when one dies.
  if (alive_ >= 0) fcntl(alive_, F_SETLK, &whole);
  fs::rename(hidden, file, error);
  if (!error) fs::create_directories(place_of(crew_.number), error);
  if (alive_ < 0 || error)
    return fail("cannot write the archive", place_.string() + ": " + std::strerror(errno));
  return {};
}

Result<void> Team::check_alive(std::size_t number) const {
  const auto gone = [&] {
    return fail("another process ended before its share of the work was done",
                fmt::format("process {} of {}", number, crew_.size),
                "start again: nothing of this attempt is kept");
  };
  const int file = open(alive_file(place_, number).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return gone();
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  const bool known = fcntl(file, F_GETLK, &whole) == 0;
  close(file);
  if (known && whole.l_type == F_UNLCK) return gone();
  return {};
}

Result<std::unique_ptr<Team>> Team::lead(const fs::path& dir, const fs::path& place, const Crew& crew,
                                         const std::string& meeting) {
  std::unique_ptr<Team> team(new Team(crew, place));
  if (team->alone()) return team;
  WW_CHECK(team->move_in());
  std::error_code ignored;
  fs::create_directories(dir / meeting, ignored);
  json announced;
  const auto deadline = Clock::now() + members_come_within;
  while (true) {
    json session = {{"place", place.filename().string()}, {"members", json::object()}};
    std::size_t here = 1;
    for (std::size_t k = 1; k < crew.size; ++k) {
      if (is_there(alive_file(place, k))) ++here;
      if (const auto word = read_file(dir / meeting / fmt::format("join.{}", k)))
        session["members"][std::to_string(k)] = *word;
    }
    if (here == crew.size) break;
    if (session != announced) WW_CHECK(write_file(dir / meeting / "session", session.dump()));
    announced = std::move(session);
    if (Clock::now() > deadline)
      return fail("not all processes have come to share the work", fmt::format("{} of {}", here, crew.size),
                  "do all of them see " + dir.string() + "? If not, use one process where it is seen");
    std::this_thread::sleep_for(pause);
  }
  remove_part(dir, meeting);
  return team;
}

Result<std::unique_ptr<Team>> Team::join(const fs::path& dir, const Crew& crew, const std::string& meeting,
                                         const std::function<bool()>& wanted) {
  const std::string word = new_word();
  const fs::path join_file = dir / meeting / fmt::format("join.{}", crew.number);
  const auto deadline = Clock::now() + leader_comes_within;
  while (Clock::now() < deadline) {
    if (!wanted()) break;
    const auto known = read_file(join_file);
    if (!known || *known != word) {
      std::error_code ignored;
      fs::create_directory(dir / meeting, ignored);
      static_cast<void>(write_file(join_file, word));  // the leader may be clearing up: then again
    }
    const auto text = read_file(dir / meeting / "session");
    const json session = text ? json::parse(*text, nullptr, false) : json();
    const json::json_pointer own("/members/" + std::to_string(crew.number));
    if (session.is_object() && session.contains(own) && session[own] == word) {
      std::unique_ptr<Team> team(new Team(crew, dir / session.value("place", "")));
      WW_CHECK(team->move_in());
      return team;
    }
    std::this_thread::sleep_for(pause);
  }
  return fail("there is nothing to do together", dir.string(), "does process 0 see the same directory?");
}

Result<void> Team::tell(const std::string& step, const json& own) {
  return write_file(word_file(place_, step, crew_.number), own.dump());
}

Result<std::vector<json>> Team::all(const std::string& step, json own) {
  std::vector<json> words(crew_.size);
  if (!alone()) WW_CHECK(write_file(word_file(place_, step, crew_.number), own.dump()));
  words[crew_.number] = std::move(own);
  for (std::size_t k = 0; k < crew_.size; ++k) {
    if (k == crew_.number) continue;
    const fs::path file = word_file(place_, step, k);
    auto look = Clock::now() + look_for_the_dead_every;
    while (!is_there(file)) {
      std::this_thread::sleep_for(pause);
      if (Clock::now() < look) continue;
      const auto alive = check_alive(k);
      if (!alive && !is_there(file)) return tl::unexpected(alive.error());
      look = Clock::now() + look_for_the_dead_every;
    }
    WW_TRY(const std::string text, read_file(file));
    words[k] = json::parse(text, nullptr, false);
    if (words[k].is_discarded()) return fail("cannot read what another process wrote", file.string());
  }
  return words;
}

Result<void> Team::until_the_end() {
  auto look = Clock::now() + look_for_the_dead_every;
  while (is_there(place_)) {
    std::this_thread::sleep_for(pause);
    if (Clock::now() < look) continue;
    const auto alive = check_alive(0);
    if (!alive && is_there(place_)) return alive;
    look = Clock::now() + look_for_the_dead_every;
  }
  return {};
}

}  // namespace ww
