// A lab's directory: who owns it, whether its lab lives, and how to take a dead one away.
#pragma once
#include <filesystem>
#include <string>

#include "lab/lab_plan.hpp"

namespace ww::lab {

// Holds an flock; the descriptor is inherited by the switch, which then holds it too.
class Lock {
 public:
  // Waits for the lock, or (if_free) fails at once when another holds it.
  static Result<Lock> take(const std::filesystem::path& file);
  static Result<Lock> take_if_free(const std::filesystem::path& file);
  Lock(Lock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();
  int fd() const { return fd_; }

 private:
  explicit Lock(int fd) : fd_(fd) {}
  int fd_;
};

// Held while labs are made or taken away, so that names and subnets are given once.
Result<Lock> lock_all_labs();

bool alive(const std::filesystem::path& lab);
// An alive lab's directory by name. Errors: there is none, or it died (which is then cleaned away).
Result<std::filesystem::path> find_alive(const LabName& name);
// Removes a dead lab's directory, when what ran on its hosts has ended.
Result<void> clean_away(const std::filesystem::path& lab);
// The same of all dead labs there. The lock of all labs must be held.
void clean_away_dead_labs(const std::filesystem::path& labs);
// Only the directory, which must carry our marker; what is not a lab's in it stays and is named.
Result<void> remove_directory(const std::filesystem::path& lab);

// A request to the switch of an alive lab; its answer. Errors: it does not answer, or refuses.
Result<nlohmann::json> ask(const std::filesystem::path& lab, const nlohmann::json& request);

}  // namespace ww::lab
