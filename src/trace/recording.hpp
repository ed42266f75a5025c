// That a trace directory is being recorded into, said so that it ends with the process that records, however
// it ends: a lock on a file of the spool.
#pragma once
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/spool.hpp"

namespace ww {

class Recording {
 public:
  // Makes DIR/spool with `facts` for its run.json in it; it has its name only when it says that it is being
  // recorded. Errors: DIR has a spool, or cannot be written.
  static Result<Recording> begin(const std::filesystem::path& dir, const nlohmann::json& facts);
  Recording(Recording&& other) noexcept;
  Recording& operator=(Recording&&) = delete;
  ~Recording();
  // The program has ended: from now on anybody may unify, with these facts.
  void end(const nlohmann::json& facts);

 private:
  explicit Recording(std::filesystem::path dir) : dir_(std::move(dir)) {}
  std::filesystem::path dir_;
  int mark_ = -1;
};

// What the recorder said of the run, kept in the spool until there is an archive; null: nothing.
nlohmann::json kept_facts(const std::filesystem::path& dir);
bool keep_facts(const std::filesystem::path& dir, const nlohmann::json& facts);

// Who is recording into it, "process 12 on alpha"; nothing: nobody (any more).
std::optional<std::string> recorder_of(const std::filesystem::path& dir);
// A rank on this host still has its spool mapped, though nobody records: the recorder was ended before it.
std::optional<std::string> rank_at_work(const std::vector<spool::RankSpool>& spools);

}  // namespace ww
