#include "measure/program/group.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "measure/samples.hpp"

namespace ww::measure {

double agreed(double value, MPI_Comm comm) {
  MPI_Bcast(&value, 1, MPI_DOUBLE, 0, comm);
  return value;
}

void wait_asleep(MPI_Request& request) {
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) usleep(1000);
  }
}

void meet(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  wait_asleep(request);
}

ProcessGroup::ProcessGroup(MPI_Comm comm, std::vector<std::string> hosts, std::int64_t largest_bytes,
                           bool show_progress, std::uint64_t seed)
    : comm_(comm),
      hosts_(std::move(hosts)),
      largest_bytes_(largest_bytes),
      show_progress_(show_progress),
      random_(seed) {
  MPI_Comm_rank(comm_, &rank_);
}

std::int64_t ProcessGroup::agreed(std::int64_t value) {
  MPI_Bcast(&value, 1, MPI_INT64_T, 0, comm_);
  return value;
}

double ProcessGroup::agreed(double value) {
  return measure::agreed(value, comm_);
}

std::vector<double> ProcessGroup::gathered(const std::vector<double>& own) {
  std::vector<double> all(leads() ? own.size() * hosts_.size() : 0);
  const auto count = static_cast<int>(own.size());
  MPI_Gather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, comm_);
  return all;
}

void ProcessGroup::meet() {
  measure::meet(comm_);
}

char* ProcessGroup::out(std::int64_t bytes) {
  out_.grow(static_cast<std::size_t>(bytes) + 1);
  return out_.data();
}

char* ProcessGroup::in(std::int64_t bytes) {
  in_.grow(static_cast<std::size_t>(bytes) + 1);
  return in_.data();
}

void ProcessGroup::emit(const std::string& kind, nlohmann::json record) const {
  if (!leads()) return;
  record["kind"] = kind;
  emit_record(record);
}

void ProcessGroup::progress(const std::string& text) const {
  if (show_progress_ && leads()) std::fprintf(stderr, "all ranks: %s\n", text.c_str());
}

}  // namespace ww::measure
