#include "measure/program/session.hpp"

#include <time.h>

#include <algorithm>
#include <cstdio>

#include "measure/samples.hpp"

namespace ww::measure {
namespace {
constexpr int order_tag = 1, data_tag = 2;
}

double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void spin(double seconds) {
  for (const double end = now_s() + seconds; now_s() < end;) {
  }
}

Session::Session(MPI_Comm pair, std::string between, const Terms& terms)
    : comm_(pair), between_(std::move(between)), terms_(terms), random_(terms.seed) {
  if (const auto known = terms.eager_threshold_bytes.find(between_);
      known != terms.eager_threshold_bytes.end())
    eager_threshold_bytes = known->second;
  for (BlankBuffer* one : {&out_, &in_}) one->grow(static_cast<std::size_t>(terms.largest_bytes) + 1);
  MPI_Comm_rank(comm_, &rank_);
}

void Session::order(const Order& order) {
  MPI_Send(&order, sizeof order, MPI_BYTE, partner(), order_tag, comm_);
  // Without this word the order's frame would still be on the wire, and the first message measured behind it.
  char ready = 0;
  if (order.kind >= 0) MPI_Recv(&ready, 1, MPI_BYTE, partner(), order_tag, comm_, MPI_STATUS_IGNORE);
}

std::optional<Order> Session::next_order() {
  Order order;
  MPI_Recv(&order, sizeof order, MPI_BYTE, partner(), order_tag, comm_, MPI_STATUS_IGNORE);
  if (order.kind < 0) return std::nullopt;
  const char ready = 0;
  MPI_Send(&ready, 1, MPI_BYTE, partner(), order_tag, comm_);
  return order;
}

void Session::send(std::int64_t bytes) {
  MPI_Send(out_.data(), static_cast<int>(bytes), MPI_BYTE, partner(), data_tag, comm_);
}

void Session::receive(std::int64_t bytes) {
  MPI_Recv(in_.data(), static_cast<int>(bytes), MPI_BYTE, partner(), data_tag, comm_, MPI_STATUS_IGNORE);
}

MPI_Request Session::begin_send(std::int64_t bytes) {
  MPI_Request request;
  MPI_Isend(out_.data(), static_cast<int>(bytes), MPI_BYTE, partner(), data_tag, comm_, &request);
  return request;
}

MPI_Request Session::begin_receive(std::int64_t bytes) {
  MPI_Request request;
  MPI_Irecv(in_.data(), static_cast<int>(bytes), MPI_BYTE, partner(), data_tag, comm_, &request);
  return request;
}

std::vector<double> Session::round_trips(std::int64_t bytes, std::int64_t back_bytes, std::int64_t count,
                                         std::int64_t block) {
  order({0, bytes, back_bytes, count * block});
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const double begin = now_s();
    for (std::int64_t k = 0; k < block; ++k) {
      send(bytes);
      receive(back_bytes);
    }
    seconds.push_back((now_s() - begin) / static_cast<double>(block));
  }
  return seconds;
}

void Session::answer_round_trips(const Order& order) {
  for (std::int64_t i = 0; i < order.count; ++i) {
    receive(order.bytes);
    send(order.back_bytes);
  }
}

double Session::estimate_s(std::int64_t bytes) const {
  if (known_.empty()) return 0;
  const auto above = known_.lower_bound(bytes);
  if (above == known_.begin()) return above->second;
  const auto below = std::prev(above);
  if (above == known_.end()) {
    // On with the slope since the last size of at most half as much: two sizes beside one another, as at an
    // eager threshold, differ by a jump, which is no slope. Of one size alone, as if 256 bytes took as long
    // as that again.
    double per_byte_s = below->second / 256;
    if (const auto beyond = known_.upper_bound(below->first / 2); beyond != known_.begin()) {
      const auto before = std::prev(beyond);
      per_byte_s =
          std::max(0.0, below->second - before->second) / static_cast<double>(below->first - before->first);
    }
    return below->second + per_byte_s * static_cast<double>(bytes - below->first);
  }
  const double part =
      static_cast<double>(bytes - below->first) / static_cast<double>(above->first - below->first);
  return below->second + part * (above->second - below->second);
}

void Session::emit(const std::string& kind, nlohmann::json record) const {
  record["kind"] = kind;
  record["between"] = between_;
  record["launch"] = terms_.launch;
  emit_record(record);
}

void Session::progress(const std::string& text) const {
  if (terms_.progress)
    std::fprintf(stderr, "%s: %s\n", between_ == "inter" ? "between hosts" : "within a host", text.c_str());
}

}  // namespace ww::measure
