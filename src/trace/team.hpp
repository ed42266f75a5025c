// Several processes that do one piece of work together: unify a trace, evaluate a sweep. They see one
// directory and nothing else of one another: no message library is linked, since whatwire serves all of them.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace ww {

// Which of how many processes this is. Process 0 leads.
struct Crew {
  std::size_t number = 0, size = 1;
  std::size_t on_this_host = 1;  // of them, as far as is known
};

// As the launcher says in the environment (Open MPI's, MPICH's and others that speak PMI); alone without one.
Crew crew_of_environment();

// Processes meet in DIR/MEETING, where each member leaves a word that only this run of it can know, and
// the leader names the members of its attempt by theirs: what an earlier attempt left there is never taken
// for this one. From then on they work in the leader's own, new directory. Each holds a lock on a file there
// as long as it lives, also over the network, so that nobody waits for the dead.
class Team {
 public:
  static constexpr const char* unify_meeting = ".unify-team";
  Team() = default;  // one process alone: nothing is shared
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // `place` exists, is empty, and lies in `dir`. Error: not all came.
  static Result<std::unique_ptr<Team>> lead(const std::filesystem::path& dir,
                                            const std::filesystem::path& place, const Crew& crew,
                                            const std::string& meeting = unify_meeting);
  // Error: nobody leads, or the work is no longer `wanted`.
  static Result<std::unique_ptr<Team>> join(const std::filesystem::path& dir, const Crew& crew,
                                            const std::string& meeting, const std::function<bool()>& wanted);

  bool leads() const { return crew_.number == 0; }
  bool alone() const { return crew_.size == 1; }
  std::size_t size() const { return crew_.size; }
  // Pieces of work 0, 1, ... go round.
  bool mine(std::size_t piece) const { return piece % crew_.size == crew_.number; }
  std::size_t owner(std::size_t piece) const { return piece % crew_.size; }
  const std::filesystem::path& place() const { return place_; }
  // A directory for the files of process `number`.
  std::filesystem::path place_of(std::size_t number) const;

  // Own word only, of who needs nobody else's: the leader asks for all.
  Result<void> tell(const std::string& step, const nlohmann::json& own);
  // Everybody's word, by number, once all have given theirs. Each `step` once. Error: somebody died or gave
  // up.
  Result<std::vector<nlohmann::json>> all(const std::string& step, nlohmann::json own);
  // Of a member: waits until the leader has removed the place. Error: it died.
  Result<void> until_the_end();

 private:
  Team(const Crew& crew, std::filesystem::path place) : crew_(crew), place_(std::move(place)) {}
  Result<void> move_in();
  Result<void> check_alive(std::size_t number) const;

  Crew crew_;
  std::filesystem::path place_;
  int alive_ = -1;
};

}  // namespace ww
