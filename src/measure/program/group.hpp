// What an experiment of all ranks works with. Rank 0 decides (by the time that is left) and says so to the
// others; those that have nothing to do sleep, since busy waiting takes cores from those that measure.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <random>
#include <string>
#include <vector>

#include "measure/program/blank_buffer.hpp"

namespace ww::measure {

class ProcessGroup {
 public:
  ProcessGroup(MPI_Comm comm, std::vector<std::string> hosts, std::int64_t largest_bytes, bool show_progress,
               std::uint64_t seed);
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int ranks() const { return static_cast<int>(hosts_.size()); }
  bool leads() const { return rank_ == 0; }
  const std::vector<std::string>& hosts() const { return hosts_; }  // of each rank
  std::int64_t largest_bytes() const { return largest_bytes_; }
  std::mt19937_64& random() { return random_; }  // the same numbers on every rank

  // Rank 0's value, on all ranks.
  std::int64_t agreed(std::int64_t value);
  double agreed(double value);
  // Values of all ranks, in order, on rank 0; elsewhere nothing.
  std::vector<double> gathered(const std::vector<double>& own);
  void meet();  // sleeping

  char* out(std::int64_t bytes);  // buffers of at least that size, touched
  char* in(std::int64_t bytes);

  void emit(const std::string& kind, nlohmann::json record) const;  // rank 0
  void progress(const std::string& text) const;

 private:
  MPI_Comm comm_;
  int rank_ = 0;
  std::vector<std::string> hosts_;
  std::int64_t largest_bytes_;
  bool show_progress_;
  BlankBuffer out_, in_;
  std::mt19937_64 random_;
};

double agreed(double value, MPI_Comm comm);  // rank 0's value, on all ranks
// Waiting without taking a core.
void wait_asleep(MPI_Request& request);
void meet(MPI_Comm comm);  // barrier

}  // namespace ww::measure
