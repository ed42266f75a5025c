// S1's echo with idle and with busy processors: round trips while nothing else runs in the two processes, and
// while a thread of each computes. Both are taken in turn.
#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "measure/program/computation.hpp"
#include "measure/program/experiment.hpp"

namespace ww::measure {
namespace {

constexpr std::int64_t quiet = 1, loaded = 2, rounds = 4, at_a_time = 12;

class Load {
 public:
  explicit Load(bool runs) {
    if (!runs) return;
    const std::int64_t turns = turns_for(Arithmetic::integer, 1e-4);
    thread_ = std::thread([this, turns] {
      while (!ends_.load(std::memory_order_relaxed)) compute(Arithmetic::integer, turns);
    });
  }
  ~Load() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

struct Echo {
  std::int64_t bytes;
  std::vector<double> idle_s = {}, busy_s = {};
};

void lead(Session& session, double budget_s) {
  const double end = now_s() + budget_s;
  std::vector<Echo> echoes;
  for (const std::int64_t bytes : {16, 2000})
    if (bytes <= session.largest_bytes()) echoes.push_back({bytes});
  // a rank that shares its core with its thread waits for whole time slices: time is looked at after each
  for (std::int64_t round = 0; round < rounds; ++round)
    for (Echo& echo : echoes)
      for (const std::int64_t kind : {quiet, loaded}) {
        if (now_s() > end) continue;
        auto& seconds = kind == quiet ? echo.idle_s : echo.busy_s;
        const std::int64_t count = kind == quiet || seconds.empty() || seconds.back() < 1e-3 ? at_a_time : 3;
        session.order({kind, echo.bytes, echo.bytes, count});
        const Load load(kind == loaded);
        for (std::int64_t i = 0; i < count; ++i) {
          const double begin = now_s();
          session.send(echo.bytes);
          session.receive(echo.bytes);
          if (i > 0) seconds.push_back(now_s() - begin);
        }
      }
  session.stop();
  for (const Echo& echo : echoes)
    if (!echo.idle_s.empty() && !echo.busy_s.empty())
      session.emit("busy", {{"bytes", echo.bytes}, {"idle_s", echo.idle_s}, {"busy_s", echo.busy_s}});
}

void follow(Session& session) {
  while (const auto order = session.next_order()) {
    const Load load(order->kind == loaded);
    session.answer_round_trips(*order);
  }
}

}  // namespace

const Experiment busy{"busy", "echoes while other threads compute", 0.02, When::full_first, lead, follow};

}  // namespace ww::measure
